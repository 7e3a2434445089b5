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
      source: "RFC 5246 section 7.4.6", others: ["mutual TLS", "client certificate"]),
  ]
}
