import Foundation
import PKIX
import Scenarios
import Trust

/// What a client of real servers trusts.
enum LiveRoots {
  private static let bundles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
  ]

  /// The roots in these files; without any, those that this machine trusts.
  ///
  /// - Throws: `Diagnostics` when a file cannot be read.
  static func store(_ roots: [String], user: [String]) throws -> TrustStore {
    var paths = roots
    if roots.isEmpty, user.isEmpty, let bundle = bundles.first(where: { FileManager.default.fileExists(atPath: $0) }) {
      Console.complain("note: the roots of this machine (\(bundle)) stand for the system's; --roots names others")
      paths = [bundle]
    }
    return TrustStore(
      system: try CertificateFiles.certificates(in: paths), user: try CertificateFiles.certificates(in: user))
  }

  /// The most anchors that are kept beside a chain that leads to none of them.
  private static let mostKept = 8

  /// The anchors of `store` that a chain without a path might have led to, by who trusts them: all of a few, else those
  /// that are named as the issuer of one of its certificates, or have the key that one says signed it (RFC 5280 section
  /// 4.2.1.1).
  static func kept(
    _ store: TrustStore, for chain: [Certificate]
  ) -> [(certificate: Certificate, kind: TrustStore.Kind)] {
    let all = store.anchors.certificates
    let named = CertificatePool(chain.flatMap { store.anchors.issuers(of: $0) })
    let keys = Set(chain.compactMap { $0.authorityKeyIdentifier?.keyIdentifier })
    let kept =
      all.count <= mostKept
      ? all
      : all.filter { anchor in
        named.contains(anchor) || anchor.subjectKeyIdentifier.map { keys.contains($0.keyIdentifier) } ?? false
      }
    return kept.prefix(mostKept).compactMap { anchor in store.kind(of: anchor).map { (anchor, $0) } }
  }
}
