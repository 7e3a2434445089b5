import Explanation

extension AppTransportSecurity {
  /// What a delegate may accept for a load although a rule is violated, and what it may not.
  ///
  /// A delegate can always demand more than the system does.
  public struct Loosening: Sendable, Hashable {
    /// Why a delegate may accept a server that the system does not trust, or may not.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
      case inForce = "App Transport Security is in force for the host, so what a delegate accepts is refused after it"
      case excepted = "the exception leaves server trust to the app, and nothing but that"
      case leftAlone = "App Transport Security is out of the way, so a delegate decides alone"
      case insecure = "there is no TLS, and no server to trust"
    }

    /// Whether a delegate may accept a server that the system does not trust.
    public let mayLoosenTrust: Bool
    /// Why.
    public let reason: Reason
    /// The rules that hold whatever a delegate says, in order.
    public let rulesThatStay: [Rule]
  }
}

extension AppTransportSecurity.Decision {
  /// What a delegate may loosen: server trust where App Transport Security is not required; version, forward secrecy,
  /// suites, key size and hash stay wherever they are demanded.
  public var loosening: AppTransportSecurity.Loosening {
    if !load.url.isSecure { return .init(mayLoosenTrust: !isRequired, reason: .insecure, rulesThatStay: []) }
    guard let requirements else { return .init(mayLoosenTrust: true, reason: .leftAlone, rulesThatStay: []) }
    let rules: [(Rule, Bool)] = [
      (.atsTLSVersion, true), (.atsNoForwardSecrecy, requirements.requiresForwardSecrecy),
      (.atsCipherSuite, requirements.cipherSuites != nil), (.atsKeySize, requirements.requiresKeySize),
      (.atsLeafHash, requirements.requiresLeafHash), (.atsTrustLoosening, isRequired),
    ]
    return .init(
      mayLoosenTrust: !isRequired, reason: isRequired ? .inForce : .excepted,
      rulesThatStay: rules.filter(\.1).map(\.0))
  }
}
