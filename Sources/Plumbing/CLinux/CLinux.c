#define _GNU_SOURCE
#include "CLinux.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static __thread void *current_loop;
void *desk_current_loop(void) { return current_loop; }
void desk_set_current_loop(void *loop) { current_loop = loop; }

void desk_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

static int poll_control(int poll, int operation, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(poll, operation, fd, &event) < 0 ? -errno : 0;
}
int desk_poll_add(int poll, int fd, uint32_t events, uint64_t token) {
    return poll_control(poll, EPOLL_CTL_ADD, fd, events, token);
}
int desk_poll_change(int poll, int fd, uint32_t events, uint64_t token) {
    return poll_control(poll, EPOLL_CTL_MOD, fd, events, token);
}
int desk_poll_remove(int poll, int fd) { return poll_control(poll, EPOLL_CTL_DEL, fd, 0, 0); }

int desk_poll_wait(int poll, struct desk_event *events, int count, int milliseconds) {
    struct epoll_event ready[256];
    int n = epoll_wait(poll, ready, count < 256 ? count : 256, milliseconds);
    if (n < 0) return -errno;
    for (int i = 0; i < n; i++) {
        events[i].token = ready[i].data.u64;
        events[i].events = ready[i].events;
    }
    return n;
}

// All of an address, whatever its family.
union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un un;
    struct sockaddr_storage storage;
};

static socklen_t fill_ip(union address *a, int is_v6, const uint8_t *bytes, uint16_t port) {
    memset(a, 0, sizeof *a);
    if (is_v6) {
        a->v6.sin6_family = AF_INET6;
        a->v6.sin6_port = htons(port);
        memcpy(&a->v6.sin6_addr, bytes, 16);
        return sizeof a->v6;
    }
    a->v4.sin_family = AF_INET;
    a->v4.sin_port = htons(port);
    memcpy(&a->v4.sin_addr, bytes, 4);
    return sizeof a->v4;
}

static int fill_unix(union address *a, const char *path, socklen_t *length) {
    memset(a, 0, sizeof *a);
    size_t count = strlen(path);
    if (count == 0 || count >= sizeof a->un.sun_path) return -ENAMETOOLONG;
    a->un.sun_family = AF_UNIX;
    memcpy(a->un.sun_path, path, count);
    *length = sizeof a->un;
    return 0;
}

static int new_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

static int fail(int fd) {
    int error = errno;
    if (fd >= 0) close(fd);
    return -error;
}

int desk_listen_ip(int is_v6, const uint8_t *bytes, uint16_t port, int backlog) {
    union address a;
    socklen_t length = fill_ip(&a, is_v6, bytes, port);
    int fd = new_socket(a.any.sa_family);
    if (fd < 0) return -errno;
    int one = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    // Accepted sockets inherit it: answers are written whole, waiting for more bytes gains nothing.
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (bind(fd, &a.any, length) < 0 || listen(fd, backlog) < 0) return fail(fd);
    return fd;
}

int desk_listen_unix(const char *path, int backlog) {
    union address a;
    socklen_t length;
    int refused = fill_unix(&a, path, &length);
    if (refused < 0) return refused;
    // A socket file that nobody listens at is left over from a process that died.
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISSOCK(status.st_mode)) {
        int probe = new_socket(AF_UNIX);
        if (probe < 0) return -errno;
        int dead = connect(probe, &a.any, length) < 0 && errno == ECONNREFUSED;
        close(probe);
        if (dead) unlink(path);
    }
    int fd = new_socket(AF_UNIX);
    if (fd < 0) return -errno;
    if (bind(fd, &a.any, length) < 0 || listen(fd, backlog) < 0) return fail(fd);
    return fd;
}

int desk_bound_port(int fd) {
    union address a;
    socklen_t length = sizeof a;
    if (getsockname(fd, &a.any, &length) < 0) return -errno;
    switch (a.any.sa_family) {
    case AF_INET: return ntohs(a.v4.sin_port);
    case AF_INET6: return ntohs(a.v6.sin6_port);
    default: return 0;
    }
}

