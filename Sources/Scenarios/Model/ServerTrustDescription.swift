import Explanation

/// What an app does about the server's certificate, as a scenario describes it.
public struct ServerTrustDescription: Sendable, Hashable {
  /// Delegates for challenges of NSURLAuthenticationMethodServerTrust that have a name.
  public enum Delegate: String, Sendable, Hashable, CaseIterable {
    /// None: the system's word stands.
    case none = "default"
    /// One that hands in a credential for whatever trust it is given.
    case acceptAll = "accept-all"
  }

  /// What an app lets pass for one certificate.
  public struct Exceptions: Sendable, Hashable {
    /// The name of the server's certificate.
    public let certificate: String
    /// The ids of the rules that it may violate.
    public let rules: [String]
  }

  /// The delegate by its name.
  public var delegate = Delegate.none
  /// The names of the certificates that the app adds to the chain.
  public var adds: [String]?
  /// The names of the certificates that the app sets as anchors (SecTrustSetAnchorCertificates); nil where it sets none.
  public var anchors: [String]?
  /// Whether these are then the only anchors (SecTrustSetAnchorCertificatesOnly), as they are unless the app says so.
  public var anchorsOnly = true
  /// The date of validation (SecTrustSetVerifyDate); nil for the clock.
  public var verifyDate: Instant?
  /// What the app lets pass (SecTrustSetExceptions).
  public var exceptions: Exceptions?
  /// Whether it evaluates the trust that it has changed.
  public var evaluates = true
  /// The certificates whose public keys the app pins; nil where any key will do.
  public var pins: [String]?
  /// Whether nothing is pinned under an anchor that the user installed.
  public var exemptsUserAnchors = false

  /// Nothing: the system decides.
  static let standard = ServerTrustDescription()

  /// The certificates it names.
  var names: [String] {
    (adds ?? []) + (anchors ?? []) + (pins ?? []) + (exceptions.map { [$0.certificate] } ?? [])
  }

  /// Whether the app changes the trust that it is given.
  var changesTrust: Bool {
    adds != nil || anchors != nil || verifyDate != nil || exceptions != nil || !evaluates
  }
}
