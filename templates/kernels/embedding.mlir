// embedding: Y[m, n] = epilogue(T[ids[m], n]).
//
// One work item is a BM x BN tile of Y. An id outside the table gives zeros.
!id = tensor<4xi32, #systolic.axes<BM>>
!y = tensor<4x256xf32, #systolic.axes<BM, BN>>
!ids = memref<64xi32, #systolic.axes<M>>
!T = memref<512x64xf32, #systolic.axes<V, N>>
!Y = memref<64x64xf32, #systolic.axes<M, N>>

module {
  func.func private @epilogue(%tile: !y, %m0: index, %n0: index) -> !y {
    return %tile : !y
  }

  systolic.kernel @embedding(%ids: !ids, %T: !T, %Y: !Y, %control: !systolic.control, %block_m: index, %block_n: index)
      attributes {launch = #systolic.launch<[ids, table, y, control]>,
                  params = {M = 64, N = 64, V = 512, BM = 4, BN = 256, ROWS = 0},
                  schedule = #systolic.schedule<waves = 4x1>,
                  grid = ["M", "BM", "N", "BN"]} {
    %BM = systolic.param "BM"
    %BN = systolic.param "BN"
    %N = systolic.param "N"
    %V = systolic.param "V"
    %c0 = arith.constant 0 : index
    %rows = systolic.control rows %control
    %m0 = arith.muli %block_m, %BM : index
    %n0 = arith.muli %block_n, %BN : index

    %id = systolic.load %ids[%m0] limit [%rows] : !ids -> !id
    %y = systolic.load %T[%c0, %n0] limit [%V, %N] rows(%id : !id) : !T -> !y
    %result = func.call @epilogue(%y, %m0, %n0) : (!y, index, index) -> !y
    systolic.store %result, %Y[%m0, %n0] limit [%rows, %N] : !y, !Y
    systolic.return
  }
}
