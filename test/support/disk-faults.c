/*
 * Preloaded into a program, this stands between it and its disk:
 *
 * - $DISK_FAULTS_PATH, $DISK_FAULTS_CONTROL: the disk fails under the files whose paths contain the first, for as long as the second
 *   exists. It contains the number of the error.
 * - $DISK_CALLS_FOLDER, $DISK_CALLS: of the calls that change files in the folder, those fail that the second says. It is memory that
 *   the test writes to, a `struct calls`.
 * - $DISK_LOG_FOLDER, $DISK_LOG: every call that changes a file in the folder is appended to the second, as a `struct record`.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* Found once, when the library is loaded: looking a function up later may allocate memory, or need a lock. */
static ssize_t (*real_read)(int, void *, size_t);
static int (*real_open)(const char *, int, ...);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_sendfile)(int, int, off_t *, size_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_fallocate)(int, off_t, off_t);
static int (*real_unlink)(const char *);
static int (*real_remove)(const char *);
static int (*real_rename)(const char *, const char *);
static int (*real_link)(const char *, const char *);
static int (*real_mkdir)(const char *, mode_t);
static long (*real_syscall)(long, ...);

static const char *control;
static const char *path;
static const char *log_folder;
static const char *calls_folder;
static int log_file = -1;

/* `disk-calls.ts` writes the first four, and zeros to the others. */
static volatile struct calls {
  int64_t kind;
  int64_t error;
  int64_t first;
  int64_t last;
  int64_t counted;
  int64_t failed;
} *calls;

enum { ALL_WORK, FAIL, SHORTEN };

/* `disk-log.ts` reads it. What follows are the path, the other path, and the bytes. */
struct record {
  uint32_t length;
  uint32_t kind;
  uint64_t file;
  uint64_t offset;
  uint32_t path_length;
  uint32_t other_length;
};

enum { CREATE = 1, WRITE, TRUNCATE, SYNC, FAILED_SYNC, SYNC_FOLDER, LINK, RENAME, UNLINK, MAKE_FOLDER };

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
  real_writev = dlsym(RTLD_NEXT, "writev");
  real_sendfile = dlsym(RTLD_NEXT, "sendfile64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fallocate = dlsym(RTLD_NEXT, "posix_fallocate64");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_remove = dlsym(RTLD_NEXT, "remove");
  real_rename = dlsym(RTLD_NEXT, "rename");
  real_link = dlsym(RTLD_NEXT, "link");
  real_mkdir = dlsym(RTLD_NEXT, "mkdir");
  real_syscall = dlsym(RTLD_NEXT, "syscall");
  control = copy_of(getenv("DISK_FAULTS_CONTROL"));
  path = copy_of(getenv("DISK_FAULTS_PATH"));
  calls_folder = copy_of(getenv("DISK_CALLS_FOLDER"));
  log_folder = copy_of(getenv("DISK_LOG_FOLDER"));
  const char *memory = getenv("DISK_CALLS"), *log = getenv("DISK_LOG");
  if (memory != NULL) {
    int file = real_open(memory, O_RDWR | O_CLOEXEC);
    void *mapped = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) abort();
    calls = mapped;
    close(file);
  }
  if (log != NULL && (log_file = real_open(log, O_WRONLY | O_APPEND | O_CLOEXEC)) < 0) abort();
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

/* Whether it is the folder, or something in it. */
static int is_in(const char *name, const char *folder) {
  size_t length = folder == NULL ? 0 : strlen(folder);
  return length > 0 && strncmp(name, folder, length) == 0 && (name[length] == '/' || name[length] == 0);
}

static int is_affected(const char *name) {
  return path != NULL && strstr(name, path) != NULL;
}

/* Shared memory is mapped, and nothing of it survives a crash. */
static int is_logged(const char *name) {
  size_t length = strlen(name);
  return log_file >= 0 && is_in(name, log_folder) && !(length > 4 && strcmp(name + length - 4, "-shm") == 0);
}

/* The path of an open file, or an empty one. */
static const char *name_of(int descriptor, char name[4096]) {
  char link[64];
  name[0] = 0;
  if (path == NULL && log_folder == NULL && calls_folder == NULL) return name;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, name, 4095);
  name[length < 0 ? 0 : length] = 0;
  return name;
}

static const char *absolute(const char *name, char buffer[4096]) {
  if (name[0] == '/') return name;
  if (getcwd(buffer, 2048) == NULL) return name;
  strcat(buffer, "/");
  return strncat(buffer, name, 2000);
}

/* What single calls are told to do: an error, or fewer bytes than they were given. `count` is NULL if there are none. */
static int fate_of(const char *name, size_t *count) {
  if (calls == NULL || calls->kind == ALL_WORK || !is_in(name, calls_folder)) return 0;
  int64_t kind = calls->kind;
  if (kind == SHORTEN && (count == NULL || *count < 2)) return 0;
  int64_t number = __atomic_add_fetch(&calls->counted, 1, __ATOMIC_SEQ_CST);
  if (number < calls->first || number > calls->last) return 0;
  __atomic_add_fetch(&calls->failed, 1, __ATOMIC_SEQ_CST);
  if (kind == FAIL) return calls->error;
  *count /= 2;
  return 0;
}

