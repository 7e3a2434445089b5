// Names, dates, places and bounds: what the documents that the lessons come from say before the first handshake.
extension Glossary {
  static let historyTerms = [
    Term(
      name: "SSL",
      meaning:
        "Secure Sockets Layer: Netscape's protocol of 1994 between browser and server. The server shows who it is, the "
        + "client may, and what follows is an encrypted channel over TCP. Its versions 2.0 and 3.0 are prohibited (RFC 6176, "
        + "RFC 7568); the name stayed the everyday word for TLS, its successor, also where people write TSL.",
      source: "RFC 6101 section 1", others: ["Secure Sockets Layer", "SSL/TLS", "TSL"]),
    Term(
      name: "layers",
      meaning:
        "HTTP hands its message to TLS, TLS its records to TCP, TCP its segments to IP; the other end unwraps in the opposite "
        + "order, and HTTP has its message again: a plastic pipe inside a metal one. TLS wants a reliable transport below "
        + "and lets any protocol be above. In the seven layers of OSI it has no agreed place: seed 000 puts it with HTTP into "
        + "the application layer, seed 001 between transport and session. Between HTTP and TCP is what both mean (L0-05).",
      source: "RFC 5246 section 1", others: ["OSI model", "seven layers", "SSL layer"]),
    Term(
      name: "default port",
      meaning:
        "The port of a URL that names none: 80 of http, 443 of https, 21 of ftp. 8080 is a second one of http by custom, and "
        + "22 is that of SSH, by which sftp goes. A protection space has the port as a number, filled in; compared are "
        + "numbers (L11-09).", source: "RFC 9110 sections 4.2.1 and 4.2.2; IANA service names and ports",
      others: ["default ports", "port 80", "port 443", "port 8080", "port 21"]),
    Term(
      name: "boundary of the model",
      meaning:
        "Played are HTTP/1.1, SSL 3.0 to TLS 1.2, certificates and their status, App Transport Security, challenges and what "
        + "apps do about them. Every other layer has troubles of its own, and none of them is here: who answers for an "
        + "address (ARP, routes, DNS: 'reroute' says where a name leads, not how), what a device or a sandbox keeps, how "
        + "long things take, HTTP/2, QUIC, TLS 1.3 beyond its offer, tickets of Kerberos.",
      source: "docs/limits.md", others: ["model", "info model", "limits of the model"]),
    Term(
      name: "RFC 2818",
      meaning:
        "HTTP Over TLS, May 2000: what https is, that its port is 443, and how a client compares the host of a URL with the "
        + "names in the server's certificate (L4-01). RFC 9110 of June 2022 took its place.",
      source: "RFC 2818; RFC 9110 appendix B.1", others: ["HTTP over TLS", "RFC2818"]),
    Term(
      name: "information exchanged",
      meaning:
        "Three kinds of it make a handshake, and each goes somewhere. The agreement on a suite: ClientHello offers, "
        + "ServerHello picks, and Finished holds both to it. The certificate: to the client's evaluation, and of it the public "
        + "key to the premaster secret, or to the signature over the server's ephemeral key. Three random numbers: "
        + "client_random and server_random in the clear, the premaster secret under that key; from all three the master "
        + "secret, from that the keys (L1-01; 'derive master_secret' in the shell).",
      source: "RFC 5246 section 7.3", others: ["three random numbers", "what is exchanged"]),
    Term(
      name: "cost",
      meaning:
        "What a connection takes: messages, round trips, bytes, and operations with large numbers. 'cost' in the shell counts "
        + "them of the scenario that is open; in time nothing is counted.", source: "RFC 5246 section 7.3",
      others: ["cost of HTTPS"]),
    Term(
      name: "proxy",
      meaning:
        "What passes on the requests of a client whose settings say so. Of an http URL it reads and repeats the request; for an "
        + "https URL it is asked by CONNECT for a tunnel, in which it reads what everybody reads. It may ask who the client is "
        + "(407) before there is any TLS, and what it is told travels in the clear. Its protection space has its own host "
        + "and port, and no protocol (L11-21).",
      source: "RFC 9110 sections 9.3.6 and 11.7", others: ["proxy authentication", "CONNECT", "tunnel", "407"]),
    Term(
      name: "PKCS #12",
      meaning:
        "A file with a private key and its certificates, encrypted and authenticated under one passphrase: .p12 and .pfx. "
        + "SecPKCS12Import takes it apart. Lengths may be left open in it (BER), which Apple's function does not take.",
      source: "RFC 7292 section 4", others: ["PKCS12", "p12", "PFX"]),
    Term(
      name: "PBMAC1",
      meaning:
        "A MAC of a file of PKCS #12 whose key comes from PBKDF2, in the place of a derivation that only PKCS #12 has. Newer "
        + "programs write it; no system of Apple's is known to read it.", source: "RFC 9579"),
    Term(
      name: "DER",
      meaning:
        "The one form in bytes that a certificate has. SecCertificateCreateWithData takes it and nothing else.",
      source: "X.690 section 10"),
    Term(
      name: "BER",
      meaning:
        "The forms in bytes that a value may have, of which DER is one: lengths may be left open, strings be in pieces.",
      source: "X.690 section 8"),
    Term(
      name: "PEM",
      meaning:
        "DER in Base64 between two lines. Apple's functions make no certificate of it: NULL comes back, and a list of NULL is "
        + "an exception (L11-12).", source: "RFC 7468"),
  ]

  /// SSL and TLS, version by version: what it was, when, and what became of it.
  static let versions: [(key: String, values: [String])] = [
    ("SSL 1.0", ["Netscape, 1994; never published: it was not ripe"]),
    ("SSL 2.0", ["Netscape, 1995 (draft-hickman-netscape-ssl-00)", "prohibited by RFC 6176, March 2011"]),
    ("PCT 1.0", ["Microsoft's answer to SSL 2.0, 1995 (draft-benaloh-pct-00)", "gone with SSL 2.0"]),
    ("SSL 3.0", ["Netscape, 1996; RFC 6101, August 2011, as history", "0x0300", "prohibited by RFC 7568, June 2015"]),
    (
      "TLS 1.0",
      ["RFC 2246, January 1999, after drafts since 1997; 'SSL 3.1': 0x0301", "prohibited by RFC 8996, March 2021"]
    ),
    ("TLS 1.1", ["RFC 4346, April 2006; 0x0302", "prohibited by RFC 8996, March 2021"]),
    ("TLS 1.2", ["RFC 5246, August 2008; 0x0303", "what App Transport Security demands at least"]),
    ("TLS 1.3", ["RFC 8446, August 2018; 0x0304, said in an extension", "only its offer is played here"]),
    (
      "who speaks what",
      [
        "seed 000: TLS 1.0 most, then SSL 3.0, and browsers 1.2 already. A look around in about 2015: read it with its date",
        "how much each was used on a day is not known here; 'run L1-03' plays who agrees with whom",
      ]
    ),
  ]
}
