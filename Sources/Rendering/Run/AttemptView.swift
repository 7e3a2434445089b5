import Explanation
import Simulator

/// The attacks that were tried on a connection, and what stopped them.
public struct AttemptView: Sendable {
  /// The attempts with their numbers, counted from 1 over all goals.
  private let numbered: [(number: Int, attempt: Attempt)]
  private var attempts: [Attempt] { numbered.map(\.attempt) }

  /// A view of the attempts to reach `goal`, or all of them.
  public init(_ outcome: Outcome, on goal: Goal? = nil) {
    numbered = outcome.attempts.enumerated().map { ($0.offset + 1, $0.element) }
      .filter { goal == nil || $0.attempt.goal == goal }
  }

  /// A line for each attempt.
  public func document(indent: Int = 0) -> Document {
    var document = Document()
    for (number, attempt) in numbered {
      document.bullet(
        Self.glyph(attempt.result), RichText("\(number). \(Self.words(attempt))"), indent: indent)
      document.paragraph(RichText(Self.words(attempt.result) + Self.day(attempt), .dim), indent: indent + 5)
    }
    return document
  }

  /// One attempt in a line, as a title.
  public static func title(_ attempt: Attempt) -> String { words(attempt) + ": " + words(attempt.result) }

  /// What attackers do, with what they do about the path of their chain and about revocation.
  private static func words(_ attempt: Attempt) -> String {
    let suppression =
      switch attempt.suppression {
      case nil: ""
      case .blocked: ", and blocks what is said of revocation"
      case .signed(let delegate): ", and signs OCSP responses with the key of \(delegate)"
      case .outdated(let age): ", and hands out what was said of revocation \(Detail.seconds(age).description) before"
      }
    return words(attempt.means) + (attempt.through.map { ", through \($0)" } ?? "") + suppression
  }

  /// What attackers do, as a clause.
  static func words(_ means: Attempt.Means) -> String {
    switch means {
    case .ordered: "someone stands in for the server, as the scenario orders"
    case .ownRoot: "an impostor shows a certificate under a root of its own making"
    case .honest(let authority): "an impostor shows an honest certificate of \(authority) for attacker.example"
    case .honestPrefix(let authority):
      "an attacker shows an honest certificate of \(authority) for the host, a byte 00 and attacker.example"
    case .signedByHonest(let authority):
      "an impostor signs a certificate for the host with its honest one of \(authority)"
    case .shown(let certificate, let key): "an impostor shows \(certificate), with \(key)"
    case .forged(let certificate, let key):
      "an impostor signs a certificate for the host under \(certificate), with \(key)"
    case .withoutKey(let exchange):
      "an impostor shows the server's certificate without its key (\(exchange.rawValue) key exchange)"
    case .knownPremaster(let value): "an impostor shows the server's certificate, and finishes with \(value)"
    case .resumed(let value): "an impostor goes on with a session, with \(value)"
    case .repeatedKeyExchange(let value):
      "an impostor sends once more what the server signed for the same client_random, and finishes with \(value)"
    case .takenOver(let value):
      "an attacker passes on the server's messages up to ServerHelloDone, and finishes in its place with \(value)"
    case .oracle: "an impostor shows the server's certificate, and has the server decrypt what the client sends"
    case .altered: "someone changes a bit of the answer"
    case .added: "someone adds a record to the answer"
    case .cutOff: "someone cuts the connection before the end of the answer"
    case .replayed: "someone sends the client's messages to the server once more"
    case .spliced:
      "someone puts his own words before the client's, whose handshake he makes the second on his connection"
    case .tripleHandshake:
      "an attacker makes a session with each end, lets the ends resume them, and sends a request for which the client "
        + "shows its certificate"
    }
  }

  private static func words(_ result: Attempt.Result) -> String {
    switch result {
    case .succeeded: "goes through"
    case .stopped(let rules): "stopped by \(rules.map(\.id).joined(separator: ", "))"
    case .unanswered: "nothing comes of it: one end waits for what does not come"
    case .counted(let obstacle): "would go through; counted, not carried out: \(obstacle)"
    case .beyond(let capability): "beyond these attackers, who are not able to: \(capability.rawValue)"
    }
  }

  private static func day(_ attempt: Attempt) -> String {
    attempt.leak.map { ", on \(attempt.at), once \($0.secret) has leaked" } ?? ""
  }

  private static func glyph(_ result: Attempt.Result) -> RichText {
    switch result {
    case .succeeded: RichText("!", .bad)
    case .counted: RichText("#", .bad)
    case .stopped, .unanswered, .beyond: RichText("✓", .good)
    }
  }

  /// The attempts, in order.
  var json: JSONValue {
    .array(
      attempts.map { attempt in
        var members: [JSONValue.Member] = [
          .init("goal", .string(attempt.goal.rawValue)), .init("means", .string(Self.id(attempt.means))),
          .init("title", .string(Self.words(attempt))), .init("at", .string(attempt.at.description)),
          .init("leak", .optional(attempt.leak?.secret)), .init("result", .string(Self.id(attempt.result))),
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
    case .altered: "altered-record"
    case .added: "added-record"
    case .cutOff: "cut-connection"
    case .replayed: "replayed-connection"
    case .spliced: "spliced-connection"
    case .tripleHandshake: "triple-handshake"
    }
  }
}
