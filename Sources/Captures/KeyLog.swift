import Explanation
import TLS

/// The secrets of sessions as clients and servers write them for Wireshark: the NSS key log format (RFC 9850), as far as
/// TLS 1.2 goes, and its two older lines for RSA.
///
/// ```
/// CLIENT_RANDOM <client_random, 32 bytes> <master_secret, 48 bytes>
/// PMS_CLIENT_RANDOM <client_random, 32 bytes> <premaster_secret>
/// RSA <encrypted_premaster_secret, its first 8 bytes> <premaster_secret, 48 bytes>
/// ```
public struct KeyLog: Sendable, Hashable {
  /// What a line tells.
  public enum Label: String, Sendable, Hashable, CaseIterable {
    /// The master secret, by `client_random`.
    case clientRandom = "CLIENT_RANDOM"
    /// The premaster secret, by `client_random`.
    case premasterClientRandom = "PMS_CLIENT_RANDOM"
    /// The premaster secret, by the beginning of what was encrypted.
    case rsa = "RSA"

    /// How long what tells the session, and how long the secret is, in bytes.
    fileprivate var lengths: (key: Int, secret: ClosedRange<Int>) {
      switch self {
      case .clientRandom: (32, 48...48)
      case .premasterClientRandom: (32, 1...1024)
      case .rsa: (8, 48...48)
      }
    }
  }

  /// One secret.
  public struct Line: Sendable, Hashable {
    /// What it tells.
    public let label: Label
    /// What tells the session.
    public let key: [UInt8]
    /// The secret.
    public let secret: [UInt8]

    /// The line as it is written.
    public var text: String { "\(label.rawValue) \(Hex.string(key)) \(Hex.string(secret))" }
  }

  /// A line that is none of a key log.
  public struct Problem: Error, Sendable, Hashable {
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int
    /// What is wrong.
    public let message: String
  }

  /// The lines in order.
  public private(set) var lines: [Line] = []

  /// No secrets.
  public init() {}

  /// Adds the master secret of a session. The file tells sessions by their `client_random`; where it repeats, the first
  /// session is told.
  public mutating func add(clientRandom: [UInt8], masterSecret: [UInt8]) {
    guard !lines.contains(where: { $0.label == .clientRandom && $0.key == clientRandom }) else {
      return
    }
    lines.append(Line(label: .clientRandom, key: clientRandom, secret: masterSecret))
  }

  /// The file.
  public var text: String { lines.map { $0.text + "\n" }.joined() }

  /// What opens sessions; of two lines for one session the later counts.
  public var secrets: SessionSecrets.Log {
    var log = SessionSecrets.Log()
    for line in lines {
      switch line.label {
      case .clientRandom: log.masterSecrets[line.key] = line.secret
      case .premasterClientRandom: log.premasterSecrets[line.key] = line.secret
      case .rsa: log.decryptions[line.key] = line.secret
      }
    }
    return log
  }
}

extension KeyLog {
  /// Reads the lines of a key log. Empty lines, comments (`#`) and labels of other versions are passed over. Throws
  /// `Problem` at the first line that cannot be read.
  public init(_ text: String) throws(Problem) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" }
      guard let label = words.first, !label.hasPrefix("#") else { continue }
      try read(label, words.dropFirst(), of: line, number: index + 1)
    }
  }

  private mutating func read(
    _ label: Substring, _ words: ArraySlice<Substring>, of line: Substring, number: Int
  ) throws(Problem) {
    func problem(_ message: String, at word: Substring?) -> Problem {
      let column = line.distance(from: line.startIndex, to: word?.startIndex ?? line.endIndex) + 1
      return Problem(line: number, column: column, message: message)
    }
    guard words.count == 2, let first = words.first, let second = words.last else {
      throw problem("a line has a label and two numbers", at: words.dropFirst(2).first)
    }
    guard let key = Hex.bytes(String(first)) else { throw problem("not hexadecimal", at: first) }
    guard let secret = Hex.bytes(String(second)) else {
      throw problem("not hexadecimal", at: second)
    }
    guard let label = Label(rawValue: String(label)) else { return }
    let (keyLength, secretLengths) = label.lengths
    guard key.count == keyLength else {
      throw problem("\(key.count) bytes, not \(keyLength)", at: first)
    }
    guard secretLengths.contains(secret.count) else {
      throw problem("\(secret.count) bytes, not \(secretLengths.lowerBound)", at: second)
    }
    lines.append(Line(label: label, key: key, secret: secret))
  }
}
