import Explanation
import TLS

extension AppTransportSecurity {
  /// What App Transport Security demands of a connection: of the client's offer and of the server's certificate.
  public struct Requirements: Sendable, Hashable {
    /// The lowest version that is offered.
    public let minimumVersion: ProtocolVersion
    /// The suites that are offered, in order; nil when they are left alone.
    public let cipherSuites: [CipherSuite]?
    /// Whether the key exchange must be ECDHE.
    public let requiresForwardSecrecy: Bool
    /// Whether the server's key must be RSA of 2048 bits or on a curve of 256 bits.
    public let requiresKeySize: Bool
    /// Whether the server's certificate must be signed with SHA-2 of 256 bits.
    public let requiresLeafHash: Bool
    /// How well known the list of suites is.
    public let confidence: Finding.Confidence

    /// What holds where the app changes nothing.
    static func full(_ profile: Profile) -> Requirements { Requirements(nil, profile) }

    init(_ entry: Entry?, _ profile: Profile) {
      let suites = Suites(profile.os)
      let requiresForwardSecrecy = entry?.requiresForwardSecrecy ?? true
      self.requiresForwardSecrecy = requiresForwardSecrecy
      minimumVersion = entry?.minimumVersion ?? .tls12
      requiresKeySize = requiresForwardSecrecy || !profile.forwardSecrecyKeyCoversKeySize
      requiresLeafHash = true
      confidence = suites.confidence
      if requiresForwardSecrecy {
        cipherSuites = suites.forwardSecret
      } else if profile.mayLeaveSuitesAlone, entry?.allowsInsecureHTTPLoads == true {
        cipherSuites = nil
      } else {
        cipherSuites = suites.forwardSecret + suites.rsa
      }
    }
  }
}
