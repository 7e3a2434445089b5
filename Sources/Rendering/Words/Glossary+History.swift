// Names, dates, layers and limits: background from the documents that the lessons cite.
extension Glossary {
  static let historyTerms = [
    Term(
      name: "SSL",
      meaning:
        "Secure Sockets Layer: Netscape's protocol of 1994 between browser and server. It authenticates the server, "
        + "and optionally the client, and encrypts what both send over TCP. Versions 2.0 and 3.0 are prohibited (RFC "
        + "6176, RFC 7568). The name is still used for its successor TLS, and is sometimes misspelled TSL.",
      source: "RFC 6101 section 1", others: ["Secure Sockets Layer", "SSL/TLS", "TSL"]),
    Term(
      name: "layers",
      meaning:
        "HTTP passes its message to TLS, TLS its records to TCP, TCP its segments to IP. The receiver unpacks them in "
        + "the opposite order. TLS is like a plastic pipe inside a metal pipe. It needs a reliable transport below "
        + "it and carries any protocol above it. It has no agreed place in the seven OSI layers: seed 000 puts it "
        + "into the application layer with HTTP, and seed 001 puts it between transport and session. Both mean that "
        + "TLS is between HTTP and TCP (L0-05).",
      source: "RFC 5246 section 1", others: ["OSI model", "seven layers", "SSL layer"]),
    Term(
      name: "default port",
      meaning:
        "The port of a URL without an explicit port: 80 for http, 443 for https, 21 for ftp. By custom, 8080 is a "
        + "second port for http. Port 22 belongs to SSH, which carries sftp. A protection space always contains the "
        + "port as a number, and compares numbers (L11-09).",
      source: "RFC 9110 sections 4.2.1 and 4.2.2; IANA service names and ports",
      others: ["default ports", "port 80", "port 443", "port 8080", "port 21"]),
    Term(
      name: "boundary of the model",
      meaning:
        "TrustLab simulates HTTP/1.1, SSL 3.0 to TLS 1.3, certificates and their status, App Transport Security, "
        + "challenges, and how apps handle them. TrustLab does not model the following: ARP, routes, DNS, device "
        + "storage, sandboxes, durations, HTTP/2, QUIC, and Kerberos tickets. The scenario "
        + "word 'reroute' changes the target of a name, not the name resolution.",
      source: "docs/limits.md", others: ["model", "info model", "limits of the model"]),
    Term(
      name: "RFC 2818",
      meaning: "HTTP Over TLS, May 2000. It defines https, its port 443, and how a client compares the host of a URL "
        + "with the names in the server's certificate (L4-01). RFC 9110 replaced it in June 2022.",
      source: "RFC 2818; RFC 9110 appendix B.1", others: ["HTTP over TLS", "RFC2818"]),
    Term(
      name: "information exchanged",
      meaning:
        "A handshake exchanges three kinds of information. First, the cipher suite: ClientHello offers, ServerHello "
        + "selects, and Finished confirms it for both. Second, the certificate: the client evaluates it and uses its "
        + "public key for the premaster secret, or for the signature on the server's ephemeral key. Third, three "
        + "random values: client_random and server_random in the clear, and the premaster secret encrypted with that "
        + "key. All three give the master secret, which gives the keys (L1-01; 'derive master_secret' in the shell).",
      source: "RFC 5246 section 7.3", others: ["three random numbers", "what is exchanged"]),
    Term(
      name: "cost",
      meaning:
        "The cost of a connection: messages, round trips, bytes, and operations with large numbers. The shell's 'cost' "
        + "counts them for the open scenario. It does not measure time.",
      source: "RFC 5246 section 7.3",
      others: ["cost of HTTPS"]),
    Term(
      name: "proxy",
      meaning:
        "A server that forwards a client's requests if the client's settings name it. For an http URL, it reads and "
        + "repeats the request. For an https URL, the client requests a tunnel with CONNECT. In the tunnel, the "
        + "proxy can read no more than an eavesdropper. It can require authentication (407) before TLS begins; the "
        + "client's response is not encrypted. Its protection space has its own host and port, and no protocol "
        + "(L11-21).",
      source: "RFC 9110 sections 9.3.6 and 11.7", others: ["proxy authentication", "CONNECT", "tunnel", "407"]),
    Term(
      name: "PKCS #12",
      meaning: "A file format (.p12, .pfx) for a private key and its certificates, encrypted and authenticated with "
        + "one passphrase. SecPKCS12Import opens it. The format allows indefinite lengths (BER), which Apple's "
        + "function does not accept.",
      source: "RFC 7292 section 4", others: ["PKCS12", "p12", "PFX"]),
    Term(
      name: "PBMAC1",
      meaning: "A MAC for PKCS #12 files whose key is derived with PBKDF2 instead of PKCS #12's own derivation. "
        + "Newer programs write it. No Apple system is known to read it.",
      source: "RFC 9579"),
    Term(
      name: "DER",
      meaning: "The unique encoding of an ASN.1 value, in which certificates are stored. "
        + "SecCertificateCreateWithData accepts no other format.",
      source: "X.690 section 10"),
    Term(
      name: "BER",
      meaning: "The encodings of an ASN.1 value, one of which is DER. They allow indefinite lengths and strings in "
        + "several pieces.",
      source: "X.690 section 8"),
    Term(
      name: "PEM",
      meaning: "DER in Base64 between a BEGIN and an END line. Apple's functions return NULL for it, and an array that "
        + "contains NULL raises an exception (L11-12).",
      source: "RFC 7468"),
  ]

  /// The versions of SSL and TLS, with origin, date and status.
  static let versions: [(key: String, values: [String])] = [
    ("SSL 1.0", ["Netscape, 1994; never published"]),
    ("SSL 2.0", ["Netscape, 1995 (draft-hickman-netscape-ssl-00)", "prohibited by RFC 6176, March 2011"]),
    ("PCT 1.0", ["Microsoft's alternative to SSL 2.0, 1995 (draft-benaloh-pct-00)", "disappeared with SSL 2.0"]),
    ("SSL 3.0", ["Netscape, 1996; RFC 6101 (Historic), August 2011", "0x0300", "prohibited by RFC 7568, June 2015"]),
    (
      "TLS 1.0",
      ["RFC 2246, January 1999, after drafts since 1997; 'SSL 3.1': 0x0301", "prohibited by RFC 8996, March 2021"]
    ),
    ("TLS 1.1", ["RFC 4346, April 2006; 0x0302", "prohibited by RFC 8996, March 2021"]),
    ("TLS 1.2", ["RFC 5246, August 2008; 0x0303", "the minimum of App Transport Security"]),
    ("TLS 1.3", ["RFC 8446, August 2018; 0x0304, in the supported_versions extension"]),
    (
      "support",
      [
        "seed 000: TLS 1.0 is the most common, then SSL 3.0; browsers already support 1.2. The document was written "
          + "around 2015",
        "TrustLab has no usage figures; 'run L1-03' shows which versions agree",
      ]
    ),
  ]
}
