import Cryptography
import Explanation

/// A log of certificates, as clients know it: its key, its operator, and until when it may be believed.
public struct TransparencyLog: Sendable, Hashable {
  /// What those who keep a list of logs say of one.
  public enum State: Sendable, Hashable {
    /// It is asked to be admitted.
    case pending
    /// It is admitted, and clients are about to know it.
    case qualified
    /// It is admitted.
    case usable
    /// Nothing more is added to it since then: "frozen" in Apple's words.
    case readonly(Instant)
    /// It is not believed any more since then: its "expiry" in Apple's words.
    case retired(Instant)
    /// It was never admitted, or is no more.
    case rejected

    /// The word of the lists.
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

    /// Whether timestamps of the log may count at all.
    public var isTrusted: Bool { self != .pending && self != .rejected }
  }

  /// What people call it.
  public let name: String
  /// Who runs it.
  public let `operator`: String
  /// The SHA-256 of its whole SubjectPublicKeyInfo.
  public let id: [UInt8]
  /// The key that verifies what it signs; nil where a list has none that can be read, or one of another identifier.
  public let key: PublicKey?
  /// What is said of it; nil where a list says nothing.
  public var state: State?
  /// When the certificates end that it takes: from the first moment, to before the second.
  public var interval: (start: Instant, end: Instant)? {
    get { start.flatMap { start in end.map { (start, $0) } } }
    set { (start, end) = (newValue?.start, newValue?.end) }
  }
  private var start: Instant?
  private var end: Instant?
  /// Whether it is read by tiles (C2SP static-ct-api) and not by the requests of RFC 6962.
  public var isTiled = false
  /// Whether it is for the certificates of TLS servers alone.
  public var isForTLSOnly = false
  /// Who ran it before, each until a number of milliseconds since 1970.
  public var previousOperators: [(name: String, until: UInt64)] {
    get { previous.map { ($0.name, $0.until) } }
    set { previous = newValue.map { Previous(name: $0.name, until: $0.until) } }
  }
  private var previous: [Previous] = []

  private struct Previous: Sendable, Hashable {
    let name: String
    let until: UInt64
  }

  /// A log; its identifier follows from the key.
  public init(_ name: String, operator: String, key: PublicKey, state: State? = .usable) {
    self.init(
      name, operator: `operator`, key: key, id: TransparencyLog.id(of: key.subjectPublicKeyInfo), state: state)
  }

  /// A log with an identifier that is told.
  public init(_ name: String, operator: String, key: PublicKey?, id: [UInt8], state: State? = .usable) {
    self.name = name
    self.operator = `operator`
    self.id = id
    self.key = key
    self.state = state
  }

  /// The identifier of the log that has this SubjectPublicKeyInfo.
  public static func id(of subjectPublicKeyInfo: [UInt8]) -> [UInt8] { Hash.sha256.digest(subjectPublicKeyInfo) }

  /// Who ran it at a moment.
  public func operatorName(at timestamp: UInt64) -> String {
    previous.sorted { $0.until < $1.until }.first { timestamp < $0.until }?.name ?? `operator`
  }

  /// What comes of a timestamp of this log over `entry` at a moment: both in milliseconds since 1970.
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

/// What comes of one timestamp, in the words of this project's tests and of its findings.
public enum TimestampStatus: String, Sendable, Hashable, CaseIterable {
  /// The log signed it over this certificate, and its moment is past.
  case valid
  /// The signature is none of the log's, or over something else.
  case invalid
  /// It is of a moment to come.
  case future
  /// Nobody knows the log.
  case unknownLog = "unknown-log"
  /// It is of another version of the structure.
  case unsupportedVersion = "unsupported-version"
  /// Logs do not sign so.
  case unsupportedAlgorithm = "unsupported-algorithm"
  /// It cannot be read.
  case malformed
  /// What the log signed cannot be made again: the issuer is not at hand.
  case incompleteChain = "incomplete-chain"
}

/// The logs that a client knows, as its vendor lists them.
public struct LogList: Sendable, Hashable {
  /// The version of the list as it calls itself.
  public var version: String?
  /// When it was made; nil where nobody says.
  public var timestamp: Instant?
  /// All logs, those that are not trusted, too.
  public let logs: [TransparencyLog]
  private let places: [[UInt8]: Int]

  /// A list of these logs.
  public init(_ logs: [TransparencyLog], version: String? = nil, timestamp: Instant? = nil) {
    self.logs = logs
    self.version = version
    self.timestamp = timestamp
    places = Dictionary(logs.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
  }

  /// The log of this identifier.
  public func log(_ id: [UInt8]) -> TransparencyLog? { places[id].map { logs[$0] } }

  /// What comes of one timestamp as it stands, over `entry`; nil is an entry that cannot be made.
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
