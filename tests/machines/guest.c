/* The smallest guest that can be told what to do.
 *
 * It is told by the first sector of its second disk, which it reads over and over: a number, a word
 * and what belongs to it. It answers on the console. What lies there when it starts is old.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR 512

static volatile sig_atomic_t asked;
static char *sector;

static void on_ctrl_alt_del(int signal) { (void)signal; asked = 1; }

/* The disk may be written from outside at any time, so nothing of it may be remembered. */
static int read_sector(const char *device)
{
    memset(sector, 0, SECTOR);
    int file = open(device, O_RDONLY | O_DIRECT);
    if (file < 0)
        return -1;
    int got = read(file, sector, SECTOR);
    close(file);
    sector[SECTOR - 1] = 0;
    return got;
}

static void write_sector(const char *device, const char *text)
{
    memset(sector, 0, SECTOR);
    strncpy(sector, text, SECTOR - 1);
    int file = open(device, O_WRONLY | O_DIRECT | O_SYNC);
    if (file < 0 || write(file, sector, SECTOR) != SECTOR)
        perror("guest: write");
    close(file);
}

static void obey(const char *order)
{
    char word[32] = "", rest[SECTOR] = "";
    sscanf(order, "%*d %31s %511[^\n]", word, rest);
    if (!strcmp(word, "reboot"))
        reboot(RB_AUTOBOOT);
    else if (!strcmp(word, "poweroff"))
        reboot(RB_POWER_OFF);
    else if (!strcmp(word, "panic"))
        exit(1);
    else if (!strcmp(word, "ignore"))
        signal(SIGINT, SIG_IGN);
    else if (!strcmp(word, "write"))
        write_sector("/dev/ubda", rest);
    else if (!strcmp(word, "hold"))
        open(rest, O_RDONLY);
    else if (!strcmp(word, "show"))
        printf("guest: %s: %s\n", rest, read_sector(rest) < 0 ? "absent" : sector);
    printf("guest: done %d\n", atoi(order));
}

int main(void)
{
    char last[SECTOR];

    sector = aligned_alloc(SECTOR, SECTOR);
    mount("dev", "/dev", "devtmpfs", 0, "");
    reboot(RB_DISABLE_CAD);
    signal(SIGINT, on_ctrl_alt_del);
    setvbuf(stdout, NULL, _IOLBF, 0);
    read_sector("/dev/ubdb");
    strcpy(last, sector);
    printf("guest: ready\n");
    for (;;) {
        usleep(20000);
        if (asked) {
            printf("guest: asked\n");
            reboot(RB_AUTOBOOT);
        }
        if (read_sector("/dev/ubdb") > 0 && strcmp(last, sector)) {
            strcpy(last, sector);
            obey(last);
        }
    }
}
