/* The time of day as a node has it: the machine's, shifted by what a file says.
 *
 * The kernel has one time of day for everybody, and namespaces of time leave it alone. So the
 * difference is made in front of it, in programs that ask the C library.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static const volatile int64_t *shift;
static int (*real_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("SITE_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    real_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    if (file < 0)
        return;
    void *seen = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (seen != MAP_FAILED)
        shift = seen;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!real_gettime)
        begin();
    int result = real_gettime(clock, now);
    if (result == 0 && shift && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t then = now->tv_sec * SECOND + now->tv_nsec + *shift;
        now->tv_sec = then / SECOND;
        now->tv_nsec = then % SECOND;
    }
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact;
    (void)zone;
    int result = clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return result;
}

time_t time(time_t *stored)
{
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (stored)
        *stored = exact.tv_sec;
    return exact.tv_sec;
}
