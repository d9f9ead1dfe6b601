# Target nstf-docs: build/docs/{dialects,passes}, a page for each dialect and each folder of passes, from their .td files.
# Operands have their sentences there, and passes their test as an example (tools/scripts/docs-page).
set(pages "")
function(nstf_add_page name td)
  set(page ${PROJECT_BINARY_DIR}/docs/${name}.md)
  get_filename_component(folder ${page} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(GLOB_RECURSE sources ${PROJECT_SOURCE_DIR}/dialects/*.td)
  set(includes -I ${MLIR_INCLUDE_DIR} -I ${PROJECT_SOURCE_DIR})
  set(script ${PROJECT_SOURCE_DIR}/tools/scripts/docs-page)
  add_custom_command(OUTPUT ${page}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} ${includes} ${PROJECT_SOURCE_DIR}/${td} -o ${page}.raw
    COMMAND llvm-tblgen --dump-json ${includes} ${PROJECT_SOURCE_DIR}/${td} -o ${page}.json
    COMMAND ${script} ${page}.raw ${PROJECT_SOURCE_DIR} ${page}.json > ${page}
    COMMAND ${CMAKE_COMMAND} -E rm ${page}.raw ${page}.json
    DEPENDS ${PROJECT_SOURCE_DIR}/${td} ${sources} ${script} VERBATIM)
  set(pages ${pages} ${page} PARENT_SCOPE)
endfunction()

list(GET MLIR_INCLUDE_DIRS 0 MLIR_INCLUDE_DIR)
nstf_add_page(dialects/nstf dialects/nstf/Ops.td -gen-dialect-doc -dialect=nstf)
nstf_add_page(dialects/systolic dialects/systolic/Ops.td -gen-dialect-doc -dialect=systolic)
foreach(folder nstf nstf_to_systolic systolic systolic_to_gpu)
  nstf_add_page(passes/${folder} passes/${folder}/Passes.td -gen-pass-doc)
endforeach()
foreach(folder catalog codegen target)
  nstf_add_page(passes/${folder} compiler/${folder}/Passes.td -gen-pass-doc)
endforeach()
add_custom_target(nstf-docs DEPENDS ${pages})
