/*
 * Makes the disks and the clock of one User-Mode Linux machine misbehave.
 *
 * Loaded by LD_PRELOAD into the machine's kernel, which is a program of the C library like any
 * other. The file that INGOT_FAULTS names says what goes wrong; it is mapped, so that it can be
 * changed while the machine runs. Without that variable or file, nothing is changed at all.
 *
 * A disk is a file beside that one whose name starts with "disk". Whether a descriptor is one is
 * asked at each access, and only while a disk fault is set: nothing has to be remembered of what
 * was opened and closed before.
 */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Written by file.py in this folder, which has the same layout. */
struct faults {
    char magic[8];
    uint32_t delay_microseconds; /* for each access */
    uint32_t errors_per_million; /* accesses that fail */
    uint32_t read_only;
    uint32_t unused;
    int64_t clock_offset_seconds;
    uint64_t seed;
    uint64_t accesses; /* counted here; decides with the seed which ones fail */
};

static const char MAGIC[8] = "INGOTF1";

static volatile struct faults *faults;
static char disk_prefix[PATH_MAX];

static ssize_t (*real_pread64)(int, void *, size_t, off64_t);
static ssize_t (*real_pwrite64)(int, const void *, size_t, off64_t);
static int (*real_fallocate64)(int, int, off64_t, off64_t);
static int (*real_fdatasync)(int);
static int (*real_fsync)(int);
static int (*real_clock_gettime)(clockid_t, struct timespec *);

/* ISO C has no way to make a function of what dlsym returns; POSIX promises that this one works. */
#define FIND(name) (*(void **)&real_##name = dlsym(RTLD_NEXT, #name))

static void map_faults(const char *path)
{
    struct stat facts;
    char *slash;
    int file;

    /* A descriptor's own path, with which this is compared, has no symbolic links in it. */
    if (realpath(path, disk_prefix) == NULL || (slash = strrchr(disk_prefix, '/')) == NULL)
        return;
    if (slash + sizeof "/disk" > disk_prefix + sizeof disk_prefix)
        return;
    strcpy(slash, "/disk");
    file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    /* Beyond the end of a shorter file, access to the mapping would end the machine. */
    if (fstat(file, &facts) == 0 && facts.st_size >= (off_t)sizeof *faults) {
        void *mapped = mmap(NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (mapped != MAP_FAILED && memcmp(mapped, MAGIC, sizeof MAGIC) == 0)
            faults = mapped;
    }
    close(file);
}

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("INGOT_FAULTS");

    FIND(pread64);
    FIND(pwrite64);
    FIND(fallocate64);
    FIND(fdatasync);
    FIND(fsync);
    FIND(clock_gettime);
    if (path != NULL)
        map_faults(path);
}

static int is_disk(int descriptor)
{
    char link[64], path[PATH_MAX];
    size_t prefix = strlen(disk_prefix);
    ssize_t length;

    sprintf(link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, path, sizeof path);
    return length > (ssize_t)prefix && memcmp(path, disk_prefix, prefix) == 0;
}

/* A number below a million that looks like chance but follows from its two arguments. */
static uint32_t drawn(uint64_t seed, uint64_t number)
{
    uint64_t x = seed + (number + 1) * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((x ^ (x >> 31)) % 1000000);
}

/* Returns what an access fails with, or 0, after the time it takes. */
static int struck(int descriptor, int writes)
{
    struct timespec rest;
    uint64_t number;

    if (faults == NULL
        || !(faults->delay_microseconds || faults->errors_per_million || faults->read_only))
        return 0;
    /* The main thread only looks for disks, at boot; it must find them. Another one uses them. */
    if (gettid() == getpid() || !is_disk(descriptor))
        return 0;
    rest.tv_sec = faults->delay_microseconds / 1000000;
    rest.tv_nsec = (long)(faults->delay_microseconds % 1000000) * 1000;
    while ((rest.tv_sec || rest.tv_nsec) && nanosleep(&rest, &rest) != 0 && errno == EINTR)
        continue;
    if (writes && faults->read_only)
        return EROFS;
    number = __atomic_fetch_add(&faults->accesses, 1, __ATOMIC_RELAXED);
    return drawn(faults->seed, number) < faults->errors_per_million ? EIO : 0;
}

#define FAIL_IF_STRUCK(descriptor, writes)                                                         \
    do {                                                                                           \
        int error = struck(descriptor, writes);                                                    \
        if (error) {                                                                               \
            errno = error;                                                                         \
            return -1;                                                                             \
        }                                                                                          \
    } while (0)

ssize_t pread64(int descriptor, void *to, size_t size, off64_t offset)
{
    FAIL_IF_STRUCK(descriptor, 0);
    return real_pread64(descriptor, to, size, offset);
}

ssize_t pwrite64(int descriptor, const void *from, size_t size, off64_t offset)
{
    FAIL_IF_STRUCK(descriptor, 1);
    return real_pwrite64(descriptor, from, size, offset);
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t size)
{
    FAIL_IF_STRUCK(descriptor, 1);
    return real_fallocate64(descriptor, mode, offset, size);
}

int fdatasync(int descriptor)
{
    FAIL_IF_STRUCK(descriptor, 0);
    return real_fdatasync(descriptor);
}

int fsync(int descriptor)
{
    FAIL_IF_STRUCK(descriptor, 0);
    return real_fsync(descriptor);
}

/* The kernel reads this clock once, for the time of day; all its timers use the monotonic one. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = real_clock_gettime(clock, now);

    if (result == 0 && clock == CLOCK_REALTIME && faults != NULL)
        now->tv_sec += faults->clock_offset_seconds;
    return result;
}
