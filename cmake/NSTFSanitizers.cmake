# NSTF_BUILD_FUZZERS: everything in this build folder is compiled for libFuzzer with AddressSanitizer and
# UndefinedBehaviorSanitizer; every report ends the program. Libraries (LLVM, oneTBB) stay as they are.
if(NSTF_BUILD_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "NSTF_BUILD_FUZZERS: expected clang, which has libFuzzer, but got ${CMAKE_CXX_COMPILER_ID}")
  endif()
  add_compile_options(-O1 -gline-tables-only -fno-omit-frame-pointer
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all)
  # One kind of vector instead of four, so that it compiles within minutes.
  add_compile_definitions(HWY_COMPILE_ONLY_STATIC)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-march=x86-64-v3 -maes -mpclmul)
  endif()
  add_link_options(-fsanitize=address,undefined)
endif()
