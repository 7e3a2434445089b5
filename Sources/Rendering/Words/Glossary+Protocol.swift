// What client and server do.
extension Glossary {
  static let protocolTerms = [
    Term(
      name: "alert",
      meaning: "A message that something is wrong, or that a side has no more to say. A fatal one ends the connection.",
      source: "RFC 5246 section 7.2"),
    Term(
      name: "CertificateVerify",
      meaning: "A client that showed a certificate proves that it has its private key: it signs the transcript.",
      source: "RFC 5246 section 7.4.8"),
    Term(
      name: "ChangeCipherSpec", meaning: "One byte that says: from here on, what I send is protected by the new keys.",
      source: "RFC 5246 section 7.1"),
    Term(
      name: "ClientKeyExchange",
      meaning: "The client's part of the key exchange: the premaster secret encrypted to the server's key, or the "
        + "client's ephemeral public value.", source: "RFC 5246 section 7.4.7"),
    Term(
      name: "entropy",
      meaning: "How unpredictable a value is, in bits: one of n bits takes 2^n guesses at most, however long it looks.",
      source: "RFC 4086 section 2"),
    Term(
      name: "ephemeral key", meaning: "A key pair made for one connection and forgotten after it.",
      source: "RFC 8422 section 2", others: ["ephemeral"]),
    Term(
      name: "hash",
      meaning: "A short fingerprint of any text: the same text gives the same one, and nobody finds two texts with the "
        + "same one.", source: "RFC 6234 section 1", others: ["digest", "fingerprint"]),
    Term(
      name: "HSTS",
      meaning: "A server asks browsers to come over https alone from now on, so that nobody keeps them on http.",
      source: "RFC 6797 section 1", others: ["HTTP Strict Transport Security"]),
    Term(
      name: "HTTP", meaning: "Requests and answers in clear text: whoever carries them can read and change them.",
      source: "RFC 9110 section 4.2.1"),
    Term(
      name: "HTTPS", meaning: "The same requests and answers inside TLS, to a server that proved its name.",
      source: "RFC 9110 section 4.2.2"),
    Term(
      name: "key exchange",
      meaning: "How both sides come to a secret that nobody else has: RSA encrypts it to the server's key, "
        + "Diffie-Hellman computes it from two public values.", source: "RFC 5246 section F.1.1"),
    Term(
      name: "nonce",
      meaning: "A number used once. That it is new shows that an answer is not an old one repeated: so are the hello "
        + "randoms.", source: "RFC 4949 section 4"),
    Term(
      name: "padding",
      meaning: "Bytes of a fixed form around a short text before RSA is applied. Without them, encryption is guessable "
        + "and signatures can be forged.", source: "RFC 8017 section 7.2"),
    Term(
      name: "PRF",
      meaning:
        "The function that makes the master secret and all keys: from a secret, a label and a seed, as many bytes "
        + "as are needed.", source: "RFC 5246 section 5", others: ["pseudorandom function"]),
    Term(
      name: "redirect",
      meaning: "An answer that says: ask there instead. The new URL is a load of its own, and is judged anew.",
      source: "RFC 9110 section 15.4"),
    Term(
      name: "resumption",
      meaning: "Going on with the master secret of an earlier connection: a shorter handshake without certificates.",
      source: "RFC 5246 section 7.3", others: ["session resumption"]),
    Term(
      name: "RSA",
      meaning: "A key pair from two primes: whoever knows n and e can encrypt and verify, and only who knows d can "
        + "decrypt and sign.", source: "RFC 8017 section 3"),
    Term(
      name: "ServerHello", meaning: "The server's answer: its random number, and the version and suite it has chosen.",
      source: "RFC 5246 section 7.4.1.3"),
    Term(
      name: "ServerHelloDone", meaning: "The server has said its part and waits for the client's.",
      source: "RFC 5246 section 7.4.5"),
    Term(
      name: "ServerKeyExchange",
      meaning:
        "The server's ephemeral public value, signed with the key of its certificate. RSA key exchange has none.",
      source: "RFC 5246 section 7.4.3"),
    Term(
      name: "symmetric encryption", meaning: "The same key locks and unlocks: fast, but both sides must have it first.",
      source: "RFC 4949 section 4", others: ["symmetric key"]),
    Term(
      name: "two-way authentication",
      meaning: "The client too shows a certificate, and proves that it has the key of it.",
      source: "RFC 5246 section 7.4.6", others: ["mutual TLS", "mTLS", "client certificate"]),
  ]

  // Who vouches for whom.

