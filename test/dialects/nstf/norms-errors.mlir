// One refusal for every numbered constraint of dialects/nstf/NormOps.td.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

func.func @rms_norm_c1(%x: tensor<?x64xf32>, %weight: tensor<24xf32>) {
  // expected-error @+1 {{expected a weight whose length divides the features, 64, but got 'tensor<24xf32>'}}
  %y = nstf.rms_norm %x, %weight {eps = 1.0e-5 : f64} : (tensor<?x64xf32>, tensor<24xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<?x64xf32>, %weight: tensor<64xf32>) {
  // expected-error @+1 {{expected a finite eps of at least 0 but got -1}}
  %y = nstf.rms_norm %x, %weight {eps = -1.0 : f64} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @rms_norm_c3(%x: tensor<?x64xf32>, %weight: tensor<64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<?x64xf32>' are incompatible with return type(s) of operation 'tensor<1x64xf32>'}}
  %y = nstf.rms_norm %x, %weight {eps = 1.0e-5 : f64} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<1x64xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<?x64xf32>, %weight: tensor<64xf32>) {
  // expected-error @+1 {{expected a finite eps of at least 0 but got INF}}
  %y = nstf.rms_norm %x, %weight {eps = 0x7FF0000000000000 : f64} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<?x64xf32>, %weight: tensor<32xf32>) {
  // expected-error @+1 {{expected a weight of type 'tensor<64xf32>' but got 'tensor<32xf32>'}}
  %y = nstf.layer_norm %x, %weight {eps = 1.0e-5 : f64} : (tensor<?x64xf32>, tensor<32xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<?x64xf32>, %weight: tensor<64xf32>, %bias: tensor<32xf32>) {
  // expected-error @+1 {{expected a bias of type 'tensor<64xf32>' but got 'tensor<32xf32>'}}
  %y = nstf.layer_norm %x, %weight, %bias {eps = 1.0e-5 : f64}
      : (tensor<?x64xf32>, tensor<64xf32>, tensor<32xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<?x64xf32>, %weight: tensor<64xf32>) {
  // expected-error @+1 {{expected a finite eps of at least 0 but got nan}}
  %y = nstf.layer_norm %x, %weight {eps = 0x7FF8000000000000 : f64} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<?x64xf32>, %weight: tensor<64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<?x64xf32>' are incompatible with return type(s) of operation 'tensor<1x64xf32>'}}
  %y = nstf.layer_norm %x, %weight {eps = 1.0e-5 : f64} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<1x64xf32>
  return
}

// -----

func.func @l2_normalize_c1(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{expected a finite eps above 0 but got 0}}
  %y = nstf.l2_normalize %x {eps = 0.0 : f64} : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @l2_normalize_c2(%x: tensor<?x64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<?x64xf32>' are incompatible with return type(s) of operation 'tensor<?x32xf32>'}}
  %y = nstf.l2_normalize %x : (tensor<?x64xf32>) -> tensor<?x32xf32>
  return
}
