// Errors of systolic-share-loads.
// RUN: nstf-opt %s --pass-pipeline='builtin.module(systolic.kernel(systolic-share-loads))' -verify-diagnostics

// expected-error @+1 {{expected array and wave_size (systolic-select-array) but got none}}
systolic.kernel @no_array(%work: index) attributes {params = {}, grid = []} {
  systolic.return
}
