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
  var body: [UInt8]?
  var next: MessageName?
  var takesOver = false
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

  /// Returns the attacker's forged message next to a message of an endpoint; nil if keys are missing.
  func injection(_ reader: NodeReader) -> NetworkVerb? {
    let places = ["after", "before"].filter { reader.node[$0] != nil }
    if places.count != 1 {
      reader.fail(
        "'inject' needs 'after' or 'before', which names a message of an endpoint", hint: NetworkVerb.injectExample)
    }
    guard let injection = forged(reader), let message = message ?? next else { return nil }
    let order: Attack.Order = next == nil ? .after : .before
    var attack = Attack(.inject(injection, order), to: message, from: side, in: connection)
    attack.takesOver = takesOver
    return .attack(attack)
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

  /// Returns the message that the attacker forges; nil if a key is missing or does not apply to the message.
  private func forged(_ reader: NodeReader) -> Injection? {
    guard let injected else { return nil }
    let keys = Self.keys(of: injected)
    for key in ["text", "body", "level"] where reader.node[key] != nil && !keys.contains(key) {
      reader.sink.error(
        "'\(key)' does not apply to \(injected)", hint: keys.isEmpty ? "leave it out" : "write \(keys.listed)",
        at: reader.mark(of: key))
    }
    switch injected {
    case .httpResponse: return .response(text?.text() ?? "")
    case .tls(.applicationData):
      let content = text?.text() ?? ""
      checkSize(content.utf8.count, reader)
      return .applicationData(content)
    case .tls(.changeCipherSpec): return .changeCipherSpec
    case .tls(.handshake(let type)):
      checkSize((body?.count ?? 0) + 4, reader)
      return .handshake(type, body: body)
    case .tls(.alert):
      if text == nil { reader.fail("an Alert needs 'text', which names it", hint: "write text: internal_error") }
      return text?.choice(AlertDescription.registry.map(\.name), called: "alert").flatMap(AlertDescription.init(name:))
        .map { .alert($0, level: level.map { $0 == "fatal" ? .fatal : .warning }) }
    default: return nil
    }
  }

  /// Reports a message that does not fit into one record.
  ///
  /// The length field of a record has two bytes (RFC 5246 section 6.2.1).
  private func checkSize(_ count: Int, _ reader: NodeReader) {
    guard count > Int(UInt16.max) else { return }
    reader.fail(
      "the injected message has \(count) bytes, but the length field of a record allows at most \(UInt16.max)",
      hint: "shorten it; a record with more than 2^14 bytes already violates record.overflow")
  }

  /// The keys with which a scenario sets the content of a forged message.
  private static func keys(of message: MessageName) -> [String] {
    switch message {
    case .tls(.alert): ["text", "level"]
    case .tls(.changeCipherSpec): []
    case .tls(.handshake): ["body"]
    default: ["text"]
    }
  }
}
