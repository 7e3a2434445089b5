import Explanation
import TLS

/// The secrets of sessions in the NSS key log format (RFC 9850), which clients and servers write for Wireshark.
///
/// The type supports the line formats for TLS, and two older formats for RSA. A line of TLS 1.3 has the label of a
/// secret instead of `CLIENT_RANDOM`.
///
/// ```
/// CLIENT_RANDOM <client_random, 32 bytes> <master_secret, 48 bytes>
/// PMS_CLIENT_RANDOM <client_random, 32 bytes> <premaster_secret>
/// RSA <encrypted_premaster_secret, its first 8 bytes> <premaster_secret, 48 bytes>
/// RSA Session-ID:<session_id> Master-Key:<master_secret, 48 bytes>
/// ```
public struct KeyLog: Sendable, Hashable {
  /// The label at the start of a line.
  public enum Label: String, Sendable, Hashable, CaseIterable {
    /// The line contains the master secret of the session with this `client_random`.
    case clientRandom = "CLIENT_RANDOM"
    /// The line contains the premaster secret of the session with this `client_random`.
    case premasterClientRandom = "PMS_CLIENT_RANDOM"
    /// The line contains the premaster secret that begins with these bytes when it is encrypted.
    case rsa = "RSA"
    /// The line contains the master secret of the session with this `session_id`, as Wireshark exports sessions.
    case sessionID = "RSA Session-ID"
    /// The line contains a secret of TLS 1.3 of the session with this `client_random`.
    case clientEarlyTraffic = "CLIENT_EARLY_TRAFFIC_SECRET"
    case earlyExporter = "EARLY_EXPORTER_SECRET"
    /// An older name of `EARLY_EXPORTER_SECRET`.
    case earlyExporterMaster = "EARLY_EXPORTER_MASTER_SECRET"
    case clientHandshakeTraffic = "CLIENT_HANDSHAKE_TRAFFIC_SECRET"
    case serverHandshakeTraffic = "SERVER_HANDSHAKE_TRAFFIC_SECRET"
    case clientTraffic = "CLIENT_TRAFFIC_SECRET_0"
    case serverTraffic = "SERVER_TRAFFIC_SECRET_0"
    case exporter = "EXPORTER_SECRET"

    /// The secret of TLS 1.3 that the line contains; nil for a line of earlier versions.
    var scheduled: ScheduledSecret? { ScheduledSecret(keyLogLabel: rawValue) }

    /// The permitted lengths in bytes of the session's identifier and of the secret.
    fileprivate var lengths: (key: ClosedRange<Int>, secret: ClosedRange<Int>) {
      switch self {
      case .clientRandom: (32...32, 48...48)
      case .premasterClientRandom: (32...32, 1...1024)
      case .rsa: (8...8, 48...48)
      case .sessionID: (1...32, 48...48)
      case .clientEarlyTraffic, .earlyExporter, .earlyExporterMaster, .clientHandshakeTraffic, .serverHandshakeTraffic,
        .clientTraffic, .serverTraffic, .exporter:
        (32...32, 32...48)
      }
    }
  }

  /// A line that contains one secret.
  public struct Line: Sendable, Hashable {
    /// The label of the line.
    public let label: Label
    /// The value that identifies the session.
    public let key: [UInt8]
    /// The secret of the session.
    public let secret: [UInt8]

    /// The line as text.
    public var text: String {
      label == .sessionID
        ? "\(label.rawValue):\(Hex.string(key)) Master-Key:\(Hex.string(secret))"
        : "\(label.rawValue) \(Hex.string(key)) \(Hex.string(secret))"
    }
  }

  /// A line whose label TrustLab does not use.
  public struct Other: Sendable, Hashable {
    /// The label of the line.
    public let label: String
    /// The value that identifies the session; nil if there is none. With the labels of RFC 9850, it is the
    /// `client_random`.
    public let key: [UInt8]
    /// The line number, starting at 1.
    public let line: Int

    /// Whether RFC 9850 registers the label.
    ///
    /// The secrets after a KeyUpdate follow from the first ones. OpenSSL writes them as `CLIENT_TRAFFIC_SECRET_N`.
    public var isRegistered: Bool {
      Self.registered.contains(label) || label.hasPrefix("CLIENT_TRAFFIC_SECRET_")
        || label.hasPrefix("SERVER_TRAFFIC_SECRET_")
    }

    private static let registered: Set<String> = ["ECH_SECRET", "ECH_CONFIG"]
  }

  /// A line that TrustLab cannot read.
  public struct Problem: Error, Sendable, Hashable {
    /// The line number, starting at 1.
    public let line: Int
    /// The column, starting at 1.
    public let column: Int
    /// A description of the problem.
    public let message: String
  }

  /// The lines that contain secrets, in order.
  public private(set) var lines: [Line] = []
  /// The number of handshakes with a secret. A handshake of TLS 1.3 has several lines.
  public var handshakeCount: Int { Set(lines.map(\.key)).count }
  /// The lines whose labels TrustLab does not use.
  public private(set) var others: [Other] = []
  /// The lines that TrustLab cannot read.
  public private(set) var problems: [Problem] = []

  /// Creates an empty key log.
  public init() {}

  /// Adds the master secret of a session.
  ///
  /// The `client_random` identifies the session. If it repeats, the first session is used.
  public mutating func add(clientRandom: [UInt8], _ secret: ScheduledSecret, _ bytes: [UInt8]) {
    guard let label = secret.keyLogLabel.flatMap(Label.init(rawValue:)),
      !lines.contains(where: { $0.label == label && $0.key == clientRandom })
    else { return }
    lines.append(Line(label: label, key: clientRandom, secret: bytes))
  }

