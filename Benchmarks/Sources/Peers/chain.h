#ifndef TRUSTLAB_PEERS_CHAIN_H
#define TRUSTLAB_PEERS_CHAIN_H

#include "peers.h"

#include <openssl/x509.h>

/* The certificate in DER, NULL when it is none. */
X509 *peer_certificate(peer_bytes der);

#endif
