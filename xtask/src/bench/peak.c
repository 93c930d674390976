/* Runs a program and prints the time that it took of the processor, in microseconds, and the most memory that it held
 * at once, in KiB. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words) {
    int status = 0;
    struct rusage usage;
    pid_t child = count > 1 ? fork() : -1;
    if (child == 0) {
        execv(words[1], words + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return 1;
    long seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
    fprintf(stderr, "%ld\n", seconds * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    fprintf(stderr, "%ld\n", usage.ru_maxrss);
    return 0;
}
