/// A method to compute a value from others: a function of a standard, or an attack, with its parameters.
///
/// `Execution` performs the computation. Views explain it, or print a command that repeats it.
public enum Method: Sendable, Hashable {
  /// The function PRF(secret, label, seed) (RFC 5246 section 5), or the one that SSL 3.0 has in its place (RFC 6101
  /// sections 5.6.9, 6.1 and 6.2.2).
  case pseudoRandom(PseudoRandomLabel, isSSL3: Bool = false)
  /// The function HKDF-Extract(salt, IKM) (RFC 8446 section 7.1). An input that is not listed is zeros.
  case hkdfExtract
  /// The function HKDF-Expand-Label(secret, label, context, length), including Derive-Secret (RFC 8446 section 7.1).
  ///
  /// Without a second input, the context is empty, or the hash of no messages.
  case hkdfExpandLabel(ExpandLabel)
  /// The function HMAC(finished_key, hash of the transcript) (RFC 8446 section 4.4.4).
  case finishedMAC
  /// The hash of the handshake messages, which the handshake traffic secrets decrypt (RFC 8446 section 4.4.1).
  case transcriptHash
  /// The extraction of these bytes from the key block (RFC 5246 section 6.3).
  case keyBlockPart(Range<Int>)
  /// The extraction of these bytes from a decrypted handshake message.
  case messagePart(Range<Int>)
  /// The extraction of `part` from the decompressed Certificate message (RFC 8879 section 4).
  ///
  /// `body` is the place of the CompressedCertificate in a decrypted handshake message.
  case certificateDecompression(body: Range<Int>, part: Range<Int>)
  /// The reuse of the secret of the session that a connection resumes (RFC 5246 section F.1.4, RFC 8446 section 2.2).
  case resumedSession
  /// The reuse of the secret of a connection that resumes the session.
  case resumingSession
  /// The decryption of the master secret in a ticket with the server's ticket key (RFC 5077 section 4).
  case ticketOpening
  /// The RSAES-PKCS1-v1_5 decryption with the private key (RFC 8017 section 7.2.2).
  case rsaDecryption
  /// The computation of a public key from the private key in the named group (RFC 8422 section 5.10).
  case publicKey(group: String)
  /// The key agreement of a private key and the peer's public key in the named group (RFC 8422 section 5.10).
  case keyAgreement(group: String)
  /// The public key g^x mod p, from a private key x and the group's parameters (RFC 5246 section 7.4.3).
  case finiteFieldPublicKey
  /// The shared secret Y^x mod p without leading zeros (RFC 5246 section 8.1.2).
  ///
  /// x is the private key, and Y is the peer's public key.
  case finiteFieldAgreement
  /// The ML-KEM encapsulation key of a seed d ‖ z (FIPS 203 algorithm 16).
  case mlkemPublicKey
  /// The ciphertext for an encapsulation key, from the randomness m (FIPS 203 algorithm 17).
  case mlkemCiphertext
  /// The shared secret for an encapsulation key, from the randomness m (FIPS 203 algorithm 17).
  case mlkemEncapsulation
  /// The shared secret in a ciphertext, from the seed of the decapsulation key (FIPS 203 algorithm 18).
  case mlkemDecapsulation
  /// The inputs in this order, without separators.
  case concatenation
  /// The decryption of a record with its sender's write key and this cipher (RFC 5246 section 6.2.3).
  ///
  /// `offset` is the number of key stream bytes that earlier records used. Every party can count them.
  case recordOpening(cipher: String, offset: Int = 0)
  /// The recovery of an AES-GCM nonce's implicit part from the write key and a record's tag (NIST SP 800-38D section
  /// 7.1).
  case nonceRecovery
  /// A signature over the handshake messages with this scheme (RFC 5246 section 7.4.8).
  case signature(scheme: String)
  /// The search of all premaster secrets from a generator with this number of random bits, until a record decrypts.
  case premasterSearch(bits: Int)
  /// The search of all premaster secrets from a generator with the time and this number of bits as seed.
  ///
  /// The time is in seconds.
  case seedSearch(bits: Int)
  /// The search of all key pairs from a generator with this number of random bits.
  case keySearch(bits: Int)
  /// The search of all ephemeral keys from a generator with this number of random bits, until the public key matches.
  case ephemeralKeySearch(bits: Int)
  /// The factorisation of an RSA modulus of this size.
  case factoring(bits: Int)
  /// The computation of a Diffie-Hellman private key from the public key, in a finite field of this size.
  case discreteLogarithm(bits: Int)
  /// The factorisation of an RSA modulus of this size with Shor's algorithm on a quantum computer.
  case quantumFactoring(bits: Int)
  /// The discrete logarithm modulo a prime of this size with Shor's algorithm on a quantum computer.
  case quantumLogarithm(bits: Int)
  /// The discrete logarithm on a curve over a field of this size with Shor's algorithm on a quantum computer.
  case quantumCurveLogarithm(curve: String, bits: Int)
  /// The greatest common divisor of two moduli that share a prime.
  case sharedPrime
  /// The private key 1 of a public key on this curve that is its own generator (CVE-2020-0601). Every party knows it.
  case unitKey(curve: String)
  /// The constant output of a broken generator.
  case constant
  /// An earlier output of a broken generator.
  case repetition
  /// The generator output that follows a public one, computed through the generator's back door.
  case nextOutput
  /// Decryption with the help of a server that reveals whether padding is correct (Bleichenbacher, CRYPTO '98).
  case paddingOracle
  /// Decryption by a server that reveals something about padding (Vaudenay, 2002; POODLE, 2014).
  case blockPadding
  /// The Base64 bytes in the member `certificate` of a JSON object in a response (RFC 8259, RFC 4648 section 4).
  case contentDecoding
  /// The decryption of the private key in a PKCS #12 file with the file's passphrase (RFC 7292 section 4).
  case identityFileOpening
  /// An expression of a calculation in its original form.
  case expression(String)

