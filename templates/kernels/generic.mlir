// generic: Y[n] = compute(n), where n is the row-major index of an element of the result, of any rank.
//
// For tensor code (linalg and tensor ops); the computation is in the slot, whose operands are the tile of indices, the
// first index, and the tokens of the step. By default an element is its own index. One work item is BN elements. BR:
// lanes that share an element if the slot reduces. E: elements of the result per token (ROWS = 0), or in all (ROWS = 1).
!i = tensor<256xi32, #systolic.axes<BN>>
!y = tensor<256xf32, #systolic.axes<BN>>
!Y = memref<4096xf32, #systolic.axes<N>>

module {
  func.func private @compute(%index: !i, %first: index, %tokens: index) -> !y {
    %y = arith.sitofp %index : !i to !y
    return %y : !y
  }

  systolic.kernel @generic(%Y: !Y, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[y, control]>,
                  params = {N = 4096, E = 64, ROWS = 0, BN = 256, BR = 1},
                  schedule = #systolic.schedule<waves = 4x1>,
                  grid = ["N", "BN"]} {
    %BN = systolic.param "BN"
    %E = systolic.param "E"
    %tokens = systolic.control tokens %control
    %rows = systolic.control rows %control
    %end = arith.muli %rows, %E : index
    %first = arith.muli %work, %BN : index
    %is_inside = arith.cmpi ult, %first, %end : index
    scf.if %is_inside {
      %j = systolic.iota along 0 : !i
      %first_i32 = arith.index_cast %first : index to i32
      %start = systolic.broadcast %first_i32 : i32 -> !i
      %index = arith.addi %start, %j : !i
      %y = func.call @compute(%index, %first, %tokens) : (!i, index, index) -> !y
      systolic.store %y, %Y[%first] limit [%end] : !y, !Y
    }
    systolic.return
  }
}
