// Puts the facts of a chip on a module: by name, by alias, or from a file.
// RUN: nstf-opt %s -nstf-set-target | FileCheck %s --check-prefix=GFX942
// RUN: nstf-opt %s -nstf-set-target=target=mi250x | FileCheck %s --check-prefix=GFX90A
// RUN: sed 's/^default_chip: .*/&\nlds_bytes: 1024/' %root/templates/targets/gfx90a.yaml > %t.yaml
// RUN: nstf-opt %s -nstf-set-target=target=%t.yaml | FileCheck %s --check-prefix=FILE
// RUN: not nstf-opt %s -nstf-set-target=target=gfx1 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// GFX942: module attributes {nstf.target = {{{.*}}chip = "gfx942",
// GFX942-SAME: lds_bytes = 65536 : i64
// GFX90A: module attributes {nstf.target = {{{.*}}chip = "gfx90a",
// FILE: lds_bytes = 1024 : i64
// UNKNOWN: set-target.mlir:{{[0-9:]+}} error: {{.*}}'gfx1'
module {}
