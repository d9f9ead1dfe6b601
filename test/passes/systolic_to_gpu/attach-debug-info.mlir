// RUN: nstf-opt %s -split-input-file -systolic-to-gpu-attach-debug-info -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// A kernel of a layer, made from a template: the template's lines become a function inlined into the layer's, and an op
// that fusion put into the template's slot becomes a function inlined there.
// CHECK-LABEL: llvm.func @linear_add_0
llvm.func @linear_add_0(%x: f32, %y: f32) {
  // Ops with the kernel's own location, and ops without a location, belong to the kernel's body.
  // CHECK: llvm.fadd %{{.*}} loc(fused<#llvm.di_subprogram<{{.*}} name = "down_proj", linkageName = "linear_add_0", file = <"llama.yaml" in "">, line = 99, {{.*}}>>["llama.yaml":99:7])
  %0 = llvm.fadd %x, %y : f32 loc("down_proj"("llama.yaml":99:7))
  // CHECK: llvm.fadd %{{.*}} loc(fused<#llvm.di_subprogram<{{.*}} name = "down_proj",{{.*}}["llama.yaml":99:7])
  %1 = llvm.fadd %x, %0 : f32 loc(unknown)
  // CHECK: llvm.fmul %{{.*}} loc(callsite(fused<#llvm.di_subprogram<{{.*}} name = "matmul", file = <"templates/kernels/matmul.mlir" in "">,{{.*}}["templates/kernels/matmul.mlir":51:12]
  // CHECK-SAME: at fused<#llvm.di_subprogram<{{.*}} name = "down_proj",{{.*}}["llama.yaml":99:7]))
  %2 = llvm.fmul %x, %1 : f32 loc("templates/kernels/matmul.mlir":51:12)
  // CHECK: llvm.fadd %{{.*}} loc(callsite(fused<#llvm.di_subprogram<{{.*}} name = "residual", file = <"llama.yaml" in "">, line = 100,{{.*}}["llama.yaml":100:7]
  // CHECK-SAME: at callsite(fused<#llvm.di_subprogram<{{.*}} name = "matmul",{{.*}}["templates/kernels/matmul.mlir":55:15]
  // CHECK-SAME: at fused<#llvm.di_subprogram<{{.*}} name = "down_proj",{{.*}}["llama.yaml":99:7])))
  %3 = llvm.fadd %x, %2 : f32 loc(callsite("residual"("llama.yaml":100:7) at "templates/kernels/matmul.mlir":55:15))
  // Of a fused location the first part with a line counts.
  // CHECK: llvm.fsub %{{.*}} loc(callsite(fused<#llvm.di_subprogram<{{.*}} name = "matmul",{{.*}}["templates/kernels/matmul.mlir":12:1]
  %4 = llvm.fsub %x, %3 : f32 loc(fused[unknown, "templates/kernels/matmul.mlir":12:1, "templates/kernels/matmul.mlir":13:1])
  llvm.return loc("templates/kernels/matmul.mlir":60:1)
  // CHECK: } loc(fused<#llvm.di_subprogram<{{.*}}compileUnit = <id = distinct[{{.*}}, file = <"llama.yaml" in "">, producer = "nstf", isOptimized = true, emissionKind = LineTablesOnly>,{{.*}}name = "down_proj", linkageName = "linear_add_0",{{.*}}["llama.yaml":99:7])
} loc("down_proj"("llama.yaml":99:7))

// -----

// Without a name the subprogram has the symbol's name, and lines of the kernel's own file belong to its body.
// CHECK-LABEL: llvm.func @plain
llvm.func @plain(%x: f32) {
  // CHECK: llvm.fadd %{{.*}} loc(fused<#llvm.di_subprogram<{{.*}} name = "plain", linkageName = "plain", file = <"model.mlir" in "">, line = 3,{{.*}}["model.mlir":4:5])
  %0 = llvm.fadd %x, %x : f32 loc("model.mlir":4:5)
  llvm.return loc("model.mlir":5:5)
} loc("model.mlir":3:1)

// -----

// A function that has a subprogram already stays, as does one without a body.
// CHECK-LABEL: llvm.func @external
// CHECK-SAME: loc("a.mlir":1:1)
llvm.func @external(f32) loc("a.mlir":1:1)
#file = #llvm.di_file<"mine.c" in "">
#unit = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, file = #file, isOptimized = false, emissionKind = Full>
#mine = #llvm.di_subprogram<id = distinct[1]<>, compileUnit = #unit, scope = #file, name = "mine", file = #file, subprogramFlags = Definition>
// CHECK-LABEL: llvm.func @known
llvm.func @known(%x: f32) {
  // CHECK: llvm.fadd %{{.*}} loc("b.mlir":4:5)
  %0 = llvm.fadd %x, %x : f32 loc("b.mlir":4:5)
  llvm.return
  // CHECK: } loc(fused<#llvm.di_subprogram<{{.*}} name = "mine"
} loc(fused<#mine>["b.mlir":3:1])
