import Foundation
import PKIX
import Scenarios
import Trust

/// The trust store for real servers.
enum LiveRoots {
  private static let bundles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
  ]

  /// Reads the roots in these files. If there are no files, reads the roots that this computer trusts.
  ///
  /// - Throws: `Diagnostics` if a file cannot be read.
  static func store(_ roots: [String], user: [String]) throws -> TrustStore {
    var paths = roots
    if roots.isEmpty, user.isEmpty, let bundle = bundles.first(where: { FileManager.default.fileExists(atPath: $0) }) {
      Console.complain("note: using this machine's roots (\(bundle)) as the system's roots; --roots selects others")
      paths = [bundle]
    }
    return TrustStore(
      system: try CertificateFiles.certificates(in: paths), user: try CertificateFiles.certificates(in: user))
  }

  /// The maximum number of anchors that are saved with a chain that leads to none of them.
  private static let mostKept = 8

  /// Returns the likely anchors of a chain without a path, with their kinds.
  ///
  /// If there are only a few anchors, all of them are likely. Otherwise, the anchor must be named in the chain as an
  /// issuer, or its key as an authority key (RFC 5280 section 4.2.1.1).
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
