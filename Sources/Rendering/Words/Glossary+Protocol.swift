// The messages and the mechanisms of TLS.
extension Glossary {
  static let protocolTerms = [
    Term(
      name: "alert",
      meaning: "A message that reports an error or closes the connection. A fatal alert ends the connection at once.",
      source: "RFC 5246 section 7.2"),
    Term(
      name: "CertificateVerify",
      meaning: "The message in which a side proves that it has the private key of its certificate: it signs the "
        + "transcript. In TLS 1.2 only a client with a certificate sends it, in TLS 1.3 the server too.",
      source: "RFC 5246 section 7.4.8, RFC 8446 section 4.4.3"),
    Term(
      name: "ChangeCipherSpec",
      meaning: "A message of one byte. In TLS 1.2, every record that its sender sends after it is protected by the new "
        + "keys. In TLS 1.3 it has no effect: it is sent so that devices on the path see a familiar handshake.",
      source: "RFC 5246 section 7.1, RFC 8446 appendix D.4"),
    Term(
      name: "ClientKeyExchange",
      meaning: "The client's part of the key exchange: the premaster secret encrypted with the server's public key, "
        + "or the client's ephemeral public value. TLS 1.3 does not have this message: the value is in key_share.",
      source: "RFC 5246 section 7.4.7"),
    Term(
      name: "entropy",
      meaning:
        "The unpredictability of a value, in bits. A value with n bits of entropy is found after at most 2^n guesses, "
        + "however long it is.",
      source: "RFC 4086 section 2"),
    Term(
      name: "ephemeral key",
      meaning: "A key pair that is generated for one connection and deleted after it.",
      source: "RFC 8422 section 2", others: ["ephemeral"]),
    Term(
      name: "hash",
      meaning: "A short, fixed-size value computed from data of any size. The same data gives the same hash, and it "
        + "is infeasible to find two inputs with the same hash.",
      source: "RFC 6234 section 1", others: ["digest", "fingerprint"]),
    Term(
      name: "HSTS",
      meaning:
        "A response header with which a server instructs browsers to use only https from now on. An attacker can then "
        + "no longer keep browsers on http.",
      source: "RFC 6797 section 1",
      others: ["HTTP Strict Transport Security"]),
    Term(
      name: "HTTP",
      meaning: "Requests and responses in clear text. Every device that forwards them can read and change them.",
      source: "RFC 9110 section 4.2.1"),
    Term(
      name: "HTTPS",
      meaning: "HTTP inside TLS, with a server that has proved its name.",
      source: "RFC 9110 section 4.2.2"),
    Term(
      name: "key exchange",
      meaning: "The part of the handshake in which both sides agree on a shared secret. RSA encrypts the secret with "
        + "the server's public key; Diffie-Hellman computes it from two public values. TLS 1.3 has only Diffie-Hellman "
        + "and pre-shared keys.",
      source: "RFC 5246 section F.1.1"),
    Term(
      name: "nonce",
      meaning: "A number that is used once. It shows that a message is new and not a replay. The random values of "
        + "ClientHello and ServerHello are nonces.",
      source: "RFC 4949 section 4"),
    Term(
      name: "padding",
      meaning: "Bytes in a fixed format that are added to a short message before RSA is applied. Without padding, an "
        + "attacker can guess encrypted messages and forge signatures.",
      source: "RFC 8017 section 7.2"),
    Term(
      name: "PRF",
      meaning:
        "The function of TLS 1.2 that computes the master secret and all keys. From a secret, a label and a seed it "
        + "computes as many bytes as are needed. TLS 1.3 uses HKDF.",
      source: "RFC 5246 section 5", others: ["pseudorandom function"]),
    Term(
      name: "quantum computer",
      meaning: "A computer that calculates with quantum bits. With enough error-corrected (logical) qubits, Shor's "
        + "algorithm on it finds private keys of RSA, Diffie-Hellman and elliptic curves. No such computer exists today. "
        + "It breaks neither ML-KEM nor AES.",
      source: "P. Shor, arXiv quant-ph/9508027", others: ["logical qubit", "Shor's algorithm"]),
    Term(
      name: "redirect",
      meaning: "An HTTP response that sends the client to another URL. The client loads that URL separately and "
        + "checks everything again.",
      source: "RFC 9110 section 15.4"),
    Term(
      name: "renegotiation",
      meaning:
        "A second handshake inside an existing TLS connection. Without the renegotiation_info extension, an attacker "
        + "can insert its own bytes before those of the client. TLS 1.3 does not have it.",
      source: "RFC 5746 section 1"),
    Term(
      name: "resumption",
      meaning: "A shorter handshake that uses a secret of an earlier connection and sends no certificates. In TLS 1.2 "
        + "the secret is the master secret, in TLS 1.3 a pre-shared key that follows from the resumption_master_secret.",
      source: "RFC 5246 section 7.3, RFC 8446 section 2.2", others: ["session resumption"]),
    Term(
      name: "RSA",
      meaning:
        "A public-key algorithm whose key pair is computed from two primes. With the public key (n, e) anyone can "
        + "encrypt and verify; only the private key (n, d) can decrypt and sign.",
      source: "RFC 8017 section 3"),
    Term(
      name: "SCSV",
      meaning:
        "Signaling cipher suite value: a value in the list of cipher suites that is not a suite but a signal. For "
        + "example, TLS_FALLBACK_SCSV marks a retry with a lower version.",
      source: "RFC 7507 section 2; RFC 5746 section 3.3", others: ["signaling cipher suite value"]),
    Term(
      name: "ServerHello",
      meaning: "The server's first message: its random value, and the version and the cipher suite that it selected.",
      source: "RFC 5246 section 7.4.1.3"),
    Term(
      name: "ServerHelloDone",
      meaning: "The message that ends the server's hello messages. The client sends the next message. TLS 1.3 does not "
        + "have it.",
      source: "RFC 5246 section 7.4.5"),
    Term(
      name: "ServerKeyExchange",
      meaning: "The server's ephemeral public value, signed with the key of its certificate. The RSA key exchange "
        + "does not use this message. TLS 1.3 does not have it: the value is in key_share.",
      source: "RFC 5246 section 7.4.3"),
    Term(
      name: "symmetric encryption",
      meaning: "Encryption with one key for both directions. It is fast, but both sides must share the key first.",
      source: "RFC 4949 section 4", others: ["symmetric key"]),
    Term(
      name: "two-way authentication",
      meaning: "The client also presents a certificate and proves that it has the private key.",
      source: "RFC 5246 section 7.4.6", others: ["mutual TLS", "mTLS", "client certificate"]),
  ]

