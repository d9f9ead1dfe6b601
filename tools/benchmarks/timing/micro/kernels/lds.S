// LDS: accesses of each width at addresses from memory, one dword a work-item, so that one kernel does every pattern.
#include "kernel.inc"
#include "lds.inc"

.macro access name, instruction:vararg
  begin \name
  addresses
  loop
  .rept 512
  \instruction
  .endr
  again
  end \name, 32, 32, 65536
.endm

access lds_read_b32, ds_read_b32 v4, v1
access lds_read_b64, ds_read_b64 v[4:5], v1
access lds_read_b96, ds_read_b96 v[4:6], v1
access lds_read_b128, ds_read_b128 v[4:7], v1
access lds_read2_b32, ds_read2_b32 v[4:5], v1 offset1:64
access lds_read2_b64, ds_read2_b64 v[4:7], v1 offset1:64
access lds_write_b32, ds_write_b32 v1, v4
access lds_write_b64, ds_write_b64 v1, v[4:5]
access lds_write_b96, ds_write_b96 v1, v[4:6]
access lds_write_b128, ds_write_b128 v1, v[4:7]
access lds_write2_b32, ds_write2_b32 v1, v4, v5 offset1:64
access lds_write2_b64, ds_write2_b64 v1, v[4:5], v[6:7] offset1:64
access lds_atomic_add, ds_add_u32 v1, v4

// More than the queue of a port holds, then work of another unit: the deeper the queue, the more of the two overlaps.
begin lds_queue
  addresses
  loop
  .rept 8
  .rept 7
  ds_write_b128 v1, v[4:7]
  .endr
  .rept 32
  v_add_u32 v8, v8, v9
  .endr
  .endr
  again
end lds_queue, 32, 32, 65536

latency lds_latency_b32, 0, ds_read_b32 v1, v1
latency lds_latency_b128, 0, ds_read_b128 v[4:7], v1
latency lds_latency_bpermute, 0, ds_bpermute_b32 v4, v1, v5
