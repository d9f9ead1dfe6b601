// Functions that need more than one instruction, a select whose condition is the same for all elements and depends on
// data, and a sum over a cache right after it grew.
#id = affine_map<(d0, d1) -> (d0, d1)>
nstf.weight @n : tensor<37xf32>
nstf.state @c : tensor<100x37xf32>
nstf.graph @main(%x: tensor<?x37xf32> {nstf.name = "x"})
    -> (tensor<?x37xf32> {nstf.name = "sin"}, tensor<?x37xf32> {nstf.name = "cos"},tensor<?x37xf32> {nstf.name = "tanh"},
        tensor<?x37xf32> {nstf.name = "erf"}, tensor<?x37xf32> {nstf.name = "pow"}, tensor<?x37xf32> {nstf.name = "pow2"}, tensor<?x37xf32> {nstf.name = "sel"},
        tensor<37xf32> {nstf.name = "cache"})
    attributes {context = 100 : i64} {
  %k = arith.constant 30.0 : f32
  %two = arith.constant 2.0 : f32
  %c0 = arith.constant 0 : index
  %tokens = tensor.dim %x, %c0 : tensor<?x37xf32>
  %e = tensor.empty(%tokens) : tensor<?x37xf32>
  %xs = linalg.map ins(%x : tensor<?x37xf32>) outs(%e : tensor<?x37xf32>) (%p: f32, %o: f32) {
    %1 = arith.mulf %p, %k : f32
    %2 = arith.mulf %1, %k : f32
    linalg.yield %2 : f32
  }
  %sin = math.sin %xs : tensor<?x37xf32>
  %cos = math.cos %xs : tensor<?x37xf32>
  %x2 = arith.addf %x, %x : tensor<?x37xf32>
  %tanh = math.tanh %x2 : tensor<?x37xf32>
  %erf = math.erf %x2 : tensor<?x37xf32>
  %pow = linalg.map ins(%x : tensor<?x37xf32>) outs(%e : tensor<?x37xf32>) (%p: f32, %o: f32) {
    %j = linalg.index 1 : index
    %c5 = arith.constant 5 : index
    %c2 = arith.constant 2 : i32
    %1 = arith.remui %j, %c5 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.subi %2, %c2 : i32
    %4 = arith.sitofp %3 : i32 to f32
    %5 = math.powf %p, %4 : f32
    linalg.yield %5 : f32
  }
  %pow2 = linalg.map ins(%x : tensor<?x37xf32>) outs(%e : tensor<?x37xf32>) (%p: f32, %o: f32) {
    %1 = math.powf %two, %p : f32
    linalg.yield %1 : f32
  }
  %f0 = tensor.extract %x[%c0, %c0] : tensor<?x37xf32>
  %flag = arith.cmpf ogt, %f0, %two : f32
  %sel = arith.select %flag, %x, %x2 : tensor<?x37xf32>
  %n = nstf.get @n : tensor<37xf32>
  %c = nstf.get @c : tensor<100x37xf32>
  %rows = nstf.rms_norm %x, %n {eps = 1.0e-5 : f64} : (tensor<?x37xf32>, tensor<37xf32>) -> tensor<?x37xf32>
  %c2 = nstf.kv_append %rows, %c : (tensor<?x37xf32>, tensor<100x37xf32>) -> tensor<100x37xf32>
  %zero = arith.constant 0.0 : f32
  %e37 = tensor.empty() : tensor<37xf32>
  %z37 = linalg.fill ins(%zero : f32) outs(%e37 : tensor<37xf32>) -> tensor<37xf32>
  %cache = linalg.reduce {arith.addf} ins(%c2 : tensor<100x37xf32>) outs(%z37 : tensor<37xf32>) dimensions = [0]
  nstf.return %sin, %cos, %tanh, %erf, %pow, %pow2, %sel, %cache : tensor<?x37xf32>, tensor<?x37xf32>, tensor<?x37xf32>, tensor<?x37xf32>, tensor<?x37xf32>, tensor<?x37xf32>, tensor<?x37xf32>, tensor<37xf32>
}
