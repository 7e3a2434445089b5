import Endpoint
import Explanation
import PKIX
import URLLoading

/// A value that a client must obtain in the run before it can present an identity.
public struct IdentityNeed: Sendable, Hashable {
  /// The party that must know the value: the client itself, or the attackers that control it.
  public let party: Party
  /// The value that the party must know: a file that a server issues, or a stolen key.
  public let value: Value.ID
  /// Whether the identity is stolen from another party.
  public let isStolen: Bool

  /// Creates the need for `value`, which `party` must know before it can present the identity.
  public init(_ value: Value.ID, knownTo party: Party, isStolen: Bool) {
    self.value = value
    self.party = party
    self.isStolen = isStolen
  }
}

extension Simulation {
  /// Returns the plan that the client can carry out now, and the decision to report.
  ///
  /// The plan has no identity if the client lacks the required value.
  func meetingNeed(_ plan: World.Plan) -> (plan: World.Plan, decision: Decision?) {
    guard let need = plan.need else { return (plan, nil) }
    let knowledge = knowledge(of: need.party)
    let client = plan.client.tls.party
    if let proof = knowledge.proof(of: need.value) {
      guard need.isStolen else { return (plan, nil) }
      let from = proof.map(\.value).filter { $0 != need.value }
      return (
        plan,
        Decision(.load(.identityObtained(by: client, need.value, sources: from)))
      )
    }
    var plan = plan
    plan.client.tls.identity = nil
    plan.client.tls.otherIdentities = []
    plan.client.identity = []
    plan.client.challenges.identity = nil
    plan.client.identityImport = nil
    plan.client.challenges.delegate = plan.client.challenges.delegate?.withoutIdentities
    let finding = plan.client.tls.enforcement.check(
      need.isStolen ? .notStolen : .noFile, on: .handshake(.certificate), false,
      required: .word(need.value.description),
      found: .absent)
    return (
      plan,
      Decision(.load(.identityMissing(by: client, need.value, isStolen: need.isStolen)), [finding.advising])
    )
  }
}

extension Rule {
  /// The rule about a stolen identity.
  public static let notStolen = Rule(
    .clientAuth, "not-stolen",
    "A client that presents another party's certificate has the private key of that certificate.", .rfc(5246, "7.4.8"),
    fix: "No fix is needed: authentication fails without the key.", decides: false)

  /// The rule about an imported identity file.
  public static let noFile = Rule(
    .pkcs12, "no-file", "The server has issued the file that the app imports.", .apple("SecPKCS12Import(_:_:_:)"),
    fix: "Register first, then import the file in the server's response.", decides: false)

  /// The rules about identities that clients obtain during the run.
  public static let identityNeeds: [Rule] = [.notStolen, .noFile]
}
