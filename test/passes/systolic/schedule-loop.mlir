// Memory work overlaps with products.
// RUN: nstf-opt %s --pass-pipeline='builtin.module(systolic.kernel(systolic-schedule-loop))' | FileCheck %s
// RUN: nstf-opt %s --pass-pipeline='builtin.module(systolic.kernel(systolic-schedule-loop))' --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o %t

#merged = #systolic.plan<buffers = 1, order = merged, pinned, round = [multiply]>
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave []>
#b = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!X = memref<64x64xf32, #systolic.axes<M, K>>
!a = tensor<16x16xf32, #a>
!b = tensor<16x16xf32, #b>
!lds = !systolic.lds<2 x 16x16xf32, unit, #systolic.axes<16, 16>>

// The operands of the first product, and everything before the barrier, stay in place. A write has no result.
// CHECK-LABEL: systolic.kernel @loop(
// CHECK: scf.for
// CHECK-NEXT: %[[NEEDED:.+]] = systolic.read %{{.+}}[%c0] :
// CHECK-NEXT: %[[I:.+]] = arith.addi
// CHECK-NEXT: %[[BOTH:.+]]:3 = systolic.overlap {
// CHECK-NEXT:   %[[P:.+]] = systolic.mma %[[NEEDED]], %{{.+}}, %[[ACC:.+]] :
// CHECK-NEXT:   systolic.yield %[[P]]
// CHECK-NEXT: } with {
// CHECK-NEXT:   %[[Y:.+]] = systolic.load %{{.+}}[%c0, %[[I]]]
// CHECK-NEXT:   %[[Z:.+]] = arith.addf %[[Y]], %[[Y]]
// CHECK-NEXT:   systolic.write
// CHECK-NEXT:   systolic.yield %[[Y]], %[[Z]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[LEFT:.+]] = systolic.read
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: systolic.overlap {
// CHECK-NEXT:   systolic.mma %[[LEFT]], %{{.+}}, %[[BOTH]]#0
// CHECK: } with {
// CHECK-NEXT:   systolic.write %[[BOTH]]#2
systolic.kernel @loop(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !b
  %w = systolic.load %X[%c0, %c0] : !X -> !b
  // expected-remark @+1 {{[Passed] Schedule | Category:systolic-schedule-loop | Function=loop | Remark="2 of 2 products flow beside memory work", overlapped=2, products=2}}
  %sum = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (!b) {
    %needed = systolic.read %lds[%c0] : !lds -> !a
    %i = arith.addi %k, %c16 : index
    %y = systolic.load %X[%c0, %i] : !X -> !a
    %z = arith.addf %y, %y : !a
    systolic.write %z, %lds[%c1] : !a, !lds
    %p = systolic.mma %needed, %w, %acc : !a, !b -> !b
    %left = systolic.read %lds[%c0] : !lds -> !a
    systolic.barrier
    systolic.write %z, %lds[%c0] : !a, !lds
    %q = systolic.mma %left, %w, %p : !a, !b -> !b
    scf.yield %q : !b
  } {systolic.pipelined, systolic.plan = #merged}
  // expected-remark @+1 {{[Missed] Schedule | Category:systolic-schedule-loop | Function=loop | Remark="no memory work stands before a product that does not wait for it"}}
  %more = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %sum) -> (!b) {
    %x = systolic.read %lds[%c0] : !lds -> !a
    %p = systolic.mma %x, %w, %acc : !a, !b -> !b
    scf.yield %p : !b
  } {systolic.pipelined, systolic.plan = #merged}
  systolic.store %more, %X[%c0, %c0] : !b, !X
  systolic.return
}

// The ops that decode a tile move with its load.
// CHECK-LABEL: systolic.kernel @decoded(
// CHECK: } with {
// CHECK-NEXT:   %[[WORDS:.+]] = systolic.load
// CHECK-NEXT:   %[[SCALES:.+]] = systolic.load
// CHECK-NEXT:   %[[CODES:.+]] = systolic.unpack 4 %[[WORDS]]
// CHECK-NEXT:   %[[EACH:.+]] = systolic.broadcast %[[SCALES]] each along 1
// CHECK-NEXT:   %[[Y:.+]] = arith.mulf %[[CODES]], %[[EACH]]
// CHECK-NEXT:   systolic.write %[[Y]]
#words = #systolic.fragment<reg [1:2*1], lane [0:16*1, -1:4*0], wave []>
#row = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#scale = #systolic.fragment<reg [], lane [0:16*1, -1:4*0], wave []>
!W = memref<64x8xi32, #systolic.axes<M, KW>>
!S = memref<64x4xf32, #systolic.axes<M, KG>>
!row = tensor<16x16xf32, #row>
systolic.kernel @decoded(%W: !W, %S: !S, %X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !b
  %b = systolic.load %X[%c0, %c0] : !X -> !b
  // expected-remark @+1 {{overlapped=1, products=1}}
  %sum = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (!b) {
    %x = systolic.read %lds[%c0] : !lds -> !a
    %words = systolic.load %W[%c0, %k] : !W -> tensor<16x2xi32, #words>
    %scales = systolic.load %S[%c0, %k] : !S -> tensor<16x1xf32, #scale>
    %codes = systolic.unpack 4 %words along 1 : tensor<16x2xi32, #words> -> !row
    %each = systolic.broadcast %scales each along 1 : tensor<16x1xf32, #scale> -> !row
    %y = arith.mulf %codes, %each : !row
    systolic.write %y, %lds[%c1] : !row, !lds
    %p = systolic.mma %x, %b, %acc : !a, !b -> !b
    scf.yield %p : !b
  } {systolic.pipelined, systolic.plan = #merged}
  systolic.store %sum, %X[%c0, %c0] : !b, !X
  systolic.return
}

// The ops between the last barrier and the loop are pinned in their order; those before the barrier are not.
// CHECK-LABEL: systolic.kernel @first(
// CHECK: %[[LOADED:.+]] = systolic.load
// CHECK-NEXT: systolic.write
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: arith.addi
// CHECK-NEXT: %[[FIRST:.+]]:3 = systolic.overlap {
// CHECK-NEXT:   %[[B:.+]] = systolic.read
// CHECK-NEXT:   %[[A:.+]] = systolic.read
// CHECK-NEXT:   %[[NEXT:.+]] = systolic.load
// CHECK-NEXT:   systolic.yield %[[B]], %[[A]], %[[NEXT]]
// CHECK-NEXT: }
// CHECK: scf.for {{.+}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %[[FIRST]]#2, %{{.+}} = %[[FIRST]]#0, %{{.+}} = %[[FIRST]]#1)
systolic.kernel @first(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !b
  %loaded = systolic.load %X[%c0, %c0] : !X -> !a
  systolic.write %loaded, %lds[%c0] : !a, !lds
  systolic.barrier
  %b = systolic.read %lds[%c0] : !lds -> !b
  %a = systolic.read %lds[%c0] : !lds -> !a
  %ahead = arith.addi %work, %c16 : index
  %next = systolic.load %X[%c0, %ahead] : !X -> !a
  // expected-remark @+1 {{1 of 1 products flow beside memory work}}
  %sum:4 = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero, %tile = %next, %w = %b, %x = %a) -> (!b, !a, !b, !a) {
    systolic.barrier
    %u = systolic.read %lds[%c1] : !lds -> !b
    %v = systolic.read %lds[%c1] : !lds -> !a
    systolic.write %tile, %lds[%c0] : !a, !lds
    %i = arith.addi %k, %c16 : index
    %y = systolic.load %X[%c0, %i] : !X -> !a
    %p = systolic.mma %x, %w, %acc : !a, !b -> !b
    scf.yield %p, %y, %u, %v : !b, !a, !b, !a
  } {systolic.pipelined, systolic.plan = #merged}
  systolic.store %sum#0, %X[%c0, %c0] : !b, !X
  systolic.return
}

// A read before a write stays before it.
// CHECK-LABEL: systolic.kernel @written(
// CHECK: systolic.barrier
// CHECK-NEXT: systolic.read
// CHECK-NEXT: systolic.read
// CHECK-NEXT: systolic.write
// CHECK-NEXT: scf.for
systolic.kernel @written(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !b
  %loaded = systolic.load %X[%c0, %c0] : !X -> !a
  systolic.barrier
  %w = systolic.read %lds[%c0] : !lds -> !b
  %a = systolic.read %lds[%c0] : !lds -> !a
  systolic.write %loaded, %lds[%c0] : !a, !lds
  // expected-remark @+1 {{no memory work stands before a product that does not wait for it}}
  %sum = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (!b) {
    %p = systolic.mma %a, %w, %acc : !a, !b -> !b
    scf.yield %p : !b
  } {systolic.pipelined, systolic.plan = #merged}
  systolic.store %sum, %X[%c0, %c0] : !b, !X
  systolic.return
}

// An op stays before the product if another op there uses it.
// CHECK-LABEL: systolic.kernel @taken(
// CHECK: scf.for
// CHECK-NEXT: %[[TWICE:.+]] = arith.addf
// CHECK-NEXT: systolic.store %[[TWICE]]
// CHECK-NEXT: systolic.overlap {
// CHECK-NEXT:   systolic.mma
// CHECK-NEXT:   systolic.yield
// CHECK-NEXT: } with {
// CHECK-NEXT:   systolic.load
systolic.kernel @taken(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !b
  %first = systolic.load %X[%c0, %c0] : !X -> !a
  %w = systolic.read %lds[%c0] : !lds -> !b
  %a = systolic.read %lds[%c0] : !lds -> !a
  // expected-remark @+1 {{1 of 1 products flow beside memory work}}
  %sum:2 = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero, %x = %first) -> (!b, !a) {
    %twice = arith.addf %x, %x : !a
    systolic.store %twice, %X[%c0, %k] : !a, !X
    %y = systolic.load %X[%c0, %k] : !X -> !a
    %p = systolic.mma %a, %w, %acc : !a, !b -> !b
    scf.yield %p, %y : !b, !a
  } {systolic.pipelined, systolic.plan = #merged}
  systolic.return
}

#direct = #systolic.plan<buffers = 1, order = merged, pinned, round = [multiply, load 0 +1, multiply 1, load 1 +1]>

// No tile goes through LDS, and the second product uses the result of the first. Loads of the next round stay after
// the products that used the previous tiles, and the loads before the loop have the same order.
// CHECK-LABEL: systolic.kernel @chain(
// CHECK: systolic.overlap {
// CHECK-COUNT-3: systolic.load
// CHECK-NEXT: systolic.yield
// CHECK: scf.for
// CHECK-NOT: systolic.overlap
// CHECK: systolic.mma
// CHECK: systolic.overlap {
// CHECK-NEXT: systolic.load
// CHECK-NEXT: systolic.yield
// CHECK-NEXT: }
// CHECK: systolic.mma
// CHECK: systolic.overlap {
// CHECK-NEXT: systolic.load
// CHECK-NEXT: systolic.yield
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield
systolic.kernel @chain(%X: !X, %Y: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !b
  %q = systolic.load %X[%c0, %c0] : !X -> !b
  %first_k = systolic.load %X[%c0, %c16] : !X -> !a
  %first_v = systolic.load %Y[%c0, %c16] : !X -> !a
  // expected-remark @+1 {{[Passed] Schedule | Category:systolic-schedule-loop | Function=chain | Remark="2 tiles are loaded behind the products that took those before", loads=2}}
  %sum:3 = scf.for %i = %c0 to %work step %c16 iter_args(%acc = %zero, %k = %first_k, %v = %first_v) -> (!b, !a, !a) {
    %next = arith.addi %i, %c16 : index
    %scores = systolic.mma %k, %q, %zero : !a, !b -> !b
    %next_k = systolic.load %X[%c0, %next] : !X -> !a
    %weights = math.exp2 %scores : !b
    %o = systolic.mma %v, %weights, %acc : !a, !b -> !b
    %next_v = systolic.load %Y[%c0, %next] : !X -> !a
    scf.yield %o, %next_k, %next_v : !b, !a, !a
  } {systolic.pipelined, systolic.plan = #direct}
  systolic.store %sum#0, %X[%c0, %c0] : !b, !X
  systolic.return
}
