# What `cmake --install` puts where, and the package that find_package(NSTF) finds. Every path is relative to the prefix or
# to a file in it, so the prefix can be moved. Included last: it asks the targets of all folders what they link.
include(CMakePackageConfigHelpers)

set(NSTF_INCLUDE_FOLDER ${CMAKE_INSTALL_INCLUDEDIR}/nstf-${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(NSTF_CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/NSTF)

# nstf_collect_libraries(static others targets...): NSTF's static libraries among the targets and all that they link, and
# the libraries of others.
function(nstf_collect_libraries static_out others_out)
  set(queue ${ARGN})
  set(static "")
  set(others "")
  while(NOT queue STREQUAL "")
    list(POP_FRONT queue library)
    set(type "")
    if(TARGET ${library})
      get_target_property(type ${library} TYPE)
      get_target_property(is_imported ${library} IMPORTED)
    endif()
    if(type STREQUAL "STATIC_LIBRARY" AND NOT is_imported)
      if(NOT library IN_LIST static)
        list(APPEND static ${library})
        get_target_property(linked ${library} LINK_LIBRARIES)
        if(linked)
          list(APPEND queue ${linked})
        endif()
      endif()
    elseif(library AND NOT library IN_LIST others)
      list(APPEND others ${library})
    endif()
  endwhile()
  set(${static_out} ${static} PARENT_SCOPE)
  set(${others_out} ${others} PARENT_SCOPE)
endfunction()

# nstf_add_package_library(NAME FILE TARGETS libraries... [ON NAME]): lib/libFILE.so of the libraries and all that they
# link, less what the library ON holds; exported as NSTF::<NAME>.
function(nstf_add_package_library name file)
  cmake_parse_arguments(ARG "" "ON" "TARGETS" ${ARGN})
  nstf_collect_libraries(static others ${ARG_TARGETS})
  if(ARG_ON)
    get_property(held GLOBAL PROPERTY NSTF_LIBRARIES_OF_${ARG_ON})
    list(REMOVE_ITEM static ${held})
  endif()
  set_property(GLOBAL PROPERTY NSTF_LIBRARIES_OF_${name} ${static})
  list(TRANSFORM static REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(${name} SHARED ${objects})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${file} LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH "$ORIGIN"
    INSTALL_RPATH_USE_LINK_PATH ON)
  target_compile_features(${name} INTERFACE cxx_std_20)
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:${NSTF_INCLUDE_FOLDER}>)
  if(ARG_ON)
    target_link_libraries(${name} PUBLIC ${ARG_ON})
  endif()
  target_link_libraries(${name} PRIVATE ${others})
  target_link_options(${name} PRIVATE -Wl,--no-undefined)
  string(REGEX REPLACE "^NSTF(.+)Package$" "\\1" export_name ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name})
  install(TARGETS ${name} EXPORT NSTF${export_name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT NSTF${export_name} NAMESPACE NSTF:: DESTINATION ${NSTF_CONFIG_FOLDER})
endfunction()

# nstf_install_headers(folders...): headers by their path from the root, generated ones too.
function(nstf_install_headers)
  foreach(folder ${ARGN})
    foreach(root ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
      install(DIRECTORY ${root}/${folder} DESTINATION ${NSTF_INCLUDE_FOLDER} FILES_MATCHING
        PATTERN "*.h" PATTERN "*.h.inc" PATTERN "CMakeFiles" EXCLUDE)
    endforeach()
  endforeach()
endfunction()

# nstf_install_tool(NAME [COMPLETED]): bin/NAME; COMPLETED: with its completions for bash and zsh.
function(nstf_install_tool name)
  set_target_properties(${name} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(NOT "COMPLETED" IN_LIST ARGN)
    return()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/completions)
  add_custom_command(OUTPUT ${folder}/bash/${name} ${folder}/zsh/_${name}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/bash ${folder}/zsh
    COMMAND ${name} --completion=bash > ${folder}/bash/${name}
    COMMAND ${name} --completion=zsh > ${folder}/zsh/_${name}
    DEPENDS ${name} VERBATIM)
  add_custom_target(${name}-completions ALL DEPENDS ${folder}/bash/${name} ${folder}/zsh/_${name})
  install(FILES ${folder}/bash/${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${folder}/zsh/_${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endfunction()

# The runtime: packages, tokenizers, devices.
nstf_add_package_library(NSTFRuntimePackage nstf-runtime TARGETS NSTFModel)
target_link_libraries(NSTFRuntimePackage PUBLIC nlohmann_json::nlohmann_json)
install(DIRECTORY runtime/include/nstf DESTINATION ${NSTF_INCLUDE_FOLDER})
nstf_install_headers(support)
nstf_install_tool(nstf-run COMPLETED)

# The emulator: a libamdhip64 of its own must not stand where the linker finds it unasked.
install(DIRECTORY ${PROJECT_BINARY_DIR}/lib/emulator/ DESTINATION ${NSTF_EMULATOR_FOLDER} USE_SOURCE_PERMISSIONS)
nstf_install_tool(nstf-emu COMPLETED)

if(NSTF_BUILD_COMPILER)
  nstf_add_package_library(NSTFCompilerPackage nstf-compiler ON NSTFRuntimePackage
    TARGETS NSTFDriver NSTFRegistration NSTFCompress)
  nstf_install_headers(compiler dialects passes templates)
  foreach(tool nstfc nstf-opt)
    nstf_install_tool(${tool} COMPLETED)
  endforeach()
  foreach(tool nstf-tune nstf-lsp-server nstf-reduce)
    nstf_install_tool(${tool})
  endforeach()
endif()

# Data to copy and edit; what the tools use is inside them.
install(DIRECTORY templates/ DESTINATION ${CMAKE_INSTALL_DATADIR}/nstf/templates FILES_MATCHING
  PATTERN "*.yaml" PATTERN "*.mlir" PATTERN "*.md")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/nstf)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(NSTF_EXAMPLES ${CMAKE_INSTALL_DATADIR}/nstf/examples)
set(NSTF_TEMPLATES ${CMAKE_INSTALL_DATADIR}/nstf/templates)
configure_package_config_file(cmake/package/NSTFConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/NSTFConfig.cmake
  INSTALL_DESTINATION ${NSTF_CONFIG_FOLDER} PATH_VARS NSTF_EMULATOR_FOLDER NSTF_INCLUDE_FOLDER NSTF_EXAMPLES
  NSTF_TEMPLATES)
# Before 1.0 a minor version may change headers and manifest (CHANGELOG.md).
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/NSTFConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/NSTFConfig.cmake ${PROJECT_BINARY_DIR}/cmake/NSTFConfigVersion.cmake
  DESTINATION ${NSTF_CONFIG_FOLDER})

# The prefix of a .pc file is where it stands.
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH NSTF_PC_PREFIX /prefix/${pkgconfig_folder} /prefix)
foreach(name nstf-runtime nstf-emulator)
  configure_file(cmake/package/${name}.pc.in ${PROJECT_BINARY_DIR}/cmake/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/${name}.pc DESTINATION ${pkgconfig_folder})
endforeach()
