// A block whose norm, gate and scores are tensor code, and whose products, attention and cache are nstf ops.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
nstf.weight @table : tensor<50x32xf32>
nstf.weight @norm : tensor<32xf32>
nstf.weight @norm2 : tensor<32xf32>
nstf.weight @q : tensor<32x32xf32>
nstf.weight @k : tensor<16x32xf32>
nstf.weight @v : tensor<16x32xf32>
nstf.weight @up : tensor<44x32xf32>
nstf.weight @down : tensor<32x22xf32>
nstf.weight @head : tensor<50x32xf32>
nstf.state @k_cache : tensor<100x16xf32>
nstf.state @v_cache : tensor<100x16xf32>
nstf.graph @main(%ids: tensor<?xi32> {nstf.name = "ids"})
    -> (tensor<1x50xf32> {nstf.name = "logits"}, tensor<?x2x16xf32> {nstf.name = "heads"}, tensor<32xf32> {nstf.name = "mean"})
    attributes {context = 100 : i64} {
  %table = nstf.get @table : tensor<50x32xf32>
  %norm = nstf.get @norm : tensor<32xf32>
  %norm2 = nstf.get @norm2 : tensor<32xf32>
  %wq = nstf.get @q : tensor<32x32xf32>
  %wk = nstf.get @k : tensor<16x32xf32>
  %wv = nstf.get @v : tensor<16x32xf32>
  %up = nstf.get @up : tensor<44x32xf32>
  %down = nstf.get @down : tensor<32x22xf32>
  %head = nstf.get @head : tensor<50x32xf32>
  %k_cache = nstf.get @k_cache : tensor<100x16xf32>
  %v_cache = nstf.get @v_cache : tensor<100x16xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %tokens = tensor.dim %ids, %c0 : tensor<?xi32>

  %x0 = nstf.embedding %ids, %table : (tensor<?xi32>, tensor<50x32xf32>) -> tensor<?x32xf32>
  // A hand-written layer norm without bias.
  %er = tensor.empty(%tokens) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce {arith.addf} ins(%x0 : tensor<?x32xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  %ex = tensor.empty(%tokens) : tensor<?x32xf32>
  %centered = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %sum : tensor<?x32xf32>, tensor<?xf32>) outs(%ex : tensor<?x32xf32>) {
  ^bb0(%p: f32, %s: f32, %o: f32):
    %n = arith.constant 32.0 : f32
    %1 = arith.divf %s, %n : f32
    %2 = arith.subf %p, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x32xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%centered : tensor<?x32xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %1 = arith.mulf %p, %p : f32
    %2 = arith.addf %acc, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%centered, %squares, %norm : tensor<?x32xf32>, tensor<?xf32>, tensor<32xf32>) outs(%ex : tensor<?x32xf32>) {
  ^bb0(%p: f32, %s: f32, %w: f32, %o: f32):
    %n = arith.constant 32.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %1 = arith.divf %s, %n : f32
    %2 = arith.addf %1, %eps : f32
    %3 = math.sqrt %2 : f32
    %4 = arith.divf %p, %3 : f32
    %5 = arith.mulf %4, %w : f32
    linalg.yield %5 : f32
  } -> tensor<?x32xf32>

  %q = nstf.linear %y, %wq : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32>
  %k = nstf.linear %y, %wk : (tensor<?x32xf32>, tensor<16x32xf32>) -> tensor<?x16xf32>
  %v = nstf.linear %y, %wv : (tensor<?x32xf32>, tensor<16x32xf32>) -> tensor<?x16xf32>
  // Hand-written scaling of queries; heads are transposed in the result.
  %q2 = linalg.map ins(%q : tensor<?x32xf32>) outs(%ex : tensor<?x32xf32>) (%p: f32, %o: f32) {
    %two = arith.constant 2.0 : f32
    %1 = arith.mulf %p, %two : f32
    linalg.yield %1 : f32
  }
  %keys = nstf.kv_append %k, %k_cache : (tensor<?x16xf32>, tensor<100x16xf32>) -> tensor<100x16xf32>
  %values = nstf.kv_append %v, %v_cache : (tensor<?x16xf32>, tensor<100x16xf32>) -> tensor<100x16xf32>
  %a = nstf.attention %q2, %keys, %values {heads = 2 : i64, kv_heads = 1 : i64, scale = 0.125 : f64, causal}
      : (tensor<?x32xf32>, tensor<100x16xf32>, tensor<100x16xf32>) -> tensor<?x32xf32>
  %heads = tensor.expand_shape %a [[0], [1, 2]] output_shape [%tokens, 2, 16] : tensor<?x32xf32> into tensor<?x2x16xf32>
  %first = tensor.extract_slice %a[0, 0] [%tokens, 16] [1, 1] : tensor<?x32xf32> to tensor<?x16xf32>
  %second = tensor.extract_slice %a[0, 16] [%tokens, 16] [1, 1] : tensor<?x32xf32> to tensor<?x16xf32>
  %exchanged = tensor.concat dim(1) %second, %first : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x32xf32>
  %x1 = nstf.add %x0, %exchanged : tensor<?x32xf32>

  // An MLP with a packed gate: the halves of one product, gated by a clamped value.
  %z = nstf.rms_norm %x1, %norm2 {eps = 1.0e-5 : f64} : (tensor<?x32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
  %both = nstf.linear %z, %up : (tensor<?x32xf32>, tensor<44x32xf32>) -> tensor<?x44xf32>
  %gate = tensor.extract_slice %both[0, 0] [%tokens, 22] [1, 2] : tensor<?x44xf32> to tensor<?x22xf32>
  %value = tensor.extract_slice %both[0, 1] [%tokens, 22] [1, 2] : tensor<?x44xf32> to tensor<?x22xf32>
  %ez = tensor.empty(%tokens) : tensor<?x22xf32>
  %gated = linalg.map ins(%gate, %value : tensor<?x22xf32>, tensor<?x22xf32>) outs(%ez : tensor<?x22xf32>) (%g: f32, %u: f32, %o: f32) {
    %low = arith.constant 0.0 : f32
    %high = arith.constant 1.0 : f32
    %1 = arith.maximumf %g, %low : f32
    %2 = arith.minimumf %1, %high : f32
    %3 = arith.mulf %2, %u : f32
    linalg.yield %3 : f32
  }
  %m = nstf.linear %gated, %down : (tensor<?x22xf32>, tensor<32x22xf32>) -> tensor<?x32xf32>
  %x2 = nstf.add %x1, %m : tensor<?x32xf32>

  %last = nstf.last_row %x2 : (tensor<?x32xf32>) -> tensor<1x32xf32>
  %logits = nstf.linear %last, %head : (tensor<1x32xf32>, tensor<50x32xf32>) -> tensor<1x50xf32>

  %e32 = tensor.empty() : tensor<32xf32>
  %zeros32 = linalg.fill ins(%zero : f32) outs(%e32 : tensor<32xf32>) -> tensor<32xf32>
  %total = linalg.reduce {arith.addf} ins(%x2 : tensor<?x32xf32>) outs(%zeros32 : tensor<32xf32>) dimensions = [0]
  %count_i32 = arith.index_cast %tokens : index to i32
  %count = arith.sitofp %count_i32 : i32 to f32
  %mean = linalg.map ins(%total : tensor<32xf32>) outs(%e32 : tensor<32xf32>) (%p: f32, %o: f32) {
    %1 = arith.divf %p, %count : f32
    linalg.yield %1 : f32
  }
  nstf.return %logits, %heads, %mean : tensor<1x50xf32>, tensor<?x2x16xf32>, tensor<32xf32>
}
