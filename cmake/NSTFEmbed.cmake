# nstf_embed_files(NAME root files): a static library NAME with the text of each file, and the header
# "templates/Templates.h" (from cmake/Templates.h.in) to ask for it. The texts are C++ raw string literals, so that any
# C++20 compiler takes them. Run as a script (cmake -DROOT= -DFILES= -DTEMPLATE= -DOUT= -P) it writes the source.

if(CMAKE_SCRIPT_MODE_FILE)
  set(NSTF_EMBEDDED_ENTRIES "")
  foreach(name IN LISTS FILES)
    file(READ "${ROOT}/${name}" text)
    if(text MATCHES "\\)nstf_text\"")
      message(FATAL_ERROR "${ROOT}/${name}: expected a text without )nstf_text\" in it")
    endif()
    string(APPEND NSTF_EMBEDDED_ENTRIES "    {\"${name}\", R\"nstf_text(${text})nstf_text\"},\n")
  endforeach()
  configure_file("${TEMPLATE}" "${OUT}" @ONLY)
  return()
endif()

set(NSTF_EMBED_FOLDER ${CMAKE_CURRENT_LIST_DIR})

# nstf_embed_text(OUT template root files): the source OUT, which is the template with the text of each file.
function(nstf_embed_text out template root files)
  list(TRANSFORM files PREPEND ${root}/ OUTPUT_VARIABLE paths)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DROOT=${root} "-DFILES=${files}" -DTEMPLATE=${NSTF_EMBED_FOLDER}/${template} -DOUT=${out}
            -P ${NSTF_EMBED_FOLDER}/NSTFEmbed.cmake
    DEPENDS ${paths} ${NSTF_EMBED_FOLDER}/NSTFEmbed.cmake ${NSTF_EMBED_FOLDER}/${template}
    COMMENT "Embedding ${root}" VERBATIM)
endfunction()

function(nstf_embed_files name root files)
  set(out ${PROJECT_BINARY_DIR}/templates)
  configure_file(${NSTF_EMBED_FOLDER}/Templates.h.in ${out}/Templates.h COPYONLY)
  nstf_embed_text(${out}/Templates.cpp Templates.cpp.in ${root} "${files}")
  nstf_add_library(${name} ${out}/Templates.cpp)
endfunction()
