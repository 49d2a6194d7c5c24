/* Loaded before a program's libraries (slow-sync.ts): what is made durable takes SYNC_MICROSECONDS longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int slowly(const char *name, int file) {
  const char *delay = getenv("SYNC_MICROSECONDS");
  int (*sync)(int) = dlsym(RTLD_NEXT, name);
  usleep(delay == NULL ? 0 : atoi(delay));
  return sync(file);
}

int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
