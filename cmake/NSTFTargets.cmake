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
  # Nothing reads errno after a function of <cmath>. For all: a precompiled header is for files with the same options.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-math-errno>)
  add_link_options(-fuse-ld=lld)
endif()

# nstf_precompile(NAME headers... [OPTIONS options...] [DEPENDS targets...]): one precompiled header for all targets that
# reuse it.
function(nstf_precompile name)
  cmake_parse_arguments(ARG "" "" "OPTIONS;DEPENDS" ${ARGN})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/pch.cpp CONTENT "") # unlike WRITE, leaves an unchanged file alone
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/pch.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# nstf_reuse_precompiled(NAME PCH): the target includes the precompiled header PCH; the last call counts.
function(nstf_reuse_precompiled name pch)
  if(NOT NSTF_PRECOMPILE)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_compile_options(${name} PRIVATE -fPIC) # CMake's -fPIE would not match the precompiled header
  endif()
  set_target_properties(${name} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM ${pch})
endfunction()

# Parsing headers is most of a cold build: half of what a small file costs is the standard library, and three quarters
# of a pass are MLIR's operations.
if(NSTF_PRECOMPILE)
  set(standard_headers
    <algorithm> <filesystem> <functional> <map> <memory> <mutex> <optional> <span> <sstream> <string> <unordered_map>
    <vector> <nlohmann/json.hpp>)
  nstf_precompile(nstf_pch ${standard_headers})
  if(NSTF_BUILD_TESTS)
    set(test_headers <gmock/gmock.h> <gtest/gtest.h>)
    nstf_precompile(nstf_test_pch ${standard_headers} ${test_headers} OPTIONS -O1)
    target_link_libraries(nstf_test_pch PRIVATE GTest::gmock)
  endif()
  if(NOT NSTF_BUILD_FUZZERS)
    nstf_precompile(nstf_tool_pch ${standard_headers} <CLI/CLI.hpp> OPTIONS -O1)
  endif()
endif()
set(NSTF_MLIR_PCH nstf_dialects_pch) # of targets that use MLIR
if(NSTF_PRECOMPILE AND NSTF_BUILD_COMPILER)
  set(mlir_headers
    <mlir/IR/PatternMatch.h> <mlir/IR/Builders.h> <mlir/Pass/Pass.h> <mlir/IR/BuiltinOps.h>
    <mlir/IR/OpImplementation.h> <mlir/IR/DialectImplementation.h> <mlir/IR/Remarks.h>
    <mlir/Transforms/DialectConversion.h> <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/MemRef/IR/MemRef.h>)
  nstf_precompile(nstf_mlir_pch ${mlir_headers} OPTIONS -O1)
  # What stands above the dialects has theirs too, and those that kernels are lowered to; compiler, tools and tests
  # are among it.
  nstf_precompile(nstf_dialects_pch ${mlir_headers} ${standard_headers} ${test_headers} <CLI/CLI.hpp> <Eigen/Core>
    <mlir/Dialect/GPU/IR/GPUDialect.h> <mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/LLVMIR/ROCDLDialect.h> <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Tensor/IR/Tensor.h>
    <dialects/nstf/NSTF.h> <dialects/systolic/Systolic.h>
    OPTIONS -O1 DEPENDS NSTFDialectIncGen SystolicDialectIncGen)
  target_link_libraries(nstf_dialects_pch PRIVATE Eigen3::Eigen $<$<BOOL:${NSTF_BUILD_TESTS}>:GTest::gmock>)
  foreach(pch nstf_mlir_pch nstf_dialects_pch)
    target_include_directories(${pch} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    target_compile_definitions(${pch} PRIVATE ${NSTF_LLVM_DEFINITIONS})
  endforeach()
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
  nstf_reuse_precompiled(${name} nstf_pch)
endfunction()

# Gives a target MLIR's headers, libMLIR.so and the precompiled header.
function(nstf_use_mlir name)
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_definitions(${name} PRIVATE ${NSTF_LLVM_DEFINITIONS})
  target_compile_options(${name} PRIVATE -O1)
  nstf_reuse_precompiled(${name} ${NSTF_MLIR_PCH})
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
  if(NSTFCommandLine IN_LIST ARG_LINK) # of CLI11 a file has a thousand functions, and none of them takes time
    target_compile_options(${name} PRIVATE -O1)
    nstf_reuse_precompiled(${name} nstf_tool_pch)
  else()
    nstf_reuse_precompiled(${name} nstf_pch)
  endif()
endfunction()

# nstf_add_fuzzer(NAME library sources...): the program fuzz-NAME of libFuzzer (NSTF_BUILD_FUZZERS; tools/fuzz builds and
# runs it). It takes bytes and must end without a report of AddressSanitizer or UndefinedBehaviorSanitizer; its corpus
# stands in corpus/NAME beside the sources.
function(nstf_add_fuzzer name library)
  nstf_add_tool(fuzz-${name} ${ARGN} LINK ${library})
  target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
endfunction()

# nstf_add_unittest(NAME sources... [LINK libraries...]): a GoogleTest executable in build/bin/unittests, run by ctest.
function(nstf_add_unittest name)
  if(NSTF_BUILD_TESTS)
    nstf_add_tool(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE GTest::gtest_main GTest::gmock)
    target_compile_options(${name} PRIVATE -O1)
    nstf_reuse_precompiled(${name} nstf_test_pch)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/unittests)
    add_test(NAME ${name} COMMAND ${name})
  endif()
endfunction()

# nstf_add_test_run(NAME test [arguments...] ENVIRONMENT variables...): a unit test once more, in another environment.
# It counts as one: tools/check lets the unit test itself write down its cases.
function(nstf_add_test_run name test)
  cmake_parse_arguments(ARG "" "" "ENVIRONMENT" ${ARGN})
  add_test(NAME ${name} COMMAND ${test} ${ARG_UNPARSED_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${ARG_ENVIRONMENT};GTEST_OUTPUT=")
endfunction()
