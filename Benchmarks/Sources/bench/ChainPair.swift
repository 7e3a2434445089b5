import Foundation
import PKIX
import Peers
import Trust
@_spi(FixedExpiryValidationTime) import X509

/// The same chain evaluated here and by the peers.
///
/// The input is leaf and intermediate in DER, for a host, under a known root.
final class ChainPair {
  private let hierarchy: Hierarchy
  private let evaluator: TrustEvaluator
  private let root: X509.Certificate
  private let openSSL: OpaquePointer

  init(_ kind: Hierarchy.Kind) throws {
    hierarchy = try Hierarchy(kind)
    evaluator = hierarchy.evaluator
    root = try X509.Certificate(derEncoded: hierarchy.root.der)
    let made = PeerBytes.with([hierarchy.root.der]) {
      peer_trust_new($0[0], Hierarchy.host, Int(Hierarchy.time.secondsSince1970))
    }
    guard let made else { throw PeerError(description: "OpenSSL does not accept the root") }
    openSSL = made
  }

  deinit { peer_trust_free(openSSL) }

  var contenders: [Contender] {
    [
      Contender("TrustLab, all findings") { [self] in
        let chain = try hierarchy.presented.map { try PKIX.Certificate(der: $0) }
        let evaluation = evaluator.evaluate(chain, host: Hierarchy.host)
        guard evaluation.accepted else { throw PeerError(description: "refused: \(evaluation.deciding.map(\.id))") }
      },
      Contender("OpenSSL", target: 2) { [self] in
        let accepted = PeerBytes.with(hierarchy.presented) { peer_trust_evaluate(openSSL, $0[0], $0[1]) }
        try PeerError.check(accepted, "OpenSSL's verification")
      },
      Contender("swift-certificates", target: 1) { [self] in
        var verifier = Verifier(rootCertificates: CertificateStore([root])) {
          RFC5280Policy(fixedExpiryValidationTime: Date(timeIntervalSince1970: Double(Hierarchy.time.secondsSince1970)))
          ServerIdentityPolicy(serverHostname: Hierarchy.host, serverIP: nil)
        }
        let chain = try hierarchy.presented.map { try X509.Certificate(derEncoded: $0) }
        let result = await verifier.validate(leaf: chain[0], intermediates: CertificateStore(chain.dropFirst()))
        guard case .validCertificate = result else { throw PeerError(description: "swift-certificates: \(result)") }
      },
    ]
  }
}

/// Lends byte arrays to C.
enum PeerBytes {
  static func with<Result>(_ arrays: [[UInt8]], _ body: ([peer_bytes]) throws -> Result) rethrows -> Result {
    func lend(_ index: Int, _ lent: [peer_bytes]) throws -> Result {
      guard index < arrays.count else { return try body(lent) }
      return try arrays[index].withUnsafeBufferPointer { buffer in
        try lend(index + 1, lent + [peer_bytes(bytes: buffer.baseAddress, count: buffer.count)])
      }
    }
    return try lend(0, [])
  }
}
