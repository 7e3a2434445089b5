import Cryptography
import Explanation
import Wire

/// The server's signed ephemeral key (RFC 5246 section 7.4.3, RFC 8422 section 5.4).
///
/// ```
/// struct { ServerECDHParams params; Signature signed_params; } ServerKeyExchange;     for ECDHE
/// struct { ServerDHParams params; Signature signed_params; } ServerKeyExchange;       for DHE; DH_anon signs nothing
/// ```
public enum ServerKeyExchange: Sendable, Hashable {
  /// The parameters of an ephemeral key exchange.
  case ephemeral(SignedParameters)
  /// The undecoded parameters of a key exchange that is not implemented.
  case opaque([UInt8])

  /// Ephemeral parameters, and the signature over them and both random values.
  public struct SignedParameters: Sendable, Hashable {
    /// The group, and the server's public key in the group.
    public var parameters: ServerParameters
    /// The signature by the key of the server's certificate; nil for DH_anon.
    public var signature: DigitallySigned?

    /// Creates signed parameters; unsigned ones if the signature is nil.
    public init(_ parameters: ServerParameters, _ signature: DigitallySigned?) {
      self.parameters = parameters
      self.signature = signature
    }
  }

  init(_ reader: inout Reader, _ negotiated: Negotiated?) throws(WireError) {
    guard let negotiated, let kind = negotiated.suite.keyExchange.ephemeralKind else {
      self = .opaque(try reader.rest("params"))
      return
    }
    let parameters = try reader.structure("params") { (reader) throws(WireError) -> ServerParameters in
      switch kind {
      case .ellipticCurve: .ecdh(try ServerECDHParameters(&reader))
      case .finiteField: .dh(try ServerDHParameters(&reader))
      }
    }
    let isSigned = negotiated.suite.keyExchange != .dhAnonymous
    self = .ephemeral(SignedParameters(parameters, isSigned ? try DigitallySigned(&reader, negotiated) : nil))
  }

  func write(to writer: inout Writer) throws(WireError) {
    switch self {
    case .ephemeral(let signed):
      try signed.parameters.write(to: &writer)
      try signed.signature?.write(to: &writer)
    case .opaque(let bytes): writer.raw(bytes)
    }
  }
}

/// Decodes and encodes signatures, which include their algorithm from TLS 1.2 on (RFC 5246 section 4.7).
extension DigitallySigned {
  init(_ reader: inout Reader, _ negotiated: Negotiated?) throws(WireError) {
    let isNamed = negotiated?.namesSignatureAlgorithms ?? true
    self.init(
      algorithm: isNamed ? try SignatureAndHashAlgorithm(&reader, "algorithm") : nil,
      signature: try reader.opaque("signature", 0...0xffff))
  }

  func write(to writer: inout Writer) throws(WireError) {
    if let algorithm { writer.uint16(algorithm.rawValue) }
    try writer.opaque("signature", 0...0xffff, signature)
  }
}

/// A group, and the server's public key in the group.
public enum ServerParameters: Sendable, Hashable {
  /// The parameters of ECDHE.
  case ecdh(ServerECDHParameters)
  /// The parameters of DHE.
  case dh(ServerDHParameters)

  /// The named group; nil if the group has no name.
  public var group: NamedGroup? {
    switch self {
    case .ecdh(let parameters): parameters.group
    case .dh(let parameters): parameters.group
    }
  }

  /// The server's public key: `server_ecdh_public` or `server_dh_public`.
  public var publicKey: [UInt8] {
    switch self {
    case .ecdh(let parameters): parameters.publicKey
    case .dh(let parameters): parameters.publicKey
    }
  }

  func write(to writer: inout Writer) throws(WireError) {
    switch self {
    case .ecdh(let parameters): try parameters.write(to: &writer)
    case .dh(let parameters): try parameters.write(to: &writer)
    }
  }

  /// The encoded parameters, which the server signs. Throws if a part is too long.
  public func encoded() throws(WireError) -> [UInt8] {
    var writer = Writer()
    try write(to: &writer)
    return writer.bytes
  }

  /// The content that the server signs: ClientHello.random + ServerHello.random + params (RFC 5246 section 7.4.3, RFC
  /// 8422 section 5.4).
  func signedContent(clientRandom: [UInt8], serverRandom: [UInt8]) throws(WireError) -> [UInt8] {
    clientRandom + serverRandom + (try encoded())
  }
}

/// The elliptic curve and the server's point on it (RFC 8422 section 5.4).
///
/// ```
/// struct { ECParameters curve_params; ECPoint public; } ServerECDHParams;
/// ```
public struct ServerECDHParameters: Sendable, Hashable {
  /// The group, which is always a named group (`curve_type` 3).
  public var group: NamedGroup
  /// The server's public key: `server_ecdh_public`.
  public var publicKey: [UInt8]

  /// Creates the parameters of a named group.
  public init(group: NamedGroup, publicKey: [UInt8]) {
    self.group = group
    self.publicKey = publicKey
  }

  init(_ reader: inout Reader) throws(WireError) {
    let start = reader.offset
    let type = try reader.uint8("curve_type") { $0 == 3 ? "named_curve (3)" : String($0) }
    guard type == 3 else {
      throw WireError(offset: start, field: "curve_type", .value(Int(type), expected: "named_curve (3)"))
    }
    group = try NamedGroup(&reader, "namedcurve")
    publicKey = try reader.opaque("public", 1...0xff)
  }

