import Explanation
import PKIX

/// What an OCSP response or a CRL says of the certificates of a world.
public struct ReportedStatus: Sendable {
  /// The content.
  public enum Content: Sendable {
    /// It cannot be read.
    case unreadable
    /// An OCSP response without a status: an error, which is not signed (RFC 6960 section 2.3).
    case error(OCSPResponse.Status)
    /// An OCSP response, with the status of each certificate by its name.
    case response([(name: String?, SingleResponse)])
    /// A CRL, with the entries of certificates of the world by name.
    case crl(CertificateRevocationList, entries: [(name: String, CertificateRevocationList.Entry)])
  }

  /// The content.
  public let content: Content
  /// Whether its dates are over, for a response that is older than it should be; nil if they cannot be read, and for others.
  public var isOver: Bool?

  /// What an OCSPResponse says.
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

  /// What a CertificateList says.
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

  /// The same, of an older response that is handed out at `date`.
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
