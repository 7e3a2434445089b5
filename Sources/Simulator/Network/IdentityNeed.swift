import Endpoint
import Explanation
import PKIX
import URLLoading

/// What a client must have come by in the run before it can show an identity that is not its own from the start.
public struct IdentityNeed: Sendable, Hashable {
  /// Who must know it: the client itself, or the attackers whom it is with.
  public let party: Party
  /// The value that it needs: a file that a server issues, or a key that was stolen.
  public let value: Value.ID
  /// Whether the identity is somebody else's.
  public let isStolen: Bool

  /// The identity takes `value`, which `party` has to know.
  public init(_ value: Value.ID, knownTo party: Party, isStolen: Bool) {
    self.value = value
    self.party = party
    self.isStolen = isStolen
  }
}

extension Simulation {
  /// The connection as its client can make it by now: without an identity that it has not come by, and what is to be said
  /// about that.
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
  /// Somebody else's identity takes a theft.
  public static let notStolen = Rule(
    .clientAuth, "not-stolen", "Who shows somebody else's certificate has come by its key.", .rfc(5246, "7.4.8"),
    fix: "Nothing is to be mended here: without the key nobody is taken for somebody else.", decides: false)

  /// What is imported is there.
  public static let noFile = Rule(
    .pkcs12, "no-file", "A file is imported after somebody has made it and sent it.", .apple("SecPKCS12Import(_:_:_:)"),
    fix: "Register first, and import what the server answers.", decides: false)

  /// The rules of identities that clients come by in the run.
  public static let identityNeeds: [Rule] = [.notStolen, .noFile]
}
