/// A kind of value, identified by its name in the standard.
///
/// The set is open: each module declares constants for the values that it creates.
public struct ValueKind: Sendable, Hashable {
  /// The name in the standard without the side, such as `master_secret` or `write_key`.
  public let word: String

  /// Creates the kind of value with this name.
  public init(_ word: String) { self.word = word }

  /// A private key that a scenario names.
  public static let key = ValueKind("key")
  /// A certificate that a scenario names.
  public static let certificate = ValueKind("certificate")
}

/// The owner of values: one handshake of a connection, or an object that a scenario names.
public struct ValueScope: Sendable, Hashable {
  /// The name of the connection, or a name in a scenario; empty if there is only one connection.
  public private(set) var owner = ""
  /// Whether this is an interceptor's connection to the server.
  public private(set) var isUpstream = false
  /// The number of the handshake on the connection; 0 for the first handshake.
  public private(set) var handshake = 0

  private static let upstreamWord = "upstream"
  private static let renegotiatedWord = "renegotiated"

  /// Creates the scope of the only connection.
  public init() {}

  /// Parses a scope, such as `api`, `first.upstream` or `first.renegotiated`.
  public init(_ text: String) {
    var words = text.split(separator: ".", omittingEmptySubsequences: false)
    while words.last == Self.renegotiatedWord[...] {
      words.removeLast()
      handshake += 1
    }
    if words.last == Self.upstreamWord[...] {
      words.removeLast()
      isUpstream = true
    }
    owner = words.joined(separator: ".")
  }

  /// Whether the scope is only a name, and neither an interceptor's connection to the server nor a later handshake.
  public var isName: Bool { !isUpstream && handshake == 0 }

  /// The scope of an interceptor's connection to the server.
  public var upstream: ValueScope {
    var scope = self
    scope.isUpstream = true
    return scope
  }

  /// The scope of the next handshake on the same connection.
  public var renegotiated: ValueScope {
    var scope = self
    scope.handshake += 1
    return scope
  }

  /// The scope of the first handshake on the same connection.
  public var connection: ValueScope {
    var scope = self
    scope.handshake = 0
    return scope
  }

  /// The scope of a part of this scope.
  public func part(_ word: String) -> ValueScope { ValueScope(prefix + word) }

  /// Whether `other` belongs to the same connection or to one inside it. Always true for the only connection.
  public func contains(_ other: ValueScope) -> Bool {
    self == ValueScope() || owner == other.owner && (isUpstream == other.isUpstream || !isUpstream)
  }

  /// The part of a name before the value, such as `first.upstream.`; empty for the only connection.
  public var prefix: String {
    (owner.isEmpty ? "" : "\(owner).") + (isUpstream ? "\(Self.upstreamWord)." : "")
      + String(repeating: "\(Self.renegotiatedWord).", count: handshake)
  }

  /// The name in this scope of a value without an owner.
  public func name(_ bare: ValueName) -> ValueName {
    ValueName(bare.kind, of: bare.side, number: bare.number, in: self)
  }

  /// The name of a value in this scope.
  public func name(_ kind: ValueKind, of side: Side? = nil, number: Int? = nil) -> ValueName {
    ValueName(kind, of: side, number: number, in: self)
  }
}

/// The name of a value, which consists of its owner, its side and its kind.
///
/// The description is the name in scenario files, such as `first.client_random`, `application_data.client.1` or
/// `api.key`.
public struct ValueName: Sendable, Hashable, CustomStringConvertible {
  /// The scope that the value belongs to: a connection and handshake, or a name in a scenario.
  public var scope: ValueScope
  /// The side that has the value; nil if both have it.
  public let side: Side?
  /// The kind of the value.
  public let kind: ValueKind
  /// The number among values of the same kind, starting at 1; nil if there is only one.
  public let number: Int?

  /// Creates the name of a value of this kind.
  public init(_ kind: ValueKind, of side: Side? = nil, number: Int? = nil, in scope: ValueScope = ValueScope()) {
    self.scope = scope
    self.side = side
    self.kind = kind
    self.number = number
  }

  /// Parses a name as scenario files write it.
  public init(_ text: String) {
    var words = text.split(separator: ".", omittingEmptySubsequences: false)
    var word = words.popLast() ?? ""
    var (side, number) = (Side?.none, Int?.none)
    if let last = Int(word), let before = words.popLast() {
      (word, number) = (before, last)
      if let end = Side(rawValue: String(before)), let kind = words.popLast() { (word, side) = (kind, end) }
    } else if let end = Side.allCases.first(where: { word.hasPrefix("\($0)_") }) {
      (word, side) = (word.dropFirst(end.rawValue.count + 1), end)
    }
    let scope = ValueScope(words.joined(separator: "."))
    let name = ValueName(ValueKind(String(word)), of: side, number: number, in: scope)
    self = name.description == text ? name : ValueName(ValueKind(text))
  }

  /// The name as scenario files write it.
  public var description: String {
    guard let number else { return scope.prefix + (side.map { "\($0)_" } ?? "") + kind.word }
    return scope.prefix + kind.word + (side.map { ".\($0)" } ?? "") + ".\(number)"
  }

  /// The name of the same value without its owner.
  public var bare: ValueName { ValueName(kind, of: side, number: number) }

  /// The name of another value of the same owner.
  public func sibling(_ kind: ValueKind, of side: Side? = nil, number: Int? = nil) -> ValueName {
    scope.name(kind, of: side, number: number)
  }
}

extension ValueName: Comparable {
  /// Orders names alphabetically, as scenario files write them.
  public static func < (left: ValueName, right: ValueName) -> Bool { left.description < right.description }
}

extension Sequence<ValueName> {
  /// Joins the names to a single text.
  public func joined(separator: String) -> String { map(\.description).joined(separator: separator) }
}
