// libcurl's option and info calls are variadic, which Swift cannot call: one inline function for
// each kind of value, under the prefix desk_curl_. Each takes the callback's type from libcurl, so
// that a wrong signature does not compile.
#ifndef DESK_CURL_SHIM_H
#define DESK_CURL_SHIM_H
#include <curl/curl.h>
#include <string.h>

static inline CURLcode desk_curl_set_long(CURL *h, CURLoption o, long v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode desk_curl_set_large(CURL *h, CURLoption o, curl_off_t v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode desk_curl_set_string(CURL *h, CURLoption o, const char *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode desk_curl_set_pointer(CURL *h, CURLoption o, void *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode desk_curl_set_list(CURL *h, CURLoption o, struct curl_slist *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode desk_curl_set_write(CURL *h, CURLoption o, size_t (*f)(char *, size_t, size_t, void *)) { return curl_easy_setopt(h, o, f); }
static inline CURLcode desk_curl_set_read(CURL *h, curl_read_callback f) { return curl_easy_setopt(h, CURLOPT_READFUNCTION, f); }
static inline CURLcode desk_curl_set_progress(CURL *h, curl_xferinfo_callback f) { return curl_easy_setopt(h, CURLOPT_XFERINFOFUNCTION, f); }
static inline CURLcode desk_curl_set_prereq(CURL *h, curl_prereq_callback f) { return curl_easy_setopt(h, CURLOPT_PREREQFUNCTION, f); }
static inline CURLcode desk_curl_set_open_socket(CURL *h, curl_opensocket_callback f) { return curl_easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, f); }

static inline CURLMcode desk_curl_multi_set_long(CURLM *m, CURLMoption o, long v) { return curl_multi_setopt(m, o, v); }

static inline CURLcode desk_curl_get_long(CURL *h, CURLINFO i, long *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode desk_curl_get_private(CURL *h, void **v) { return curl_easy_getinfo(h, CURLINFO_PRIVATE, v); }

// The PEM text of the other side's own certificate; NULL where none was asked for. It lives as long as the handle's call.
static inline const char *desk_curl_certificate(CURL *h) {
  struct curl_certinfo *info = NULL;
  if (curl_easy_getinfo(h, CURLINFO_CERTINFO, &info) != CURLE_OK || !info || info->num_of_certs < 1) return NULL;
  for (const struct curl_slist *line = info->certinfo[0]; line; line = line->next)
    if (strncmp(line->data, "Cert:", 5) == 0) return line->data + 5;
  return NULL;
}

// The macro's value is an expression that Swift does not import.
static inline long desk_curl_global_flags(void) { return CURL_GLOBAL_DEFAULT; }
// The result sits in a union, which Swift sees as unsafe storage.
static inline CURLcode desk_curl_message_result(const CURLMsg *m) { return m->data.result; }
static const curl_socket_t desk_curl_no_socket = CURL_SOCKET_BAD;
#endif
