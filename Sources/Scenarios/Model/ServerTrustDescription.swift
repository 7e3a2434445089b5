/// What an app does about the server's certificate, as a scenario describes it.
public struct ServerTrustDescription: Sendable, Hashable {
  /// Delegates for challenges of NSURLAuthenticationMethodServerTrust that have a name.
  public enum Delegate: String, Sendable, Hashable, CaseIterable {
    /// None: the system's word stands.
    case none = "default"
    /// One that hands in a credential for whatever trust it is given.
    case acceptAll = "accept-all"
  }

  /// The delegate by its name.
  public let delegate: Delegate
  /// The names of the certificates that the app sets as anchors (SecTrustSetAnchorCertificates); nil where it sets none.
  public let anchors: [String]?
  /// Whether these are then the only anchors (SecTrustSetAnchorCertificatesOnly), as they are unless the app says so.
  public let anchorsOnly: Bool
  /// The certificates whose public keys the app pins; nil where any key will do.
  public let pins: [String]?

  /// Nothing: the system decides.
  static let standard = ServerTrustDescription(delegate: .none, anchors: nil, anchorsOnly: true, pins: nil)

  /// The certificates it names.
  var names: [String] { (anchors ?? []) + (pins ?? []) }
}
