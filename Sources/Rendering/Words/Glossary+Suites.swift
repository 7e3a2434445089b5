// Ciphers, groups and what hellos carry.
extension Glossary {
  static let suiteTerms = [
    Term(
      name: "3DES",
      meaning:
        "A cipher that runs DES three times over blocks of 8 bytes. It is slow, and its blocks are too short for "
        + "much data under one key; no system that is new offers it first.",
      source: "NIST SP 800-67", others: ["Triple DES", "3DES_EDE_CBC"]),
    Term(
      name: "ALPN",
      meaning: "The client names the protocols it would speak inside TLS, and the server picks one: h2, http/1.1.",
      source: "RFC 7301 section 3", others: ["Application-Layer Protocol Negotiation"]),
    Term(
      name: "BEAST",
      meaning:
        "In TLS 1.0 a CBC record begins with the end of the one before, which an attacker has seen and can use to "
        + "test guesses. TLS 1.1 gives each record an IV of its own.",
      source: "CVE-2011-3389; RFC 4346 section 1.1"),
    Term(
      name: "ffdhe2048",
      meaning:
        "A group for finite-field Diffie-Hellman with a prime of 2048 bits that anyone can make again; its larger "
        + "siblings are ffdhe3072 to ffdhe8192.",
      source: "RFC 7919 appendix A", others: ["ffdhe3072", "ffdhe4096", "ffdhe6144", "ffdhe8192"]),
    Term(
      name: "FREAK",
      meaning:
        "An attacker has a server answer with an RSA key for export, of 512 bits, which a client with a bug takes. "
        + "Whoever finds its two primes has the connection.",
      source: "CVE-2015-0204"),
    Term(
      name: "GREASE",
      meaning:
        "Numbers that mean nothing and that a client puts among its suites, groups and extensions, so that servers "
        + "keep passing over what they do not know.",
      source: "RFC 8701 section 3"),
    Term(
      name: "Logjam",
      meaning:
        "An attacker has client and server agree in a Diffie-Hellman group for export, of 512 bits. Logarithms in it "
        + "are found in minutes once its prime was worked on, and most servers had the same few primes.",
      source: "CVE-2015-4000"),
    Term(
      name: "POODLE",
      meaning:
        "SSL 3.0 lets the padding of a CBC record say anything but its length. An attacker takes a client down to "
        + "it, copies a block over the padding, and one time in 256 the server's answer tells a byte.",
      source: "CVE-2014-3566; RFC 7568 section 4.1", others: ["SSL 3.0", "SSLv3"]),
    Term(
      name: "RC4",
      meaning: "A stream cipher whose output shows what it hides when much is sent. TLS may not use it any more.",
      source: "RFC 7465 section 2", others: ["RC4_128", "ARCFOUR"]),
    Term(
      name: "record splitting",
      meaning:
        "A client of TLS 1.0 sends the first byte of what it has to say as a record of its own, so that nobody knows "
        + "what the next one begins with: what helps against BEAST without a new version.",
      source: "RFC 4346 section 1.1 has the cause", others: ["1/n-1 splitting"]),
    Term(
      name: "Sweet32",
      meaning:
        "Two blocks of a CBC cipher that are alike give away how their contents differ. With blocks of 8 bytes, as "
        + "3DES has them, that happens after some 32 GiB under one key.",
      source: "CVE-2016-2183"),
    Term(
      name: "session ticket",
      meaning:
        "A session that the server seals under a key of its own and gives to the client to keep. Whoever has that "
        + "key opens every ticket.",
      source: "RFC 5077 section 3", others: ["ticket", "tickets"]),
  ]
}
