/* A guest that uses its disk and looks at its clock all the time, and says how that went. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096
#define BLOCKS 64

static long milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(void)
{
    char *block = aligned_alloc(BLOCK, BLOCK);

    mount("dev", "/dev", "devtmpfs", 0, "");
    mount("proc", "/proc", "proc", 0, "");
    /* What the kernel itself says of failing disks would be mixed with what is said here. */
    FILE *level = fopen("/proc/sys/kernel/printk", "w");
    if (level) {
        fputs("1", level);
        fclose(level);
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    int disk = open("/dev/ubda", O_RDWR | O_DIRECT);
    for (unsigned int turn = 0;; turn++) {
        off_t place = (off_t)(turn % BLOCKS) * BLOCK;
        long before = milliseconds();
        int read_error = pread(disk, block, BLOCK, place) == BLOCK ? 0 : errno;
        long between = milliseconds();
        int write_error = pwrite(disk, block, BLOCK, place) == BLOCK ? 0 : errno;
        printf("turn=%u read=%d write=%d milliseconds=%ld clock=%ld\n", turn, read_error,
               write_error, between - before, (long)time(NULL));
        usleep(20000);
    }
}