/* The error of a write, or 0. A full disk has room for what replaces other bytes. */
static int write_error(int descriptor, const char *name, off_t end, size_t *count) {
  int error = is_affected(name) ? fault() : 0;
  struct stat status;
  if (error == ENOSPC && end >= 0 && fstat(descriptor, &status) == 0 && end <= status.st_size) error = 0;
  return error != 0 ? error : fate_of(name, count);
}

/* A full disk can still be synchronized, and files on it made shorter; one that fails or is read-only cannot. */
static int sync_error(const char *name) {
  int error = is_affected(name) ? fault() : 0;
  return error != 0 && error != ENOSPC ? error : fate_of(name, NULL);
}

static int failed(int error) {
  errno = error;
  return -1;
}

/* The call and its record are one step for all threads and processes, so that the log has the order of the calls. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int begin(const char *name) {
  if (!is_logged(name)) return 0;
  pthread_mutex_lock(&mutex);
  flock(log_file, LOCK_EX);
  return 1;
}

static void end(int is_logged, int error) {
  if (!is_logged) return;
  flock(log_file, LOCK_UN);
  pthread_mutex_unlock(&mutex);
  errno = error;
}

static void append(int kind, uint64_t file, off_t offset, const char *name, const char *other, const void *bytes, size_t count) {
  size_t lengths[] = {name == NULL ? 0 : strlen(name), other == NULL ? 0 : strlen(other)};
  struct record record = {sizeof record + lengths[0] + lengths[1] + count, kind, file, offset, lengths[0], lengths[1]};
  struct iovec parts[] = {
    {&record, sizeof record}, {(void *)name, lengths[0]}, {(void *)other, lengths[1]}, {(void *)bytes, count},
  };
  if (real_writev(log_file, parts, 4) != record.length) abort();
}

/* What identifies a file, whatever its name is. */
static uint64_t file_of(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

static uint64_t file_at(const char *name) {
  struct stat status;
  return lstat(name, &status) == 0 ? status.st_ino : 0;
}

static void append_bytes(int descriptor, off_t offset, const void *bytes, ssize_t count) {
  if (count > 0) append(WRITE, file_of(descriptor), offset, NULL, NULL, bytes, count);
}

/* The same for bytes that were written where the descriptor is now. */
static void append_latest(int descriptor, const void *bytes, ssize_t count) {
  append_bytes(descriptor, lseek(descriptor, 0, SEEK_CUR) - count, bytes, count);
}

/* The same for bytes that the kernel has copied. */
static void append_copied(int descriptor, ssize_t count) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  int file = count > 0 ? real_open(link, O_RDONLY) : -1;
  void *bytes = count > 0 ? malloc(count) : NULL;
  if (file >= 0 && bytes != NULL && pread(file, bytes, count, lseek(descriptor, 0, SEEK_CUR) - count) == count)
    append_latest(descriptor, bytes, count);
  if (file >= 0) close(file);
  free(bytes);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  char buffer[4096];
  const char *name = name_of(descriptor, buffer);
  int error = write_error(descriptor, name, offset + (off_t)count, &count);
  if (error != 0) return failed(error);
  int logged = begin(name);
  ssize_t result = real_pwrite(descriptor, bytes, count, offset);
  error = errno;
  if (logged) append_bytes(descriptor, offset, bytes, result);
  end(logged, error);
  return result;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

/* Written one after the other, which is allowed to write less than everything. */
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off_t offset) {
  char buffer[4096];
  const char *name = name_of(descriptor, buffer);
  if (is_logged(name) || is_in(name, calls_folder))
    return count == 0 ? 0 : pwrite64(descriptor, parts[0].iov_base, parts[0].iov_len, offset);
  int error = write_error(descriptor, name, -1, NULL);
  return error != 0 ? failed(error) : real_pwritev(descriptor, parts, count, offset);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(descriptor, parts, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  char buffer[4096];
  const char *name = name_of(descriptor, buffer);
  int error = write_error(descriptor, name, -1, &count);
  if (error != 0) return failed(error);
  int logged = begin(name);
  ssize_t result = real_write(descriptor, bytes, count);
  error = errno;
  if (logged) append_latest(descriptor, bytes, result);
  end(logged, error);
  return result;
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  char buffer[4096];
  const char *name = name_of(descriptor, buffer);
  if (is_logged(name) || is_in(name, calls_folder))
    return count == 0 ? 0 : write(descriptor, parts[0].iov_base, parts[0].iov_len);
  return real_writev(descriptor, parts, count);
}

ssize_t sendfile64(int to, int from, off_t *offset, size_t count) {
  char buffer[4096];
  const char *name = name_of(to, buffer);
  int error = write_error(to, name, -1, &count);
  if (error != 0) return failed(error);
  int logged = begin(name);
  ssize_t result = real_sendfile(to, from, offset, count);
  error = errno;
  if (logged) append_copied(to, result);
  end(logged, error);
  return result;
}

/* How Node copies a range of a file. */
long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  char buffer[4096];
  const char *name = number == SYS_copy_file_range ? name_of(c, buffer) : "";
  size_t count = e;
  int error = name[0] == 0 ? 0 : write_error(c, name, -1, &count);
  if (error != 0) return failed(error);
  int logged = name[0] != 0 && begin(name);
  long result = real_syscall(number, a, b, c, d, name[0] == 0 ? e : (long)count, f);
  if (!logged) return result;
  error = errno;
  append_copied(c, result);
  end(logged, error);
  return result;
}

