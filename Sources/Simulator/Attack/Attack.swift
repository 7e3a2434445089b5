import Endpoint
import TLS

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
    /// It arrives twice.
    case replay
    /// It arrives changed.
    case alter(Alteration)
    /// After it, something made up arrives too.
    case inject(Injection)
  }

  /// The name of the messages it is done to: `ServerHello`, `HTTP response`.
  public let message: String
  /// Whose messages; nil for either side's.
  public let from: Side?
  /// The connection it happens in; nil for every one.
  public let connection: String?
  /// What is done.
  public let deed: Deed

  /// Does `deed` to every message called `message`.
  public init(_ deed: Deed, to message: String, from: Side? = nil, in connection: String? = nil) {
    self.deed = deed
    self.message = message
    self.from = from
    self.connection = connection
  }

  /// Whether it is done to this message.
  func applies(to transmission: Transmission, from side: Side, in connection: String?) -> Bool {
    transmission.name == message && (from ?? side) == side && (self.connection ?? connection) == connection
  }

  /// What was done to `transmission`, for the record.
  func interference(on transmission: Transmission) -> Interference {
    let kind: Interference.Kind
    switch deed {
    case .observe: kind = .read
    case .drop: kind = .dropped
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
    case .drop: []
    case .replay: [transmission, transmission]
    case .alter(let alteration): [alteration.applied(to: transmission) ?? transmission]
    case .inject(let injection): [transmission, injection.transmission]
    }
  }

  /// What the attacker does, in a few words.
  func title(_ transmission: Transmission) -> String {
    switch deed {
    case .observe: "the interceptor reads \(message)"
    case .drop: "the interceptor drops \(message)"
    case .replay: "the interceptor sends \(message) a second time"
    case .alter(let alteration):
      alteration.applied(to: transmission) == nil
        ? "the interceptor finds nothing to alter in \(message)" : "the interceptor alters \(message): \(alteration)"
    case .inject(let injection): "the interceptor injects \(injection.name) after \(message)"
    }
  }

  /// Why, and what it takes, in a sentence.
  var narration: String {
    switch deed {
    case .observe: "Whoever sits on the network sees every byte that is not encrypted."
    case .drop: "The message never arrives; its sender does not know."
    case .replay: "A copy of the same bytes follows the message."
    case .alter: "The bytes arrive changed. Whether anyone notices is for the receiver to say."
    case .inject: "The receiver cannot see from an address who sent something: what arrives may be anybody's."
    }
  }
}
