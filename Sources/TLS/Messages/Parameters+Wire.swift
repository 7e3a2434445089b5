import Cryptography
import Explanation
import Wire

extension ProtocolVersion {
  /// Decodes a version of two bytes (RFC 5246 section 6.2.1).
  init(_ reader: inout Reader, _ name: String) throws(WireError) {
    self.init(rawValue: try reader.uint16(name) { ProtocolVersion(rawValue: $0).named })
  }

  /// The name with the code point, such as `TLSv1.2 (0x0303)`.
  var named: String { Self.known.contains(self) ? "\(description) (\(rawValue.codePoint))" : description }
}

extension CipherSuite {
  /// Decodes a suite of two bytes (RFC 5246 section 7.4.1.2).
  init(_ reader: inout Reader) throws(WireError) {
    self.init(rawValue: try reader.uint16("cipher_suite") { CipherSuite(rawValue: $0).named })
  }

  /// The name with the code point, such as `TLS_RSA_WITH_AES_128_GCM_SHA256 (0x009c)`.
  var named: String { registration == nil ? description : "\(description) (\(rawValue.codePoint))" }
}

extension NamedGroup {
  /// The name with the code point, such as `x25519 (0x001d)`.
  var named: String {
    description == rawValue.unregisteredName ? description : "\(description) (\(rawValue.codePoint))"
  }

  /// Decodes a group of two bytes (RFC 8422 section 5.1.1).
  init(_ reader: inout Reader, _ name: String) throws(WireError) {
    self.init(rawValue: try reader.uint16(name) { NamedGroup(rawValue: $0).named })
  }
}

extension SignatureAndHashAlgorithm {
  /// Decodes one byte for the hash and one for the signature (RFC 5246 section 7.4.1.4.1).
  ///
  /// Later algorithms have a single code point (RFC 8446 section 4.2.3), whose separate bytes have no meaning and are no
  /// fields.
  init(_ reader: inout Reader, _ name: String) throws(WireError) {
    self = try reader.structure(name, meaning: \.named) { (reader) throws(WireError) in
      let hash = try reader.uint8("hash") { Self.name($0, Self.hashes) }
      let signature = try reader.uint8("signature") { Self.name($0, Self.signatures) }
      return SignatureAndHashAlgorithm(rawValue: UInt16(hash) << 8 | UInt16(signature))
    }
    if !Self.hashes.indices.contains(Int(hash)) || !Self.signatures.indices.contains(Int(signature)) {
      reader.dropParts(of: name)
    }
  }

  /// The name with the code point, such as `rsa_pkcs1_sha256 (0x0401)`.
  var named: String { scheme == nil ? description : "\(description) (\(rawValue.codePoint))" }

  private static let hashes = ["none", "md5", "sha1", "sha224", "sha256", "sha384", "sha512"]
  private static let signatures = ["anonymous", "rsa", "dsa", "ecdsa"]

  private static func name(_ byte: UInt8, _ names: [String]) -> String {
    names.indices.contains(Int(byte)) ? "\(names[Int(byte)]) (\(byte))" : byte.codePoint
  }
}

extension Reader {
  /// Decodes 32 bytes (RFC 5246 section 7.4.1.2): a time and 28 random bytes. In TLS 1.3, they have no parts.
  mutating func random() throws(WireError) -> [UInt8] {
    try structure("random") { (reader) throws(WireError) in
      let time = try reader.bytes("gmt_unix_time", count: 4) { bytes in
        Instant(secondsSince1970: bytes.reduce(0) { $0 << 8 | Int64($1) }).description
      }
      return time + (try reader.bytes("random_bytes", count: 28))
    }
  }

  /// Decodes a compression method, of which 0 is `null` (RFC 3749 section 2).
  mutating func compressionMethod() throws(WireError) -> UInt8 {
    try uint8("compression_method") { $0 == 0 ? "null (0)" : String($0) }
  }
}
