// A tile program becomes a gpu.func on vectors per lane; errors are in lower-kernels-errors.mlir.
// RUN: nstf-opt %s -split-input-file -systolic-to-gpu-lower-kernels -canonicalize -cse | FileCheck %s

// The interface to a launch: buffers and the control block are pointers in their order, and the work item is the
// workgroup. The slots, inlined by now, are erased.
// CHECK-LABEL: gpu.module @kernels
// CHECK: gpu.func @arguments(
// CHECK-SAME: %[[X:.+]]: memref<300xf32, #gpu.address_space<global>>
// CHECK-SAME: %[[CONTROL:.+]]: memref<16xi32, #gpu.address_space<global>> {llvm.noalias, llvm.readonly}
// CHECK-SAME: workgroup(%{{.+}} : memref<2x16x16xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME: kernel attributes {known_block_size = array<i32: 256, 1, 1>, systolic.launch = #systolic.launch<[x, control]>}
// CHECK-DAG: %[[GROUP:.+]] = gpu.block_id x
// CHECK-DAG: %[[TOKENS:.+]] = memref.load %[[CONTROL]][%c0]
// CHECK-DAG: rocdl.readfirstlane %[[TOKENS]] : i32
// CHECK-DAG: memref.load %[[CONTROL]][%c1]
// CHECK-NOT: func.func
#tile = #systolic.fragment<reg [1:4*1], lane [1:16*4, 0:4*1], wave [0:4*4]>
!X = memref<10x30xf32, #systolic.axes<M, K>>
!lds = !systolic.lds<2 x 16x16xf32, unit, #systolic.axes<BM, BK>>
module {
  func.func private @epilogue(%x: index) -> index {
    return %x : index
  }
  systolic.kernel @arguments(%X: !X, %work: index, %lds: !lds, %control: !systolic.control)
      attributes {launch = #systolic.launch<[x, control]>, params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 4x1>} {
    %tokens = systolic.control tokens %control
    %position = systolic.control position %control
    %x = systolic.load %X[%work, %tokens] : !X -> tensor<16x64xf32, #tile>
    systolic.store %x, %X[%position, %tokens] : tensor<16x64xf32, #tile>, !X
    systolic.return
  }
}

// -----

// Rows of 30 floats are 8-byte aligned, so an access moves two registers. The part of a load's address that all lanes
// share is in the scalar offset, and the difference between its registers in the instruction's offset. Columns past the
// row's end get the index past the buffer's end. Rows need no check, because the range check covers them. A limit is
// compared.
// CHECK-LABEL: gpu.func @bounds(
// CHECK-SAME: %[[X:.+]]: memref<300xf32
// CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %[[COLUMN:.+]], %c30
// CHECK: %[[INDEX:.+]] = arith.select %[[INSIDE]], %{{.+}}, %c300
// CHECK: %[[I32:.+]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK: %[[ROW:.+]] = arith.muli %block_id_x, %c30
// CHECK: %[[SHARED:.+]] = arith.index_cast %[[ROW]] : index to i32
// CHECK: amdgpu.raw_buffer_load %[[X]][%[[I32]]] sgprOffset %[[SHARED]] : memref<300xf32, #gpu.address_space<global>>, i32 -> vector<2xf32>
// CHECK: amdgpu.raw_buffer_load {indexOffset = 2 : i32} %[[X]][%{{.+}}] sgprOffset %[[SHARED]] {{.+}} -> vector<2xf32>
// CHECK-NOT: raw_buffer_load
// CHECK: %[[ROW_INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %{{.+}}
// CHECK: %[[BOTH:.+]] = arith.andi %[[ROW_INSIDE]], %[[INSIDE]]
// CHECK: %[[STORE:.+]] = arith.select %[[BOTH]], %{{.+}}, %c300
// CHECK: amdgpu.raw_buffer_store {{.+}} : vector<2xf32> -> memref<300xf32
#tile = #systolic.fragment<reg [1:4*1], lane [1:4*4, 0:16*1], wave []>
!X = memref<10x30xf32, #systolic.axes<M, K>>
systolic.kernel @bounds(%X: !X, %control: !systolic.control, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %c30 = arith.constant 30 : index
  %tokens = systolic.control tokens %control
  %x = systolic.load %X[%work, %c0] : !X -> tensor<16x16xf32, #tile>
  systolic.store %x, %X[%work, %c0] limit [%tokens, %c30] : tensor<16x16xf32, #tile>, !X
  systolic.return
}

