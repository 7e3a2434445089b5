import Explanation
import PKIX

/// The status of a world's certificates in an OCSP response or a CRL.
public struct ReportedStatus: Sendable {
  /// The parsed content of the response or CRL.
  public enum Content: Sendable {
    /// The bytes cannot be parsed.
    case unreadable
    /// An OCSP response with an error and without a status, which is not signed (RFC 6960 section 2.3).
    case error(OCSPResponse.Status)
    /// An OCSP response, with the status of each certificate by its name.
    case response([(name: String?, SingleResponse)])
    /// A CRL, with the entries of the world's certificates by name.
    case crl(CertificateRevocationList, entries: [(name: String, CertificateRevocationList.Entry)])
  }

  /// The parsed content of the response or CRL.
  public let content: Content
  /// Whether an older response has expired; nil for current responses, and if the dates cannot be parsed.
  public var isOver: Bool?

  /// Parses an OCSPResponse in DER (RFC 6960).
  init(response bytes: [UInt8], in world: World) {
    guard let response = try? OCSPResponse(der: bytes) else {
      content = .unreadable
      return
    }
    let certificates = world.holdings.compactMap(\.chain.first)
    content =
      response.basic.map { basic in
        .response(
          basic.responses.prefix(3).map { one in
            (certificates.first { one.certificate.resembles($0) }.map { world.names($0) }, one)
          })
      } ?? .error(response.status)
  }

  /// Parses a CertificateList in DER (RFC 5280).
  init(crl bytes: [UInt8], in world: World) {
    guard let list = try? CertificateRevocationList(der: bytes) else {
      content = .unreadable
      return
    }
    let entries = world.holdings.compactMap(\.chain.first).compactMap { one in
      list.entry(for: one).map { (world.names(one), $0) }
    }
    content = .crl(list, entries: entries)
  }

  /// Returns this status as an older response that is returned at `date`.
  func handedOut(at date: Instant) -> ReportedStatus {
    let end: Instant? =
      switch content {
      case .response(let responses): responses.first.flatMap { $0.1.nextUpdate }
      case .crl(let list, entries: _): list.nextUpdate
      case .unreadable, .error: nil
      }
    var handedOut = self
    handedOut.isOver = end.map { $0 < date }
    return handedOut
  }
}
