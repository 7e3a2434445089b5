import Endpoint
import Explanation
import Simulator
import TLS
import Trust
import URLLoading

/// The keys of a network verb under construction.
struct VerbParts {
  var leak: LeakDescription?
  var after: Int64?
  var age: Int64?
  var status: World.AgedStatus?
  var message: MessageName?
  var side: Side?
  var connection: String?
  var flip: Int?
  var field: String?
  var bytes: [UInt8]?
  var replacements: [String: String]?
  var suites: [CipherSuite]?
  var injected: MessageName?
  var level: String?
  var text: NodeReader?
  var interceptor: InterceptorParts?
  var host: String?
  var question: String?
  var newest: ProtocolVersion?
  var number: Int?
  var isDone = false

  /// Returns the leak. A quantum computer has a date of its own.
  func leak(_ reader: NodeReader) -> NetworkVerb? {
    switch leak {
    case .secret(let name): return .leak(name, after: after ?? 0, reader.mark(of: "leak"))
    case .quantumComputer(let day):
      if reader.node["after"] != nil {
        reader.sink.error(
          "'after' applies to a secret; a quantum computer has a date", hint: LeakDescription.example,
          at: reader.mark(of: "after"))
      }
      return .quantumComputer(from: day)
    case nil: return nil
    }
  }

  /// Returns an attacker's action on a message.
  func attack(_ deed: Attack.Action) -> NetworkVerb? {
    message.map { .attack(Attack(deed, to: $0, from: side, in: connection, above: newest, number: number)) }
  }
}

extension VerbParts {
  /// Returns the change to the message. Only one of the four kinds of change is allowed.
  func alteration(_ reader: NodeReader) -> Alteration? {
    let ways = ["flip", "field", "replace", "without"].filter { reader.node[$0] != nil }
    guard ways.count == 1, let way = ways.first else {
      if reader.node.entries != nil {
        reader.fail(
          "'alter' needs exactly one change",
          hint: "write one of flip: 12, field: random, replace: { a: b } or without: […]")
      }
      return nil
    }
    switch way {
    case "flip": return flip.map(Alteration.flip)
    case "replace": return replacements.flatMap { $0.isEmpty ? nil : .text($0) }
    case "without": return suites.map(Alteration.without)
    default:
      if reader.node["to"] == nil {
        reader.fail("'field' needs 'to', which contains the new bytes", hint: "write to: 00")
      }
      guard let field, let bytes else { return nil }
      return .field(field, bytes)
    }
  }

  /// The message that the attacker forges.
  var injection: Injection? {
    switch injected {
    case .httpResponse: .response(text?.text() ?? "")
    case .tls(.applicationData): .applicationData(text?.text() ?? "")
    case .tls(.alert):
      text?.choice(AlertDescription.registry.map(\.name), called: "alert").flatMap(AlertDescription.init(name:))
        .map { .alert($0, level: level.map { $0 == "fatal" ? .fatal : .warning }) }
    default: nil
    }
  }
}
