import Explanation
import Wire

/// A CA's statement about the server's certificate, which the server staples (RFC 6066 section 8).
///
/// This type does not interpret its bytes.
///
/// ```
/// struct { CertificateStatusType status_type; select (status_type) { case ocsp: OCSPResponse; } response; } CertificateStatus;
/// opaque OCSPResponse<1..2^24-1>;
/// ```
public struct CertificateStatus: Sendable, Hashable {
  /// An OCSPResponse in DER.
  public var ocspResponse: [UInt8]

  /// Creates a status with this response.
  public init(ocspResponse: [UInt8]) { self.ocspResponse = ocspResponse }

  /// The status type `ocsp(1)`, the only one in RFC 6066.
  static let ocsp: UInt8 = 1

  init(_ reader: inout Reader) throws(WireError) {
    let start = reader.offset
    let type = try reader.uint8("status_type") { $0 == Self.ocsp ? "ocsp (1)" : String($0) }
    guard type == Self.ocsp else {
      throw WireError(offset: start, field: "status_type", .value(Int(type), expected: "ocsp (1)"))
    }
    ocspResponse = try reader.opaque("OCSPResponse", 1...0xff_ffff)
  }

  func write(to writer: inout Writer) throws(WireError) {
    writer.uint8(Self.ocsp)
    try writer.opaque("OCSPResponse", 1...0xff_ffff, ocspResponse)
  }
}

extension [Extension] {
  /// The SCTs in the `signed_certificate_timestamp` extension (RFC 6962 section 3.3). A malformed list results in one
  /// unreadable SCT.
  var timestamps: [[UInt8]] {
    let data = lazy.compactMap { item -> [UInt8]? in
      if case .signedCertificateTimestamps(let data) = item { data } else { nil }
    }.first
    guard let data else { return [] }
    var items: [[UInt8]] = []
    var rest = data.dropFirst(2)
    guard data.count >= 2, Int(data[0]) << 8 | Int(data[1]) == rest.count else { return [data] }
    while let high = rest.popFirst() {
      guard let low = rest.popFirst(), case let count = Int(high) << 8 | Int(low), count <= rest.count else {
        return [data]
      }
      items.append([UInt8](rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return items
  }
}

/// `status_request` and `max_fragment_length`: RFC 6066 sections 8 and 4.
extension [Extension] {
  /// Whether a client requests an OCSP response. The request may contain responder names and extensions.
  public var asksForStatus: Bool {
    contains { item in
      if case .statusRequest(let data) = item { data.first == CertificateStatus.ocsp } else { false }
    }
  }

  /// The fragment length code that a client requests or a server accepts, starting at 1; nil if absent.
  var fragmentLengthCode: UInt8? {
    for case .maxFragmentLength(let code) in self { return code }
    return nil
  }

  /// These extensions followed by `more`, unless they contain an extension of the same type.
  func adding(_ more: Extension) -> [Extension] { contains { $0.type == more.type } ? self : self + [more] }
}

/// The maximum length of a fragment (RFC 6066 section 4).
public enum MaximumFragmentLength: UInt8, Sendable, Hashable, CaseIterable {
  /// `2^9(1)`
  case bytes512 = 1
  /// `2^10(2)`
  case bytes1024
  /// `2^11(3)`
  case bytes2048
  /// `2^12(4)`
  case bytes4096

  /// The number of bytes.
  public var count: Int { 256 << Int(rawValue) }
}

extension EffectLog {
  /// Checks that the code is one of four, and that the server repeats the client's (section 4).
  mutating func checkFragmentLength(
    _ code: UInt8?, required: UInt8? = nil, on message: HandshakeType
  ) throws(HandshakeFailure) {
    guard let code else { return }
    let length = MaximumFragmentLength(rawValue: code)
    try check(
      .illegalParameter, on: .handshake(message), length != nil && (required ?? code) == code, .illegalParameter,
      required: required.map { .number(Int($0)) } ?? .word("max_fragment_length 2^9(1) to 2^12(4)"),
      found: .number(Int(code)))
  }

  /// Applies the length in a ServerHello to both directions, starting with this message.
  mutating func limitFragments(_ hello: ServerHello) {
    guard let code = hello.extensions?.fragmentLengthCode, let length = MaximumFragmentLength(rawValue: code) else {
      return
    }
    add(.limitFragments(length.count))
  }
}
