// What Glibc's Swift module leaves out: epoll, eventfd, accept4. Plain prototypes only: defining
// _GNU_SOURCE in a header that a module map exposes breaks cold builds next to Foundation.
#ifndef DESK_CLINUX_H
#define DESK_CLINUX_H
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
int desk_accept4(int fd, int flags);
#endif
