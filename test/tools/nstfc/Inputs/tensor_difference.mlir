// Tensor code whose inputs are indexed like the result, so that loads are wide. kernel_memory.py replaces WIDTH and
// TYPE.
#element = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
nstf.graph @main(%a: tensor<?xWIDTHxTYPE> {nstf.name = "a"}, %b: tensor<WIDTHxTYPE> {nstf.name = "b"})
    -> (tensor<?xWIDTHxTYPE> {nstf.name = "y"}) attributes {context = 128 : i64} {
  %c0 = arith.constant 0 : index
  %tokens = tensor.dim %a, %c0 : tensor<?xWIDTHxTYPE>
  %empty = tensor.empty(%tokens) : tensor<?xWIDTHxTYPE>
  %y = linalg.generic {indexing_maps = [#element, #column, #element], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<?xWIDTHxTYPE>, tensor<WIDTHxTYPE>) outs(%empty : tensor<?xWIDTHxTYPE>) {
  ^bb0(%p: TYPE, %q: TYPE, %r: TYPE):
    %s = arith.subf %p, %q : TYPE
    linalg.yield %s : TYPE
  } -> tensor<?xWIDTHxTYPE>
  nstf.return %y : tensor<?xWIDTHxTYPE>
}
