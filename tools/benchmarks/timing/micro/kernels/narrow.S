// LDS: accesses of a part of a dword, behind kernels of memory: where their code lies decides which part of a cache it takes.
#include "kernel.inc"
#include "lds.inc"

latency lds_latency_u8, 0, ds_read_u8 v4, v1
