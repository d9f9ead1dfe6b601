// One refusal for every numbered constraint of dialects/nstf/ElementwiseOps.td. The short syntax has one type, so a
// difference can only be written in the generic one.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

func.func @silu_c1(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{all of {x, result} have same type}}
  %y = "nstf.silu"(%x) : (tensor<?x64xf32>) -> tensor<1x64xf32>
  return
}

// -----

func.func @gelu_c1(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{all of {x, result} have same type}}
  %y = "nstf.gelu"(%x) : (tensor<?x64xf32>) -> tensor<1x64xf32>
  return
}

// -----

func.func @relu_c1(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{all of {x, result} have same type}}
  %y = "nstf.relu"(%x) : (tensor<?x64xf32>) -> tensor<1x64xf32>
  return
}

// -----

func.func @tanh_c1(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{all of {x, result} have same type}}
  %y = "nstf.tanh"(%x) : (tensor<?x64xf32>) -> tensor<1x64xf32>
  return
}

// -----

func.func @swiglu_c1(%gate: tensor<?x64xf32>, %up: tensor<?x32xf32>) {
  // expected-error @+1 {{all of {gate, up, result} have same type}}
  %y = "nstf.swiglu"(%gate, %up) : (tensor<?x64xf32>, tensor<?x32xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @add_c1(%a: tensor<?x64xf32>, %b: tensor<1x64xf32>) {
  // expected-error @+1 {{all of {a, b, result} have same type}}
  %y = "nstf.add"(%a, %b) : (tensor<?x64xf32>, tensor<1x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @mul_c1(%a: tensor<?x64xf32>, %b: tensor<?x32xf32>) {
  // expected-error @+1 {{all of {a, b, result} have same type}}
  %y = "nstf.mul"(%a, %b) : (tensor<?x64xf32>, tensor<?x32xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @integer(%a: tensor<?x64xi32>) {
  // expected-error @+1 {{operand #0 must be [rows, features] tensor of f32 with static features, but got 'tensor<?x64xi32>'}}
  %y = nstf.silu %a : tensor<?x64xi32>
  return
}

// -----

func.func @convert_c1(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{attribute 'type' failed to satisfy constraint: type attribute of f32, f16 or bf16}}
  %y = nstf.convert %x {type = i8} : (tensor<?x64xf32>) -> tensor<?x64xi8>
  return
}

// -----

func.func @convert_c2(%x: tensor<?x64xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<?x64xf16>' are incompatible with return type(s) of operation 'tensor<?x64xbf16>'}}
  %y = nstf.convert %x {type = f16} : (tensor<?x64xf32>) -> tensor<?x64xbf16>
  return
}
