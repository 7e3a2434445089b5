import Endpoint
import Explanation
import TLS
import URLLoading

/// What an active attacker does to messages on the network, by their name: a verb of the scenario language.
///
/// Attacks act on bytes that are on their way; no endpoint knows of them.
public struct Attack: Sendable, Hashable {
  /// What is done to a message.
  public enum Deed: Sendable, Hashable {
    /// It is read, and goes on as it is.
    case observe
    /// It never arrives.
    case drop
    /// It never arrives, nor anything after it: its receiver sees the connection end, without a close_notify.
    case cut
    /// It arrives twice.
    case replay
    /// It arrives changed.
    case alter(Alteration)
    /// After it, something made up arrives too.
    case inject(Injection)
  }

  /// The name of the messages it is done to.
  public let message: MessageName
  /// Whose messages; nil for either side's.
  public let from: Side?
  /// The connection it happens in; nil for every one.
  public let connection: String?
  /// What is done.
  public let deed: Deed
  /// Of ClientHellos only those that offer a newer version; nil for all.
  public let newest: ProtocolVersion?
  /// Of the messages of a connection only the one of this number, counted from 1; nil for all.
  public let number: Int?

  /// Does `deed` to every message called `message`.
  public init(
    _ deed: Deed, to message: MessageName, from: Side? = nil, in connection: String? = nil,
    above newest: ProtocolVersion? = nil, number: Int? = nil
  ) {
    self.newest = newest
    self.number = number
    self.deed = deed
    self.message = message
    self.from = from
    self.connection = connection
  }

  /// What it would have met, and did not: for a message that never came, or had nothing to change.
  public func missed(isMet: Bool) -> String {
    guard isMet else {
      let whose = from.map { " of the \($0)'s" } ?? ""
      let which = number.map { " number \($0)" } ?? newest.map { " that offers more than \($0)" } ?? ""
      return "no \(message)\(whose)\(which) came"
    }
    if case .alter(let alteration) = deed { return "in \(message) there is nothing for it: \(alteration)" }
    return "\(message) stayed as it was"
  }

  /// `drop ServerHello`
  public var order: String {
    switch deed {
    case .observe: "observe \(message)"
    case .drop: newest.map { "drop \(message) above \($0)" } ?? "drop \(message)"
    case .cut: "cut \(message)"
    case .replay: "replay \(message)"
    case .alter: "alter \(message)"
    case .inject(let injection): "inject \(injection.name) after \(message)"
    }
  }

  /// Whether it is done to this message.
  func applies(to transmission: Transmission, from side: Side, in connection: String?) -> Bool {
    let isThere = self.connection.map { $0 == connection || connection?.hasPrefix("\($0).attempt") == true } ?? true
    guard transmission.name == message, (from ?? side) == side, isThere else { return false }
    guard let newest else { return true }
    guard case .handshake(let handshake) = transmission.message?.content, case .clientHello(let hello) = handshake.body
    else { return false }
    return hello.clientVersion > newest
  }

  /// What was done to `transmission`, for the record.
  func interference(on transmission: Transmission) -> Interference {
    let kind: Interference.Kind
    switch deed {
    case .observe: kind = .read
    case .drop: kind = .dropped
    case .cut: kind = .cut
    case .replay: kind = .replayed
    case .alter(let alteration): kind = alteration.applied(to: transmission) == nil ? .unaltered : .altered
    case .inject: kind = .injected
    }
    let name = if case .inject(let injection) = deed { injection.name } else { transmission.name }
    return Interference(kind, message: name, bytes: transmission.bytes, fields: transmission.fields)
  }

  /// What arrives in the place of `transmission`.
  func result(on transmission: Transmission) -> [Transmission] {
    switch deed {
    case .observe: [transmission]
    case .drop, .cut: []
    case .replay: [transmission, transmission]
    case .alter(let alteration): [alteration.applied(to: transmission) ?? transmission]
    case .inject(let injection): [transmission, injection.transmission]
    }
  }

  /// What of `transmission` reaches whom it is for.
  func arrival(of transmission: Transmission) -> Step.Arrival {
    switch deed {
    case .drop, .cut: .none
    case .alter(let alteration): alteration.applied(to: transmission) == nil ? .whole : .changed
    case .observe, .replay, .inject: .whole
    }
  }

  /// Whether there is something in `transmission` for it to act on.
  func hasTarget(in transmission: Transmission) -> Bool {
    if case .alter(let alteration) = deed { alteration.applied(to: transmission) != nil } else { true }
  }
}

/// How an attacker changes a message on its way.
public enum Alteration: Sendable, Hashable, CustomStringConvertible {
  /// One bit of the records' content, counted from 0.
  case flip(bit: Int)
  /// The bytes of the first field of this name, by others; short ones are repeated.
  case field(String, [UInt8])
  /// Text in a plain HTTP message, by other text.
  case text([String: String])
  /// A ClientHello that no longer offers these suites.
  case without([CipherSuite])

