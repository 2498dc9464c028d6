// Kills a process with SIGKILL just before its N-th system call that changes something below a folder.
//
// KILL_UNDER is that folder, KILL_AT is N (none: never), KILL_LOG a file to which each such call is written,
// KILL_ROLE a word that the command line of the process must have. A process that has loaded this may also call
// kills_arm(N).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static long at = -1, count = 0;
static int log_file = -1;
static char under[PATH_MAX];

static int has_role(void) {
  const char* role = getenv("KILL_ROLE");
  if (role == NULL) return 1;
  char text[4096] = {0};
  const int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY, 0);
  const long size = syscall(SYS_read, file, text, sizeof text - 1);
  syscall(SYS_close, file);
  for (long i = 0; i < size; ++i) {
    if (text[i] == 0) text[i] = ' ';
  }
  return strstr(text, role) != NULL;
}

__attribute__((constructor)) static void begin(void) {
  const char* folder = getenv("KILL_UNDER");
  if (folder == NULL || !has_role()) return;
  snprintf(under, sizeof under, "%s", folder);
  if (getenv("KILL_AT") != NULL) at = atol(getenv("KILL_AT"));
  const char* name = getenv("KILL_LOG");
  if (name != NULL) log_file = (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

void kills_arm(const char* folder, long number, int log) {
  snprintf(under, sizeof under, "%s", folder);
  at = number;
  count = 0;
  log_file = log;
}

static void happens(const char* what, const char* path) {
  if (under[0] == 0 || path == NULL) return;
  char whole[PATH_MAX];
  if (path[0] != '/') {
    if (syscall(SYS_getcwd, whole, sizeof whole) < 0) return;
    strncat(whole, "/", sizeof whole - strlen(whole) - 1);
    strncat(whole, path, sizeof whole - strlen(whole) - 1);
    path = whole;
  }
  if (strncmp(path, under, strlen(under)) != 0) return;
  const long number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
  if (log_file >= 0) {
    char line[PATH_MAX + 64];
    const int size = snprintf(line, sizeof line, "%ld %s %s\n", number, what, path);
    syscall(SYS_write, log_file, line, (size_t)size);
  }
  if (number == at) syscall(SYS_kill, getpid(), SIGKILL);
}

static void happens_to(const char* what, int file) {
  if (under[0] == 0) return;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const long size = syscall(SYS_readlink, link, path, sizeof path - 1);
  if (size <= 0) return;
  path[size] = 0;
  happens(what, path);
}

#define REAL(result, name, ...) ((result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

#define OPENING(name)                                                     \
  int name(const char* path, int flags, ...) {                            \
    va_list rest;                                                         \
    va_start(rest, flags);                                                \
    const int mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, int) : 0; \
    va_end(rest);                                                         \
    if (flags & (O_CREAT | O_TRUNC)) happens("open", path);               \
    return REAL(int, name, const char*, int, ...)(path, flags, mode);     \
  }
OPENING(open)
OPENING(open64)

#define OPENING_AT(name)                                                       \
  int name(int folder, const char* path, int flags, ...) {                     \
    va_list rest;                                                              \
    va_start(rest, flags);                                                     \
    const int mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, int) : 0;  \
    va_end(rest);                                                              \
    if (flags & (O_CREAT | O_TRUNC)) happens("open", path);                    \
    return REAL(int, name, int, const char*, int, ...)(folder, path, flags, mode); \
  }
OPENING_AT(openat)
OPENING_AT(openat64)

#define ON_FILE(result, name, what, arguments, types, values)     \
  result name arguments {                                         \
    happens_to(what, file);                                       \
    return ((result(*) types)dlsym(RTLD_NEXT, #name)) values;     \
  }
ON_FILE(ssize_t, write, "write", (int file, const void* data, size_t size), (int, const void*, size_t), (file, data, size))
ON_FILE(ssize_t, pwrite64, "write", (int file, const void* data, size_t size, off_t to), (int, const void*, size_t, off_t),
        (file, data, size, to))
ON_FILE(ssize_t, writev, "write", (int file, const struct iovec* data, int parts), (int, const struct iovec*, int),
        (file, data, parts))
ON_FILE(int, fsync, "fsync", (int file), (int), (file))
ON_FILE(int, fdatasync, "fsync", (int file), (int), (file))
ON_FILE(int, ftruncate, "truncate", (int file, off_t size), (int, off_t), (file, size))
ON_FILE(int, ftruncate64, "truncate", (int file, off_t size), (int, off_t), (file, size))
ON_FILE(int, fchmod, "chmod", (int file, mode_t mode), (int, mode_t), (file, mode))

#define ON_PATH(name, what, arguments, types, values)          \
  int name arguments {                                         \
    happens(what, path);                                       \
    return ((int(*) types)dlsym(RTLD_NEXT, #name)) values;     \
  }
ON_PATH(rename, "rename", (const char* path, const char* to), (const char*, const char*), (path, to))
ON_PATH(renameat, "rename", (int a, const char* path, int b, const char* to), (int, const char*, int, const char*),
        (a, path, b, to))
ON_PATH(unlink, "unlink", (const char* path), (const char*), (path))
ON_PATH(unlinkat, "unlink", (int folder, const char* path, int flags), (int, const char*, int), (folder, path, flags))
ON_PATH(mkdir, "mkdir", (const char* path, mode_t mode), (const char*, mode_t), (path, mode))
ON_PATH(rmdir, "rmdir", (const char* path), (const char*), (path))
