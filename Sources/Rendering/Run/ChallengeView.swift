import Explanation
import Simulator
import URLLoading

/// The challenges that an app received while a URL was loaded, and the app's answers.
public struct ChallengeView: Sendable {
  private let exchanges: [ChallengeExchange]
  private let first: Int

  /// Creates a view of these challenges in order. If `lastAlone` is true, only the last one is shown, under its own
  /// number.
  public init(_ exchanges: [ChallengeExchange], lastAlone: Bool = false) {
    self.exchanges = lastAlone ? Array(exchanges.suffix(1)) : exchanges
    first = lastAlone ? max(1, exchanges.count) : 1
  }

  /// Returns every challenge as text, with its protection space, the called delegate methods, and the app's answer.
  public func document(indent: Int = 0) -> Document {
    var document = Document()
    for (index, exchange) in exchanges.enumerated() {
      if index > 0 { document.blocks.append(.space) }
      let answer = RichText(
        " → \(exchange.answer.name)", exchange.answer == .unanswered || exchange.answer == .exception ? .bad : .strong)
      document.paragraph(RichText("\(index + first). \(exchange.challenge.method.constant)") + answer, indent: indent)
      document.facts(facts(of: exchange), indent: indent + 3)
    }
    return document
  }

  private func facts(of exchange: ChallengeExchange) -> [Document.Fact] {
    let challenge = exchange.challenge
    let space = challenge.space
    var facts: [Document.Fact] = [
      .init("host", "\(space.host)"), .init("port", "\(String(space.port))"),
      .init("protocol", "\(space.protocol ?? "nil")"), .init("realm", "\(space.realm ?? "nil")"),
      .init("receivesCredentialSecurely", "\(space.receivesCredentialSecurely ? "YES" : "NO")"),
      .init("previousFailureCount", "\(String(challenge.previousFailureCount))"),
      .init("proposedCredential", "\(challenge.proposedCredential?.description ?? "nil")"),
      .init("failureResponse", "\(challenge.failureResponse.map(String.init) ?? "nil")"),
    ]
    if let type = space.proxyType { facts.insert(.init("proxyType", "\(type.constant)"), at: 3) }
    if let names = space.distinguishedNames { facts.append(.init("distinguishedNames", "\(String(names.count))")) }
    facts.append(.init("serverTrust", "\(challenge.method == .serverTrust ? "the chain as presented" : "NULL")"))
    facts.append(.init("called", "\(Self.called(exchange))"))
    let calls = exchange.calls.map(Self.words)
    facts.append(.init("answers", "\(calls.isEmpty ? "none" : calls.joined(separator: ", then "))"))
    if let disposition = Self.disposition(exchange) {
      facts.append(.init("means", "\(disposition.meaning(for: space))"))
    }
    return facts
  }

  private static func called(_ exchange: ChallengeExchange) -> String {
    let route = exchange.route
    guard !route.called.isEmpty else { return "none" + (route.isMissed ? ": the delegate has only other methods" : "") }
    return route.called.map { method in
      method == .canAuthenticate
        ? "\(method.selector) returns \(route.canAuthenticate == true ? "YES" : "NO")" : method.selector
    }.joined(separator: ", ")
  }

  private static func words(_ call: ChallengeExchange.Call) -> String {
    guard let disposition = call.call.disposition else {
      return call.call == .raise ? "an exception" : "[connection cancel]"
    }
    return disposition.name + (call.credential.map { " with \($0.description)" } ?? "")
  }

  private static func disposition(_ exchange: ChallengeExchange) -> ChallengeDisposition? {
    ChallengeDisposition.allCases.first { $0.name == exchange.answer.name }
  }

  /// The challenges as JSON, in order.
  var json: JSONValue {
    .array(
      exchanges.map { exchange in
        let (challenge, route) = (exchange.challenge, exchange.route)
        return [
          "method": .string(challenge.method.constant),
          "space": [
            "host": .string(challenge.space.host), "port": .integer(Int(challenge.space.port)),
            "protocol": .optional(challenge.space.protocol), "realm": .optional(challenge.space.realm),
            "isProxy": .boolean(challenge.space.isProxy), "proxyType": .optional(challenge.space.proxyType?.rawValue),
          ],
          "previousFailureCount": .integer(challenge.previousFailureCount),
          "proposedCredential": .optional(challenge.proposedCredential?.description),
          "called": .strings(route.called.map(\.selector)), "asked": .optional(route.asked?.selector),
          "status": exchange.report.map { .integer($0.status) } ?? .null,
          "result": .optional(exchange.report?.result?.description),
          "calls": .strings(exchange.calls.map(Self.words)), "answer": .string(exchange.answer.name),
          "findings": .strings(exchange.findings.filter { $0.outcome == .violated }.map(\.rule.id)),
          "library": exchange.report?.library?.json ?? .null,
        ]
      })
  }
}

/// The contents of a credential storage.
public struct StorageView: Sendable {
  private let storage: CredentialStorage?

  /// Creates a view of `storage`, which is nil for a session without a credential storage.
  public init(_ storage: CredentialStorage?) { self.storage = storage }

  /// Returns every protection space with its credentials. Passwords are not shown.
  public func document() -> Document {
    var document = Document()
    guard let storage else {
      document.paragraph("The session has no credential storage.")
      return document
    }
    if storage.entries.isEmpty { document.paragraph("The credential storage is empty.") }
    for entry in storage.entries {
      document.paragraph(RichText(entry.space.description, .name))
      for credential in entry.credentials {
        let isDefault = credential == entry.defaultCredential ? " (default)" : ""
        document.bullet(RichText("·", .dim), RichText("\(credential.description)\(isDefault)"), indent: 2)
        if credential.persistence != credential.effectivePersistence {
          document.paragraph(
            RichText(
              "this identity is kept only while the process runs; identities are never stored permanently", .warning),
            indent: 7)
        }
      }
    }
    return document
  }
}