  /// The labels of the pseudorandom function in RFC 5246 and RFC 7627.
  public enum PseudoRandomLabel: String, Sendable, Hashable, CaseIterable {
    case masterSecret = "master secret"
    case extendedMasterSecret = "extended master secret"
    case keyExpansion = "key expansion"
    case clientFinished = "client finished"
    case serverFinished = "server finished"
  }

  /// The labels of HKDF-Expand-Label in RFC 8446, without the prefix `tls13 `.
  public enum ExpandLabel: String, Sendable, Hashable, CaseIterable {
    case derived
    case externalBinder = "ext binder"
    case resumptionBinder = "res binder"
    case clientEarlyTraffic = "c e traffic"
    case earlyExporter = "e exp master"
    case clientHandshakeTraffic = "c hs traffic"
    case serverHandshakeTraffic = "s hs traffic"
    case clientApplicationTraffic = "c ap traffic"
    case serverApplicationTraffic = "s ap traffic"
    case exporterMaster = "exp master"
    case resumptionMaster = "res master"
    case key
    case iv
    case finished
    case trafficUpdate = "traffic upd"
    case resumption
    case exporter
  }

  /// An ability that a party needs in addition to the inputs of a method.
  public enum Capability: String, Sendable, Hashable, CaseIterable {
    /// The party only computes, and sends nothing.
    case passive
    /// The party can read and change traffic on the path.
    case onPath = "on-path"
    /// The party can connect to the server as often as necessary.
    case asksServer = "asks-server"
  }

  /// Whether only attackers use the method. Endpoints obtain the value in another way.
  public var isAttack: Bool {
    switch self {
    case .premasterSearch, .seedSearch, .keySearch, .ephemeralKeySearch, .factoring, .discreteLogarithm,
      .quantumFactoring, .quantumLogarithm, .quantumCurveLogarithm, .sharedPrime, .constant, .repetition, .nextOutput,
      .paddingOracle, .blockPadding, .nonceRecovery:
      true
    case .pseudoRandom, .hkdfExtract, .hkdfExpandLabel, .finishedMAC, .transcriptHash, .keyBlockPart, .messagePart,
      .certificateDecompression, .resumedSession, .resumingSession, .rsaDecryption, .publicKey, .keyAgreement,
      .finiteFieldPublicKey, .finiteFieldAgreement, .mlkemPublicKey, .mlkemCiphertext, .mlkemEncapsulation,
      .mlkemDecapsulation, .concatenation, .ticketOpening, .recordOpening, .signature, .unitKey, .contentDecoding,
      .identityFileOpening, .expression:
      false
    }
  }

