import Explanation

/// What a certificate is given where a scenario does not say.
extension CertificateDescription {
  private var isRoot: Bool { isAuthority && issuer == nil }

  /// The kind of its key.
  static let usualKey = KeyKind.rsa(2048)
  /// The hash of its signature.
  static let usualSignature = "sha256"
  /// How many days it is valid.
  var usualDays: Int { isAuthority ? (isRoot ? 7300 : 3650) : 365 }
  /// The subject's common name.
  var usualCommonName: String { names.first { !$0.hasPrefix("DNS:") } ?? name }
  /// Bits of keyUsage.
  var usualKeyUsage: [String] { isAuthority ? ["keyCertSign", "cRLSign"] : ["digitalSignature", "keyEncipherment"] }
  /// Purposes of extendedKeyUsage; nil where the extension is left out.
  var usualPurposes: [String]? { isAuthority ? nil : ["serverAuth"] }

  /// When it becomes valid: counted from the file's own clock, so that a case can move the clock past it.
  func usualStart(_ epoch: Instant) -> Instant { epoch.adding(days: -(isAuthority ? (isRoot ? 3650 : 1825) : 30)) }

  /// From when to when it is valid, where an epoch begins.
  func validity(_ epoch: Instant) -> (notBefore: Instant, notAfter: Instant) {
    let start = notBefore ?? usualStart(epoch)
    return (start, notAfter ?? start.adding(days: days ?? usualDays))
  }
}