int desk_adopt_listening(int fd, int *family, uint8_t bytes[16], uint16_t *port, char path[108]) {
    int value = 0;
    socklen_t size = sizeof value;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &size) < 0) return -errno;
    if (value != SOCK_STREAM) return -EPROTOTYPE;
    size = sizeof value;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) < 0) return -errno;
    if (!value) return -EINVAL;
    union address a;
    memset(&a, 0, sizeof a);
    socklen_t length = sizeof a;
    if (getsockname(fd, &a.any, &length) < 0) return -errno;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) return -errno;
    int one = 1;
    *family = 0;
    *port = 0;
    path[0] = 0;
    switch (a.any.sa_family) {
    case AF_INET:
        *family = 4;
        *port = ntohs(a.v4.sin_port);
        memcpy(bytes, &a.v4.sin_addr, 4);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        return 0;
    case AF_INET6:
        *family = 6;
        *port = ntohs(a.v6.sin6_port);
        memcpy(bytes, &a.v6.sin6_addr, 16);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        return 0;
    case AF_UNIX:
        strncpy(path, a.un.sun_path, 107);
        path[107] = 0;
        return 0;
    default: return -EAFNOSUPPORT;
    }
}

int desk_accept(int fd, int *family, uint8_t bytes[16], uint16_t *port) {
    union address a;
    socklen_t length = sizeof a;
    a.any.sa_family = AF_UNSPEC;
    int accepted = accept4(fd, &a.any, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted < 0) return -errno;
    *family = 0;
    *port = 0;
    if (length >= sizeof(sa_family_t) && a.any.sa_family == AF_INET) {
        *family = 4;
        *port = ntohs(a.v4.sin_port);
        memcpy(bytes, &a.v4.sin_addr, 4);
    } else if (length >= sizeof(sa_family_t) && a.any.sa_family == AF_INET6) {
        *family = 6;
        *port = ntohs(a.v6.sin6_port);
        memcpy(bytes, &a.v6.sin6_addr, 16);
    }
    return accepted;
}

static int begin_connection(const union address *a, socklen_t length, int *is_pending) {
    int fd = new_socket(a->any.sa_family);
    if (fd < 0) return -errno;
    *is_pending = 0;
    if (connect(fd, &a->any, length) < 0) {
        if (errno != EINPROGRESS) return fail(fd);
        *is_pending = 1;
    }
    return fd;
}

int desk_connect_ip(int is_v6, const uint8_t *bytes, uint16_t port, int *is_pending) {
    union address a;
    socklen_t length = fill_ip(&a, is_v6, bytes, port);
    int fd = begin_connection(&a, length, is_pending);
    int one = 1;
    if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

int desk_connect_unix(const char *path, int *is_pending) {
    union address a;
    socklen_t length;
    int refused = fill_unix(&a, path, &length);
    return refused < 0 ? refused : begin_connection(&a, length, is_pending);
}

int desk_socket_error(int fd) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0) return -errno;
    return -error;
}

long desk_send(int fd, const void *bytes, size_t count) {
    ssize_t n;
    do n = send(fd, bytes, count, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

long desk_receive(int fd, void *bytes, size_t count) {
    ssize_t n;
    do n = recv(fd, bytes, count, 0);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

int desk_shutdown_write(int fd) { return shutdown(fd, SHUT_WR) < 0 ? -errno : 0; }

void desk_wipe(void *bytes, size_t count) { explicit_bzero(bytes, count); }

int desk_parse_ip(const char *text, uint8_t bytes[16]) {
    if (inet_pton(AF_INET, text, bytes) == 1) return 4;
    if (inet_pton(AF_INET6, text, bytes) == 1) return 6;
    return 0;
}

void desk_print_ip(int is_v6, const uint8_t *bytes, char *text) {
    if (!inet_ntop(is_v6 ? AF_INET6 : AF_INET, bytes, text, 46)) text[0] = 0;
}

long desk_raise_file_limit(long wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    if (limit.rlim_cur < (rlim_t)wanted) {
        limit.rlim_cur = limit.rlim_max < (rlim_t)wanted ? limit.rlim_max : (rlim_t)wanted;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    }
    return limit.rlim_cur > 1L << 30 ? 1L << 30 : (long)limit.rlim_cur;
}
