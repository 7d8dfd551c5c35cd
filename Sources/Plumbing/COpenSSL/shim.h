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

// Parameter lists keep pointers to their names and values, which a Swift string or array lends for the
// length of one call only: so these two are made here.

// An EC key on P-256 from its uncompressed point and, unless it is NULL, its private number.
static inline EVP_PKEY *desk_ssl_p256_key(const unsigned char *point, size_t point_n, const BIGNUM *secret) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM *params = NULL;
  EVP_PKEY_CTX *ctx = NULL;
  OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
  if (build != NULL
      && OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0)
      && OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point, point_n)
      && (secret == NULL || OSSL_PARAM_BLD_push_BN_pad(build, OSSL_PKEY_PARAM_PRIV_KEY, secret, 32))
      && (params = OSSL_PARAM_BLD_to_param(build)) != NULL
      && (ctx = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL)) != NULL
      && EVP_PKEY_fromdata_init(ctx) == 1
      && EVP_PKEY_fromdata(ctx, &key, secret == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, params) != 1) {
    key = NULL;
  }
  EVP_PKEY_CTX_free(ctx);
  OSSL_PARAM_free(params);
  OSSL_PARAM_BLD_free(build);
  return key;
}

// HKDF with SHA-256; 1 on success.
static inline int desk_ssl_hkdf(
    EVP_KDF *kdf, const unsigned char *key, size_t key_n, const unsigned char *salt, size_t salt_n,
    const unsigned char *info, size_t info_n, unsigned char *out, size_t out_n) {
  OSSL_PARAM params[5], *p = params;
  *p++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0);
  *p++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_n);
  // An empty value is left out: a null pointer would be refused.
  if (salt_n > 0) *p++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_n);
  if (info_n > 0) *p++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_n);
  *p = OSSL_PARAM_construct_end();
  EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
  int done = ctx != NULL && EVP_KDF_derive(ctx, out, out_n, params) == 1;
  EVP_KDF_CTX_free(ctx);
  return done;
}

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
