#define _GNU_SOURCE
#include "CLinux.h"
#include <sys/socket.h>

int desk_accept4(int fd, int flags) { return accept4(fd, 0, 0, flags); }
