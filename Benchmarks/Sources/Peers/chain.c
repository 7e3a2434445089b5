#include "chain.h"

#include <openssl/x509v3.h>
#include <stdlib.h>

struct peer_trust {
  X509_STORE *store;
  X509_VERIFY_PARAM *parameters;
};

X509 *peer_certificate(peer_bytes der) {
  const unsigned char *start = der.bytes;
  return d2i_X509(NULL, &start, (long)der.count);
}

peer_trust *peer_trust_new(peer_bytes root, const char *host, long time) {
  peer_trust *trust = calloc(1, sizeof *trust);
  X509 *anchor = peer_certificate(root);
  trust->store = X509_STORE_new();
  trust->parameters = X509_VERIFY_PARAM_new();
  int made = anchor != NULL && X509_STORE_add_cert(trust->store, anchor) &&
             X509_VERIFY_PARAM_set1_host(trust->parameters, host, 0) &&
             X509_VERIFY_PARAM_set_purpose(trust->parameters, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_time(trust->parameters, time);
  X509_free(anchor);
  if (made) return trust;
  peer_trust_free(trust);
  return NULL;
}

void peer_trust_free(peer_trust *trust) {
  X509_STORE_free(trust->store);
  X509_VERIFY_PARAM_free(trust->parameters);
  free(trust);
}

int peer_trust_evaluate(peer_trust *trust, peer_bytes leaf_der, peer_bytes intermediate_der) {
  X509 *leaf = peer_certificate(leaf_der);
  X509 *intermediate = peer_certificate(intermediate_der);
  STACK_OF(X509) *others = sk_X509_new_null();
  X509_STORE_CTX *context = X509_STORE_CTX_new();
  int accepted = leaf != NULL && intermediate != NULL && sk_X509_push(others, intermediate) &&
                 X509_STORE_CTX_init(context, trust->store, leaf, others) &&
                 X509_VERIFY_PARAM_set1(X509_STORE_CTX_get0_param(context), trust->parameters) &&
                 X509_verify_cert(context) == 1;
  X509_STORE_CTX_free(context);
  sk_X509_free(others);
  X509_free(intermediate);
  X509_free(leaf);
  return accepted;
}
