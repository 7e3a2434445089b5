import Explanation
import TLS

extension AppTransportSecurity {
  /// The version and the suite that the client and the server agreed on.
  ///
  /// It can also be the result that they would have reached without App Transport Security.
  public struct Negotiated: Sendable, Hashable {
    /// The protocol version.
    public let version: ProtocolVersion
    /// The cipher suite.
    public let cipherSuite: CipherSuite

    /// Creates a negotiation result.
    public init(version: ProtocolVersion, cipherSuite: CipherSuite) {
      self.version = version
      self.cipherSuite = cipherSuite
    }
  }

  /// Returns whether App Transport Security treats the key exchange as forward secret.
  ///
  /// It accepts ECDHE, and any suite of TLS 1.3.
  package static func isEllipticEphemeral(_ suite: CipherSuite) -> Bool {
    switch suite.keyExchange {
    case .ecdheRSA, .ecdheECDSA, .tls13: true
    default: false
    }
  }
}

extension AppTransportSecurity.Decision {
  /// Checks a negotiation result for `ats.tls-version`, `ats.no-forward-secrecy` and `ats.cipher-suite`.
  ///
  /// After a handshake, the findings show which requirements were met, and which requirements an exception lifted.
  /// After a failed handshake, pass the result that the server would have reached with `ClientOffer.systemDefault`. The
  /// deciding violations then explain the failure. If there are none, App Transport Security is not the cause.
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

  /// Records that the result without App Transport Security is unknown, because the server could not be tested without
  /// it.
  public func findingsWithoutCounterfactual(enforcement: Enforcement = .standard) -> [Finding] {
    [Rule.atsTLSVersion, .atsNoForwardSecrecy, .atsCipherSuite].map { rule in
      enforcement.note(rule, on: .connection, requirements == nil ? .notApplicable : .unknown)
    }
  }

  private func found(_ rule: Rule, _ negotiated: AppTransportSecurity.Negotiated) -> Detail {
    .word(rule == .atsTLSVersion ? negotiated.version.description : negotiated.cipherSuite.name)
  }

  /// Checks a requirement that applies by default. If an exception of the app requires less, it overrides the
  /// violation.
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
    // `ats.no-forward-secrecy` covers RSA key exchange.
    let listed = (isNarrowed ? requirements?.cipherSuites ?? [] : suites.forwardSecret) + suites.rsa
    let suite = negotiated.cipherSuite
    // If forward secrecy is required, `ats.no-forward-secrecy` covers a key exchange that no client offers.
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
  fileprivate func hasProtection(of other: CipherSuite) -> Bool {
    guard let mine = registration, let theirs = other.registration else { return false }
    return mine.cipher == theirs.cipher && mine.mac == theirs.mac
  }
}
