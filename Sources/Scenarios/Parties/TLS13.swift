import Cryptography
import Endpoint
import Explanation
import TLS

/// A key that a client and a server have agreed on outside TLS (RFC 8446 section 2.2), as a scenario describes it.
public struct PreSharedKeyDescription: Sendable, Hashable {
  /// The mode of key exchange with a pre-shared key (RFC 8446 section 4.2.9).
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// The key alone.
    case alone = "psk_ke"
    /// The key together with (EC)DHE.
    case withDiffieHellman = "psk_dhe_ke"

    /// The code point in psk_key_exchange_modes.
    var codePoint: UInt8 { self == .alone ? 0 : 1 }
  }

  /// The name of the key on the wire.
  public internal(set) var identity = "client"
  /// The key.
  public internal(set) var key: [UInt8] = []
  /// The mode in which the side uses the key.
  public internal(set) var mode = Mode.withDiffieHellman

  static let section = Section<PreSharedKeyDescription>(
    "psk", "A key that both sides have agreed on outside TLS (RFC 8446 section 2.2).",
    [
      .term("identity", .text, "the name of the key on the wire; default: client", into: \.identity),
      .term("key", .sharedKey, "the key in hexadecimal, at least 16 bytes", into: \.key),
      .term(
        "mode", .choice(called: "mode of key exchange"),
        "whether the key is used with (EC)DHE (psk_dhe_ke) or alone (psk_ke); default: psk_dhe_ke", into: \.mode),
    ])

  /// The key for the TLS configuration.
  var external: ExternalPSK { ExternalPSK(identity: Array(identity.utf8), key: key) }

  /// The sentence that `describe` prints about the key.
  public var sentence: String { "It has a pre-shared key named '\(identity)', which it uses in \(mode.rawValue)." }
}

/// The early data that a server accepts (RFC 8446 section 8), as a scenario describes it.
public struct EarlyDataDescription: Sendable, Hashable {
  /// The maximum number of bytes.
  public internal(set) var maximum = 16_384
  /// The protection against a replay.
  public internal(set) var replayProtection = EarlyDataPolicy.ReplayProtection.singleUse

  static let section = Section<EarlyDataDescription>(
    "earlyData", "The early data that a server accepts (RFC 8446 sections 2.3 and 8).",
    [
      .term("maximum", .integer(1...(1 << 20)), "the maximum number of bytes; default: 16384", into: \.maximum),
      .term(
        "replayProtection", .choice(called: "replay protection"),
        "whether each ticket permits early data once (single-use), or again and again (none); default: single-use",
        into: \.replayProtection),
    ])

  var policy: EarlyDataPolicy {
    EarlyDataPolicy(maximum: UInt32(clamping: maximum), replayProtection: replayProtection)
  }

  /// The sentence that `describe` prints about the early data.
  public var sentence: String {
    let protection = replayProtection == .none ? ", any number of times with one ticket" : ", once with each ticket"
    return "It accepts up to \(maximum) bytes of early data\(protection)."
  }
}

/// The compression of a server's certificates (RFC 8879).
public enum CompressionChoice: String, Sendable, Hashable, CaseIterable {
  /// No compression.
  case none
  /// zlib.
  case zlib
}

extension Kind<[UInt8]> {
  /// A key that was agreed on outside TLS, with at least 128 bits (RFC 9257 section 6).
  ///
  /// An attacker could try every shorter key against the binder in ClientHello, and no goal tries that.
  fileprivate static var sharedKey: Kind {
    Kind<[UInt8]>(.pattern("^([0-9a-fA-F]{2}){16,}$"), written: { Hex.string($0) }) { reader in
      guard let key = Kind.hex.read(reader) else { return nil }
      if key.count >= 16 { return key }
      reader.fail(
        "the key has \(key.count) bytes, and needs at least 16", hint: "write at least 32 digits (RFC 9257 section 6)")
      return nil
    }
  }
}

extension Kind<Int> {
  /// A limit in record_size_limit (RFC 8449 section 4).
  static var recordSizeLimit: Kind { .integer(64...16_385) }
  /// The number of zeros after the content of a record (RFC 8446 section 5.4).
  static var recordPadding: Kind { .integer(0...16_384) }
}

extension Kind<PreSharedKeyDescription> {
  /// A pre-shared key.
  static var preSharedKey: Kind { .section(PreSharedKeyDescription.section) { PreSharedKeyDescription() } }
}

extension Kind<EarlyDataDescription> {
  /// The early data that a server accepts.
  static var earlyData: Kind { .section(EarlyDataDescription.section) { EarlyDataDescription() } }
}

extension ClientEndpoint.KeyUpdatePolicy {
  /// The sentence that `describe` prints.
  var sentence: String {
    switch self {
    case .own: "In TLS 1.3, it updates its keys."
    case .both: "In TLS 1.3, it updates its keys, and requests the same of its peer."
    }
  }
}

extension ClientEndpoint.EarlyRequests {
  /// The sentence that `describe` prints.
  var sentence: String? {
    switch self {
    case .none: nil
    case .safe: "It sends requests that change nothing as early data."
    case .all: "It sends every request as early data."
    }
  }
}