  // Certificates and their status.

  static let certificateTerms = [
    Term(
      name: "authorityInfoAccess",
      meaning: "A certificate extension with the URLs of the issuer's certificate (caIssuers) and of the OCSP "
        + "responder. Some clients download a missing intermediate from there; others do not.",
      source: "RFC 5280 section 4.2.2.1", others: ["AIA", "authority information access", "caIssuers"]),
    Term(
      name: "basicConstraints",
      meaning: "The certificate extension that marks a CA certificate. It can also limit how many intermediate CA "
        + "certificates may follow.",
      source: "RFC 5280 section 4.2.1.9", others: ["basic constraints"]),
    Term(
      name: "certificate transparency",
      meaning: "Public, append-only logs of the certificates that CAs issue. They make a wrongly issued certificate "
        + "visible.",
      source: "RFC 6962 section 1", others: ["CT"]),
    Term(
      name: "CRL",
      meaning: "A list of revoked certificates, signed by a CA.",
      source: "RFC 5280 section 5", others: ["certificate revocation list"]),
    Term(
      name: "cross-signing",
      meaning: "Two CAs issue a certificate for the same key. More than one chain then leads from that key to a root.",
      source: "RFC 5280 section 3.2", others: ["cross-certificate"]),
    Term(
      name: "exception domain",
      meaning:
        "A host for which an app's Info.plist sets separate App Transport Security requirements, weaker or stronger "
        + "than for other hosts.",
      source: "Apple: NSExceptionDomains", others: ["exception"]),
    Term(
      name: "extendedKeyUsage",
      meaning: "The certificate extension that lists the purposes of a certificate, such as TLS server, TLS client "
        + "or code signing.",
      source: "RFC 5280 section 4.2.1.12", others: ["EKU", "extended key usage"]),
    Term(
      name: "keyUsage",
      meaning: "The certificate extension that lists the permitted uses of its key: sign messages, sign "
        + "certificates, encrypt keys.",
      source: "RFC 5280 section 4.2.1.3", others: ["key usage"]),
    Term(
      name: "delta CRL",
      meaning: "A short CRL with the changes since a complete CRL. The freshestCRL extension of a certificate or a CRL "
        + "contains its location.",
      source: "RFC 5280 section 5.2.4", others: ["delta list", "freshestCRL"]),
    Term(
      name: "indirect CRL",
      meaning: "A CRL that lists certificates of other issuers. A certificate names the signer of that CRL "
        + "(cRLIssuer), and each entry names its certificate's issuer.",
      source: "RFC 5280 section 5.2.5",
      others: ["indirect list", "cRLIssuer"]),
    Term(
      name: "must-staple",
      meaning: "A certificate extension (TLS feature status_request): the server has to staple an OCSP response. A "
        + "client that supports it refuses a server that does not.",
      source: "RFC 7633 section 4.2.3.1",
      others: ["TLS feature"]),
    Term(
      name: "name constraints",
      meaning: "The certificate extension of a CA that limits the names for which it, and every CA below it, may "
        + "issue certificates.",
      source: "RFC 5280 section 4.2.1.10"),
    Term(
      name: "OCSP",
      meaning: "Online Certificate Status Protocol: a client asks a responder of the CA whether one certificate is "
        + "revoked.",
      source: "RFC 6960 section 1"),
    Term(
      name: "OCSP response",
      meaning: "The signed status of a certificate: good, revoked or unknown, from thisUpdate to nextUpdate.",
      source: "RFC 6960 section 2.2", others: ["OCSP responder"]),
    Term(
      name: "OCSP stapling",
      meaning: "The server sends an OCSP response for its own certificate in the handshake, so that the client does "
        + "not have to query the responder.",
      source: "RFC 6066 section 8", others: ["stapling", "status_request"]),
    Term(
      name: "pathLenConstraint",
      meaning:
        "The number in basicConstraints: how many intermediate CA certificates may follow below a CA certificate, not "
        + "counting the server's certificate. Without this number, there is no limit.",
      source: "RFC 5280 section 4.2.1.9", others: ["path length", "path length constraint", "pathLen", "pathLength"]),
    Term(
      name: "public key",
      meaning: "The half of a key pair that anyone may have. It encrypts messages to the owner and verifies the "
        + "owner's signatures.",
      source: "RFC 8017 section 3.1"),
    Term(
      name: "RDN",
      meaning: "Relative distinguished name: one part of a subject or issuer name, such as CN=api.example or "
        + "O=Example.",
      source: "RFC 5280 section 4.1.2.4", others: ["relative distinguished name"]),
    Term(
      name: "revocation",
      meaning:
        "A CA withdraws a certificate before it expires. Only clients that check the status notice the revocation.",
      source: "RFC 5280 section 3.3"),
    Term(
      name: "SCT",
      meaning: "Signed certificate timestamp: the promise of a certificate transparency log to include a "
        + "certificate. Apple's systems require SCTs for certificates of public CAs.",
      source: "RFC 6962 section 3.2", others: ["signed certificate timestamp"]),
    Term(
      name: "self-signed certificate",
      meaning: "A certificate that is signed with its own key. It proves only that its owner has the key. Every root "
        + "certificate is self-signed.",
      source: "RFC 5280 section 3.2", others: ["self-signed"]),
    Term(
      name: "signature",
      meaning: "A value that only the owner of a private key can compute for a message, and that anyone can verify "
        + "with the public key.",
      source: "RFC 8017 section 8", others: ["digital signature"]),
    Term(
      name: "signed tree head",
      meaning: "The signed state of a certificate transparency log: the number of entries and the root hash of its "
        + "tree. Two tree heads that contradict each other prove that the log cheats.",
      source: "RFC 6962 section 3.5", others: ["STH", "tree head"]),
    Term(
      name: "SPKI",
      meaning: "subjectPublicKeyInfo: the public key of a certificate and its algorithm. A pin on the SPKI survives "
        + "the renewal of the certificate if the key stays.",
      source: "RFC 5280 section 4.1.2.7",
      others: ["subjectPublicKeyInfo"]),
    Term(
      name: "Valid",
      meaning: "Apple's database of revoked certificates. Devices since iOS 10.3 and macOS 10.12.4 download it and "
        + "check it first. Its content on a given day is not public, so TrustLab does not use it.",
      source: "Security, SecRevocationDb.c", others: ["valid.apple.com"]),
    Term(
      name: "wildcard",
      meaning: "A name such as *.shop.example in a certificate. The wildcard label '*' matches exactly one label, "
        + "the first.",
      source: "RFC 9525 section 6.3", others: ["wildcard certificate", "wildcard label"]),
  ]

