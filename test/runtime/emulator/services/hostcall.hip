// Kernels that call the host as ROCm's device library does, but with what their arguments say. For one work-item.
#include "../Inputs/device.h"

namespace {

struct Header {
  uint64_t next, lanes;
  uint32_t service, control;
};
struct Signal {
  int64_t kind, value;
  volatile uint64_t *mailbox;
  uint32_t event;
};
struct Root {
  volatile Header *headers;
  volatile uint64_t *payloads;
  volatile Signal *doorbell;
  uint64_t free, ready, mask;
};

__device__ void ring(volatile Root *root) {
  volatile Signal *doorbell = root->doorbell;
  doorbell->value = doorbell->value + 1;
  *doorbell->mailbox = doorbell->event;
  __builtin_amdgcn_s_sendmsg(1, 1);
}

} // namespace

enum Damage { None, Unready, Round };

extern "C" __global__ void callHost(uint32_t service, uint64_t first, uint64_t second, int damage, uint64_t *answer) {
  auto *root = (volatile Root *)((const uint64_t *)__builtin_amdgcn_implicitarg_ptr())[10]; // hidden_hostcall_buffer
  const uint64_t packet = root->free;
  volatile Header *header = root->headers + (packet & root->mask);
  volatile uint64_t *slot = root->payloads + (packet & root->mask) * 64 * 8;
  root->free = header->next;
  header->lanes = 1;
  header->service = service;
  header->control = damage != Unready;
  slot[0] = first;
  slot[1] = second;
  header->next = damage == Round ? packet : root->ready;
  root->ready = packet;
  ring(root);
  while (header->control & 1)
    __builtin_amdgcn_s_sleep(1);
  *answer = slot[0];
  header->next = root->free;
  root->free = packet;
}

// Compiled with -mprintf-kind=buffered: printf reserves its record by this function, and kernels of a module without
// printf get no buffer.
extern "C" __device__ int printf(const char *, ...);
__device__ volatile uint32_t *printfBuffer() {
  return (volatile uint32_t *)((const uint64_t *)__builtin_amdgcn_implicitarg_ptr())[9]; // hidden_printf_buffer
}
extern "C" __device__ char *__printf_alloc(uint32_t bytes) {
  volatile uint32_t *buffer = printfBuffer();
  const uint32_t used = buffer[0];
  buffer[0] = used + bytes;
  return (char *)buffer + 8 + used;
}

extern "C" __global__ void print(int x) { printf("x = %d\n", x); }

extern "C" __global__ void writeRecord(uint32_t used, uint32_t descriptor, uint32_t *size) {
  volatile uint32_t *buffer = printfBuffer();
  *size = buffer[1];
  buffer[0] = used;
  buffer[2] = descriptor;
}