static int synchronized(int descriptor, int (*real)(int)) {
  char buffer[4096];
  const char *name = name_of(descriptor, buffer);
  int error = sync_error(name);
  int logged = begin(name);
  int result = error != 0 ? failed(error) : real(descriptor);
  error = errno;
  if (logged) {
    struct stat status;
    int is_folder = fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
    if (!is_folder) append(result == 0 ? SYNC : FAILED_SYNC, file_of(descriptor), 0, NULL, NULL, NULL, 0);
    else if (result == 0) append(SYNC_FOLDER, 0, 0, name, NULL, NULL, 0);
  }
  end(logged, error);
  return result;
}

int fsync(int descriptor) {
  return synchronized(descriptor, real_fsync);
}

int fdatasync(int descriptor) {
  return synchronized(descriptor, real_fdatasync);
}

int ftruncate64(int descriptor, off_t length) {
  char buffer[4096];
  const char *name = name_of(descriptor, buffer);
  int error = sync_error(name);
  if (error != 0) return failed(error);
  int logged = begin(name);
  int result = real_ftruncate(descriptor, length);
  error = errno;
  if (logged && result == 0) append(TRUNCATE, file_of(descriptor), length, NULL, NULL, NULL, 0);
  end(logged, error);
  return result;
}

int ftruncate(int descriptor, off_t length) {
  return ftruncate64(descriptor, length);
}

int posix_fallocate64(int descriptor, off_t offset, off_t length) {
  char buffer[4096];
  int error = write_error(descriptor, name_of(descriptor, buffer), -1, NULL);
  return error != 0 ? error : real_fallocate(descriptor, offset, length);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
  return posix_fallocate64(descriptor, offset, length);
}

/* On a read-only disk, nothing can be opened for writing. */
int open64(const char *given, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if ((flags & O_ACCMODE) == O_RDONLY) return real_open(given, flags, mode);
  char buffer[4096];
  const char *name = absolute(given, buffer);
  if (is_affected(name) && fault() == EROFS) return failed(EROFS);
  int error = (flags & O_CREAT) != 0 ? fate_of(name, NULL) : 0;
  if (error != 0) return failed(error);
  int logged = begin(name);
  int is_new = logged && file_at(name) == 0;
  int result = real_open(given, flags, mode);
  error = errno;
  if (logged && result >= 0 && is_new) append(CREATE, file_of(result), 0, name, NULL, NULL, 0);
  else if (logged && result >= 0 && (flags & O_TRUNC) != 0) append(TRUNCATE, file_of(result), 0, NULL, NULL, NULL, 0);
  end(logged, error);
  return result;
}

int open(const char *name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open64(name, flags, mode);
}

int unlink(const char *given) {
  char buffer[4096];
  const char *name = absolute(given, buffer);
  int error = fate_of(name, NULL);
  if (error != 0) return failed(error);
  int logged = begin(name);
  int result = real_unlink(given);
  error = errno;
  if (logged && result == 0) append(UNLINK, 0, 0, name, NULL, NULL, 0);
  end(logged, error);
  return result;
}

/* The C library would call its own `unlink`. */
int remove(const char *given) {
  struct stat status;
  return lstat(given, &status) == 0 && !S_ISDIR(status.st_mode) ? unlink(given) : real_remove(given);
}

int rename(const char *given, const char *given_to) {
  char buffer[4096], other[4096];
  const char *name = absolute(given, buffer), *to = absolute(given_to, other);
  int error = fate_of(name, NULL);
  if (error != 0) return failed(error);
  int logged = begin(name);
  uint64_t file = logged ? file_at(given) : 0;
  int result = real_rename(given, given_to);
  error = errno;
  if (logged && result == 0) append(RENAME, file, 0, name, to, NULL, 0);
  end(logged, error);
  return result;
}

int link(const char *given, const char *given_to) {
  char buffer[4096];
  const char *to = absolute(given_to, buffer);
  int error = fate_of(to, NULL);
  if (error != 0) return failed(error);
  int logged = begin(to);
  int result = real_link(given, given_to);
  error = errno;
  if (logged && result == 0) append(LINK, file_at(given), 0, to, NULL, NULL, 0);
  end(logged, error);
  return result;
}

int mkdir(const char *given, mode_t mode) {
  char buffer[4096];
  const char *name = absolute(given, buffer);
  int error = fate_of(name, NULL);
  if (error != 0) return failed(error);
  int logged = begin(name);
  int result = real_mkdir(given, mode);
  error = errno;
  if (logged && result == 0) append(MAKE_FOLDER, 0, 0, name, NULL, NULL, 0);
  end(logged, error);
  return result;
}
