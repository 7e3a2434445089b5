import CZlib
import Explanation
import Wire

/// A compressed Certificate message (RFC 8879 section 4). The transcript contains it as it was sent.
///
/// ```
/// struct {
///   CertificateCompressionAlgorithm algorithm; uint24 uncompressed_length;
///   opaque compressed_certificate_message<1..2^24-1>;
/// } CompressedCertificate;
/// ```
public struct CompressedCertificate: Sendable, Hashable {
  /// The algorithm, which the receiver must have offered.
  public var algorithm: CertificateCompression
  /// The length of the Certificate message without its header.
  public var uncompressedLength: Int
  /// The compressed content of the Certificate message.
  public var content: [UInt8]

  /// Creates a message from its parts.
  public init(algorithm: CertificateCompression, uncompressedLength: Int, content: [UInt8]) {
    (self.algorithm, self.uncompressedLength, self.content) = (algorithm, uncompressedLength, content)
  }

  /// Returns the content of the Certificate message in the body of a message; nil if it cannot be decompressed.
  public static func decompressing(_ body: [UInt8]) -> [UInt8]? {
    var reader = Reader(body, isRecording: false)
    return (try? Self(&reader))?.decompressed
  }

  /// Compresses `certificate` with zlib.
  init(_ certificate: CertificateMessage) throws(WireError) {
    var writer = Writer()
    try certificate.write(to: &writer)
    self.init(algorithm: .zlib, uncompressedLength: writer.bytes.count, content: Deflate(writer.bytes).bytes)
  }

  init(_ reader: inout Reader) throws(WireError) {
    algorithm = try CertificateCompression(&reader)
    uncompressedLength = try reader.uint24("uncompressed_length")
    content = try reader.opaque("compressed_certificate_message", 1...0xff_ffff)
  }

  /// The number of bytes that `write` adds.
  var bodyLength: Int { 8 + content.count }

  func write(to writer: inout Writer) throws(WireError) {
    writer.uint16(algorithm.rawValue)
    writer.uint24(uncompressedLength)
    try writer.opaque("compressed_certificate_message", 1...0xff_ffff, content)
  }

  /// The greatest ratio of zlib (RFC 1951): a block of 258 equal bytes has at least 2 bits.
  private static let maximumRatio = 1032

  /// The Certificate message; nil if it cannot be decompressed or read.
  public var certificate: CertificateMessage? {
    guard let bytes = decompressed else { return nil }
    var reader = Reader(bytes, isRecording: false)
    let message = try? CertificateMessage(tls13: &reader)
    return reader.isAtEnd ? message : nil
  }

  /// The content of the Certificate message; nil if it is not in zlib's format, or has another length.
  ///
  /// The length is compared with the greatest ratio first, so that a short message cannot require much memory.
  var decompressed: [UInt8]? {
    guard algorithm == .zlib, uncompressedLength <= content.count * Self.maximumRatio else { return nil }
    var (size, used) = (uLong(uncompressedLength), uLong(content.count))
    var status = Z_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: uncompressedLength) { buffer, count in
      status = uncompress2(buffer.baseAddress, &size, content, &used)
      count = status == Z_OK ? Int(size) : 0
    }
    return status == Z_OK && bytes.count == uncompressedLength && used == content.count ? bytes : nil
  }
}

/// An algorithm that compresses certificates (RFC 8879 section 7.3).
public struct CertificateCompression: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The code point on the wire.
  public let rawValue: UInt16

  /// Creates the algorithm with this code point, which may be unregistered.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `zlib(1)`, the only one that TrustLab can decompress
  public static let zlib = CertificateCompression(rawValue: 1)

  /// The registered name; the code point if there is none.
  public var description: String {
    switch rawValue {
    case 1: "zlib"
    case 2: "brotli"
    case 3: "zstd"
    default: rawValue.unregisteredName
    }
  }

  init(_ reader: inout Reader) throws(WireError) {
    self.init(
      rawValue: try reader.uint16("algorithm") { "\(CertificateCompression(rawValue: $0)) (\($0))" })
  }
}
