#ifndef TRUSTLAB_PEERS_H
#define TRUSTLAB_PEERS_H

#include <stddef.h>

/* The CPU time of this process, in seconds. */
double peer_cpu_time(void);

/* One RSA key, held by C on GMP and by OpenSSL. All numbers are big-endian and as long as the modulus. */
typedef struct peer_key peer_key;

/* NULL when OpenSSL does not take the key. */
peer_key *peer_key_new(const unsigned char *n, const unsigned char *e, const unsigned char *d, const unsigned char *p,
                       const unsigned char *q, size_t length);
void peer_key_free(peer_key *key);

/* The raw private operation in C on GMP: CRT on mpz_powm_sec, blinded; checked with the public key when asked to. */
void peer_gmp_private(peer_key *key, const unsigned char *input, unsigned char *output, int check);
/* The raw public operation in C on GMP: mpz_powm. */
void peer_gmp_public(peer_key *key, const unsigned char *input, unsigned char *output);

/* The raw operations of OpenSSL's libcrypto, blinded as it does by default; 0 when they fail. */
int peer_openssl_private(peer_key *key, const unsigned char *input, unsigned char *output);
int peer_openssl_public(peer_key *key, const unsigned char *input, unsigned char *output);

/* Makes and drops one RSA key with the exponent 65537 in OpenSSL; 0 when it fails. */
int peer_openssl_generate(int bits);

const char *peer_openssl_version(void);
const char *peer_gmp_version(void);

#endif
