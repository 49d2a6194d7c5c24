/* Preloaded by slow-sync.ts: delays fsync and fdatasync by SYNC_MICROSECONDS. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int delayed(const char *name, int file) {
  const char *delay = getenv("SYNC_MICROSECONDS");
  int (*sync)(int) = dlsym(RTLD_NEXT, name);
  usleep(delay == NULL ? 0 : atoi(delay));
  return sync(file);
}

int fsync(int file) { return delayed("fsync", file); }
int fdatasync(int file) { return delayed("fdatasync", file); }