  func write(to writer: inout Writer) throws(WireError) {
    writer.uint8(3)
    writer.uint16(group.rawValue)
    try writer.opaque("public", 1...0xff, publicKey)
  }
}

/// The DH group and the server's public key in it (RFC 5246 section 7.4.3). The server sends the group's parameters.
///
/// ```
/// struct { opaque dh_p<1..2^16-1>; opaque dh_g<1..2^16-1>; opaque dh_Ys<1..2^16-1>; } ServerDHParams;
/// ```
public struct ServerDHParameters: Sendable, Hashable {
  /// The prime modulus.
  public var prime: [UInt8]
  /// The generator.
  public var generator: [UInt8]
  /// The server's public key: `server_dh_public`.
  public var publicKey: [UInt8]

  /// Creates the parameters of a group from big-endian integers.
  public init(prime: [UInt8], generator: [UInt8], publicKey: [UInt8]) {
    self.prime = prime
    self.generator = generator
    self.publicKey = publicKey
  }

  init(_ reader: inout Reader) throws(WireError) {
    prime = try reader.opaque("dh_p", 1...0xffff) { "\(Natural(bigEndian: $0).bitWidth) bits" }
    generator = try reader.opaque("dh_g", 1...0xffff)
    publicKey = try reader.opaque("dh_Ys", 1...0xffff)
  }

  func write(to writer: inout Writer) throws(WireError) {
    try writer.opaque("dh_p", 1...0xffff, prime)
    try writer.opaque("dh_g", 1...0xffff, generator)
    try writer.opaque("dh_Ys", 1...0xffff, publicKey)
  }
}

/// The client's part of the key exchange (RFC 5246 section 7.4.7, RFC 8422 section 5.7).
///
/// In SSL 3.0, an encrypted premaster secret has no length prefix (as noted in RFC 5246 section 7.4.7.1).
public enum ClientKeyExchange: Sendable, Hashable {
  /// `EncryptedPreMasterSecret`: the premaster secret, encrypted with the server's RSA key.
  case rsa(encryptedPremasterSecret: [UInt8])
  /// `ClientECDiffieHellmanPublic`: the client's point, `client_ecdh_public`.
  case ecdhe(publicKey: [UInt8])
  /// `ClientDiffieHellmanPublic`: the client's public key, `client_dh_public`.
  case dhe(publicKey: [UInt8])
  /// The undecoded message of a key exchange that is not implemented.
  case opaque([UInt8])

  init(_ reader: inout Reader, _ negotiated: Negotiated?) throws(WireError) {
    switch negotiated?.suite.keyExchange {
    case .rsa where negotiated?.version == .sslv3:
      self = .rsa(encryptedPremasterSecret: try reader.rest("encrypted_premaster_secret"))
    case .rsa:
      self = .rsa(encryptedPremasterSecret: try reader.opaque("encrypted_premaster_secret", 0...0xffff))
    case .ecdheRSA, .ecdheECDSA: self = .ecdhe(publicKey: try reader.opaque("ecdh_Yc", 1...0xff))
    case .dheRSA, .dhAnonymous: self = .dhe(publicKey: try reader.opaque("dh_Yc", 1...0xffff))
    default: self = .opaque(try reader.rest("exchange_keys"))
    }
  }

  func write(to writer: inout Writer, _ negotiated: Negotiated?) throws(WireError) {
    switch self {
    case .rsa(let encrypted) where negotiated?.version == .sslv3: writer.raw(encrypted)
    case .rsa(let encrypted): try writer.opaque("encrypted_premaster_secret", 0...0xffff, encrypted)
    case .ecdhe(let publicKey): try writer.opaque("ecdh_Yc", 1...0xff, publicKey)
    case .dhe(let publicKey): try writer.opaque("dh_Yc", 1...0xffff, publicKey)
    case .opaque(let bytes): writer.raw(bytes)
    }
  }
}

/// The proof that both sides have the same handshake messages and secret (RFC 5246 section 7.4.9).
public struct Finished: Sendable, Hashable {
  /// The first twelve bytes of the pseudorandom function over the hash of all earlier handshake messages.
  ///
  /// In SSL 3.0, an MD5 and a SHA-1 digest. In TLS 1.3, a whole HMAC (RFC 8446 section 4.4.4).
  public var verifyData: [UInt8]

  /// Creates a message with this proof.
  public init(verifyData: [UInt8]) { self.verifyData = verifyData }

  /// The `verify_data_length` of all suites in RFC 5246.
  public static let verifyDataLength = 12

  init(_ reader: inout Reader, _ negotiated: Negotiated?) throws(WireError) {
    if let hash = negotiated?.suite.hash13, negotiated?.version == .tls13 {
      verifyData = try reader.bytes("verify_data", count: hash.digestSize)
      return
    }
    // RFC 6101 section 5.6.9: struct { opaque md5_hash[16]; opaque sha_hash[20]; } Finished.
    verifyData =
      negotiated?.version == .sslv3
      ? try reader.bytes("md5_hash", count: Hash.md5.digestSize)
        + reader.bytes("sha_hash", count: Hash.sha1.digestSize)
      : try reader.bytes("verify_data", count: Self.verifyDataLength)
  }

  func write(to writer: inout Writer) { writer.raw(verifyData) }
}
