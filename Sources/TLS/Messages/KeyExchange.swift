import Explanation
import Wire

/// The server's ephemeral key, signed: RFC 5246 section 7.4.3, RFC 8422 section 5.4.
///
/// ```
/// struct { ServerECDHParams params; Signature signed_params; } ServerKeyExchange;
/// ```
public enum ServerKeyExchange: Sendable, Hashable {
  /// Elliptic-curve parameters.
  case ecdhe(SignedECDHParameters)
  /// The parameters of a key exchange this package does not run.
  case opaque([UInt8])

  /// The parameters and the signature over them and both hello randoms.
  public struct SignedECDHParameters: Sendable, Hashable {
    /// The group and the server's point on it.
    public var parameters: ServerECDHParameters
    /// How `signature` was made.
    public var algorithm: SignatureAndHashAlgorithm
    /// The signature with the key of the server's certificate.
    public var signature: [UInt8]

    /// Parameters signed with `algorithm`.
    public init(parameters: ServerECDHParameters, algorithm: SignatureAndHashAlgorithm, signature: [UInt8]) {
      self.parameters = parameters
      self.algorithm = algorithm
      self.signature = signature
    }
  }

  init(_ reader: inout Reader, _ negotiated: Negotiated?) throws(WireError) {
    guard [.ecdheRSA, .ecdheECDSA].contains(negotiated?.suite.keyExchange) else {
      self = .opaque(try reader.rest("params"))
      return
    }
    let parameters = try reader.structure("params") { (reader) throws(WireError) in
      try ServerECDHParameters(&reader)
    }
    let algorithm = try SignatureAndHashAlgorithm(&reader, "algorithm")
    let signature = try reader.opaque("signature", 0...0xffff)
    self = .ecdhe(SignedECDHParameters(parameters: parameters, algorithm: algorithm, signature: signature))
  }

  func write(to writer: inout Writer) throws(WireError) {
    switch self {
    case .ecdhe(let signed):
      try signed.parameters.write(to: &writer)
      writer.uint16(signed.algorithm.rawValue)
      try writer.opaque("signature", 0...0xffff, signed.signature)
    case .opaque(let bytes): writer.raw(bytes)
    }
  }
}

/// The group and the server's point on it: RFC 8422 section 5.4.
///
/// ```
/// struct { ECParameters curve_params; ECPoint public; } ServerECDHParams;
/// ```
public struct ServerECDHParameters: Sendable, Hashable {
  /// The group, always a named one (`curve_type` 3).
  public var group: NamedGroup
  /// The server's public key: `server_ecdh_public`.
  public var publicKey: [UInt8]

  /// The parameters of a named group.
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

  /// The bytes of the structure, as they are signed. Throws when the point is too long.
  public func encoded() throws(WireError) -> [UInt8] {
    var writer = Writer()
    try write(to: &writer)
    return writer.bytes
  }
}

/// The client's part of the premaster secret: RFC 5246 section 7.4.7, RFC 8422 section 5.7.
public enum ClientKeyExchange: Sendable, Hashable {
  /// `EncryptedPreMasterSecret`: the premaster secret, encrypted to the server's RSA key.
  case rsa(encryptedPremasterSecret: [UInt8])
  /// `ClientECDiffieHellmanPublic`: the client's point, `client_ecdh_public`.
  case ecdhe(publicKey: [UInt8])
  /// The message of a key exchange this package does not run.
  case opaque([UInt8])

  init(_ reader: inout Reader, _ negotiated: Negotiated?) throws(WireError) {
    switch negotiated?.suite.keyExchange {
    case .rsa:
      self = .rsa(encryptedPremasterSecret: try reader.opaque("encrypted_premaster_secret", 0...0xffff))
    case .ecdheRSA, .ecdheECDSA: self = .ecdhe(publicKey: try reader.opaque("ecdh_Yc", 1...0xff))
    default: self = .opaque(try reader.rest("exchange_keys"))
    }
  }

  func write(to writer: inout Writer) throws(WireError) {
    switch self {
    case .rsa(let encrypted): try writer.opaque("encrypted_premaster_secret", 0...0xffff, encrypted)
    case .ecdhe(let publicKey): try writer.opaque("ecdh_Yc", 1...0xff, publicKey)
    case .opaque(let bytes): writer.raw(bytes)
    }
  }
}

/// Proof that both sides saw the same handshake and hold the same secret: RFC 5246 section 7.4.9.
public struct Finished: Sendable, Hashable {
  /// Twelve bytes of the pseudo-random function over the hash of all handshake messages before this one.
  public var verifyData: [UInt8]

  /// A message with this proof.
  public init(verifyData: [UInt8]) { self.verifyData = verifyData }

  /// `verify_data_length` of all suites of RFC 5246.
  public static let verifyDataLength = 12

  init(_ reader: inout Reader) throws(WireError) {
    verifyData = try reader.bytes("verify_data", count: Self.verifyDataLength)
  }

  func write(to writer: inout Writer) { writer.raw(verifyData) }
}