  /// Whether the party needs a quantum computer.
  public var needsQuantumComputer: Bool {
    switch self {
    case .quantumFactoring, .quantumLogarithm, .quantumCurveLogarithm: true
    default: false
    }
  }

  /// The capability that the method needs.
  public var capability: Capability { [.paddingOracle, .blockPadding].contains(self) ? .asksServer : .passive }
}

extension Method: CustomStringConvertible {
  /// The method as text for display.
  public var description: String {
    switch self {
    case .pseudoRandom(let label, isSSL3: false): label.function
    case .pseudoRandom(let label, isSSL3: true): label.functionOfSSL3
    case .hkdfExtract: "HKDF-Extract(salt, IKM)"
    case .hkdfExpandLabel(let label): "HKDF-Expand-Label(secret, \"\(label.rawValue)\", context, length)"
    case .finishedMAC: "HMAC(finished_key, Hash(handshake_messages))"
    case .transcriptHash: "Hash(handshake_messages), which the handshake keys decrypt"
    case .keyBlockPart(let range): "key_block[\(range.lowerBound)..<\(range.upperBound)]"
    case .messagePart(let range): "bytes \(range.lowerBound)..<\(range.upperBound) of the message"
    case .certificateDecompression(_, let part):
      "bytes \(part.lowerBound)..<\(part.upperBound) of the decompressed message"
    case .resumedSession: "the secret of the session that the connection resumes"
    case .resumingSession: "the secret of the connection that resumes the session"
    case .ticketOpening: "HMAC-SHA-256, then AES-128-CBC decryption of the ticket"
    case .rsaDecryption: "RSADP, then EME-PKCS1-v1_5 decoding"
    case .publicKey(let group): "\(group) base point"
    case .keyAgreement(let group): "ECDH(\(group))"
    case .finiteFieldPublicKey: "dh_g^x mod dh_p"
    case .finiteFieldAgreement: "Y^x mod dh_p, leading zeros stripped"
    case .mlkemPublicKey: "the encapsulation key of ML-KEM.KeyGen(d, z)"
    case .mlkemCiphertext: "the ciphertext of ML-KEM.Encaps(ek, m)"
    case .mlkemEncapsulation: "the shared secret of ML-KEM.Encaps(ek, m)"
    case .mlkemDecapsulation: "ML-KEM.Decaps(dk, c), with the key of ML-KEM.KeyGen(d, z)"
    case .concatenation: "concatenation"
    case .recordOpening(let cipher, 0): "\(cipher) decryption"
    case .recordOpening(let cipher, let offset): "\(cipher) decryption from byte \(offset) of the key stream"
    case .nonceRecovery: "AES decryption of (tag xor GHASH), whose first bytes are the IV"
    case .signature(let scheme): "\(scheme)(handshake_messages)"
    case .premasterSearch(let bits): "search through 2^\(bits) values until the record decrypts"
    case .seedSearch(let bits): "search through 2^\(bits) seeds for that second until the record decrypts"
    case .keySearch(let bits): "search through the 2^\(bits) keys that the generator can produce"
    case .ephemeralKeySearch(let bits): "search through 2^\(bits) private keys until the public key matches"
    case .factoring(let bits): "factoring of the \(bits)-bit modulus"
    case .discreteLogarithm(let bits): "discrete logarithm modulo the \(bits)-bit dh_p"
    case .quantumFactoring(let bits): "Shor's algorithm on the \(bits)-bit modulus"
    case .quantumLogarithm(let bits): "Shor's algorithm modulo the \(bits)-bit prime"
    case .quantumCurveLogarithm(let curve, _): "Shor's algorithm on the curve of \(curve)"
    case .sharedPrime: "gcd of two moduli, which is a prime factor of both"
    case .unitKey: "1, because the public key is the generator of its own curve"
    case .constant: "the constant output, which is public"
    case .repetition: "a repetition of an earlier output"
    case .nextOutput: "the generator's next output, through its back door"
    case .paddingOracle: "Bleichenbacher's attack with the server's responses"
    case .blockPadding: "records whose padding an attacker replaced, and the server's reactions to them"
    case .contentDecoding: "Base64 decoding of 'certificate' in the response's JSON"
    case .identityFileOpening: "PKCS #12: derivation of the MAC key and file keys from the passphrase, then decryption"
    case .expression(let text): text
    }
  }

