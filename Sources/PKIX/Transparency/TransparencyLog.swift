import Cryptography
import Explanation

/// A certificate log as clients know it: its key, its operator and its state.
public struct TransparencyLog: Sendable, Hashable {
  /// The state of a log on a log list.
  public enum State: Sendable, Hashable {
    /// It has requested to be included.
    case pending
    /// It is accepted, and not yet known to all clients.
    case qualified
    /// It is accepted.
    case usable
    /// It accepts no new entries since then ("frozen" for Apple).
    case readonly(Instant)
    /// It is not trusted since then ("expiry" for Apple).
    case retired(Instant)
    /// It was never accepted, or is no longer.
    case rejected

    /// The word on log lists.
    public var word: String {
      switch self {
      case .pending: "pending"
      case .qualified: "qualified"
      case .usable: "usable"
      case .readonly: "readonly"
      case .retired: "retired"
      case .rejected: "rejected"
      }
    }

    /// Whether SCTs of the log may count.
    public var isTrusted: Bool { self != .pending && self != .rejected }
  }

  /// The display name.
  public let name: String
  /// The operator.
  public let `operator`: String
  /// The SHA-256 of its whole SubjectPublicKeyInfo.
  public let id: [UInt8]
  /// The key that verifies its signatures; nil if the list has no readable key, or a key with another identifier.
  public let key: PublicKey?
  /// Its state; nil if the list has none.
  public var state: State?
  /// The interval that must contain the notAfter date of its certificates; the end is excluded.
  public var interval: (start: Instant, end: Instant)? {
    get { start.flatMap { start in end.map { (start, $0) } } }
    set { (start, end) = (newValue?.start, newValue?.end) }
  }
  private var start: Instant?
  private var end: Instant?
  /// Whether it is read by tiles (C2SP static-ct-api) instead of the requests of RFC 6962.
  public var isTiled = false
  /// Whether it accepts only certificates of TLS servers.
  public var isForTLSOnly = false
  /// The earlier operators, each until a time in milliseconds since 1970.
  public var previousOperators: [(name: String, until: UInt64)] {
    get { previous.map { ($0.name, $0.until) } }
    set { previous = newValue.map { Previous(name: $0.name, until: $0.until) } }
  }
  private var previous: [Previous] = []

  private struct Previous: Sendable, Hashable {
    let name: String
    let until: UInt64
  }

  /// Creates a log; its identifier is computed from the key.
  public init(_ name: String, operator: String, key: PublicKey, state: State? = .usable) {
    self.init(
      name, operator: `operator`, key: key, id: TransparencyLog.id(of: key.subjectPublicKeyInfo), state: state)
  }

  /// Creates a log with a given identifier.
  public init(_ name: String, operator: String, key: PublicKey?, id: [UInt8], state: State? = .usable) {
    self.name = name
    self.operator = `operator`
    self.id = id
    self.key = key
    self.state = state
  }

  /// The identifier of the log that has this SubjectPublicKeyInfo.
  public static func id(of subjectPublicKeyInfo: [UInt8]) -> [UInt8] { Hash.sha256.digest(subjectPublicKeyInfo) }

  /// The operator at a time.
  public func operatorName(at timestamp: UInt64) -> String {
    previous.sorted { $0.until < $1.until }.first { timestamp < $0.until }?.name ?? `operator`
  }

  /// The result of verifying an SCT of this log for `entry` at a time; both times are in milliseconds since 1970.
  public func verify(
    _ timestamp: SignedCertificateTimestamp, over entry: LogEntry, at now: UInt64
  ) -> TimestampStatus {
    guard let scheme = timestamp.signature.logScheme else { return .unsupportedAlgorithm }
    guard let key else { return .invalid }
    do throws(SignatureError) {
      try key.verify(timestamp.signature.signature, over: timestamp.signedOctets(entry), scheme)
    } catch {
      return .invalid
    }
    return timestamp.timestamp > now ? .future : .valid
  }
}

/// The result of verifying one SCT. Raw values are words of findings.
public enum TimestampStatus: String, Sendable, Hashable, CaseIterable {
  /// The log signed it for this certificate, and its time is in the past.
  case valid
  /// Another key made the signature, or the signature is for other data.
  case invalid
  /// Its time is in the future.
  case future
  /// The log is not on the list.
  case unknownLog = "unknown-log"
  /// It has another version.
  case unsupportedVersion = "unsupported-version"
  /// Logs do not use this algorithm.
  case unsupportedAlgorithm = "unsupported-algorithm"
  /// It is malformed.
  case malformed
  /// The signed data cannot be restored: the issuer is not available.
  case incompleteChain = "incomplete-chain"
}

/// The logs that a client knows, as its vendor lists them.
public struct LogList: Sendable, Hashable {
  /// The version of the list.
  public var version: String?
  /// The date of the list; nil if it has none.
  public var timestamp: Instant?
  /// All logs, including those that are not trusted.
  public let logs: [TransparencyLog]
  private let places: [[UInt8]: Int]

  /// Creates a list of these logs.
  public init(_ logs: [TransparencyLog], version: String? = nil, timestamp: Instant? = nil) {
    self.logs = logs
    self.version = version
    self.timestamp = timestamp
    places = Dictionary(logs.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
  }

  /// The log of this identifier.
  public func log(_ id: [UInt8]) -> TransparencyLog? { places[id].map { logs[$0] } }

  /// The result of verifying one encoded SCT for `entry`; nil for an entry that cannot be restored.
  public func verify(
    _ bytes: [UInt8], over entry: LogEntry?, at now: UInt64
  ) -> (status: TimestampStatus, timestamp: SignedCertificateTimestamp?, log: TransparencyLog?) {
    let timestamp: SignedCertificateTimestamp
    do throws(TimestampError) { timestamp = try SignedCertificateTimestamp(bytes: bytes) } catch {
      if case .unsupportedVersion = error { return (.unsupportedVersion, nil, nil) }
      return (.malformed, nil, nil)
    }
    guard let log = log(timestamp.logID) else { return (.unknownLog, timestamp, nil) }
    guard let entry else { return (.incompleteChain, timestamp, log) }
    return (log.verify(timestamp, over: entry, at: now), timestamp, log)
  }
}
