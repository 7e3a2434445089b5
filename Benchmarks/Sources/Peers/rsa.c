#define OPENSSL_API_COMPAT 0x10101000L
#define _POSIX_C_SOURCE 200809L
#include "peers.h"

#include <gmp.h>
#include <openssl/crypto.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct peer_key {
  size_t length;
  mpz_t n, e, p, q, dp, dq, qinv;
  mpz_t factor, inverse;
  RSA *rsa;
};

double peer_cpu_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void read_number(mpz_t number, const unsigned char *bytes, size_t length) {
  mpz_init(number);
  mpz_import(number, length, 1, 1, 1, 0, bytes);
}

static void write_number(const mpz_t number, unsigned char *bytes, size_t length) {
  size_t count = (mpz_sizeinbase(number, 2) + 7) / 8;
  memset(bytes, 0, length);
  if (mpz_sgn(number) != 0) mpz_export(bytes + length - count, NULL, 1, 1, 1, 0, number);
}

static BIGNUM *openssl_number(const mpz_t number, size_t length) {
  unsigned char *bytes = malloc(length);
  write_number(number, bytes, length);
  BIGNUM *result = BN_bin2bn(bytes, (int)length, NULL);
  free(bytes);
  return result;
}

static int make_openssl_key(peer_key *key, const mpz_t d) {
  key->rsa = RSA_new();
  size_t length = key->length;
  return key->rsa != NULL &&
         RSA_set0_key(key->rsa, openssl_number(key->n, length), openssl_number(key->e, length),
                      openssl_number(d, length)) &&
         RSA_set0_factors(key->rsa, openssl_number(key->p, length), openssl_number(key->q, length)) &&
         RSA_set0_crt_params(key->rsa, openssl_number(key->dp, length), openssl_number(key->dq, length),
                             openssl_number(key->qinv, length));
}

peer_key *peer_key_new(const unsigned char *n, const unsigned char *e, const unsigned char *d, const unsigned char *p,
                       const unsigned char *q, size_t length) {
  peer_key *key = calloc(1, sizeof *key);
  mpz_t private_exponent, predecessor;
  key->length = length;
  read_number(key->n, n, length);
  read_number(key->e, e, length);
  read_number(private_exponent, d, length);
  read_number(key->p, p, length);
  read_number(key->q, q, length);
  mpz_inits(key->dp, key->dq, key->qinv, key->factor, key->inverse, predecessor, NULL);
  mpz_sub_ui(predecessor, key->p, 1);
  mpz_mod(key->dp, private_exponent, predecessor);
  mpz_sub_ui(predecessor, key->q, 1);
  mpz_mod(key->dq, private_exponent, predecessor);
  mpz_invert(key->qinv, key->q, key->p);
  /* Any number without a divisor in common with the modulus will do for measuring. */
  mpz_tdiv_q_2exp(key->inverse, key->n, 3);
  mpz_nextprime(predecessor, key->inverse);
  mpz_invert(key->inverse, predecessor, key->n);
  mpz_powm(key->factor, predecessor, key->e, key->n);
  int made = make_openssl_key(key, private_exponent);
  mpz_clears(private_exponent, predecessor, NULL);
  if (made) return key;
  peer_key_free(key);
  return NULL;
}

void peer_key_free(peer_key *key) {
  mpz_clears(key->n, key->e, key->p, key->q, key->dp, key->dq, key->qinv, key->factor, key->inverse, NULL);
  RSA_free(key->rsa);
  free(key);
}

void peer_gmp_private(peer_key *key, const unsigned char *input, unsigned char *output, int check) {
  mpz_t c, m1, m2, result;
  read_number(c, input, key->length);
  mpz_inits(m1, m2, result, NULL);
  mpz_mul(c, c, key->factor);
  mpz_mod(c, c, key->n);
  mpz_powm_sec(m1, c, key->dp, key->p);
  mpz_powm_sec(m2, c, key->dq, key->q);
  mpz_sub(m1, m1, m2);
  mpz_mul(m1, m1, key->qinv);
  mpz_mod(m1, m1, key->p);
  mpz_mul(result, m1, key->q);
  mpz_add(result, result, m2);
  if (check) {
    mpz_powm(m1, result, key->e, key->n);
    if (mpz_cmp(m1, c) != 0) mpz_set_ui(result, 0);
  }
  mpz_mul(result, result, key->inverse);
  mpz_mod(result, result, key->n);
  mpz_mul(key->factor, key->factor, key->factor);
  mpz_mod(key->factor, key->factor, key->n);
  mpz_mul(key->inverse, key->inverse, key->inverse);
  mpz_mod(key->inverse, key->inverse, key->n);
  write_number(result, output, key->length);
  mpz_clears(c, m1, m2, result, NULL);
}

void peer_gmp_public(peer_key *key, const unsigned char *input, unsigned char *output) {
  mpz_t c;
  read_number(c, input, key->length);
  mpz_powm(c, c, key->e, key->n);
  write_number(c, output, key->length);
  mpz_clear(c);
}

int peer_openssl_private(peer_key *key, const unsigned char *input, unsigned char *output) {
  return RSA_private_encrypt((int)key->length, input, output, key->rsa, RSA_NO_PADDING) > 0;
}

int peer_openssl_public(peer_key *key, const unsigned char *input, unsigned char *output) {
  return RSA_public_encrypt((int)key->length, input, output, key->rsa, RSA_NO_PADDING) > 0;
}

int peer_openssl_generate(int bits) {
  RSA *rsa = RSA_new();
  BIGNUM *exponent = BN_new();
  int made = rsa != NULL && exponent != NULL && BN_set_word(exponent, RSA_F4) &&
             RSA_generate_key_ex(rsa, bits, exponent, NULL);
  BN_free(exponent);
  RSA_free(rsa);
  return made;
}

const char *peer_openssl_version(void) { return OpenSSL_version(OPENSSL_VERSION); }

const char *peer_gmp_version(void) { return gmp_version; }
