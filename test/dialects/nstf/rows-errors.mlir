// One refusal for every numbered constraint of dialects/nstf/RowOps.td.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

func.func @last_row_c1(%x: tensor<?x64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<1x64xf32>' are incompatible with return type(s) of operation 'tensor<?x64xf32>'}}
  %y = nstf.last_row %x : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @last_row_c1_of_requests(%x: tensor<?x64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<4x64xf32>' are incompatible with return type(s) of operation 'tensor<1x64xf32>'}}
  %y = nstf.last_row %x {requests = 4 : i64} : (tensor<?x64xf32>) -> tensor<1x64xf32>
  return
}

// -----

func.func @last_row_of_no_request(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{attribute 'requests' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %y = nstf.last_row %x {requests = 0 : i64} : (tensor<?x64xf32>) -> tensor<0x64xf32>
  return
}

// -----

func.func @first_row_c1(%x: tensor<?x64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<1x64xf32>' are incompatible with return type(s) of operation 'tensor<?x64xf32>'}}
  %y = nstf.first_row %x : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @mean_rows_c1(%x: tensor<?x64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<1x64xf32>' are incompatible with return type(s) of operation 'tensor<?x64xf32>'}}
  %y = nstf.mean_rows %x : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}