// -----

// Rows of 32 floats at multiples of 16: 16 bytes per access, without a check.
// CHECK-LABEL: gpu.func @aligned(
// CHECK-NOT: arith.cmpi
// CHECK: amdgpu.raw_buffer_load {{.+}} -> vector<4xf32>
// CHECK-NOT: raw_buffer_load
#tile = #systolic.fragment<reg [1:4*1], lane [1:4*4, 0:16*1], wave []>
!X = memref<10x32xf32, #systolic.axes<M, K>>
systolic.kernel @aligned(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c16 = arith.constant 16 : index
  %j = arith.muli %work, %c16 : index
  %x = systolic.load %X[%work, %j] : !X -> tensor<16x16xf32, #tile>
  systolic.store %x, %X[%work, %j] : tensor<16x16xf32, #tile>, !X
  systolic.return
}

// -----

// A gathered row is arbitrary, so it is compared with the buffer's rows, with or without a limit.
// CHECK-LABEL: gpu.func @gathered(
// CHECK: %[[ID:.+]] = amdgpu.raw_buffer_load {{.+}} -> i32
// CHECK: %[[ROW:.+]] = arith.index_cast %[[ID]] : i32 to index
// CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %[[ROW]], %c10
// CHECK: arith.select %[[INSIDE]]
#tile = #systolic.fragment<reg [1:4*1], lane [1:8*4, 0:8*1], wave []>
#rows = #systolic.fragment<reg [], lane [-1:8*0, 0:8*1], wave []>
!X = memref<10x32xf32, #systolic.axes<M, K>>
!I = memref<10xi32, #systolic.axes<M>>
systolic.kernel @gathered(%X: !X, %ids: !I, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %c32 = arith.constant 32 : index
  %id = systolic.load %ids[%c0] : !I -> tensor<8xi32, #rows>
  %x = systolic.load %X[%c0, %c0] limit [%c10, %c32] rows(%id : tensor<8xi32, #rows>) : !X -> tensor<8x32xf32, #tile>
  systolic.store %x, %X[%c0, %c0] : tensor<8x32xf32, #tile>, !X
  systolic.return
}

// -----

// A buffer whose end depends on the launch's tokens has their size, not that of its type; an element outside its rows
// still gets the index past the end of the type's size. Other buffers keep the size of their type.
// CHECK-LABEL: gpu.func @tokens(
// CHECK-SAME: %[[X:.+]]: memref<300xf32, #gpu.address_space<global>>, %[[T:.+]]: memref<300xf32, #gpu.address_space<global>>, %[[CONTROL:.+]]: memref<16xi32
// CHECK: %[[LOADED:.+]] = memref.load %[[CONTROL]][%c0]
// CHECK: %[[I32:.+]] = rocdl.readfirstlane %[[LOADED]] : i32
// CHECK: %[[TOKENS:.+]] = arith.index_castui %[[I32]] : i32 to index
// CHECK: %[[ROWS:.+]] = arith.minui %[[TOKENS]], %c10 : index
// CHECK: %[[SIZE:.+]] = arith.muli %[[ROWS]], %c30 : index
// CHECK: %[[MEMORY:.+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[SIZE]]], strides: [1] : memref<300xf32, #gpu.address_space<global>> to memref<?xf32, #gpu.address_space<global>>
// CHECK: arith.select %{{.+}}, %{{.+}}, %c300
// CHECK: amdgpu.raw_buffer_load %[[MEMORY]]{{.+}} -> vector<2xf32>
// CHECK: amdgpu.raw_buffer_load %[[T]]{{.+}} -> vector<2xf32>
// CHECK: amdgpu.raw_buffer_store {{.+}} -> memref<?xf32
#tile = #systolic.fragment<reg [1:4*1], lane [1:4*4, 0:16*1], wave []>
!X = memref<10x30xf32, #systolic.axes<M, K>>
systolic.kernel @tokens(%X: !X {systolic.per_token = 30 : i64}, %T: !X, %control: !systolic.control, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = systolic.load %X[%work, %c0] : !X -> tensor<16x16xf32, #tile>
  %t = systolic.load %T[%work, %c0] : !X -> tensor<16x16xf32, #tile>
  %sum = arith.addf %x, %t : tensor<16x16xf32, #tile>
  systolic.store %sum, %X[%work, %c0] : tensor<16x16xf32, #tile>, !X
  systolic.return
}

// -----

// The range check applies to each dword. If a token's elements end in half a dword, a wide load of 16-bit elements
// would lose the last one, so these are loaded one at a time. For 32-bit elements and whole dwords that is not
// necessary.
// CHECK-LABEL: gpu.func @dwords(
// CHECK: amdgpu.raw_buffer_load {{.+}} memref<?xf16, {{.+}}, i32 -> f16
// CHECK-NOT: -> vector
// CHECK: amdgpu.raw_buffer_load {{.+}} memref<?xf16, {{.+}}, i32 -> vector<4xf16>
// CHECK: amdgpu.raw_buffer_load {{.+}} memref<?xf32, {{.+}}, i32 -> vector<4xf32>
#flat = #systolic.fragment<reg [0:4*1], lane [0:64*4], wave []>
!odd = memref<128xf16, #systolic.axes<N>>
!wide = memref<128xf32, #systolic.axes<N>>
systolic.kernel @dwords(%A: !odd {systolic.per_token = 1 : i64}, %B: !odd {systolic.per_token = 2 : i64}, %C: !wide {systolic.per_token = 1 : i64},
                        %control: !systolic.control, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %a = systolic.load %A[%c0] : !odd -> tensor<256xf32, #flat>
  %b = systolic.load %B[%c0] : !odd -> tensor<256xf32, #flat>
  %c = systolic.load %C[%c0] : !wide -> tensor<256xf32, #flat>
  %ab = arith.addf %a, %b : tensor<256xf32, #flat>
  %sum = arith.addf %ab, %c : tensor<256xf32, #flat>
  systolic.store %sum, %C[%c0] : tensor<256xf32, #flat>, !wide
  systolic.return
}

// -----

// 16 lanes hold the same element: one of them stores.
// CHECK-LABEL: gpu.func @replicas(
// CHECK: %[[LANE:.+]] = gpu.thread_id x
// CHECK: %[[REPLICA:.+]] = arith.divui %[[LANE]], %c16
// CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[REPLICA]], %c0
// CHECK: arith.select %[[FIRST]], %{{.+}}, %c16
// CHECK: amdgpu.raw_buffer_store
#row = #systolic.fragment<reg [], lane [0:16*1, -1:4*0], wave []>
systolic.kernel @replicas(%X: memref<16xf32, #systolic.axes<M>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = arith.constant dense<1.0> : tensor<16xf32, #row>
  systolic.store %x, %X[%c0] : tensor<16xf32, #row>, memref<16xf32, #systolic.axes<M>>
  systolic.return
}

// -----

// A cell of f32 is four instructions deep, and each uses the next of the four elements that a lane holds. Swizzled LDS
// rows are read 16 bytes at a time, transposed or not.
// CHECK-LABEL: gpu.func @product(
// CHECK-SAME: workgroup(%[[LDS:[a-z0-9]+]] : memref<1x16x16xf32, #gpu.address_space<workgroup>>, %[[LDS_B:[a-z0-9]+]] : memref
// CHECK: %[[SWIZZLED:.+]] = arith.xori
// CHECK: %[[A:.+]] = vector.load %[[LDS]][%c0, %{{.+}}, %[[SWIZZLED]]] {alignment = 16 : i64} : memref<1x16x16xf32, {{.+}}>, vector<4xf32>
// CHECK: %[[B:.+]] = vector.load %[[LDS_B]][%c0, %{{.+}}, %[[SWIZZLED]]] {alignment = 16 : i64}
// CHECK-DAG: %[[A0:.+]] = vector.extract %[[A]][0]
// CHECK-DAG: %[[B0:.+]] = vector.extract %[[B]][0]
// CHECK: %[[S0:.+]] = amdgpu.mfma 16x16x4 %[[A0]] * %[[B0]] + %cst
// CHECK-DAG: %[[A1:.+]] = vector.extract %[[A]][1]
// CHECK-DAG: %[[B1:.+]] = vector.extract %[[B]][1]
// CHECK: %[[S1:.+]] = amdgpu.mfma 16x16x4 %[[A1]] * %[[B1]] + %[[S0]]
// CHECK: %[[S2:.+]] = amdgpu.mfma 16x16x4 {{.+}} + %[[S1]]
// CHECK: amdgpu.mfma 16x16x4 {{.+}} + %[[S2]]
// CHECK: amdgpu.lds_barrier
// CHECK: vector.store %[[A]], %[[LDS]]{{.+}} {alignment = 16 : i64}
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave []>
#b = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!lds = !systolic.lds<1 x 16x16xf32, #systolic.swizzle<4, 4, 1>, #systolic.axes<BM, BK>>
systolic.kernel @product(%lds: !lds, %lds_b: !lds, %X: memref<16x16xf32, #systolic.axes<M, K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %a = systolic.read %lds[%c0] : !lds -> tensor<16x16xf32, #a>
  %b = systolic.read %lds_b[%c0] transposed : !lds -> tensor<16x16xf32, #b>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #b>
  %c = systolic.mma %a, %b, %zero : tensor<16x16xf32, #a>, tensor<16x16xf32, #b> -> tensor<16x16xf32, #b>
  systolic.barrier
  systolic.write %a, %lds[%c0] : tensor<16x16xf32, #a>, !lds
  systolic.store %c, %X[%c0, %c0] : tensor<16x16xf32, #b>, memref<16x16xf32, #systolic.axes<M, K>>
  systolic.return
}

// -----

// Registers first, then lanes: swizzles within 32 lanes, a shuffle across.
// CHECK-LABEL: gpu.func @reduce(
// CHECK: arith.maxnumf
// CHECK: arith.maxnumf
// CHECK: arith.maxnumf
// CHECK: amdgpu.swizzle_bitmode %{{.+}} 31 0 16 : f32
// CHECK: gpu.shuffle xor %{{.+}}, %c32_i32, %c64_i32 : f32
// CHECK-NOT: swizzle_bitmode
// CHECK-NOT: lds_barrier
#tile = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
#row = #systolic.fragment<reg [], lane [0:16*1, -1:4*0], wave []>
systolic.kernel @reduce(%X: memref<16x16xf32, #systolic.axes<M, K>>, %Y: memref<16xf32, #systolic.axes<K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = systolic.load %X[%c0, %c0] : memref<16x16xf32, #systolic.axes<M, K>> -> tensor<16x16xf32, #tile>
  %y = systolic.reduce max %x along 0 : tensor<16x16xf32, #tile> -> tensor<16xf32, #row>
  systolic.store %y, %Y[%c0] : tensor<16xf32, #row>, memref<16xf32, #systolic.axes<K>>
  systolic.return
}

// -----

// Rounds to bf16 by adding half a unit and taking the upper halves, if neither NaN nor ties matter; otherwise LLVM's
// rounding is used.
// CHECK-LABEL: gpu.func @round(
// CHECK: %[[BITS:.+]] = arith.bitcast %[[X:.+]] : vector<4xf32> to vector<4xi32>
// CHECK-NEXT: %[[SUM:.+]] = arith.addi %[[BITS]], %{{.+}} : vector<4xi32>
// CHECK-NEXT: %[[HIGH:.+]] = arith.shrui %[[SUM]], %{{.+}} : vector<4xi32>
// CHECK-NEXT: %[[HALVES:.+]] = arith.trunci %[[HIGH]] : vector<4xi32> to vector<4xi16>
// CHECK-NEXT: arith.bitcast %[[HALVES]] : vector<4xi16> to vector<4xbf16>
// CHECK-NEXT: arith.truncf %[[X]] fastmath<nnan> : vector<4xf32> to vector<4xbf16>
// CHECK-NEXT: arith.truncf %[[X]] fastmath<nnan,afn> : vector<4xf32> to vector<4xf16>
#tile = #systolic.fragment<reg [0:4*1], lane [0:64*4], wave []>
systolic.kernel @round(%X: memref<256xf32, #systolic.axes<K>>, %Y: memref<256xbf16, #systolic.axes<K>>,
                       %Z: memref<256xbf16, #systolic.axes<K>>, %H: memref<256xf16, #systolic.axes<K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = systolic.load %X[%c0] : memref<256xf32, #systolic.axes<K>> -> tensor<256xf32, #tile>
  %y = arith.truncf %x fastmath<nnan,afn> : tensor<256xf32, #tile> to tensor<256xbf16, #tile>
  %z = arith.truncf %x fastmath<nnan> : tensor<256xf32, #tile> to tensor<256xbf16, #tile>
  %h = arith.truncf %x fastmath<nnan,afn> : tensor<256xf32, #tile> to tensor<256xf16, #tile>
  systolic.store %y, %Y[%c0] : tensor<256xbf16, #tile>, memref<256xbf16, #systolic.axes<K>>
  systolic.store %z, %Z[%c0] : tensor<256xbf16, #tile>, memref<256xbf16, #systolic.axes<K>>
  systolic.store %h, %H[%c0] : tensor<256xf16, #tile>, memref<256xf16, #systolic.axes<K>>
  systolic.return
}

// -----

// Parts stay in their lane: registers go to the two parts of a lane in turn.
// CHECK-LABEL: gpu.func @parts(
// CHECK: %[[R0:.+]] = amdgpu.raw_buffer_load
// CHECK: %[[R1:.+]] = amdgpu.raw_buffer_load
// CHECK: %[[R2:.+]] = amdgpu.raw_buffer_load
// CHECK: %[[R3:.+]] = amdgpu.raw_buffer_load
// CHECK-NEXT: arith.addf %[[R0]], %[[R2]] : f32
// CHECK-NEXT: arith.addf %[[R1]], %[[R3]] : f32
// CHECK-NOT: swizzle_bitmode
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.return
#tile = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
#parts = #systolic.fragment<reg [0:2*4], lane [1:16*1, 0:4*1], wave []>
systolic.kernel @parts(%X: memref<16x16xf32, #systolic.axes<M, K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = systolic.load %X[%c0, %c0] : memref<16x16xf32, #systolic.axes<M, K>> -> tensor<16x16xf32, #tile>
  %y = systolic.reduce add %x along 0 parts 8 : tensor<16x16xf32, #tile> -> tensor<8x16xf32, #parts>
  systolic.store %y, %X[%c0, %c0] : tensor<8x16xf32, #parts>, memref<16x16xf32, #systolic.axes<M, K>>
  systolic.return
}

// -----

// Across waves: each wave writes its value to scratch between two barriers, and sums those of all waves in the same
// order.
// CHECK-LABEL: gpu.func @across_waves(
// CHECK: %[[VIEW:.+]] = memref.view %{{.+}} : memref<1024xi8, #gpu.address_space<workgroup>> to memref<4x1x64xf32, #gpu.address_space<workgroup>>
// CHECK: amdgpu.lds_barrier
// CHECK: memref.store %{{.+}}, %[[VIEW]]
// CHECK: amdgpu.lds_barrier
// CHECK-COUNT-4: memref.load %[[VIEW]]
#tile = #systolic.fragment<reg [], lane [0:64*1], wave [1:4*1]>
#row = #systolic.fragment<reg [], lane [0:64*1], wave [-1:4*0]>
systolic.kernel @across_waves(%X: memref<64x4xf32, #systolic.axes<M, K>>, %Y: memref<64xf32, #systolic.axes<M>>, %work: index,
                              %scratch: !systolic.lds<1 x 1024xi8, unit, #systolic.axes<1024>> {systolic.scratch})
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x4>} {
  %c0 = arith.constant 0 : index
  %x = systolic.load %X[%c0, %c0] : memref<64x4xf32, #systolic.axes<M, K>> -> tensor<64x4xf32, #tile>
  %y = systolic.reduce add %x along 1 : tensor<64x4xf32, #tile> -> tensor<64xf32, #row>
  systolic.store %y, %Y[%c0] : tensor<64xf32, #row>, memref<64xf32, #systolic.axes<M>>
  systolic.return
}

// -----

// A mask is exchanged between lanes as bytes.
// CHECK-LABEL: gpu.func @mask(
// CHECK: %[[BYTES:.+]] = arith.extui %{{.+}} : vector<16xi1> to vector<16xi8>
// CHECK: vector.store %[[BYTES]]
// CHECK: arith.trunci %{{.+}} : vector<4xi8> to vector<4xi1>
#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
systolic.kernel @mask(%Y: memref<16x16xf32, #systolic.axes<M, K>>, %work: index,
                      %scratch: !systolic.lds<1 x 256xi8, unit, #systolic.axes<256>> {systolic.scratch})
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %i = systolic.iota along 0 : tensor<16x16xi32, #rows>
  %j = systolic.iota along 1 : tensor<16x16xi32, #rows>
  %m = arith.cmpi ult, %i, %j : tensor<16x16xi32, #rows>
  %n = systolic.convert_layout %m : tensor<16x16xi1, #rows> -> tensor<16x16xi1, #cols>
  %y = arith.uitofp %n : tensor<16x16xi1, #cols> to tensor<16x16xf32, #cols>
  systolic.store %y, %Y[%c0, %c0] : tensor<16x16xf32, #cols>, memref<16x16xf32, #systolic.axes<M, K>>
  systolic.return
}

// -----

// The lanes stay the same and their registers get another order, so nothing moves. Coordinates are the lane's plus
// constants.
// CHECK-LABEL: gpu.func @renamed(
// CHECK: %[[ORDER:.+]] = arith.constant dense<[0, 2, 1, 3]> : vector<4xi32>
// CHECK-NOT: lds_barrier
#tile = #systolic.fragment<reg [0:4*1], lane [0:64*4], wave []>
#other = #systolic.fragment<reg [0:2*2, 0:2*1], lane [0:64*4], wave []>
systolic.kernel @renamed(%Y: memref<256xi32, #systolic.axes<M>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %i = systolic.iota along 0 : tensor<256xi32, #other>
  %j = systolic.convert_layout %i : tensor<256xi32, #other> -> tensor<256xi32, #tile>
  %k = systolic.convert_layout %j : tensor<256xi32, #tile> -> tensor<256xi32, #other>
  systolic.store %k, %Y[%c0] : tensor<256xi32, #other>, memref<256xi32, #systolic.axes<M>>
  systolic.return
}

// -----

// Codes are converted to floats by bit operations, halves two at a time, with a constant in a VGPR. A lane's scale is
// repeated for its registers. Raised codes keep an offset of 64.
// CHECK-LABEL: gpu.func @decoded(
// CHECK: %[[WORD:.+]] = amdgpu.raw_buffer_load {{.+}} -> i32
// CHECK-DAG: %[[BASE:.+]] = rocdl.mbcnt.lo %c0_i32, %c1677747200_i32
// CHECK-DAG: %[[PAIR:.+]] = arith.andi %[[WORD]], %c983055_i32
// CHECK-DAG: arith.ori %[[PAIR]], %[[BASE]]
// CHECK-DAG: arith.shrui %[[WORD]], %c8_i32
// CHECK-DAG: arith.addf %{{.+}}, %{{.+}} : vector<2xf16>
// CHECK: %[[SCALE:.+]] = amdgpu.raw_buffer_load {{.+}} -> f16
// CHECK: %[[EACH:.+]] = vector.broadcast %[[SCALE]] : f16 to vector<8xf16>
// CHECK: arith.mulf %{{.+}}, %[[EACH]] : vector<8xf16>
// CHECK: arith.shli %[[WORD]], %c4_i32
// CHECK-NOT: arith.addf {{.+}} vector<2xf16>
// CHECK: arith.andi %{{.+}}, %c252645135_i32
// CHECK: arith.uitofp {{.+}} : i32 to f32
#words = #systolic.fragment<reg [], lane [1:64*1], wave []>
#codes = #systolic.fragment<reg [1:8*1], lane [1:64*8], wave []>
#scales = #systolic.fragment<reg [], lane [-1:16*0, 1:4*1], wave []>
!W = memref<1x64xi32, #systolic.axes<N, KW>>
!S = memref<1x4xf16, #systolic.axes<N, KG>>
!Y = memref<1x512xf16, #systolic.axes<N, K>>
!Z = memref<1x512xf32, #systolic.axes<N, K>>
systolic.kernel @decoded(%W: !W, %S: !S, %Y: !Y, %Z: !Z, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %words = systolic.load %W[%c0, %c0] : !W -> tensor<1x64xi32, #words>
  %codes = systolic.unpack 4 %words along 1 : tensor<1x64xi32, #words> -> tensor<1x512xf16, #codes>
  %scales = systolic.load %S[%c0, %c0] : !S -> tensor<1x4xf16, #scales>
  %each = systolic.broadcast %scales each along 1 : tensor<1x4xf16, #scales> -> tensor<1x512xf16, #codes>
  %w = arith.mulf %codes, %each : tensor<1x512xf16, #codes>
  systolic.store %w, %Y[%c0, %c0] : tensor<1x512xf16, #codes>, !Y
  %raised = systolic.unpack 4 raised %words along 1 : tensor<1x64xi32, #words> -> tensor<1x512xf16, #codes>
  systolic.store %raised, %Y[%c0, %c0] : tensor<1x512xf16, #codes>, !Y
  %floats = systolic.unpack 4 %words along 1 : tensor<1x64xi32, #words> -> tensor<1x512xf32, #codes>
  systolic.store %floats, %Z[%c0, %c0] : tensor<1x512xf32, #codes>, !Z
  systolic.return
}

// -----

// Sums of products: an instruction multiplies two f16 pairs, or two f32 pairs. Bytes become f16 below 0x64, and the sum
// begins with their offset times the sum of x, computed once for both rows.
// CHECK-LABEL: gpu.func @sums(
// CHECK: %[[FIRST:.+]] = llvm.call_intrinsic "llvm.amdgcn.fdot2"(%{{.+}}, %{{.+}}, %[[ACC:.+]], %false)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.fdot2"(%{{.+}}, %{{.+}}, %[[FIRST]], %false)
// CHECK: %[[START:.+]] = llvm.call_intrinsic "llvm.amdgcn.fdot2"(%cst{{.*}}, %{{.+}}, %cst{{.*}}, %false)
// CHECK: %[[LESS:.+]] = llvm.call_intrinsic "llvm.amdgcn.fdot2"(%cst{{.*}}, %{{.+}}, %[[START]], %false)
// CHECK: arith.xori %{{.+}}, %c-2139062144_i32
// CHECK: llvm.call_intrinsic "llvm.amdgcn.perm"(%c1684300900_i32, %{{.+}}, %c67175424_i32)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.fdot2"(%{{.+}}, %{{.+}}, %[[LESS]], %false)
// CHECK: llvm.call_intrinsic "llvm.amdgcn.fdot2"(%{{.+}}, %{{.+}}, %[[LESS]], %false)
// CHECK: math.fma {{.+}} : vector<2xf32>
// CHECK: math.fma {{.+}} : vector<2xf32>
// CHECK: arith.addf {{.+}} : f32
// CHECK: arith.uitofp {{.+}} : i32 to f32
#w = #systolic.fragment<reg [1:4*1, 0:2*1], lane [1:64*4], wave []>
#x = #systolic.fragment<reg [1:4*1], lane [1:64*4], wave []>
#sums = #systolic.fragment<reg [0:2*1], lane [1:64*1], wave []>
!half = memref<1x256xf16, #systolic.axes<1, K>>
!float = memref<1x256xf32, #systolic.axes<1, K>>
!Y = memref<2x64xf32, #systolic.axes<N, S>>
systolic.kernel @sums(%H: !half, %F: !float, %B: memref<2x256xi8, #systolic.axes<N, K>>, %Y: !Y, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<2x64xf32, #sums>
  %halves = arith.constant dense<0.5> : tensor<2x256xf16, #w>
  %floats = arith.constant dense<0.5> : tensor<2x256xf32, #w>
  %x = systolic.load %H[%c0, %c0] : !half -> tensor<1x256xf16, #x>
  %y = systolic.load %F[%c0, %c0] : !float -> tensor<1x256xf32, #x>
  %bytes = systolic.load %B[%c0, %c0] : memref<2x256xi8, #systolic.axes<N, K>> -> tensor<2x256xi8, #w>
  %acc = systolic.load %Y[%c0, %c0] : !Y -> tensor<2x64xf32, #sums>
  %a = systolic.dot %halves, %x, %acc : tensor<2x256xf16, #w>, tensor<1x256xf16, #x> -> tensor<2x64xf32, #sums>
  systolic.store %a, %Y[%c0, %c0] : tensor<2x64xf32, #sums>, !Y
  %b = systolic.dot %bytes, %x, %zero : tensor<2x256xi8, #w>, tensor<1x256xf16, #x> -> tensor<2x64xf32, #sums>
  systolic.store %b, %Y[%c0, %c0] : tensor<2x64xf32, #sums>, !Y
  %c = systolic.dot %floats, %y, %acc : tensor<2x256xf32, #w>, tensor<1x256xf32, #x> -> tensor<2x64xf32, #sums>
  systolic.store %c, %Y[%c0, %c0] : tensor<2x64xf32, #sums>, !Y
  %d = systolic.dot %bytes, %y, %acc : tensor<2x256xi8, #w>, tensor<1x256xf32, #x> -> tensor<2x64xf32, #sums>
  systolic.store %d, %Y[%c0, %c0] : tensor<2x64xf32, #sums>, !Y
  systolic.return
}

// -----

// A slice of a tile is a subset of its registers: the second of the two halves of each row, as they were loaded.
// CHECK-LABEL: gpu.func @sliced(
// CHECK: %[[FIRST:.+]] = amdgpu.raw_buffer_load {indexOffset = 32 : i32}
// CHECK: %[[SECOND:.+]] = amdgpu.raw_buffer_load {indexOffset = 1056 : i32}
// CHECK-NOT: vector.shuffle
// CHECK: amdgpu.raw_buffer_store %[[FIRST]]
// CHECK: amdgpu.raw_buffer_store %[[SECOND]]
#line = #systolic.fragment<reg [1:8*1, 1:2*32, 0:2*16], lane [1:4*8, 0:16*1], wave []>
#block = #systolic.fragment<reg [1:8*1, 0:2*16], lane [1:4*8, 0:16*1], wave []>
!X = memref<32x64xf16, #systolic.axes<M, K>>
!Y = memref<32x32xf16, #systolic.axes<M, N>>
systolic.kernel @sliced(%X: !X, %Y: !Y, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %line = systolic.load %X[%c0, %c0] : !X -> tensor<32x64xf16, #line>
  %block = systolic.slice %line from [0, 32] : tensor<32x64xf16, #line> -> tensor<32x32xf16, #block>
  systolic.store %block, %Y[%c0, %c0] : tensor<32x32xf16, #block>, !Y
  systolic.return
}
