import Explanation
import Simulator

/// The attacks that were tried on a connection, with the rules that stopped them.
public struct AttemptView: Sendable {
  /// The attempts with their numbers, counted from 1 over all goals.
  private let numbered: [(number: Int, attempt: Attempt)]
  private var attempts: [Attempt] { numbered.map(\.attempt) }

  /// Creates a view of the attempts to reach `goal`, or of all attempts if `goal` is nil.
  public init(_ outcome: Outcome, on goal: Goal? = nil) {
    numbered = outcome.attempts.enumerated().map { ($0.offset + 1, $0.element) }
      .filter { goal == nil || $0.attempt.goal == goal }
  }

  /// Returns the attempts as text, with a line for each attempt.
  public func document(indent: Int = 0) -> Document {
    var document = Document()
    for (number, attempt) in numbered {
      document.bullet(
        Self.glyph(attempt.result), RichText("\(number). \(Self.words(attempt))"), indent: indent)
      document.paragraph(RichText(Self.words(attempt.result) + Self.day(attempt), .dim), indent: indent + 5)
    }
    return document
  }

  /// Returns one line of text about an attempt, for use as a title.
  public static func title(_ attempt: Attempt) -> String { words(attempt) + ": " + words(attempt.result) }

  /// Returns a description of the attack, including the attackers' choice of path and their action on revocation.
  private static func words(_ attempt: Attempt) -> String {
    let suppression =
      switch attempt.suppression {
      case nil: ""
      case .blocked: ", and blocks the revocation status"
      case .signed(let delegate): ", and signs OCSP responses with the key of \(delegate)"
      case .outdated(let age): ", and replays a revocation status that is \(Detail.seconds(age).description) old"
      }
    return words(attempt.means) + (attempt.through.map { ", through \($0)" } ?? "") + suppression
  }

  /// Returns a description of the attack as a clause.
  static func words(_ means: Attempt.Means) -> String {
    switch means {
    case .ordered: "an attacker impersonates the server, as the scenario configures"
    case .ownRoot: "an impostor presents a certificate from its own root"
    case .honest(let authority): "an impostor presents a genuine certificate from \(authority) for attacker.example"
    case .honestPrefix(let authority):
      "an attacker presents a genuine certificate from \(authority) for a name that consists of the host, a zero byte "
        + "and attacker.example"
    case .signedByHonest(let authority):
      "an impostor signs a certificate for the host with the key of its genuine certificate from \(authority)"
    case .shown(let certificate, let key): "an impostor presents \(certificate) and has \(key)"
    case .forged(let certificate, let key):
      "an impostor issues a certificate for the host under \(certificate), signed with \(key)"
    case .withoutKey(let exchange):
      "an impostor presents the server's certificate without its key (\(exchange.rawValue) key exchange)"
    case .knownPremaster(let value): "an impostor presents the server's certificate and finishes with \(value)"
    case .resumed(let value): "an impostor resumes a session with \(value)"
    case .repeatedKeyExchange(let value):
      "an impostor resends a ServerKeyExchange that the server signed for the same client_random, and finishes with "
        + "\(value)"
    case .takenOver(let value):
      "an attacker relays the server's signed messages, then finishes with \(value)"
    case .oracle:
      "an impostor presents the server's certificate, and makes the server decrypt the client's premaster secret"
    case .rerouted(let host): "an attacker routes the client to \(host), which has the same external key"
    case .altered: "an attacker changes a bit of the response"
    case .added: "an attacker adds a record to the response"
    case .cutOff: "an attacker cuts the connection before the end of the response"
    case .replayed: "an attacker sends the client's messages to the server again"
    case .spliced:
      "an attacker sends its own request, then forwards the client's handshake as a renegotiation of its connection"
    case .tripleHandshake:
      "an attacker creates a session with each endpoint, relays the resumption, and sends a request for which the "
        + "client presents its certificate"
    }
  }

  private static func words(_ result: Attempt.Result) -> String {
    switch result {
    case .succeeded: "succeeds"
    case .stopped(let rules): "stopped by \(rules.map(\.id).joined(separator: ", "))"
    case .unanswered: "no result: one endpoint waits for data that does not arrive"
    case .counted(let obstacle): "would succeed; counted but not carried out: \(obstacle)"
    case .beyond(let capability): "not possible for these attackers, which lack the capability \(capability.rawValue)"
    }
  }

  private static func day(_ attempt: Attempt) -> String {
    attempt.leak.map { ", " + AttackWords.occasion($0, at: attempt.at) } ?? ""
  }

  private static func glyph(_ result: Attempt.Result) -> RichText {
    switch result {
    case .succeeded: RichText("!", .bad)
    case .counted: RichText("#", .bad)
    case .stopped, .unanswered, .beyond: RichText("✓", .good)
    }
  }

  /// The attempts as JSON, in order.
  var json: JSONValue {
    .array(
      attempts.map { attempt in
        var members: [JSONValue.Member] = [
          .init("goal", .string(attempt.goal.rawValue)), .init("means", .string(Self.id(attempt.means))),
          .init("title", .string(Self.words(attempt))), .init("at", .string(attempt.at.description)),
          .init("leak", .optional(attempt.leak?.content.description)),
          .init("result", .string(Self.id(attempt.result))),
        ]
        if case .stopped(let rules) = attempt.result {
          members.append(.init("because", .strings(rules.map(\.id))))
        } else {
          members.append(.init("because", .array([])))
        }
        return .object(members)
      })
  }

  private static func id(_ result: Attempt.Result) -> String {
    switch result {
    case .succeeded: "succeeded"
    case .stopped: "stopped"
    case .unanswered: "unanswered"
    case .counted: "counted"
    case .beyond: "beyond"
    }
  }

  private static func id(_ means: Attempt.Means) -> String {
    switch means {
    case .ordered: "ordered"
    case .ownRoot: "own-root"
    case .honest: "honest-certificate"
    case .honestPrefix: "null-prefix-certificate"
    case .signedByHonest: "signed-by-honest-certificate"
    case .shown: "known-key"
    case .forged: "forged-certificate"
    case .withoutKey: "without-key"
    case .knownPremaster: "known-premaster-secret"
    case .resumed: "resumed-session"
    case .repeatedKeyExchange: "repeated-key-exchange"
    case .takenOver: "taken-over-handshake"
    case .oracle: "padding-oracle"
    case .rerouted: "rerouted-connection"
    case .altered: "altered-record"
    case .added: "added-record"
    case .cutOff: "cut-connection"
    case .replayed: "replayed-connection"
    case .spliced: "spliced-connection"
    case .tripleHandshake: "triple-handshake"
    }
  }
}
