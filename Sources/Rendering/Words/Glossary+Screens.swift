// Words that the screens of runs use.
extension Glossary {
  static let screenTerms = [
    Term(
      name: "accepted",
      meaning: "A verdict: the client loads, as every check that decides holds, or is lifted by an exception. "
        + "It does not say that nobody can read along.",
      source: "docs/language.md"),
    Term(
      name: "AES",
      meaning: "The cipher of most suites: with a key of 128 or 256 bits it turns 16 bytes into 16 others, and back.",
      source: "FIPS 197", others: ["Advanced Encryption Standard", "AES-128", "AES-256"]),
    Term(
      name: "clear",
      meaning: "Not encrypted: whoever carries it can read it.", source: "RFC 4949 section 4",
      others: ["in the clear", "clear text", "cleartext"]),
    Term(
      name: "client",
      meaning: "The side that begins a TLS connection, here the app. It usually shows no certificate, and "
        + "checks the server's.",
      source: "RFC 5246 appendix B"),
    Term(
      name: "certain",
      meaning:
        "How sure a statement about Apple's systems is: documentation, open source or an observation settles it.",
      source: "docs/limits.md", others: ["confidence"]),
    Term(
      name: "counting",
      meaning: "A seed that draws nothing: the random values of a run are the bytes 00 01 02 03 and so on, so that "
        + "each can be told by its looks. No real client may do that.",
      source: "docs/language.md"),
    Term(
      name: "EME-PKCS1-v1_5",
      meaning: "The padding with which RSA encrypts in TLS: 00 02, random bytes, 00, and the premaster secret.",
      source: "RFC 8017 section 7.2", others: ["PKCS1-v1_5", "PKCS #1 v1.5"]),
    Term(
      name: "encryption",
      meaning: "Turning a text, with a key, into one that says nothing to whoever lacks the key. It hides; it "
        + "does not show who sent it.",
      source: "RFC 4949 section 4", others: ["encrypt"]),
    Term(
      name: "GCM",
      meaning: "A way to use AES that encrypts and authenticates at once: the suites whose names end in "
        + "GCM_SHA256 or GCM_SHA384.",
      source: "RFC 5288 section 3", others: ["Galois/Counter Mode", "AES-GCM"]),
    Term(
      name: "hangs",
      meaning: "A verdict: nothing refuses and nothing comes, so that the client waits until its time is up.",
      source: "docs/language.md"),
    Term(
      name: "HMAC",
      meaning: "A MAC made from a hash function and a key. The PRF of TLS 1.2 is built from it too.",
      source: "RFC 2104 section 2"),
    Term(
      name: "iOS",
      meaning: "Apple's system for telephones. App Transport Security is in force since iOS 9, and what "
        + "systems demand has changed since: 'matrix os' shows it.",
      source: "Apple: NSAppTransportSecurity"),
    Term(
      name: "IV",
      meaning: "Initialization vector: what makes equal texts look different under one key. CBC suites send a "
        + "new one in each record.",
      source: "RFC 5246 section 6.2.3.2", others: ["initialization vector"]),
    Term(
      name: "key",
      meaning: "The secret, or the half of a pair, that a cipher, a MAC or a signature works with. All else "
        + "may be known.",
      source: "RFC 4949 section 4", others: ["cryptographic key"]),
    Term(
      name: "keytool",
      meaning: "The program of Java for keys and certificates: 'keytool -genkey' makes a key pair with a self-signed "
        + "certificate. Unless '-ext' says otherwise, the certificate has a common name and no subjectAltName, which "
        + "iOS 13 and later refuse (L4-08, L14-05).",
      source: "Java SE: keytool", others: ["keytool -genkey", "genkey", "keytool -genkeypair"]),
    Term(
      name: "Kerberos",
      meaning: "A protocol that proves a user by tickets of a third party. HTTP carries it in the scheme Negotiate; "
        + "TrustLab names the scheme and does not play it.",
      source: "RFC 4120; RFC 4559", others: ["Negotiate", "SPNEGO"]),
    Term(
      name: "likely",
      meaning: "How sure a statement about Apple's systems is: it follows from sources that speak of other systems or "
        + "cases, and no source settles this one. It is marked with '~' or 'likely'.",
      source: "docs/limits.md"),
    Term(
      name: "later",
      meaning: "A goal of an attacker that is out of reach now, and within it once a secret leaks: what was recorded "
        + "is read then, or someone passes as the server from that day on.", source: "docs/language.md"),
    Term(
      name: "not-applicable",
      meaning: "A verdict where there is nothing to judge, and the state of a goal where no content was exchanged.",
      source: "docs/language.md"),
    Term(
      name: "plist",
      meaning: "Property list: Apple's format for settings. An app's Info.plist holds the exceptions from App "
        + "Transport Security.",
      source: "Apple: Information Property List", others: ["Info.plist", "property list"]),
    Term(
      name: "refused",
      meaning: "A verdict: a check that decides fails, and the load ends with an error. 'why' names the rule.",
      source: "docs/language.md"),
    Term(
      name: "round trip",
      meaning: "From one side to the other and back. A full handshake of TLS 1.2 takes two before content "
        + "flows, a resumed one takes one.",
      source: "RFC 5246 section 7.3", others: ["round trips"]),
    Term(
      name: "RSADP",
      meaning: "RSA's decryption: m = c^d mod n, with the private exponent d.",
      source: "RFC 8017 section 5.1.2"),
    Term(
      name: "RSAEP",
      meaning: "RSA's encryption: c = m^e mod n, with the public exponent e.",
      source: "RFC 8017 section 5.1.1"),
    Term(
      name: "SecTrustEvaluate",
      meaning: "The function of Apple's Security framework that builds a chain and judges it. Apps of today "
        + "call SecTrustEvaluateWithError.",
      source: "Apple: SecTrust", others: ["SecTrustEvaluateWithError"]),
    Term(
      name: "SecTrustSetVerifyDate",
      meaning: "Has a chain judged as of another date than now. For what was signed and received then; for a "
        + "connection it lets expired certificates pass (chain.verify-date).",
      source: "Apple: SecTrust"),
    Term(
      name: "seed",
      meaning: "What every random value of a run is drawn from: the same seed gives the same bytes on every machine. "
        + "Another thing is 'seed 000' to 'seed 004' among sources: the documents that the curriculum began with.",
      source: "docs/seeds.md", others: ["seed 000", "seed 001", "seed 002", "seed 003", "seed 004"]),
    Term(
      name: "server",
      meaning: "The side that answers a TLS connection, here the host of the URL. It shows a certificate, and "
        + "proves that it has the key.",
      source: "RFC 5246 appendix B"),
    Term(
      name: "TLS",
      meaning: "Transport Layer Security: a handshake that agrees on keys with a server that proved its name, "
        + "and records protected by them.",
      source: "RFC 5246 section 1", others: ["Transport Layer Security"]),
    Term(
      name: "TLSv1.2",
      meaning: "The newest version of TLS that is played here, beside TLSv1.0 and TLSv1.1, and the least that App "
        + "Transport Security takes where no exception lowers it.",
      source: "RFC 5246 section 1", others: ["TLS 1.2"]),
    Term(
      name: "URL Loading System",
      meaning: "What loads URLs for apps on Apple's systems: App Transport Security holds for what goes through it.",
      source: "Apple: URL Loading System"),
    Term(
      name: "URLSession",
      meaning: "The programming interface of the URL Loading System: it asks its delegate about challenges, "
        + "and tells errors as NSURLErrorDomain codes.",
      source: "Apple: URLSession", others: ["NSURLSession"]),
    Term(
      name: "verify_data",
      meaning: "What Finished carries: 12 bytes, computed from the master secret and all handshake messages so far.",
      source: "RFC 5246 section 7.4.9"),
    Term(
      name: "x25519",
      meaning: "Diffie-Hellman on the curve Curve25519: private and public values of 32 bytes.",
      source: "RFC 7748 section 5", others: ["Curve25519"]),
  ]

  /// The terms in Chinese. Most are words of two documents that the curriculum began with (seed 001, seed 004); session key,
  /// hash, cipher suite and certificate authority are those of Microsoft's documentation in Chinese (learn.microsoft.com,
  /// TLS handshake protocol; certificationAuthority), tampering and impersonation those of a widespread account of the three
  /// risks (e-com-net.com/article/1295888455397613568.htm).
  static let chinese = [
    "certificate": "证书", "chain": "证书链", "eavesdropping": "窃听", "forward secrecy": "完全前向保密",
    "handshake": "握手协议", "interceptor": "中间人", "pinning": "证书绑定", "private key": "私钥", "public key": "公钥",
    "root": "根证书", "self-signed certificate": "自签名证书", "signature": "数字签名", "symmetric encryption": "对称加密",
    "two-way authentication": "双向认证", "client": "客户端", "server": "服务器", "session key": "会话密钥",
    "encryption": "加密", "tampering": "篡改", "impersonation": "冒充", "certificate authority": "证书颁发机构",
    "hash": "哈希", "cipher suite": "密码套件", "key": "密钥",
  ]
}