  static let certificateTerms = [
    Term(
      name: "authorityInfoAccess",
      meaning: "Where to find the certificate of the issuer (caIssuers) and whom to ask about revocation (OCSP). Some "
        + "clients fetch a missing intermediate from there, others do not.",
      source: "RFC 5280 section 4.2.2.1", others: ["AIA", "authority information access", "caIssuers"]),
    Term(
      name: "basicConstraints",
      meaning: "Says whether a certificate is an authority's, and how many authorities may follow below it.",
      source: "RFC 5280 section 4.2.1.9", others: ["basic constraints"]),
    Term(
      name: "certificate transparency",
      meaning: "Public logs of the certificates that authorities issue, so that a wrong one is seen. A timestamp of a "
        + "log (SCT) is its promise to list a certificate.", source: "RFC 6962 section 3",
      others: ["CT", "SCT", "signed certificate timestamp"]),
    Term(
      name: "CRL", meaning: "The list, signed by an authority, of certificates it has revoked.",
      source: "RFC 5280 section 5", others: ["certificate revocation list"]),
    Term(
      name: "cross-signing",
      meaning: "Two authorities have certified the same key, so that more than one chain leads up from it.",
      source: "RFC 5280 section 3.2", others: ["cross-certificate"]),
    Term(
      name: "exception domain",
      meaning: "A host for which an app's Info.plist asks less, or more, than App Transport Security asks of all.",
      source: "Apple: NSExceptionDomains", others: ["exception"]),
    Term(
      name: "extendedKeyUsage", meaning: "What a certificate is for: to be a server, a client, to sign code.",
      source: "RFC 5280 section 4.2.1.12", others: ["EKU", "extended key usage"]),
    Term(
      name: "keyUsage", meaning: "What a key may do: sign messages, sign certificates, encrypt keys.",
      source: "RFC 5280 section 4.2.1.3", others: ["key usage"]),
    Term(
      name: "delta CRL",
      meaning: "A small list of what has changed since a complete one (CRL), which certificate and list name in "
        + "freshestCRL.", source: "RFC 5280 section 5.2.4", others: ["delta list", "freshestCRL"]),
    Term(
      name: "indirect CRL",
      meaning: "A list of what others have revoked: the certificates name who signs it (cRLIssuer), its entries whose "
        + "they are.", source: "RFC 5280 section 5.2.5", others: ["indirect list", "cRLIssuer"]),
    Term(
      name: "name constraints", meaning: "The names for which an authority, and all below it, may issue certificates.",
      source: "RFC 5280 section 4.2.1.10"),
    Term(
      name: "OCSP", meaning: "Asking an authority's server whether one certificate is revoked.",
      source: "RFC 6960 section 1"),
    Term(
      name: "pathLenConstraint",
      meaning: "The number in basicConstraints: how many intermediates may follow below an authority, the server's own "
        + "certificate not counted. Without it, any number.",
      source: "RFC 5280 section 4.2.1.9", others: ["path length", "path length constraint", "pathLen", "pathLength"]),
    Term(
      name: "public key",
      meaning: "The half of a key pair that everyone may have: it encrypts to its owner and verifies what its owner "
        + "signed.", source: "RFC 8017 section 3.1"),
    Term(
      name: "revocation",
      meaning: "An authority takes a certificate back before it ends. It helps only against clients that look.",
      source: "RFC 5280 section 3.3"),
    Term(
      name: "self-signed certificate",
      meaning:
        "A certificate signed with its own key: it proves nothing that its owner did not say. Every root is one.",
      source: "RFC 5280 section 3.2", others: ["self-signed"]),
    Term(
      name: "signature",
      meaning: "A number that only the owner of a private key can make for a text, and everyone can check with the "
        + "public key.", source: "RFC 8017 section 8", others: ["digital signature"]),
    Term(
      name: "signed tree head",
      meaning: "What a log signs of its tree: how many entries there are, and their root hash. Two that disagree prove "
        + "that it cheats.", source: "RFC 6962 section 3.5", others: ["STH", "tree head"]),
    Term(
      name: "SPKI",
      meaning: "subjectPublicKeyInfo: the public key of a certificate with its algorithm. A pin on it survives the "
        + "renewal of the certificate.", source: "RFC 5280 section 4.1.2.7", others: ["subjectPublicKeyInfo"]),
    Term(
      name: "Valid",
      meaning: "Apple's own database of revocations, which devices since iOS 10.3 and macOS 10.12.4 fetch beforehand "
        + "and look at first. What is on it on a day is unknown: no run here assumes anything of it.",
      source: "Security, SecRevocationDb.c", others: ["valid.apple.com"]),
    Term(
      name: "wildcard",
      meaning: "A name like *.shop.example in a certificate: the star stands for exactly one label, the first.",
      source: "RFC 9525 section 6.3", others: ["wildcard certificate"]),
  ]

  // What can go wrong.

  static let attackTerms = [
    Term(
      name: "active attack", meaning: "Whoever is between the two changes, drops, repeats or makes up messages.",
      source: "RFC 3552 section 3.3"),
    Term(
      name: "downgrade",
      meaning: "An attacker makes both sides agree on something weaker than they could: an old version, a weak suite.",
      source: "RFC 7507 section 1", others: ["downgrade attack"]),
    Term(
      name: "padding oracle",
      meaning: "A server that tells good padding from bad. Asked often enough, it decrypts for whoever asks.",
      source: "RFC 5246 section 7.4.7.1", others: ["oracle", "Bleichenbacher", "ROBOT"]),
    Term(
      name: "passive attack", meaning: "Whoever is between the two only listens, and keeps what was said.",
      source: "RFC 3552 section 3.2"),
    Term(
      name: "replay",
      meaning: "A recording is sent again. New random numbers in each handshake make it worthless.",
      source: "RFC 3552 section 3.3.1", others: ["replay attack"]),
    Term(
      name: "SSL stripping",
      meaning: "An attacker speaks https with the server and http with a user who never asked for more.",
      source: "RFC 6797 section 2.3.1", others: ["sslstrip"]),
  ]
}
