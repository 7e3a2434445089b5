import Explanation
import Laboratory
import TLS

extension Entry {
  /// The deviations of a client or server from the protocol.
  static func misbehaves(
    _ side: Side, into path: WritableKeyPath<Model, [Misbehavior]> & Sendable
  ) -> Entry {
    let own = Misbehavior.allCases.filter { $0.sides.contains(side) }
    return .term(
      "misbehaves", .oneOrMany(.choice(of: own, called: "misbehavior")),
      "how the \(side) deviates from the protocol; its own computations follow the deviation, so that only a check of "
        + "the \(side.peer) can notice it; default: not at all",
      into: path, says: { $0.isEmpty ? nil : "It deviates from the protocol: \($0.map(\.meaning).listed)." })
  }
}

extension Enforcement {
  /// Returns this enforcement with deviations from the protocol.
  func misbehaving(_ misbehaviors: [Misbehavior]) -> Enforcement {
    misbehaviors.reduce(into: self) { $0.apply($1.fault) }
  }
}

extension Misbehavior {
  /// The deviation as a phrase.
  public var meaning: String {
    switch self {
    case .suiteNotOffered: "it selects its first suite, whatever the client offers"
    case .suiteOfOtherVersion: "it selects a suite that the version does not have"
    case .olderVersion: "it selects a version before TLS 1.3, although both sides support TLS 1.3"
    case .groupNotOffered:
      "it selects its first group, whatever the client offers; in TLS 1.3 with a HelloRetryRequest"
    case .schemeNotOffered: "it signs with its first scheme, whatever the client offers"
    case .unsolicitedExtension: "it responds to an extension that the client did not send"
    case .misplacedExtension: "it responds to an extension in ServerHello that belongs in EncryptedExtensions"
    case .sessionID: "it does not repeat the client's session ID in TLS 1.3"
    case .compression: "its hello message contains a compression method other than null"
    case .noCertificate: "its Certificate message contains no certificate"
    case .finished: "a bit of verify_data in its Finished is wrong"
    case .binder: "a bit of the proof that it has its pre-shared key is wrong"
    case .signature: "a bit of the signature in its key exchange or CertificateVerify is wrong"
    case .premasterVersion: "its premaster secret begins with another version than its offer"
    case .keyShare: "its public key in the key exchange consists of zeros"
    case .emptyRecord: "an empty record precedes each handshake message"
    case .renegotiationInfo: "its renegotiation_info does not contain the previous Finished value"
    }
  }
}
