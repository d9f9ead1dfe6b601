// The systolic dialect: the work of one workgroup as a tile program.
#ifndef NSTF_DIALECTS_SYSTOLIC_DIALECT
#define NSTF_DIALECTS_SYSTOLIC_DIALECT

include "mlir/IR/DialectBase.td"

def Systolic_Dialect : Dialect {
  let name = "systolic";
  let cppNamespace = "::nstf::systolic";
  let summary = "a workgroup as a virtual systolic array of tiles";
  let description = [{
    A tile is a tensor of rank 1 or 2. Its encoding first names its axes, `tensor<128x64xf16, #systolic.axes<BM, BK>>`.
    After layout assignment the encoding is `#systolic.fragment<...>`, which gives the wave, lane and register of each
    element. Because the layout is the tensor's encoding, `arith` and `math` serve as the elementwise ops; this dialect
    adds only what they lack: kernels, memory, matrix products, reductions, coordinates.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif
