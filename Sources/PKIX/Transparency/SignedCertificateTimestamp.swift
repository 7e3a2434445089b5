import Cryptography
import Explanation
import Wire

/// An SCT, in which a log promises to include a certificate: SignedCertificateTimestamp (RFC 6962 section 3.2).
public struct SignedCertificateTimestamp: Sendable, Hashable {
  /// The SHA-256 of the log's whole SubjectPublicKeyInfo.
  public let logID: [UInt8]
  /// Milliseconds since 1970.
  public let timestamp: UInt64
  /// The extensions of the SCT: CtExtensions. RFC 6962 does not define any.
  public let extensions: [UInt8]
  /// The signature of the log.
  public let signature: DigitallySigned

  /// Creates an SCT from its parts.
  public init(logID: [UInt8], timestamp: UInt64, extensions: [UInt8] = [], signature: DigitallySigned) {
    self.logID = logID
    self.timestamp = timestamp
    self.extensions = extensions
    self.signature = signature
  }

  /// Reads one SCT. `bytes` must contain no other data.
  public init(bytes: [UInt8]) throws(SCTError) {
    guard let version = bytes.first else { throw .malformed("empty") }
    guard version == 0 else { throw .unsupportedVersion(version) }
    do throws(WireError) {
      var reader = Reader(bytes, isRecording: false)
      _ = try reader.uint8("sct_version")
      logID = try reader.bytes("id", count: 32)
      timestamp = try reader.bytes("timestamp", count: 8).reduce(0) { $0 << 8 | UInt64($1) }
      extensions = try reader.opaque("extensions", 0...0xffff)
      signature = try DigitallySigned(&reader)
      try reader.finish("SignedCertificateTimestamp")
    } catch {
      throw .malformed("\(error)")
    }
  }

  /// The encoding.
  public var bytes: [UInt8] {
    [0] + logID + timestamp.octets + extensions.prefixed(2) + signature.bytes
  }

  /// Returns the octets that a log signs for `entry`.
  public func signedOctets(_ entry: LogEntry) -> [UInt8] { entry.timestamped(timestamp, extensions: extensions) }
}

/// The signatures of logs (RFC 6962 section 3.2).
extension DigitallySigned {
  /// Reads one signature. `bytes` must contain no other data.
  public init(bytes: [UInt8]) throws(WireError) {
    var reader = Reader(bytes, isRecording: false)
    try self.init(&reader)
    try reader.finish("DigitallySigned")
  }

  /// Reads a signature. Both algorithm fields have the value ranges of RFC 5246 section 7.4.1.4.1.
  init(_ reader: inout Reader) throws(WireError) {
    let start = reader.offset
    let read = SignatureAndHashAlgorithm(rawValue: try reader.uint16("algorithm"))
    guard read.hash <= 6, read.signature <= 3 else {
      throw WireError(offset: start, field: "algorithm", .length(Int(read.hash), allowed: 0...6))
    }
    self.init(algorithm: read, signature: try reader.opaque("signature", 0...0xffff))
  }

  /// The signature scheme; nil if logs do not use it. Logs use RSA or ECDSA with SHA-1, SHA-256 or SHA-384.
  public var logScheme: SignatureScheme? {
    guard let scheme = algorithm?.scheme else { return nil }
    return Self.logSchemes.contains(scheme) ? scheme : nil
  }

  private static let logSchemes: [SignatureScheme] = [
    .rsaPKCS1SHA1, .rsaPKCS1SHA256, .rsaPKCS1SHA384, .ecdsaSHA1, .ecdsaSHA256, .ecdsaSHA384,
  ]

  var bytes: [UInt8] { (algorithm.map { [$0.hash, $0.signature] } ?? []) + signature.prefixed(2) }
}

/// The reason why bytes are not an SCT.
public enum SCTError: Error, Sendable, Hashable {
  /// The version is not 1.
  case unsupportedVersion(UInt8)
  /// The bytes are truncated, too long, or malformed.
  case malformed(String)
}

/// A list of at least one SCT, none of which is empty: SignedCertificateTimestampList (RFC 6962 section 3.3).
public struct SignedCertificateTimestampList: Sendable, Hashable {
  /// The encoded SCTs. Readers ignore SCTs of an unknown version.
  public let items: [[UInt8]]

  /// Creates a list from SCTs.
  public init(_ timestamps: [SignedCertificateTimestamp]) { items = timestamps.map(\.bytes) }

  /// Reads a list. `bytes` must contain no other data.
  public init(bytes: [UInt8]) throws(WireError) {
    var reader = Reader(bytes, isRecording: false)
    items = try reader.vector("sct_list", 1...0xffff) { (list) throws(WireError) in
      try list.items { (item) throws(WireError) in try item.opaque("SerializedSCT", 1...0xffff) }
    }
    try reader.finish("SignedCertificateTimestampList")
  }

  /// Reads the list from the OCTET STRING in the value of a certificate or OCSP response extension.
  public init(extensionValue der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    let element = try whole.next("SignedCertificateTimestampList", DERTag.octetString)
    try whole.finish("SignedCertificateTimestampList")
    do throws(WireError) { try self.init(bytes: whole.content(element)) } catch {
      throw whole.error(
        "SignedCertificateTimestampList", at: element.content.lowerBound, "\(error)", "RFC 6962 section 3.3")
    }
  }

  /// The encoding.
  public var bytes: [UInt8] { items.flatMap { $0.prefixed(2) }.prefixed(2) }

  /// The value of an extension that contains the list.
  public var extensionValue: [UInt8] { DER.octetString(bytes) }

  /// The readable SCTs.
  public var timestamps: [SignedCertificateTimestamp] {
    items.compactMap { try? SignedCertificateTimestamp(bytes: $0) }
  }
}

extension Certificate {
  /// The SCTs embedded in the certificate; nil if the extension is absent or malformed.
  public var embeddedSCTs: SignedCertificateTimestampList? {
    first(.sctList).flatMap { try? SignedCertificateTimestampList(extensionValue: $0.value) }
  }

  /// Whether the certificate is a precertificate. Its critical poison extension prevents clients from accepting it.
  public var isPrecertificate: Bool { first(.precertificatePoison) != nil }
}

extension UInt64 {
  var octets: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * UInt64($0))) } }
}

extension [UInt8] {
  /// Returns the octets, preceded by their number in `size` octets.
  func prefixed(_ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + self
  }
}

extension Instant {
  /// The time in milliseconds since 1970, as in SCTs; 0 for earlier times.
  public var millisecondsSince1970: UInt64 { UInt64(max(0, min(secondsSince1970, Int64.max / 1000))) * 1000 }
}