  // Attacks.

  static let attackTerms = [
    Term(
      name: "active attack",
      meaning: "An attack by a party on the path that changes, drops, repeats or invents messages.",
      source: "RFC 3552 section 3.3"),
    Term(
      name: "downgrade",
      meaning: "An attack that makes both sides use an older version or a weaker cipher suite than both support.",
      source: "RFC 7507 section 1", others: ["downgrade attack"]),
    Term(
      name: "padding oracle",
      meaning:
        "A server that reveals whether the padding of a message is correct. With enough queries, an attacker can "
        + "decrypt a message.",
      source: "RFC 5246 section 7.4.7.1", others: ["oracle", "Bleichenbacher", "ROBOT"]),
    Term(
      name: "passive attack",
      meaning: "An attack by a party that reads and records the traffic and changes nothing.",
      source: "RFC 3552 section 3.2"),
    Term(
      name: "replay",
      meaning: "An attacker sends a recorded message again. The new random values of each handshake make recorded "
        + "handshakes useless.",
      source: "RFC 3552 section 3.3.1", others: ["replay attack"]),
    Term(
      name: "SSL stripping",
      meaning: "An attacker uses https with the server and http with the client, which never requested https.",
      source: "RFC 6797 section 2.3.1", others: ["sslstrip"]),
  ]
}