  /// Adds the master secret of a session, unless the log already has it.
  public mutating func add(clientRandom: [UInt8], masterSecret: [UInt8]) {
    guard !lines.contains(where: { $0.label == .clientRandom && $0.key == clientRandom }) else {
      return
    }
    lines.append(Line(label: .clientRandom, key: clientRandom, secret: masterSecret))
  }

  /// Adds the secrets of all handshakes on a connection, given the values that its endpoint derived.
  public mutating func add(secretsOf connection: ValueScope, _ value: (Value.ID) -> [UInt8]?) {
    if addTrafficSecrets(of: connection, value) { return }
    // Every handshake on a connection has its own master secret.
    var scope = connection
    while let random = value(scope.name(.random, of: .client)), let master = value(scope.name(.masterSecret)) {
      add(clientRandom: random, masterSecret: master)
      scope = scope.renegotiated
    }
  }

  /// Adds the secrets of a connection of TLS 1.3, each with its label; returns whether there are any.
  private mutating func addTrafficSecrets(of scope: ValueScope, _ value: (Value.ID) -> [UInt8]?) -> Bool {
    guard let random = value(scope.name(.random, of: .client)) else { return false }
    let secrets = ScheduledSecret.allCases.compactMap { secret -> (ScheduledSecret, [UInt8])? in
      guard secret.keyLogLabel != nil else { return nil }
      return value(scope.name(secret.kind, of: secret.side)).map { (secret, $0) }
    }
    for (secret, bytes) in secrets { add(clientRandom: random, secret, bytes) }
    return !secrets.isEmpty
  }

  /// Whether a key log needs the value.
  public static func needs(_ value: Value.ID) -> Bool { kinds.contains(value.kind) }

  private static let kinds = Set(
    [.random, .masterSecret] + ScheduledSecret.allCases.filter { $0.keyLogLabel != nil }.map(\.kind))

  /// The key log as text.
  public var text: String { lines.map { $0.text + "\n" }.joined() }

  /// The secrets of each session. If two lines contradict each other, the later line is used.
  public var secrets: SessionSecrets.Log {
    var log = SessionSecrets.Log()
    log.lineCount = lines.count + others.count
    for other in others { log.otherLabels[other.key, default: []].append(other.label) }
    for line in lines {
      switch line.label {
      case .clientRandom:
        if let earlier = log.masterSecrets[line.key], earlier != line.secret {
          log.earlierMasterSecrets[line.key, default: []].append(earlier)
        }
        log.masterSecrets[line.key] = line.secret
      case .sessionID: log.sessions[line.key] = line.secret
      case .premasterClientRandom: log.premasterSecrets[line.key] = line.secret
      case .rsa: log.decryptions[line.key] = line.secret
      default: log.add(line.secret, line.label.rawValue, clientRandom: line.key)
      }
    }
    return log
  }
}

extension KeyLog {
  /// Reads the lines of a key log.
  ///
  /// Empty lines and comments (`#`) are ignored. An unreadable line is reported as a problem, and the other lines are
  /// used.
  public init(_ text: String) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" || $0 == "\u{feff}" || $0 == "\0" }
      guard let label = words.first, !label.hasPrefix("#") else { continue }
      let numbers = words.dropFirst().prefix { !$0.hasPrefix("#") }
      do throws(Problem) {
        try read(label, numbers, of: line, number: index + 1)
      } catch {
        problems.append(error)
      }
    }
  }

  private mutating func read(
    _ name: Substring, _ words: ArraySlice<Substring>, of line: Substring, number: Int
  ) throws(Problem) {
    func problem(_ message: String, at word: Substring?) -> Problem {
      let column = line.distance(from: line.startIndex, to: word?.startIndex ?? line.endIndex) + 1
      return Problem(line: number, column: column, message: message)
    }
    guard let label = Label(rawValue: String(name)) else {
      guard name.allSatisfy({ $0.isUppercase || $0.isNumber || $0 == "_" }) else {
        throw problem("not a key log label", at: name)
      }
      others.append(Other(label: String(name), key: words.first.flatMap { Hex.bytes(String($0)) } ?? [], line: number))
      return
    }
    guard words.count == 2, let first = words.first, let second = words.last else {
      throw problem("expected a label and two hexadecimal values", at: words.dropFirst(2).first)
    }
    if label == .rsa, first.hasPrefix(Self.sessionID), second.hasPrefix(Self.masterKey) {
      let line = try Self.line(
        .sessionID, first.dropFirst(Self.sessionID.count), second.dropFirst(Self.masterKey.count), problem)
      return lines.append(line)
    }
    lines.append(try Self.line(label, first, second, problem))
  }

  private static let sessionID = "Session-ID:"
  private static let masterKey = "Master-Key:"

  private static func line(
    _ label: Label, _ first: Substring, _ second: Substring, _ problem: (String, Substring?) -> Problem
  ) throws(Problem) -> Line {
    guard let key = Hex.bytes(String(first)) else { throw problem("not hexadecimal", first) }
    guard let secret = Hex.bytes(String(second)) else { throw problem("not hexadecimal", second) }
    let lengths = label.lengths
    guard lengths.key.contains(key.count) else {
      let length = "\(key.count) bytes, not \(lengths.key.upperBound)"
      throw problem(key.isEmpty ? "an empty id, which identifies no session" : length, first)
    }
    guard lengths.secret.contains(secret.count) else {
      throw problem("\(secret.count) bytes, not \(lengths.secret.lowerBound)", second)
    }
    return Line(label: label, key: key, secret: secret)
  }
}
