// Function-like macros of OpenSSL that Swift cannot see, under the prefix desk_ssl_.
#ifndef DESK_OPENSSL_SHIM_H
#define DESK_OPENSSL_SHIM_H
#include <stdlib.h>
#include <string.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/ocsp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// An allocator that wipes what it frees. Each block is preceded by its size in 16 bytes, which
// keeps malloc's alignment.
#define DESK_SSL_BLOCK_HEAD 16

static void *desk_ssl_block(size_t n, const char *file, int line) {
  (void)file; (void)line;
  if (n == 0 || n > SIZE_MAX - DESK_SSL_BLOCK_HEAD) return NULL;
  unsigned char *block = malloc(n + DESK_SSL_BLOCK_HEAD);
  if (block == NULL) return NULL;
  memcpy(block, &n, sizeof n);
  return block + DESK_SSL_BLOCK_HEAD;
}

static void desk_ssl_unblock(void *p, const char *file, int line) {
  (void)file; (void)line;
  if (p == NULL) return;
  unsigned char *block = (unsigned char *)p - DESK_SSL_BLOCK_HEAD;
  size_t n;
  memcpy(&n, block, sizeof n);
  OPENSSL_cleanse(block, n + DESK_SSL_BLOCK_HEAD);
  free(block);
}

static void *desk_ssl_reblock(void *p, size_t n, const char *file, int line) {
  if (p == NULL) return desk_ssl_block(n, file, line);
  if (n == 0) { desk_ssl_unblock(p, file, line); return NULL; }
  size_t old;
  memcpy(&old, (unsigned char *)p - DESK_SSL_BLOCK_HEAD, sizeof old);
  void *fresh = desk_ssl_block(n, file, line);
  if (fresh == NULL) return NULL;
  memcpy(fresh, p, old < n ? old : n);
  desk_ssl_unblock(p, file, line);
  return fresh;
}

// 1 if OpenSSL now wipes all it frees; 0 if it had allocated something before.
static inline int desk_ssl_wipe_on_free(void) {
  return CRYPTO_set_mem_functions(desk_ssl_block, desk_ssl_reblock, desk_ssl_unblock);
}

// Selections for EVP_PKEY_fromdata; the macros are too deep for Swift's importer.
static const int desk_ssl_public_key = EVP_PKEY_PUBLIC_KEY;
static const int desk_ssl_key_pair = EVP_PKEY_KEYPAIR;

static inline void *desk_ssl_secure_malloc(size_t n) { return OPENSSL_secure_malloc(n); }
static inline void *desk_ssl_malloc(size_t n) { return OPENSSL_malloc(n); }
static inline void desk_ssl_secure_clear_free(void *p, size_t n) { OPENSSL_secure_clear_free(p, n); }
static inline void desk_ssl_free(void *p) { OPENSSL_free(p); }

static inline STACK_OF(X509) *desk_ssl_x509_stack(void) { return sk_X509_new_null(); }
static inline int desk_ssl_x509_stack_push(STACK_OF(X509) *s, X509 *x) { return sk_X509_push(s, x); }
static inline int desk_ssl_x509_stack_count(STACK_OF(X509) *s) { return sk_X509_num(s); }
static inline X509 *desk_ssl_x509_stack_value(STACK_OF(X509) *s, int i) { return sk_X509_value(s, i); }
// Frees the stack, not its certificates.
static inline void desk_ssl_x509_stack_free(STACK_OF(X509) *s) { sk_X509_free(s); }

// The name as one line of UTF-8, most specific part first (RFC 2253).
static inline int desk_ssl_name_print(BIO *out, const X509_NAME *name) {
  return X509_NAME_print_ex(out, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}
static inline long desk_ssl_bio_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

// The first OCSP address of a certificate; free with desk_ssl_free. NULL if there is none.
static inline char *desk_ssl_ocsp_url(X509 *x) {
  char *out = NULL;
  STACK_OF(OPENSSL_STRING) *urls = X509_get1_ocsp(x);
  if (urls == NULL) return NULL;
  if (sk_OPENSSL_STRING_num(urls) > 0) out = OPENSSL_strdup(sk_OPENSSL_STRING_value(urls, 0));
  X509_email_free(urls);
  return out;
}
#endif
