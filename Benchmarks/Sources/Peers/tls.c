#include "chain.h"

#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

struct peer_tls {
  SSL_CTX *client_context, *server_context;
  SSL *client, *server;
  SSL_SESSION *session;
  char *host;
};

/* TLS 1.2, or 1.3 for a suite named TLS_…, with one suite and no resumption of any kind. */
static SSL_CTX *make_context(const SSL_METHOD *method, const char *suite, const char *group) {
  SSL_CTX *context = SSL_CTX_new(method);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  int is13 = strncmp(suite, "TLS_", 4) == 0;
  int version = is13 ? TLS1_3_VERSION : TLS1_2_VERSION;
  if (SSL_CTX_set_min_proto_version(context, version) && SSL_CTX_set_max_proto_version(context, version) &&
      (is13 ? SSL_CTX_set_ciphersuites(context, suite) : SSL_CTX_set_cipher_list(context, suite)) &&
      SSL_CTX_set1_groups_list(context, group) &&
      SSL_CTX_set1_sigalgs_list(context, is13 ? "RSA+SHA256:rsa_pss_rsae_sha256:ECDSA+SHA256" : "RSA+SHA256:ECDSA+SHA256"))
    return context;
  SSL_CTX_free(context);
  return NULL;
}

static int show_chain(SSL_CTX *context, peer_bytes leaf_der, peer_bytes intermediate_der, peer_bytes key_der) {
  const unsigned char *start = key_der.bytes;
  EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &start, (long)key_der.count);
  X509 *leaf = peer_certificate(leaf_der);
  X509 *intermediate = peer_certificate(intermediate_der);
  int shown = key != NULL && leaf != NULL && intermediate != NULL && SSL_CTX_use_certificate(context, leaf) &&
              SSL_CTX_use_PrivateKey(context, key) && SSL_CTX_add1_chain_cert(context, intermediate);
  X509_free(intermediate);
  X509_free(leaf);
  EVP_PKEY_free(key);
  return shown;
}

static int trust(SSL_CTX *context, peer_bytes root_der, long time) {
  X509 *root = peer_certificate(root_der);
  int trusted = root != NULL && X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root);
  X509_free(root);
  X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(context), time);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  return trusted;
}

peer_tls *peer_tls_new(peer_bytes leaf, peer_bytes intermediate, peer_bytes root, peer_bytes key, const char *host,
                       long time, const char *suite, const char *group) {
  peer_tls *tls = calloc(1, sizeof *tls);
  tls->host = strdup(host);
  tls->client_context = make_context(TLS_client_method(), suite, group);
  tls->server_context = make_context(TLS_server_method(), suite, group);
  if (tls->client_context != NULL && tls->server_context != NULL && trust(tls->client_context, root, time) &&
      show_chain(tls->server_context, leaf, intermediate, key))
    return tls;
  peer_tls_free(tls);
  return NULL;
}

static void disconnect(peer_tls *tls) {
  /* Without close_notify, OpenSSL would not resume the session. */
  if (tls->client != NULL) SSL_set_shutdown(tls->client, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  if (tls->server != NULL) SSL_set_shutdown(tls->server, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(tls->client);
  SSL_free(tls->server);
  tls->client = tls->server = NULL;
}

void peer_tls_free(peer_tls *tls) {
  disconnect(tls);
  SSL_SESSION_free(tls->session);
  SSL_CTX_free(tls->client_context);
  SSL_CTX_free(tls->server_context);
  free(tls->host);
  free(tls);
}

/* Processes the session tickets that have arrived, and finds no data. */
static void take_tickets(peer_tls *tls) {
  unsigned char byte;
  SSL_read(tls->client, &byte, 1);
}

int peer_tls_handshake(peer_tls *tls) {
  BIO *client_side, *server_side;
  disconnect(tls);
  if (!BIO_new_bio_pair(&client_side, 0, &server_side, 0)) return 0;
  tls->client = SSL_new(tls->client_context);
  tls->server = SSL_new(tls->server_context);
  SSL_set_bio(tls->client, client_side, client_side);
  SSL_set_bio(tls->server, server_side, server_side);
  SSL_set_connect_state(tls->client);
  SSL_set_accept_state(tls->server);
  if (!SSL_set_tlsext_host_name(tls->client, tls->host) || !SSL_set1_host(tls->client, tls->host)) return 0;
  if (tls->session != NULL && !SSL_set_session(tls->client, tls->session)) return 0;
  for (int turn = 0; turn < 8; turn++) {
    int client = SSL_do_handshake(tls->client);
    if (client < 0 && SSL_get_error(tls->client, client) != SSL_ERROR_WANT_READ) return 0;
    int server = SSL_do_handshake(tls->server);
    if (server < 0 && SSL_get_error(tls->server, server) != SSL_ERROR_WANT_READ) return 0;
    if (client == 1 && server == 1 && tls->session != NULL) take_tickets(tls);
    if (client == 1 && server == 1)
      return SSL_get_verify_result(tls->client) == X509_V_OK &&
             SSL_session_reused(tls->client) == (tls->session != NULL);
  }
  return 0;
}

int peer_tls_keep_session(peer_tls *tls) {
  SSL_CTX_clear_options(tls->client_context, SSL_OP_NO_TICKET);
  SSL_CTX_clear_options(tls->server_context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(tls->server_context, 1);
  if (!peer_tls_handshake(tls)) return 0;
  take_tickets(tls);
  tls->session = SSL_get1_session(tls->client);
  return tls->session != NULL && SSL_SESSION_is_resumable(tls->session);
}

int peer_tls_transfer(peer_tls *tls, const unsigned char *bytes, unsigned char *received, int count) {
  if (SSL_write(tls->client, bytes, count) != count) return 0;
  return SSL_read(tls->server, received, count) == count;
}
