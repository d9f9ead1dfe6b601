// Tensor code that reduces: the max of each row. kernel_memory.py replaces WIDTH and TYPE.
#element = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
nstf.graph @main(%a: tensor<?xWIDTHxTYPE> {nstf.name = "a"}) -> (tensor<?xTYPE> {nstf.name = "y"})
    attributes {context = 128 : i64} {
  %c0 = arith.constant 0 : index
  %lowest = arith.constant -1.0e4 : TYPE
  %tokens = tensor.dim %a, %c0 : tensor<?xWIDTHxTYPE>
  %empty = tensor.empty(%tokens) : tensor<?xTYPE>
  %start = linalg.fill ins(%lowest : TYPE) outs(%empty : tensor<?xTYPE>) -> tensor<?xTYPE>
  %y = linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<?xWIDTHxTYPE>) outs(%start : tensor<?xTYPE>) {
  ^bb0(%x: TYPE, %largest: TYPE):
    %next = arith.maximumf %largest, %x : TYPE
    linalg.yield %next : TYPE
  } -> tensor<?xTYPE>
  nstf.return %y : tensor<?xTYPE>
}
