import Explanation
import TLS

extension AppTransportSecurity {
  /// What a client and a server agreed on, or would have agreed on without App Transport Security.
  public struct Negotiated: Sendable, Hashable {
    /// The version.
    public let version: ProtocolVersion
    /// The suite.
    public let cipherSuite: CipherSuite

    /// An agreement.
    public init(version: ProtocolVersion, cipherSuite: CipherSuite) {
      self.version = version
      self.cipherSuite = cipherSuite
    }
  }

  /// Whether the key exchange is one that counts as forward secret: ECDHE, and all of TLS 1.3.
  package static func isEllipticEphemeral(_ suite: CipherSuite) -> Bool {
    switch suite.keyExchange {
    case .ecdheRSA, .ecdheECDSA, .tls13: true
    default: false
    }
  }
}

extension AppTransportSecurity.Decision {
  /// Holds what was negotiated against `ats.tls-version`, `ats.no-forward-secrecy` and `ats.cipher-suite`.
  ///
  /// After a handshake these findings say what held and what an exception let pass. After a failed one, hand in what
  /// the same server would have agreed to with `ClientOffer.systemDefault`: the violated findings that decide explain
  /// the failure, and where there are none App Transport Security is not to blame.
  public func findings(
    on negotiated: AppTransportSecurity.Negotiated, enforcement: Enforcement = .standard
  ) -> [Finding] {
    if case .notApplicable = standing {
      return [Rule.atsTLSVersion, .atsNoForwardSecrecy, .atsCipherSuite].map { rule in
        enforcement.note(rule, on: .connection, .notApplicable, found: found(rule, negotiated))
      }
    }
    return [
      version(negotiated, enforcement), forwardSecrecy(negotiated, enforcement), cipherSuite(negotiated, enforcement),
    ]
  }

  /// Records that nothing is known of what the server would have agreed to, because it was not to be asked.
  public func findingsWithoutCounterfactual(enforcement: Enforcement = .standard) -> [Finding] {
    [Rule.atsTLSVersion, .atsNoForwardSecrecy, .atsCipherSuite].map { rule in
      enforcement.note(rule, on: .connection, requirements == nil ? .notApplicable : .unknown)
    }
  }

  private func found(_ rule: Rule, _ negotiated: AppTransportSecurity.Negotiated) -> Detail {
    .word(rule == .atsTLSVersion ? negotiated.version.description : negotiated.cipherSuite.name)
  }

  /// A check of what holds for everyone; where the app's exception demands less, a violation is overridden by it.
  private func check(
    _ rule: Rule, _ negotiated: AppTransportSecurity.Negotiated, holds: Bool, isExcepted: Bool, required: Detail,
    _ enforcement: Enforcement
  ) -> Finding {
    let finding = enforcement.check(
      rule, on: .connection, holds, required: required, found: found(rule, negotiated),
      confidence: requirements?.confidence ?? confidence)
    return (isExcepted ? finding.overridden(by: .exception) : finding).helping(self)
  }

  private func version(
    _ negotiated: AppTransportSecurity.Negotiated, _ enforcement: Enforcement
  ) -> Finding {
    let minimum = requirements?.minimumVersion ?? .tls12
    let usual = max(minimum, .tls12)
    let isExcepted = requirements == nil || minimum < .tls12 && negotiated.version >= minimum
    return check(
      .atsTLSVersion, negotiated, holds: negotiated.version >= usual,
      isExcepted: isExcepted && negotiated.version < usual,
      required: .atLeast(.word((isExcepted ? usual : minimum).description)), enforcement)
  }

  private func forwardSecrecy(
    _ negotiated: AppTransportSecurity.Negotiated, _ enforcement: Enforcement
  ) -> Finding {
    let holds = AppTransportSecurity.isEllipticEphemeral(negotiated.cipherSuite)
    return check(
      .atsNoForwardSecrecy, negotiated, holds: holds,
      isExcepted: requirements?.requiresForwardSecrecy != true && !holds, required: .word("ECDHE"), enforcement)
  }

  private func cipherSuite(
    _ negotiated: AppTransportSecurity.Negotiated, _ enforcement: Enforcement
  ) -> Finding {
    let suites = AppTransportSecurity.Suites(profile.os)
    let isNarrowed = requirements?.niapPackage != nil
    // RSA key exchange is the business of forward secrecy.
    let listed = (isNarrowed ? requirements?.cipherSuites ?? [] : suites.forwardSecret) + suites.rsa
    let suite = negotiated.cipherSuite
    // A key exchange that nothing offers is the business of forward secrecy, as long as that is required.
    let isOnlyKeyExchange =
      suite.keyExchange != .rsa && !AppTransportSecurity.isEllipticEphemeral(suite)
      && requirements?.requiresForwardSecrecy == true && listed.contains { suite.hasProtection(of: $0) }
    let holds = listed.contains(suite) || isOnlyKeyExchange
    let isExcepted = !holds && (requirements.map { $0.cipherSuites == nil } ?? true)
    return check(
      .atsCipherSuite, negotiated, holds: holds, isExcepted: isExcepted,
      required: .anyOf((requirements?.cipherSuites ?? suites.forwardSecret).map(\.name)), enforcement)
  }
}

extension CipherSuite {
  /// Whether records are protected in the same way.
  fileprivate func hasProtection(of other: CipherSuite) -> Bool {
    guard let mine = registration, let theirs = other.registration else { return false }
    return mine.cipher == theirs.cipher && mine.mac == theirs.mac
  }
}
