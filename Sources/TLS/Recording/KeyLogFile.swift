import Explanation

/// The secrets of sessions as clients and servers write them for Wireshark: the NSS key log format
/// (draft-ietf-tls-keylogfile, section 2), as far as TLS 1.2 goes, and its two older lines for RSA.
///
/// ```
/// CLIENT_RANDOM <client_random, 32 bytes> <master_secret, 48 bytes>
/// PMS_CLIENT_RANDOM <client_random, 32 bytes> <premaster_secret>
/// RSA <encrypted_premaster_secret, its first 8 bytes> <premaster_secret, 48 bytes>
/// ```
public struct KeyLogFile: Sendable, Hashable {
  private var masterSecrets: [[UInt8]: [UInt8]] = [:]
  private var premasterSecrets: [[UInt8]: [UInt8]] = [:]
  private var decryptions: [[UInt8]: [UInt8]] = [:]

  /// A line that is none of a key log.
  public struct Problem: Error, Sendable, Hashable {
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int
    /// What is wrong.
    public let message: String
  }

  /// No secrets.
  public init() {}

  /// Reads the lines of a key log. Empty lines, comments (`#`) and labels of other versions are passed over; of two
  /// lines for one session the later counts. Throws `Problem` at the first line that cannot be read.
  public init(_ text: String) throws(Problem) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" }
      guard let label = words.first, !label.hasPrefix("#") else { continue }
      try add(label, words.dropFirst(), of: line, number: index + 1)
    }
  }

  private mutating func add(
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
    guard let secret = Hex.bytes(String(second)) else { throw problem("not hexadecimal", at: second) }
    guard let (keyCount, secretCounts) = Self.lengths[String(label)] else { return }
    guard key.count == keyCount else { throw problem("\(key.count) bytes, not \(keyCount)", at: first) }
    guard secretCounts.contains(secret.count) else {
      throw problem("\(secret.count) bytes, not \(secretCounts.lowerBound)", at: second)
    }
    switch label {
    case "CLIENT_RANDOM": masterSecrets[key] = secret
    case "PMS_CLIENT_RANDOM": premasterSecrets[key] = secret
    default: decryptions[key] = secret
    }
  }

  private static let lengths: [String: (key: Int, secret: ClosedRange<Int>)] = [
    "CLIENT_RANDOM": (32, 48...48), "PMS_CLIENT_RANDOM": (32, 1...1024), "RSA": (8, 48...48),
  ]

  /// Adds the secrets of another log, which count before those of this one.
  public mutating func merge(_ other: KeyLogFile) {
    masterSecrets.merge(other.masterSecrets) { $1 }
    premasterSecrets.merge(other.premasterSecrets) { $1 }
    decryptions.merge(other.decryptions) { $1 }
  }

  /// The master secret of the session that began with this `client_random`.
  public func masterSecret(_ clientRandom: [UInt8]) -> [UInt8]? { masterSecrets[clientRandom] }

  /// The premaster secret of the session that began with this `client_random`, or that was encrypted as this.
  public func premasterSecret(_ clientRandom: [UInt8], encrypted: [UInt8]?) -> [UInt8]? {
    premasterSecrets[clientRandom] ?? encrypted.flatMap { decryptions[Array($0.prefix(8))] }
  }
}
