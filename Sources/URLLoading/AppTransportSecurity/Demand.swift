import TLS

extension AppTransportSecurity {
  /// A requirement that is on or off, or a permission of the app.
  public enum DemandFlag: Sendable, Hashable {
    case forwardSecrecy, certificateTransparency
    /// The app may accept a server that the system does not trust.
    case looseTrust

    /// Whether the flag is a permission, which lets the app accept more.
    package var isPermission: Bool { self == .looseTrust }
  }

  /// A requirement of a decision for a server, or a permission for the app.
  ///
  /// Each is a member of the decision's JSON, and a row of a difference between decisions.
  package struct Demand: Sendable {
    /// A property of a decision, with its value.
    package enum Content: Sendable {
      case version(KeyPath<Decision, ProtocolVersion?> & Sendable)
      case cipherSuites(KeyPath<Decision, [CipherSuite]?> & Sendable)
      case flag(DemandFlag, KeyPath<Decision, Bool> & Sendable)
      case niapPackage(KeyPath<Decision, NIAPPackage?> & Sendable)
      case pins(KeyPath<Decision, PinnedIdentities?> & Sendable)
    }

    /// The name of the JSON member.
    package let member: String
    /// A property of a decision, with its value.
    package let content: Content
    /// Whether the member belongs to the first version of the contract. Newer members are at the end of the JSON
    /// object.
    package let isOfContract: Bool

    package init(_ member: String, _ content: Content, isOfContract: Bool = false) {
      self.member = member
      self.content = content
      self.isOfContract = isOfContract
    }
  }
}

extension AppTransportSecurity.Decision {
  /// The lowest accepted version of TLS; nil if there are no requirements.
  package var minimumVersion: ProtocolVersion? { requirements?.minimumVersion }
  /// The offered suites; nil if there are no requirements.
  package var cipherSuites: [CipherSuite]? { requirements?.cipherSuites }
  /// Whether the key exchange must be ECDHE.
  package var requiresForwardSecrecy: Bool { requirements?.requiresForwardSecrecy ?? false }
  /// The NIAP level; nil if none is required.
  package var niapPackage: AppTransportSecurity.NIAPPackage? { niapDemand?.package }
}
