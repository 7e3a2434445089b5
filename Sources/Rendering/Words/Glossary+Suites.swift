// Cipher suites, groups, extensions of the hello messages, and attacks on them.
extension Glossary {
  static let suiteTerms = [
    Term(
      name: "3DES",
      meaning: "A cipher that runs DES three times on blocks of 8 bytes. It is slow, and its blocks are too short "
        + "for much data under one key. Current systems do not prefer it.",
      source: "NIST SP 800-67", others: ["Triple DES", "3DES_EDE_CBC"]),
    Term(
      name: "ALPN",
      meaning: "An extension in which the client lists the protocols it supports inside TLS, such as h2 and "
        + "http/1.1. The server selects one.",
      source: "RFC 7301 section 3", others: ["Application-Layer Protocol Negotiation"]),
    Term(
      name: "BEAST",
      meaning:
        "An attack on CBC in TLS 1.0. The IV of a record is the end of the previous record. An attacker has seen it "
        + "and can use it to test guesses. In TLS 1.1, each record has its own IV.",
      source: "CVE-2011-3389; RFC 4346 section 1.1"),
    Term(
      name: "ffdhe2048",
      meaning: "A standard group for finite-field Diffie-Hellman with a prime of 2048 bits that anyone can "
        + "recompute. The larger groups are ffdhe3072 to ffdhe8192.",
      source: "RFC 7919 appendix A", others: ["ffdhe3072", "ffdhe4096", "ffdhe6144", "ffdhe8192"]),
    Term(
      name: "FREAK",
      meaning: "An attack that makes a server send an export RSA key of 512 bits, which a client with a bug accepts. "
        + "An attacker that factors the key can read and change the connection.",
      source: "CVE-2015-0204"),
    Term(
      name: "GREASE",
      meaning: "Reserved values without meaning that a client adds to its suites, groups and extensions. They make "
        + "sure that servers ignore unknown values.",
      source: "RFC 8701 section 3"),
    Term(
      name: "Logjam",
      meaning: "An attack that makes client and server use an export Diffie-Hellman group of 512 bits. After a "
        + "precomputation for its prime, a discrete logarithm takes minutes, and most servers used the same few "
        + "primes.",
      source: "CVE-2015-4000"),
    Term(
      name: "POODLE",
      meaning: "An attack on SSL 3.0, which does not check the padding of a CBC record except its length. An attacker "
        + "downgrades the client to SSL 3.0 and copies a block over the padding. One time in 256, the server's "
        + "reaction reveals a byte.",
      source: "CVE-2014-3566; RFC 7568 section 4.1", others: ["SSL 3.0", "SSLv3"]),
    Term(
      name: "RC4",
      meaning: "A stream cipher whose output is biased, so that much traffic reveals the content. TLS no longer "
        + "allows it.",
      source: "RFC 7465 section 2", others: ["RC4_128", "ARCFOUR"]),
    Term(
      name: "record splitting",
      meaning:
        "A defence against BEAST in TLS 1.0: the client sends the first byte of its data in a separate record. An "
        + "attacker then cannot predict the IV of the next record.",
      source: "RFC 4346 section 1.1 has the cause", others: ["1/n-1 splitting"]),
    Term(
      name: "Sweet32",
      meaning:
        "An attack on ciphers with short blocks in CBC mode. Two equal ciphertext blocks reveal the difference of "
        + "their contents. With the 8-byte blocks of 3DES, this happens after about 32 GiB under one key.",
      source: "CVE-2016-2183"),
    Term(
      name: "session ticket",
      meaning: "The state of a session, encrypted with a key of the server and stored by the client. An attacker "
        + "that has the key can open every ticket.",
      source: "RFC 5077 section 3", others: ["ticket", "tickets"]),
  ]
}
