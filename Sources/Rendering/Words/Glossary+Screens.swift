// Terms that appear on the screens of runs.
extension Glossary {
  static let screenTerms = [
    Term(
      name: "accepted",
      meaning: "A verdict: the client loads the URL, because every deciding check passes or an exception applies. It "
        + "does not mean that the connection is confidential.",
      source: "docs/language.md"),
    Term(
      name: "AES",
      meaning: "The cipher of most suites. With a key of 128 or 256 bits it encrypts and decrypts blocks of 16 bytes.",
      source: "FIPS 197", others: ["Advanced Encryption Standard", "AES-128", "AES-256"]),
    Term(
      name: "clear",
      meaning: "Not encrypted: every party on the path can read it.",
      source: "RFC 4949 section 4",
      others: ["in the clear", "clear text", "cleartext"]),
    Term(
      name: "client",
      meaning: "The side that opens a TLS connection, here the app. It checks the server's certificate and usually "
        + "presents none of its own.",
      source: "RFC 5246 appendix B"),
    Term(
      name: "certain",
      meaning: "The highest confidence of a statement about Apple's systems: documentation, open source or an "
        + "observation proves it.",
      source: "docs/limits.md", others: ["confidence"]),
    Term(
      name: "counting",
      meaning: "A seed without randomness: the random values of a run are the bytes 00 01 02 03 and so on, so that "
        + "they are easy to recognise. A real client must never do this.",
      source: "docs/language.md"),
    Term(
      name: "EME-PKCS1-v1_5",
      meaning: "The padding for RSA encryption in TLS: 00 02, random bytes, 00, and the premaster secret.",
      source: "RFC 8017 section 7.2", others: ["PKCS1-v1_5", "PKCS #1 v1.5"]),
    Term(
      name: "encryption",
      meaning: "The transformation of data, with a key, into data that reveals nothing without the key. It hides the "
        + "content; it does not show who sent it.",
      source: "RFC 4949 section 4", others: ["encrypt"]),
    Term(
      name: "GCM",
      meaning:
        "A mode of AES that encrypts and authenticates in one step. Suites whose names end in GCM_SHA256 or GCM_SHA384 "
        + "use it.",
      source: "RFC 5288 section 3", others: ["Galois/Counter Mode", "AES-GCM"]),
    Term(
      name: "hangs",
      meaning:
        "A verdict: no check refuses the connection, but no data arrives, and the client waits until its timeout.",
      source: "docs/language.md"),
    Term(
      name: "HMAC",
      meaning: "A MAC that is computed with a hash function and a key. The PRF of TLS 1.2 also uses it.",
      source: "RFC 2104 section 2"),
    Term(
      name: "iOS",
      meaning: "Apple's operating system for iPhone. App Transport Security has been enforced since iOS 9. The "
        + "requirements changed between versions: 'matrix os' shows how.",
      source: "Apple: NSAppTransportSecurity"),
    Term(
      name: "IV",
      meaning: "Initialization vector: a value that makes equal plaintexts encrypt differently under the same key. "
        + "CBC suites of TLS 1.1 and later send a new one in each record.",
      source: "RFC 5246 section 6.2.3.2", others: ["initialization vector"]),
    Term(
      name: "key",
      meaning: "The secret value, or the half of a key pair, that a cipher, a MAC or a signature depends on. "
        + "Everything else may be public.",
      source: "RFC 4949 section 4", others: ["cryptographic key"]),
    Term(
      name: "keytool",
      meaning: "Java's program for keys and certificates. 'keytool -genkey' generates a key pair with a self-signed "
        + "certificate. Without '-ext', the certificate has a common name but no subjectAltName. iOS 13 and later "
        + "refuse such a certificate (L4-08, L14-05).",
      source: "Java SE: keytool", others: ["keytool -genkey", "genkey", "keytool -genkeypair"]),
    Term(
      name: "Kerberos",
      meaning: "A protocol that authenticates a user with tickets from a third party. HTTP carries it in the Negotiate "
        + "scheme. TrustLab knows the scheme but does not simulate it.",
      source: "RFC 4120; RFC 4559", others: ["Negotiate", "SPNEGO"]),
    Term(
      name: "likely",
      meaning:
        "A lower confidence of a statement about Apple's systems: it follows from sources about other systems or "
        + "cases, and no source proves it directly. Screens mark it with '~' or 'likely'.",
      source: "docs/limits.md"),
    Term(
      name: "later",
      meaning:
        "The state of an attacker's goal that is out of reach now and comes within reach when a secret leaks. The "
        + "attacker then reads recorded traffic, or acts as the server from that day on.",
      source: "docs/language.md"),
    Term(
      name: "not-applicable",
      meaning: "The verdict if there is nothing to evaluate, and the state of a goal if no content was exchanged.",
      source: "docs/language.md"),
    Term(
      name: "plist",
      meaning: "Property list: Apple's file format for settings. An app's Info.plist contains its exceptions to App "
        + "Transport Security.",
      source: "Apple: Information Property List", others: ["Info.plist", "property list"]),
    Term(
      name: "refused",
      meaning: "A verdict: a deciding check fails, and the load ends with an error. 'why' names the rule.",
      source: "docs/language.md"),
    Term(
      name: "round trip",
      meaning:
        "A message from one side to the other side, and the response. A full TLS 1.2 handshake takes two round trips "
        + "before any content. A resumed handshake takes one.",
      source: "RFC 5246 section 7.3", others: ["round trips"]),
    Term(
      name: "RSADP",
      meaning: "RSA's decryption primitive: m = c^d mod n, with the private exponent d.",
      source: "RFC 8017 section 5.1.2"),
    Term(
      name: "RSAEP",
      meaning: "RSA's encryption primitive: c = m^e mod n, with the public exponent e.",
      source: "RFC 8017 section 5.1.1"),
    Term(
      name: "SecTrustEvaluate",
      meaning: "The function of Apple's Security framework that builds and evaluates a chain. Current apps call "
        + "SecTrustEvaluateWithError.",
      source: "Apple: SecTrust", others: ["SecTrustEvaluateWithError"]),
    Term(
      name: "SecTrustSetVerifyDate",
      meaning:
        "Sets the date for which a chain is evaluated. It is meant for data that was signed and received at that date. "
        + "For a connection, it makes expired certificates pass (chain.verify-date).",
      source: "Apple: SecTrust"),
    Term(
      name: "seed",
      meaning: "The value from which every random value of a run is computed. The same seed gives the same bytes on "
        + "every machine. In sources, 'seed 000' to 'seed 004' are the documents on which the curriculum is based.",
      source: "docs/seeds.md", others: ["seed 000", "seed 001", "seed 002", "seed 003", "seed 004"]),
    Term(
      name: "server",
      meaning: "The side that accepts a TLS connection, here the host of the URL. It presents a certificate and "
        + "proves that it has the private key.",
      source: "RFC 5246 appendix B"),
    Term(
      name: "TLS",
      meaning: "Transport Layer Security: a handshake that agrees on keys with a server that proved its name, and "
        + "records protected by those keys.",
      source: "RFC 5246 section 1", others: ["Transport Layer Security"]),
    Term(
      name: "TLSv1.3",
      meaning:
        "The version of TLS after 1.2. It encrypts every message after ServerHello. Its key exchange is ephemeral, "
        + "except with a pre-shared key alone.",
      source: "RFC 8446", others: ["TLS 1.3"]),
    Term(
      name: "TLSv1.2",
      meaning:
        "The newest version of TLS that TrustLab simulates in full, next to TLSv1.0 and TLSv1.1. It is the minimum of "
        + "App Transport Security without an exception.",
      source: "RFC 5246 section 1", others: ["TLS 1.2"]),
    Term(
      name: "URL Loading System",
      meaning: "The part of Apple's systems that loads URLs for apps. App Transport Security applies to its loads.",
      source: "Apple: URL Loading System"),
    Term(
      name: "URLSession",
      meaning: "The API of the URL Loading System. It passes challenges to its delegate and reports errors as "
        + "NSURLErrorDomain codes.",
      source: "Apple: URLSession", others: ["NSURLSession"]),
    Term(
      name: "verify_data",
      meaning: "The content of Finished: 12 bytes, computed from the master secret and all handshake messages before "
        + "it.",
      source: "RFC 5246 section 7.4.9"),
    Term(
      name: "secp256r1",
      meaning: "An elliptic curve of NIST for key exchange and signatures, also called P-256. The curves secp384r1 and "
        + "secp521r1 are longer.",
      source: "FIPS 186-4 appendix D.1.2, RFC 8422 section 5.1.1",
      others: ["P-256", "prime256v1", "secp384r1", "P-384", "secp521r1", "P-521"]),
    Term(
      name: "x25519",
      meaning: "Diffie-Hellman on Curve25519, with private and public values of 32 bytes.",
      source: "RFC 7748 section 5", others: ["Curve25519"]),
  ]

  /// The terms in Chinese.
  ///
  /// Most are from seed 001 and seed 004. Session key, hash, cipher suite and certificate authority are from Microsoft's
  /// documentation in Chinese (learn.microsoft.com, TLS handshake protocol; certificationAuthority). Tampering and
  /// impersonation are from an article about the three risks (e-com-net.com/article/1295888455397613568.htm).
  static let chinese = [
    "certificate": "证书", "chain": "证书链", "eavesdropping": "窃听", "forward secrecy": "完全前向保密",
    "handshake": "握手协议", "interceptor": "中间人", "pinning": "证书绑定", "private key": "私钥", "public key": "公钥",
    "root": "根证书", "self-signed certificate": "自签名证书", "signature": "数字签名", "symmetric encryption": "对称加密",
    "two-way authentication": "双向认证", "client": "客户端", "server": "服务器", "session key": "会话密钥",
    "encryption": "加密", "tampering": "篡改", "impersonation": "冒充", "certificate authority": "证书颁发机构",
    "hash": "哈希", "cipher suite": "密码套件", "key": "密钥",
  ]
}
