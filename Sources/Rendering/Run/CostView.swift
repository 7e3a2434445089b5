import Endpoint
import Explanation
import Simulator
import TLS

/// The current cost of a run: bytes on the wire, round trips, and public-key operations by party.
///
/// The counts are derived from the trace. The sender of a signed message is counted as signing it, and the party that
/// checked a signature rule as verifying the signature.
public struct CostView: Sendable {
  /// The numbers of operations of one party.
  struct Account: Sendable, Hashable {
    var messages = 0
    var bytes = 0
    var signed = 0
    var verified = 0
    var encrypted = 0
    var decrypted = 0
    var agreed = 0

    /// The counts in the order of `names`.
    var counts: [Int] { [messages, bytes, signed, verified, encrypted, decrypted, agreed] }
  }

  private let simulation: any TracedRun

  /// Creates a view of the cost of the run up to now.
  public init(_ simulation: any TracedRun) { self.simulation = simulation }

  /// Returns a table with a column for each party, narrow enough for small terminals, and the totals of the network.
  public func document() -> Document {
    var document = Document()
    let accounts = accounts()
    let parties = simulation.parties.filter { accounts[$0] != nil }
    guard !parties.isEmpty else {
      document.paragraph("Nothing has been sent yet.")
      return document
    }
    let cells = parties.map { party in
      (accounts[party] ?? Account()).counts.map { $0 == 0 ? RichText("·", .dim) : RichText("\($0)") }
    }
    let rows = Self.names.enumerated().map { place, name in [RichText(name)] + cells.map { $0[place] } }
    document.blocks.append(
      .table(header: [""] + parties.map { RichText($0.name, .name) }, rows: rows, indent: 2))
    let total = accounts.values.reduce(0) { $0 + $1.bytes }
    document.facts(
      [
        .init("on the wire", "\(total) bytes of records, without the headers of TCP and IP"),
        .init("round trips", "\(roundTrips), without TCP's own"),
      ], indent: 2)
    document.paragraph(
      RichText(
        "'encrypts' and 'decrypts' are RSA operations; one of 'agrees' is a key pair and a shared secret.", .dim),
      indent: 2)
    return document
  }

  /// Returns the cost as JSON: bytes, round trips, and the operations of each party.
  func json() -> JSONValue {
    let accounts = accounts()
    let parties = simulation.parties.compactMap { party in
      accounts[party].map { account in
        let counts = zip(Self.names, account.counts).map { JSONValue.Member($0, .integer($1)) }
        return JSONValue.Member(party.name, .object(counts))
      }
    }
    return [
      "bytes": .integer(accounts.values.reduce(0) { $0 + $1.bytes }), "roundTrips": .integer(roundTrips),
      "parties": .object(parties),
    ]
  }

  /// The names of the counts, in the order of `Account.counts`.
  private static let names = ["messages", "bytes", "signs", "verifies", "encrypts", "decrypts", "agrees"]

  /// Returns the operations of each party up to now.
  func accounts() -> [Party: Account] {
    var accounts: [Party: Account] = [:]
    for (index, step) in simulation.trace.steps.enumerated() {
      // A verified signature is a checked rule. The receiver of a message checks it; if there is no receiver, the
      // deciding party does.
      let verified = step.findings.count { $0.isVerifiedSignature }
      let verifier = step.kind == .message ? step.to ?? step.from : step.from
      if verified > 0 { accounts[verifier, default: Account()].verified += verified }
      guard step.kind == .message, let to = step.to else { continue }
      accounts[step.from, default: Account()].messages += 1
      accounts[step.from, default: Account()].bytes += step.bytes.count
      if [.serverKeyExchange, .certificateVerify].contains(step.handshakeType) {
        accounts[step.from, default: Account()].signed += 1
      }
      guard step.handshakeType == .clientKeyExchange else { continue }
      let isRSA = step.values.contains { $0.id.kind == .encryptedPremasterSecret }
      let arrives = !simulation.trace.steps.isStopped(at: index)
      if isRSA {
        accounts[step.from, default: Account()].encrypted += 1
        if arrives { accounts[to, default: Account()].decrypted += 1 }
      } else {
        accounts[step.from, default: Account()].agreed += 1
        if arrives { accounts[to, default: Account()].agreed += 1 }
      }
    }
    return accounts
  }

  /// The number of times that a message reached a server and a response returned.
  var roundTrips: Int {
    var trips = 0
    var asking: [String?: Bool] = [:]
    for step in simulation.trace.steps where step.kind == .message {
      let isAnswer = step.to == .client
      if isAnswer, asking[step.connection] == true { trips += 1 }
      if isAnswer || step.from == .client { asking[step.connection] = !isAnswer }
    }
    return trips
  }
}

extension Finding {
  /// Whether the check verified a signature, regardless of the result.
  fileprivate var isVerifiedSignature: Bool {
    guard outcome == .satisfied || outcome == .violated else { return false }
    return Self.signatureRules.contains(rule.id)
  }

  private static let signatureRules: Set<String> = [
    "chain.signature-invalid", "client-auth.signature-invalid", "handshake.bad-signature",
  ]
}