  /// A stable identifier for programs, such as `prf` or `rsa-decryption`.
  public var id: String {
    switch self {
    case .pseudoRandom: "prf"
    case .hkdfExtract: "hkdf-extract"
    case .hkdfExpandLabel: "hkdf-expand-label"
    case .finishedMAC: "finished-mac"
    case .transcriptHash: "transcript-hash"
    case .keyBlockPart: "key-block-part"
    case .messagePart: "message-part"
    case .certificateDecompression: "certificate-decompression"
    case .resumedSession: "resumed-session"
    case .resumingSession: "resuming-session"
    case .ticketOpening: "ticket-opening"
    case .rsaDecryption: "rsa-decryption"
    case .publicKey: "public-key"
    case .keyAgreement: "key-agreement"
    case .finiteFieldPublicKey: "dh-public-key"
    case .finiteFieldAgreement: "dh-key-agreement"
    case .mlkemPublicKey: "mlkem-public-key"
    case .mlkemCiphertext: "mlkem-ciphertext"
    case .mlkemEncapsulation: "mlkem-encapsulation"
    case .mlkemDecapsulation: "mlkem-decapsulation"
    case .concatenation: "concatenation"
    case .recordOpening: "record-opening"
    case .nonceRecovery: "nonce-recovery"
    case .signature: "signature"
    case .premasterSearch: "premaster-search"
    case .seedSearch: "seed-search"
    case .keySearch: "key-search"
    case .ephemeralKeySearch: "ephemeral-key-search"
    case .factoring: "factoring"
    case .discreteLogarithm: "discrete-logarithm"
    case .quantumFactoring: "quantum-factoring"
    case .quantumLogarithm: "quantum-logarithm"
    case .quantumCurveLogarithm: "quantum-curve-logarithm"
    case .sharedPrime: "shared-prime"
    case .unitKey: "unit-key"
    case .constant: "constant"
    case .repetition: "repetition"
    case .nextOutput: "next-output"
    case .paddingOracle: "padding-oracle"
    case .blockPadding: "block-padding"
    case .contentDecoding: "content-decoding"
    case .identityFileOpening: "identity-file-opening"
    case .expression: "expression"
    }
  }
}

extension Method.PseudoRandomLabel {
  /// The complete function call, with its inputs as named in the RFC.
  fileprivate var function: String {
    switch self {
    case .masterSecret: "PRF(premaster_secret, \"\(rawValue)\", client_random + server_random)"
    case .extendedMasterSecret: "PRF(premaster_secret, \"\(rawValue)\", session_hash)"
    case .keyExpansion: "PRF(master_secret, \"\(rawValue)\", server_random + client_random)"
    case .clientFinished, .serverFinished:
      "PRF(master_secret, \"\(rawValue)\", Hash(handshake_messages))[0..<12]"
    }
  }

  /// The same in SSL 3.0, which has neither labels nor the extended master secret.
  fileprivate var functionOfSSL3: String {
    switch self {
    case .masterSecret, .extendedMasterSecret:
      "MD5(premaster_secret + SHA-1(\"A\" + premaster_secret + client_random + server_random)), then the same with "
        + "\"BB\" and \"CCC\""
    case .keyExpansion:
      "MD5(master_secret + SHA-1(\"A\" + master_secret + server_random + client_random)), then the same with \"BB\", "
        + "\"CCC\" and so on"
    case .clientFinished, .serverFinished:
      "MD5(master_secret + pad_2 + MD5(handshake_messages + sender + master_secret + pad_1)), then the same with SHA-1"
    }
  }
}
