// libcurl's option and info calls are variadic, which Swift cannot call: one inline function for
// each kind of value, under the prefix desk_curl_.
#ifndef DESK_CURL_SHIM_H
#define DESK_CURL_SHIM_H
#include <curl/curl.h>
static inline CURLcode desk_curl_set_long(CURL *h, CURLoption o, long v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode desk_curl_set_string(CURL *h, CURLoption o, const char *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode desk_curl_set_pointer(CURL *h, CURLoption o, void *v) { return curl_easy_setopt(h, o, v); }
#endif
