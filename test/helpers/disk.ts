import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/**
 * Stands between a program and its disk: while the file `$DISK_HANGS` is there no write or flush of the database returns, and
 * while `$DISK_FULL` is there writes find no space. While `$DISK_LOW` is there 100 MiB are free, and otherwise many.
 */
const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>
static int ours(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return strstr(path, "planroom.db") != NULL;
}
static int is_on(const char *name) {
  const char *path = getenv(name);
  return path && access(path, F_OK) == 0;
}
static void maybe_hang(int fd) { if (is_on("DISK_HANGS") && ours(fd)) for (;;) pause(); }
#define WRITE(name, off) \\
  ssize_t name(int fd, const void *b, size_t n, off o) { \\
    maybe_hang(fd); \\
    if (is_on("DISK_FULL") && ours(fd)) { errno = ENOSPC; return -1; } \\
    ssize_t (*real)(int, const void *, size_t, off) = dlsym(RTLD_NEXT, #name); \\
    return real(fd, b, n, o); \\
  }
#define STATFS(name, type) \\
  int name(const char *path, struct type *found) { \\
    int (*real)(const char *, struct type *) = dlsym(RTLD_NEXT, #name); \\
    int result = real(path, found); \\
    if (result == 0) found->f_bavail = (is_on("DISK_LOW") ? 100ul << 20 : 100ul << 30) / found->f_bsize; \\
    return result; \\
  }
STATFS(statfs, statfs)
STATFS(statfs64, statfs64)
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)
int fsync(int fd) { maybe_hang(fd); int (*real)(int) = dlsym(RTLD_NEXT, "fsync"); return real(fd); }
int fdatasync(int fd) { maybe_hang(fd); int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync"); return real(fd); }
`

/** Whether disks can be made to fail here: that takes Linux with glibc, and a C compiler. */
export const hasFaultyDisk = ((): boolean => {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' })
    return process.platform === 'linux'
  } catch {
    return false
  }
})()

/** A disk that hangs or is full when a test says so, for a server that is started with `env`. Goes with the test. */
export function faultyDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'planroom-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [source, library] = [join(folder, 'disk.c'), join(folder, 'disk.so')]
  const [hangs, full, low] = [join(folder, 'hangs'), join(folder, 'full'), join(folder, 'low')]
  writeFileSync(source, SOURCE)
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'])
  return {
    env: { LD_PRELOAD: library, DISK_HANGS: hangs, DISK_FULL: full, DISK_LOW: low },
    hang: () => writeFileSync(hangs, ''),
    fill: () => writeFileSync(full, ''),
    nearlyFill: () => writeFileSync(low, ''),
    mend: () => {
      rmSync(hangs, { force: true })
      rmSync(full, { force: true })
      rmSync(low, { force: true })
    },
  }
}
