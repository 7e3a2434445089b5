import TLS

extension AppTransportSecurity {
  /// A demand that is made or not, or a permission of the app that is given or not.
  public enum DemandFlag: Sendable, Hashable {
    case forwardSecrecy, certificateTransparency
    /// The app may accept a server that the system does not trust.
    case looseTrust

    /// Whether it lets the app accept more.
    package var isPermission: Bool { self == .looseTrust }
  }

  /// Something that a decision demands of a server, or leaves to the app: a member of its JSON, and a step by which two
  /// decisions differ.
  package struct Demand: Sendable {
    /// The property of a decision that holds it.
    package enum Content: Sendable {
      case version(KeyPath<Decision, ProtocolVersion?> & Sendable)
      case cipherSuites(KeyPath<Decision, [CipherSuite]?> & Sendable)
      case flag(DemandFlag, KeyPath<Decision, Bool> & Sendable)
      case niapPackage(KeyPath<Decision, NIAPPackage?> & Sendable)
      case pins(KeyPath<Decision, PinnedIdentities?> & Sendable)
    }

    /// The name of the JSON member.
    package let member: String
    /// The property of a decision that holds it.
    package let content: Content
    /// Whether the member is one of the contract's first version; newer ones are at the end of the object.
    package let isOfContract: Bool

    package init(_ member: String, _ content: Content, isOfContract: Bool = false) {
      self.member = member
      self.content = content
      self.isOfContract = isOfContract
    }
  }
}

extension AppTransportSecurity.Decision {
  /// The lowest version of TLS that is accepted; nil if everything is left alone.
  package var minimumVersion: ProtocolVersion? { requirements?.minimumVersion }
  /// The suites that are offered; nil if they are left alone.
  package var cipherSuites: [CipherSuite]? { requirements?.cipherSuites }
  /// Whether the key exchange must be ECDHE.
  package var requiresForwardSecrecy: Bool { requirements?.requiresForwardSecrecy ?? false }
  /// The level of NIAP; nil if none is demanded.
  package var niapPackage: AppTransportSecurity.NIAPPackage? { niapDemand?.package }
}
