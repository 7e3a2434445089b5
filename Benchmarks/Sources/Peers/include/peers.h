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

/* Some bytes that belong to the caller. */
typedef struct {
  const unsigned char *bytes;
  size_t count;
} peer_bytes;

/* What OpenSSL trusts: one root, for TLS servers called `host`, at `time` in seconds since 1970. */
typedef struct peer_trust peer_trust;

/* NULL when the root is no certificate. */
peer_trust *peer_trust_new(peer_bytes root, const char *host, long time);
void peer_trust_free(peer_trust *trust);
/* Reads both certificates in DER and verifies the chain and the host; 0 when it is not accepted. */
int peer_trust_evaluate(peer_trust *trust, peer_bytes leaf, peer_bytes intermediate);

/* A client and a server of OpenSSL that speak TLS 1.2 or, with a suite named TLS_…, TLS 1.3 over a BIO pair: one suite, one group, nothing resumed; the
   server shows leaf and intermediate, the client trusts the root and checks the host. */
typedef struct peer_tls peer_tls;

/* NULL when OpenSSL does not take any of this; `key` is the leaf's private key in DER. */
peer_tls *peer_tls_new(peer_bytes leaf, peer_bytes intermediate, peer_bytes root, peer_bytes key, const char *host,
                       long time, const char *suite, const char *group);
void peer_tls_free(peer_tls *tls);
/* One full handshake of both sides; 0 when it fails. The connection stands until the next one. */
int peer_tls_handshake(peer_tls *tls);
/* Performs a handshake, and resumes its session in every later one; 0 when there is no ticket. */
int peer_tls_keep_session(peer_tls *tls);
/* Sends up to 16 KiB from client to server; 0 when they do not arrive. */
int peer_tls_transfer(peer_tls *tls, const unsigned char *bytes, unsigned char *received, int count);

const char *peer_openssl_version(void);
const char *peer_gmp_version(void);

#endif
