import Endpoint
import Explanation
import TLS
import URLLoading

/// An active attack on the messages of a network. Its name is a verb of the scenario language.
///
/// An attack acts on bytes in transit; the endpoints do not know about the attack.
public struct Attack: Sendable, Hashable {
  /// The action on a message.
  public enum Action: Sendable, Hashable {
    /// The attacker reads the message and passes it on unchanged.
    case observe
    /// The attacker drops the message.
    case drop
    /// The attacker drops the message and everything after it. The receiver sees the connection end without a
    /// close_notify.
    case cut
    /// The attacker delivers the message twice.
    case replay
    /// The attacker changes the message before it arrives.
    case alter(Alteration)
    /// The attacker sends a forged message after or before this one.
    case inject(Injection, Order = .after)
  }

  /// The position of a forged message relative to the message of an endpoint.
  public enum Order: String, Sendable, Hashable {
    case after, before
  }

  /// The name of the messages to attack.
  public let message: MessageName
  /// The side that sends the messages; nil for both sides.
  public let from: Side?
  /// The connection to attack; nil for every connection.
  public let connection: String?
  /// The attacker's action on the message.
  public let deed: Action
  /// The newest version for which the attack is skipped: it only applies to a ClientHello that offers a newer one. Nil
  /// for no limit.
  public let newest: ProtocolVersion?
  /// The number of the message within its connection, counted from 1; nil for every message.
  public let number: Int?
  /// Whether no further message of one endpoint arrives at the other, so that only the attacker's messages arrive.
  public var takesOver = false

  /// Creates an attack that applies `deed` to the messages called `message`.
  public init(
    _ deed: Action, to message: MessageName, from: Side? = nil, in connection: String? = nil,
    above newest: ProtocolVersion? = nil, number: Int? = nil
  ) {
    self.newest = newest
    self.number = number
    self.deed = deed
    self.message = message
    self.from = from
    self.connection = connection
  }

  /// Returns the reason why the attack did not apply. Either no such message was sent, or it contained nothing to
  /// change.
  public func missed(isMet: Bool) -> String {
    guard isMet else {
      let whose = from.map { " from the \($0)" } ?? ""
      let which = number.map { " number \($0)" } ?? newest.map { " that offers a version above \($0)" } ?? ""
      return "no \(message)\(whose)\(which) was sent"
    }
    if case .alter(let alteration) = deed {
      return "\(message) has no content that the change applies to (\(alteration))"
    }
    return "\(message) was not changed"
  }

  /// The attack in scenario notation: `drop ServerHello`.
  public var order: String {
    switch deed {
    case .observe: "observe \(message)"
    case .drop: newest.map { "drop \(message) above \($0)" } ?? "drop \(message)"
    case .cut: "cut \(message)"
    case .replay: "replay \(message)"
    case .alter: "alter \(message)"
    case .inject(let injection, let order): "inject \(injection.name) \(order) \(message)"
    }
  }

  /// Returns whether the attack applies to this message.
  func applies(to transmission: Transmission, from side: Side, in connection: String?) -> Bool {
    let isThere = self.connection.map { $0 == connection || connection?.hasPrefix("\($0).attempt") == true } ?? true
    guard transmission.name == message, (from ?? side) == side, isThere else { return false }
    guard let newest else { return true }
    guard case .handshake(let handshake) = transmission.message?.content, case .clientHello(let hello) = handshake.body
    else { return false }
    let offered = hello.extensions?.supportedVersions ?? [hello.clientVersion]
    return ProtocolVersion.known.contains { $0 > newest && offered.contains($0) }
  }

  /// Returns the record of the attack on `transmission`.
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
    let name = if case .inject(let injection, _) = deed { injection.name } else { transmission.name }
    return Interference(kind, message: name, bytes: transmission.bytes, fields: transmission.fields)
  }

  /// Returns the messages that arrive in place of `transmission`, which `side` sends after the messages `seen`.
  func result(on transmission: Transmission, from side: Side, _ seen: ClearMessages) -> [Transmission] {
    switch deed {
    case .observe: [transmission]
    case .drop, .cut: []
    case .replay: [transmission, transmission]
    case .alter(let alteration): [alteration.applied(to: transmission) ?? transmission]
    case .inject(let injection, .after): [transmission, injection.transmission(with: transmission, from: side, seen)]
    case .inject(let injection, .before): [injection.transmission(with: transmission, from: side, seen), transmission]
    }
  }

  /// Returns how much of `transmission` reaches its receiver.
  func arrival(of transmission: Transmission) -> Step.Arrival {
    switch deed {
    case .drop, .cut: .none
    case .alter(let alteration): alteration.applied(to: transmission) == nil ? .whole : .changed
    case .observe, .replay, .inject: .whole
    }
  }

  /// Whether the attacker sends a forged message after that of an endpoint.
  var forgesNext: Bool { if case .inject(_, .after) = deed { true } else { false } }

  /// Returns whether `transmission` contains anything that the attack can change.
  func hasTarget(in transmission: Transmission) -> Bool {
    if case .alter(let alteration) = deed { alteration.applied(to: transmission) != nil } else { true }
  }
}

/// A change that an attacker makes to a message in transit.
public enum Alteration: Sendable, Hashable, CustomStringConvertible {
  /// Flips one bit of the records' content. Bits are counted from 0.
  case flip(bit: Int)
  /// Replaces the bytes of the first field with this name. A short replacement is repeated.
  case field(String, [UInt8])
  /// Replaces text in a plain HTTP message.
  case text([String: String])
  /// Removes these cipher suites from a ClientHello.
  case without([CipherSuite])

  /// A description of the change in a few words.
  public var description: String {
    switch self {
    case .flip(let bit): "bit \(bit) is flipped"
    case .field(let name, _): "\(name) is replaced"
    case .text(let pairs):
      pairs.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)) becomes \(Self.quoted($0.value))" }
        .joined(separator: ", ")
    case .without(let suites): suites.count == 1 ? "\(suites[0].name) is removed" : "\(suites.count) suites are removed"
    }
  }

  /// A part of a message on one line.
  private static func quoted(_ text: String) -> String {
    "'\(text.unicodeScalars.map { $0 == "\r" ? "\\r" : $0 == "\n" ? "\\n" : "\($0)" }.joined())'"
  }

  /// Returns the message as it arrives; nil if it contains nothing to change.
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

  /// Returns the message with a new length in the header of the record, and otherwise unchanged (RFC 5246 section
  /// 6.2.1).
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
