// Stands before the emulator's library and counts what hipMalloc gives: the sum goes into the file that COUNT_FILE
// names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long sum;

int hipMalloc(void **pointer, size_t bytes) {
  int (*real)(void **, size_t) = (int (*)(void **, size_t))dlsym(RTLD_NEXT, "hipMalloc");
  int code = real(pointer, bytes);
  if (code == 0)
    sum += bytes;
  return code;
}

__attribute__((destructor)) static void tell(void) {
  FILE *file = fopen(getenv("COUNT_FILE"), "w");
  fprintf(file, "%lu\n", sum);
  fclose(file);
}