  /// What is changed, in a few words.
  public var description: String {
    switch self {
    case .flip(let bit): "bit \(bit) is flipped"
    case .field(let name, _): "\(name) is replaced"
    case .text(let pairs):
      pairs.sorted { $0.key < $1.key }.map { "'\($0.key)' becomes '\($0.value)'" }.joined(separator: ", ")
    case .without(let suites): suites.count == 1 ? "without \(suites[0].name)" : "\(suites.count) suites are removed"
    }
  }

  /// The message as it arrives; nil when there is nothing in it to change.
  func applied(to transmission: Transmission) -> Transmission? {
    switch self {
    case .flip(let bit): flipped(bit, in: transmission)
    case .field(let name, let bytes): replaced(name, by: bytes, in: transmission)
    case .text(let pairs): rewritten(pairs, transmission)
    case .without(let suites): reduced(by: suites, transmission)
    }
  }

  private func flipped(_ bit: Int, in transmission: Transmission) -> Transmission? {
    let start = transmission.message == nil ? 0 : Record.headerLength
    let index = start + bit / 8
    guard bit >= 0, transmission.bytes.indices.contains(index) else { return nil }
    var bytes = transmission.bytes
    bytes[index] ^= 1 << UInt8(7 - bit % 8)
    return transmission.altered(to: bytes, fields: transmission.fields)
  }

  private func replaced(_ name: String, by replacement: [UInt8], in transmission: Transmission) -> Transmission? {
    let range = transmission.fields.lazy.compactMap { $0.first(name)?.range }.first
    guard let range, !range.isEmpty, !replacement.isEmpty, range.upperBound <= transmission.bytes.count,
      !transmission.isProtected
    else { return nil }
    var bytes = transmission.bytes
    for (offset, index) in range.enumerated() { bytes[index] = replacement[offset % replacement.count] }
    guard bytes != transmission.bytes else { return nil }
    return transmission.altered(to: bytes, fields: transmission.fields)
  }

  private func rewritten(_ pairs: [String: String], _ transmission: Transmission) -> Transmission? {
    guard transmission.message == nil else { return nil }
    let bytes = HTTP.replacing(pairs, in: transmission.bytes)
    guard bytes != transmission.bytes else { return nil }
    return transmission.altered(to: bytes, fields: HTTP.fields(of: bytes))
  }

  /// The record keeps its header but for the length: RFC 5246 section 6.2.1.
  private func reduced(by suites: [CipherSuite], _ transmission: Transmission) -> Transmission? {
    guard case .handshake(let message) = transmission.message?.content, case .clientHello(var hello) = message.body,
      let version = transmission.message?.records.first?.version
    else { return nil }
    let kept = hello.cipherSuites.filter { !suites.contains($0) }
    guard kept.count < hello.cipherSuites.count, !kept.isEmpty else { return nil }
    hello.cipherSuites = kept
    guard let reduced = try? HandshakeMessage(.clientHello(hello)) else { return nil }
    let record = Record(type: .handshake, version: version, fragment: reduced.bytes)
    return transmission.altered(
      to: record.bytes, fields: [record.field, reduced.field.shifted(by: Record.headerLength)])
  }
}

/// Something an attacker makes up and sends in another's name.
public enum Injection: Sendable, Hashable {
  /// A plain HTTP response with this body.
  case response(String)
  /// A record of application data with this content, protected by nothing: the attacker has no keys.
  case applicationData(String)
  /// An alert, protected by nothing; of the level that it has by the standard, where none is given.
  case alert(AlertDescription, level: Alert.Level?)

  /// The name of what is sent.
  public var name: MessageName {
    switch self {
    case .response: .httpResponse
    case .applicationData: .tls(.applicationData)
    case .alert: .tls(.alert)
    }
  }

  var transmission: Transmission {
    switch self {
    case .response(let body):
      let bytes = HTTP.response(body: body)
      return Transmission(name: name, bytes: bytes, fields: HTTP.fields(of: bytes))
    case .applicationData(let text): return record(.applicationData, Array(text.utf8))
    case .alert(let description, let ordered):
      // RFC 5246 section 7.2: these three are warnings, whoever sends them.
      let isWarning = [.closeNotify, .userCanceled, .noRenegotiation].contains(description)
      let level = ordered ?? (isWarning ? Alert.Level.warning : .fatal)
      return record(.alert, [level.rawValue, description.rawValue])
    }
  }

  private func record(_ type: ContentType, _ content: [UInt8]) -> Transmission {
    let record = Record(type: type, version: .tls12, fragment: content)
    return Transmission(name: name, bytes: record.bytes, fields: [record.field])
  }
}
