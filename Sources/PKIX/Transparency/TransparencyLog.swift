import Cryptography
import Explanation

/// A Certificate Transparency log, with its key, its operator and its state.
public struct TransparencyLog: Sendable, Hashable {
  /// The state of a log on a log list.
  public enum State: Sendable, Hashable {
    /// The log has applied for inclusion.
    case pending
    /// The log is accepted, but not yet known to all clients.
    case qualified
    /// It is accepted.
    case usable
    /// The log has accepted no new entries since this time ("frozen" for Apple).
    case readonly(Instant)
    /// The log has not been trusted since this time ("expiry" for Apple).
    case retired(Instant)
    /// The log was never accepted, or is no longer accepted.
    case rejected

    /// The name of the state on log lists.
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

    /// Whether clients may accept SCTs of the log.
    public var isTrusted: Bool { self != .pending && self != .rejected }
  }

  /// The display name.
  public let name: String
  /// The operator.
  public let `operator`: String
  /// The SHA-256 of the log's whole SubjectPublicKeyInfo.
  public let id: [UInt8]
  /// The key that verifies the log's signatures.
  ///
  /// It is nil if the list has no readable key, or a key that does not match the identifier.
  public let key: PublicKey?
  /// The state of the log; nil if the list has none.
  public var state: State?
  /// The interval that must contain the notAfter date of the log's certificates. The end is excluded.
  public var interval: (start: Instant, end: Instant)? {
    get { start.flatMap { start in end.map { (start, $0) } } }
    set { (start, end) = (newValue?.start, newValue?.end) }
  }
  private var start: Instant?
  private var end: Instant?
  /// Whether clients read the log as tiles (C2SP static-ct-api) instead of with the requests of RFC 6962.
  public var isTiled = false
  /// Whether the log accepts only certificates of TLS servers.
  public var isForTLSOnly = false
  /// The earlier operators, each with the end of its operation in milliseconds since 1970.
  public var previousOperators: [(name: String, until: UInt64)] {
    get { previous.map { ($0.name, $0.until) } }
    set { previous = newValue.map { Previous(name: $0.name, until: $0.until) } }
  }
  private var previous: [Previous] = []

  private struct Previous: Sendable, Hashable {
    let name: String
    let until: UInt64
  }

  /// Creates a log whose identifier is computed from its key.
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

  /// Returns the identifier of the log with the given SubjectPublicKeyInfo.
  public static func id(of subjectPublicKeyInfo: [UInt8]) -> [UInt8] { Hash.sha256.digest(subjectPublicKeyInfo) }

  /// Returns the operator of the log at a time.
  public func operatorName(at timestamp: UInt64) -> String {
    previous.sorted { $0.until < $1.until }.first { timestamp < $0.until }?.name ?? `operator`
  }

  /// Verifies an SCT of this log for `entry` at a time. Both times are in milliseconds since 1970.
  public func verify(
    _ timestamp: SignedCertificateTimestamp, over entry: LogEntry, at now: UInt64
  ) -> SCTStatus {
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

/// The result of verifying one SCT. The raw values occur in findings.
public enum SCTStatus: String, Sendable, Hashable, CaseIterable {
  /// The log signed the SCT for this certificate, and the SCT's time is in the past.
  case valid
  /// Another key signed the SCT, or the SCT was signed for other data.
  case invalid
  /// The time of the SCT is in the future.
  case future
  /// The log of the SCT is not on the list.
  case unknownLog = "unknown-log"
  /// The SCT has an unsupported version.
  case unsupportedVersion = "unsupported-version"
  /// The SCT uses an algorithm that logs do not use.
  case unsupportedAlgorithm = "unsupported-algorithm"
  /// It is malformed.
  case malformed
  /// The signed data cannot be restored, because the issuer is not available.
  case incompleteChain = "incomplete-chain"
}

/// The logs that a client knows from its vendor's list.
public struct LogList: Sendable, Hashable {
  /// The version of the list.
  public var version: String?
  /// The date of the list; nil if it has none.
  public var timestamp: Instant?
  /// All logs, including those that are not trusted.
  public let logs: [TransparencyLog]
  private let places: [[UInt8]: Int]

  /// Creates a list from logs.
  public init(_ logs: [TransparencyLog], version: String? = nil, timestamp: Instant? = nil) {
    self.logs = logs
    self.version = version
    self.timestamp = timestamp
    places = Dictionary(logs.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
  }

  /// Returns the log with the given identifier.
  public func log(_ id: [UInt8]) -> TransparencyLog? { places[id].map { logs[$0] } }

  /// Verifies one encoded SCT for `entry`, which is nil if it cannot be restored.
  public func verify(
    _ bytes: [UInt8], over entry: LogEntry?, at now: UInt64
  ) -> (status: SCTStatus, timestamp: SignedCertificateTimestamp?, log: TransparencyLog?) {
    let timestamp: SignedCertificateTimestamp
    do throws(SCTError) { timestamp = try SignedCertificateTimestamp(bytes: bytes) } catch {
      if case .unsupportedVersion = error { return (.unsupportedVersion, nil, nil) }
      return (.malformed, nil, nil)
    }
    guard let log = log(timestamp.logID) else { return (.unknownLog, timestamp, nil) }
    guard let entry else { return (.incompleteChain, timestamp, log) }
    return (log.verify(timestamp, over: entry, at: now), timestamp, log)
  }
}
