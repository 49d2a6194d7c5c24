/*
 * Preloaded into a program, this makes the disk fail under the files whose paths contain $DISK_FAULTS_PATH, for as long as
 * the file $DISK_FAULTS_CONTROL exists. It contains the number of the error.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* Found once, when the library is loaded: looking a function up later may allocate memory, or need a lock. */
static ssize_t (*real_read)(int, void *, size_t);
static int (*real_open)(const char *, int, ...);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_fallocate)(int, off_t, off_t);
static const char *control;
static const char *path;

/* PostgreSQL overwrites its environment. */
static const char *copy_of(const char *text) {
  return text == NULL ? NULL : strdup(text);
}

__attribute__((constructor)) static void find_functions(void) {
  real_read = dlsym(RTLD_NEXT, "read");
  real_open = dlsym(RTLD_NEXT, "open64");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_pwritev = dlsym(RTLD_NEXT, "pwritev64");
  real_write = dlsym(RTLD_NEXT, "write");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fallocate = dlsym(RTLD_NEXT, "posix_fallocate64");
  control = copy_of(getenv("DISK_FAULTS_CONTROL"));
  path = copy_of(getenv("DISK_FAULTS_PATH"));
}

/* 0 while the disk works. */
static int fault(void) {
  char text[16] = "";
  int before = errno;
  int file = control == NULL ? -1 : real_open(control, O_RDONLY);
  if (file >= 0) {
    if (real_read(file, text, sizeof text - 1) < 0) text[0] = 0;
    close(file);
  }
  errno = before;
  return atoi(text);
}

static int is_affected(int descriptor) {
  char link[64], name[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, name, sizeof name - 1);
  if (length < 0 || path == NULL) return 0;
  name[length] = 0;
  return strstr(name, path) != NULL;
}

/* The error of a write to the descriptor, or 0. */
static int fault_of(int descriptor) {
  int error = fault();
  return error != 0 && is_affected(descriptor) ? error : 0;
}

/* The same for bytes at an offset: a full disk has room for what replaces other bytes. */
static int fault_at(int descriptor, off_t end) {
  int error = fault_of(descriptor);
  struct stat status;
  if (error == ENOSPC && fstat(descriptor, &status) == 0 && end <= status.st_size) return 0;
  return error;
}

static int failed(int error) {
  errno = error;
  return -1;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  int error = fault_at(descriptor, offset + (off_t)count);
  return error != 0 ? failed(error) : real_pwrite(descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off_t offset) {
  int error = fault_of(descriptor);
  return error != 0 ? failed(error) : real_pwritev(descriptor, parts, count, offset);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(descriptor, parts, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  int error = fault_of(descriptor);
  return error != 0 ? failed(error) : real_write(descriptor, bytes, count);
}

/* A full disk can still be synchronized; one that fails or is read-only cannot. */
static int sync_fault_of(int descriptor) {
  int error = fault_of(descriptor);
  return error == ENOSPC ? 0 : error;
}

int fsync(int descriptor) {
  int error = sync_fault_of(descriptor);
  return error != 0 ? failed(error) : real_fsync(descriptor);
}

int fdatasync(int descriptor) {
  int error = sync_fault_of(descriptor);
  return error != 0 ? failed(error) : real_fdatasync(descriptor);
}

/* Making a file shorter works on a full disk as well. */
int ftruncate64(int descriptor, off_t length) {
  int error = sync_fault_of(descriptor);
  return error != 0 ? failed(error) : real_ftruncate(descriptor, length);
}

int ftruncate(int descriptor, off_t length) {
  return ftruncate64(descriptor, length);
}

int posix_fallocate64(int descriptor, off_t offset, off_t length) {
  int error = fault_of(descriptor);
  return error != 0 ? error : real_fallocate(descriptor, offset, length);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
  return posix_fallocate64(descriptor, offset, length);
}

/* On a read-only disk, nothing can be opened for writing. */
int open64(const char *name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  int is_written = (flags & O_ACCMODE) != O_RDONLY && path != NULL && strstr(name, path) != NULL;
  if (is_written && fault() == EROFS) return failed(EROFS);
  return real_open(name, flags, mode);
}

int open(const char *name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open64(name, flags, mode);
}
