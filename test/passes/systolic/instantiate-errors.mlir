// Errors of systolic-instantiate.
// RUN: nstf-opt %s -split-input-file -systolic-instantiate -verify-diagnostics
// RUN: not nstf-opt %root/templates/kernels/matmul.mlir -systolic-instantiate=params=BQ=16 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not nstf-opt %root/templates/kernels/matmul.mlir -systolic-instantiate=params=BM=many 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not nstf-opt %root/templates/kernels/matmul.mlir -systolic-instantiate=params=BM 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not nstf-opt %root/templates/kernels/matmul.mlir -systolic-instantiate=params=BM=-16 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not nstf-opt %root/templates/kernels/matmul.mlir -systolic-instantiate=params=BM=0 2>&1 | FileCheck %s --check-prefix=ZERO

// RUN: not nstf-opt %root/templates/kernels/rms_norm.mlir -systolic-instantiate=params=EPS=small 2>&1 | FileCheck %s --check-prefix=FLOAT

// RUN: not nstf-opt %root/templates/kernels/matmul.mlir -systolic-instantiate=params=waves=8 2>&1 | FileCheck %s --check-prefix=WAVES
// RUN: not nstf-opt %root/templates/kernels/matmul.mlir -systolic-instantiate=params=buffers=4 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: not nstf-opt %root/templates/kernels/matmul.mlir -systolic-instantiate=params=WM=2 2>&1 | FileCheck %s --check-prefix=FORMER

// WAVES: error: expected waves to be ROWSxCOLUMNS or ROWSxCOLUMNSxK, such as 2x4 or 2x4x8, but got '8'
// BUFFERS: error: expected buffers to be a number of 1 to 3 but got '4'
// FORMER: error: expected the field waves of the schedule in place of the parameter but got WM
// FLOAT: error: expected NAME=INTEGER but got EPS=small
// UNKNOWN: error: expected a parameter of the kernel or a field of its schedule but got BQ
// NUMBER: error: expected NAME=INTEGER but got BM=many
// PAIR: error: expected NAME=INTEGER but got BM
// NEGATIVE: error: expected parameter BM to be at least 0 but got -16
// ZERO: error: expected axis BM to be a parameter of at least 1

// expected-error @+1 {{expected one systolic.kernel in the module but got 0}}
module {
}

// -----

// expected-error @+1 {{expected one systolic.kernel in the module but got 2}}
module {
  systolic.kernel @a(%work: index) attributes {params = {}, grid = []} {
    systolic.return
  }
  systolic.kernel @b(%work: index) attributes {params = {}, grid = []} {
    systolic.return
  }
}

// -----

// expected-error @+1 {{expected an integer, an f32 or a type for parameter M but got "four"}}
systolic.kernel @kernel(%work: index) attributes {params = {M = "four"}, grid = []} {
  systolic.return
}

// -----

// expected-error @+1 {{expected axis BN to be a parameter of at least 1}}
systolic.kernel @kernel(%work: index) attributes {params = {BM = 4}, grid = []} {
  %x = arith.constant dense<0.0> : tensor<4x4xf32, #systolic.axes<BM, BN>>
  systolic.return
}

// -----

systolic.kernel @kernel(%control: !systolic.control, %work: index) attributes {params = {BM = 4}, grid = []} {
  // expected-error @+1 {{expected a parameter ROWS of the kernel but got none}}
  %rows = systolic.control rows %control
  systolic.return
}

// -----

systolic.kernel @kernel(%work: index) attributes {params = {BM = 4}, grid = []} {
  // expected-error @+1 {{expected a parameter of the kernel but got BN}}
  %BN = systolic.param "BN"
  systolic.return
}

// -----

systolic.kernel @kernel(%work: index) attributes {params = {BM = 4}, grid = []} {
  // expected-error @+1 {{expected parameter BM to be of type 'f32' but got 4 : i64}}
  %BM = systolic.param "BM" : f32
  systolic.return
}

// -----

// expected-error @+1 {{expected a parameter OPERAND, the type of !systolic.operand, but got none}}
systolic.kernel @kernel(%work: index) attributes {params = {BM = 4}, grid = []} {
  %x = arith.constant dense<0.0> : tensor<4xf32, #systolic.axes<BM>>
  %y = arith.truncf %x : tensor<4xf32, #systolic.axes<BM>> to tensor<4x!systolic.operand, #systolic.axes<BM>>
  systolic.return
}
