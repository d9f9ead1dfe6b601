// Each numbered rule of #systolic.schedule is violated once. Function names are the rules' numbers.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected waves of 1 to 1024 in each direction but got '0x4'}}
#schedule_c1 = #systolic.schedule<waves = 0x4>
func.func private @schedule_c1() attributes {schedule = #schedule_c1}

// -----

// expected-error @+1 {{expected waves of 1 to 1024 in each direction but got '1x4x1025'}}
#schedule_c1_parts = #systolic.schedule<waves = 1x4x1025>
func.func private @schedule_c1_parts() attributes {schedule = #schedule_c1_parts}

// -----

// expected-error @+1 {{expected waves to be ROWSxCOLUMNS or ROWSxCOLUMNSxK, such as 2x4 or 2x4x8, but got '1x4x1x1'}}
#schedule_c1_shape = #systolic.schedule<waves = 1x4x1x1>
func.func private @schedule_c1_shape() attributes {schedule = #schedule_c1_shape}

// -----

// expected-error @+1 {{expected sum to be all or a number of at least 1, such as '16 blocks', but got '0'}}
#schedule_c2 = #systolic.schedule<waves = 1x4, sum = 0>
func.func private @schedule_c2() attributes {schedule = #schedule_c2}

// -----

// expected-error @+1 {{expected sum to be all or a number of at least 1 but got '-1'}}
#schedule_c2_negative = #systolic.schedule<sum = -1>
func.func private @schedule_c2_negative() attributes {schedule = #schedule_c2_negative}

// -----

// expected-error @+1 {{expected buffers to be a number of 1 to 3 but got '0'}}
#schedule_c3_none = #systolic.schedule<buffers = 0>
func.func private @schedule_c3_none() attributes {schedule = #schedule_c3_none}

// -----

// expected-error @+1 {{expected buffers to be a number of 1 to 3 but got '4'}}
#schedule_c3 = #systolic.schedule<buffers = 4>
func.func private @schedule_c3() attributes {schedule = #schedule_c3}

// -----

// expected-error @+1 {{expected ahead to be a number of at least 1 but got '0'}}
#schedule_c4 = #systolic.schedule<ahead = 0>
func.func private @schedule_c4() attributes {schedule = #schedule_c4}

// -----

// expected-error @+1 {{expected through to be registers or lds but got 'memory'}}
#schedule_c5_through = #systolic.schedule<through = memory>
func.func private @schedule_c5_through() attributes {schedule = #schedule_c5_through}

// -----

// expected-error @+1 {{expected order to be merged or turns but got '1'}}
#schedule_c5_order = #systolic.schedule<order = 1>
func.func private @schedule_c5_order() attributes {schedule = #schedule_c5_order}

// -----

// expected-error @+1 {{expected priorities to be falling or none but got 'rising'}}
#schedule_c5_priorities = #systolic.schedule<priorities = rising>
func.func private @schedule_c5_priorities() attributes {schedule = #schedule_c5_priorities}

// -----

// expected-error @+1 {{expected ahead of at most the 2 buffers past the registers but got 3}}
#schedule_c6 = #systolic.schedule<buffers = 2, ahead = 3, through = lds>
func.func private @schedule_c6() attributes {schedule = #schedule_c6}

// -----

// expected-error @+1 {{expected falling priorities of a merged order but got them of turns}}
#schedule_c7 = #systolic.schedule<order = turns, priorities = falling>
func.func private @schedule_c7() attributes {schedule = #schedule_c7}

// -----

// expected-error @+1 {{expected a field of a schedule (waves, sum, buffers, ahead, through, order, priorities) but got 'WM'}}
#schedule_c8 = #systolic.schedule<WM = 2>
func.func private @schedule_c8() attributes {schedule = #schedule_c8}

// -----

// expected-error @+1 {{expected buffers once but got it again}}
#schedule_c8_again = #systolic.schedule<buffers = 2, buffers = 2>
func.func private @schedule_c8_again() attributes {schedule = #schedule_c8_again}
