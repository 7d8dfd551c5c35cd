// What Glibc's Swift module leaves out: epoll, eventfd, accept4, and socket addresses without
// pointer casts. Plain prototypes only: defining _GNU_SOURCE in a header that a module map exposes
// breaks cold builds next to Foundation.
#ifndef DESK_CLINUX_H
#define DESK_CLINUX_H
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

// The loop that owns the calling thread, or null.
void *desk_current_loop(void);
void desk_set_current_loop(void *loop);

// Names the calling thread: 15 bytes at most.
void desk_name_thread(const char *name);

// Every function below returns a value of zero or more, or a negated errno.

// epoll without its union: `token` is the caller's.
struct desk_event {
    uint64_t token;
    uint32_t events;
};
int desk_poll_add(int poll, int fd, uint32_t events, uint64_t token);
int desk_poll_change(int poll, int fd, uint32_t events, uint64_t token);
int desk_poll_remove(int poll, int fd);
// Waits for at most 256 events; `milliseconds` -1 is for ever.
int desk_poll_wait(int poll, struct desk_event *events, int count, int milliseconds);

// Listening sockets: non-blocking, close-on-exec. `bytes` holds 4 (IPv4) or 16 (IPv6) of them.
int desk_listen_ip(int is_v6, const uint8_t *bytes, uint16_t port, int backlog);
int desk_listen_unix(const char *path, int backlog);
int desk_bound_port(int fd);
// Where a socket that somebody else opened listens: `family` becomes 4, 6 or 0 (a Unix socket, whose path has at most 107
// bytes and a zero). Makes it ours: never blocking, closed on exec. Negative: it is no stream socket that listens.
int desk_adopt_listening(int fd, int *family, uint8_t bytes[16], uint16_t *port, char path[108]);

// A new connection: `family` becomes 4, 6 or 0 (a Unix socket).
int desk_accept(int fd, int *family, uint8_t bytes[16], uint16_t *port);

// Begins a connection. `is_pending` becomes 1 when it completes later (wait for writability, then
// ask desk_socket_error).
int desk_connect_ip(int is_v6, const uint8_t *bytes, uint16_t port, int *is_pending);
int desk_connect_unix(const char *path, int *is_pending);
int desk_socket_error(int fd);

// Without SIGPIPE.
long desk_send(int fd, const void *bytes, size_t count);
long desk_receive(int fd, void *bytes, size_t count);
int desk_shutdown_write(int fd);

// Overwrites memory in a way the optimiser keeps.
void desk_wipe(void *bytes, size_t count);

// Text forms; `text` has room for 46 bytes. Parsing returns 4, 6 or 0 (no address).
int desk_parse_ip(const char *text, uint8_t bytes[16]);
void desk_print_ip(int is_v6, const uint8_t *bytes, char *text);

// Raises the soft limit of open files to `wanted`, as far as the hard limit allows; returns it.
long desk_raise_file_limit(long wanted);
#endif
