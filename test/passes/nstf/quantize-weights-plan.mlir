// A plan file gives each matrix its format. A head with a tied matrix is named by its operation.
// RUN: rm -rf %t && split-file %s %t
// RUN: nstf-opt %t/model.mlir -nstf-quantize-weights=plan=%t/plan.yaml --remark-format=emitRemark \
// RUN:   --remarks-filter=nstf-quantize-weights 2>&1 | FileCheck %s
// RUN: not nstf-opt %t/model.mlir -nstf-quantize-weights=plan=%t/unknown.yaml 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not nstf-opt %t/model.mlir -nstf-quantize-weights=plan=%t/missing.yaml 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not nstf-opt %t/model.mlir -nstf-quantize-weights=plan=%t/format.yaml 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not nstf-opt %t/model.mlir -nstf-quantize-weights=plan=%t/group.yaml 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not nstf-opt %t/model.mlir -nstf-quantize-weights=plan=%t/none.yaml 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not nstf-opt %t/model.mlir "-nstf-quantize-weights=plan=%t/plan.yaml format=int8" 2>&1 | FileCheck %s --check-prefix=BOTH

// CHECK: matrices of linears in the plan's formats", bytes=3716, bytes_before=17248, matrices=2
// CHECK-DAG: nstf.weight @table.codes : tensor<54x44xi8>
// CHECK-DAG: nstf.weight @q.codes : tensor<44x6xi32>
// CHECK-DAG: nstf.weight @v.weight : tensor<44x44xf32>
// CHECK-NOT: @v.weight.codes
// UNKNOWN: unknown.yaml:4:3: expected a linear of the model but got 'w'
// MISSING: missing.yaml:2:3: expected a format of each linear but got none of 'v'
// FORMAT: format.yaml:2:15: expected int4, int5, int6 or int8, {{.*}}; or numbers, f32, f16 or bf16 but got 'int3'
// GROUP: expected groups of at most the 44 columns of weight 'q' for int4_g64 but got 64
// NONE: none.yaml: No such file or directory
// BOTH: expected a format or a plan but got both

//--- plan.yaml
weights_sha256: "0"
layers:
  head: {format: int8, products: bf16, because: "as it is"}
  q: {format: int4_g32_sym, kl: 0.1}
  v: {format: f16}
//--- unknown.yaml
layers:
  head: {format: int8}
  q: {format: int8}
  w: {format: int8}
//--- missing.yaml
layers:
  head: {format: int8}
  q: {format: int8}
//--- format.yaml
layers:
  q: {format: int3}
  head: {format: int8}
  v: {format: f16}
//--- group.yaml
layers:
  q: {format: int4_g64}
  head: {format: int8}
  v: {format: f16}
//--- model.mlir
nstf.weight @table : tensor<54x44xf32>
nstf.weight @q : tensor<44x44xf32>
nstf.weight @v.weight : tensor<44x44xf32>
nstf.graph @main(%ids: tensor<?xi32> {nstf.name = "ids"}) -> (tensor<?x54xf32> {nstf.name = "y"})
    attributes {context = 16 : i64} {
  %table = nstf.get @table : tensor<54x44xf32>
  %q = nstf.get @q : tensor<44x44xf32>
  %v = nstf.get @v.weight : tensor<44x44xf32>
  %x = nstf.embedding %ids, %table : (tensor<?xi32>, tensor<54x44xf32>) -> tensor<?x44xf32>
  %a = nstf.linear %x, %q : (tensor<?x44xf32>, tensor<44x44xf32>) -> tensor<?x44xf32>
  %b = nstf.linear %a, %v : (tensor<?x44xf32>, tensor<44x44xf32>) -> tensor<?x44xf32>
  %y = nstf.linear %b, %table : (tensor<?x44xf32>, tensor<54x44xf32>) -> tensor<?x54xf32> loc("head")
  nstf.return %y : tensor<?x54xf32>
}
