# How a folder becomes a library, a tool or a test.

find_program(CCACHE ccache)
if(CCACHE)
  # ccache sees through precompiled headers only when their time stamps are left out.
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wall> $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
  add_link_options(-fuse-ld=lld)
endif()

# nstf_precompile(options... HEADERS headers...): nstf_pch, one precompiled header for all targets that reuse it.
function(nstf_precompile)
  cmake_parse_arguments(ARG "" "" "HEADERS" ${ARGN})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/pch.cpp CONTENT "") # unlike WRITE, leaves an unchanged file alone
  add_library(nstf_pch OBJECT ${PROJECT_BINARY_DIR}/pch.cpp)
  target_compile_options(nstf_pch PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  target_precompile_headers(nstf_pch PRIVATE ${ARG_HEADERS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(nstf_pch PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# nstf_reuse_precompiled(NAME): the target includes nstf_pch.
function(nstf_reuse_precompiled name)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_compile_options(${name} PRIVATE -fPIC) # CMake's -fPIE would not match the precompiled header
  endif()
  target_precompile_headers(${name} REUSE_FROM nstf_pch)
endfunction()

if(NSTF_BUILD_COMPILER)
  # Parsing MLIR's headers is most of the build time of a file that includes them.
  nstf_precompile(-O1 HEADERS
    <mlir/IR/PatternMatch.h> <mlir/IR/Builders.h> <mlir/Pass/Pass.h> <mlir/IR/BuiltinOps.h>
    <mlir/IR/OpImplementation.h> <mlir/IR/DialectImplementation.h> <mlir/IR/Remarks.h>
    <mlir/Transforms/DialectConversion.h> <mlir/Dialect/GPU/IR/GPUDialect.h> <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/MemRef/IR/MemRef.h>)
  target_include_directories(nstf_pch SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_include_directories(nstf_pch PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_definitions(nstf_pch PRIVATE ${NSTF_LLVM_DEFINITIONS})
elseif(NSTF_BUILD_FUZZERS)
  # Half of what a small file costs with sanitizers are the standard library's headers and their templates. Only here:
  # the other build finds the include that is missing.
  nstf_precompile(HEADERS
    <algorithm> <filesystem> <functional> <map> <memory> <mutex> <optional> <span> <sstream> <string> <unordered_map>
    <vector> <nlohmann/json.hpp>)
endif()

# nstf_add_library(NAME sources... [LINK libraries...] [DEPENDS targets...])
# A static library with includes from the repository's root; no MLIR.
function(nstf_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/runtime/include ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(NSTF_BUILD_FUZZERS)
    nstf_reuse_precompiled(${name})
  endif()
endfunction()

# Gives a target MLIR's headers, libMLIR.so and the precompiled header.
function(nstf_use_mlir name)
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_definitions(${name} PRIVATE ${NSTF_LLVM_DEFINITIONS})
  target_compile_options(${name} PRIVATE -O1)
  nstf_reuse_precompiled(${name})
  target_link_libraries(${name} PUBLIC MLIR LLVM)
endfunction()

# nstf_add_mlir_library: the same for a library that uses MLIR.
function(nstf_add_mlir_library name)
  nstf_add_library(${name} ${ARGN})
  nstf_use_mlir(${name})
endfunction()

# nstf_add_tool(NAME sources... [LINK libraries...]): an executable in build/bin.
function(nstf_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/runtime/include ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

# nstf_add_fuzzer(NAME library sources...): the program fuzz-NAME of libFuzzer (NSTF_BUILD_FUZZERS; tools/fuzz builds and
# runs it). It takes bytes and must end without a report of AddressSanitizer or UndefinedBehaviorSanitizer; its corpus
# stands in corpus/NAME beside the sources.
function(nstf_add_fuzzer name library)
  nstf_add_tool(fuzz-${name} ${ARGN} LINK ${library})
  nstf_reuse_precompiled(fuzz-${name})
  target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
endfunction()

# nstf_add_unittest(NAME sources... [LINK libraries...]): a GoogleTest executable in build/bin/unittests, run by ctest.
function(nstf_add_unittest name)
  if(NSTF_BUILD_TESTS)
    nstf_add_tool(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE GTest::gtest_main GTest::gmock)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/unittests)
    add_test(NAME ${name} COMMAND ${name})
  endif()
endfunction()
