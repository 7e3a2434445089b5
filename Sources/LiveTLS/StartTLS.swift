/// The exchange of a mail protocol before TLS: SMTP (RFC 3207) or IMAP (RFC 9051 section 6.2.1).
public struct StartTLS: Sendable {
  /// The protocol that precedes TLS.
  public enum Carrier: String, Sendable, CaseIterable {
    case smtp
    case imap

    /// The default port of the protocol.
    public var port: Int { self == .smtp ? 587 : 143 }
  }

  /// The client's response to a line from the server.
  enum Answer: Equatable {
    /// The client waits for more data.
    case none
    /// The client sends this line.
    case send(String)
    /// TLS starts with the next bytes.
    case begins
    /// The server does not start TLS. The value is the reason.
    case refused(String)
  }

  private enum State { case greeting, capabilities, agreement, over }

  private let carrier: Carrier
  private var state = State.greeting
  private var offersTLS = false
  private var unread: [UInt8] = []
  private var count = 0

  /// The maximum number of bytes that a server may send before TLS. RFC 5321 section 4.5.3.1.5 limits a line to 512.
  static let limit = 1 << 16

  /// Creates an exchange that has not started. The server sends the first line.
  public init(_ carrier: Carrier) { self.carrier = carrier }

  /// Processes bytes from the server.
  ///
  /// The client refuses data after the server's consent, because it could be mistaken for data protected by TLS (RFC
  /// 3207 section 4.2).
  mutating func receive(_ bytes: [UInt8]) -> [Answer] {
    count += bytes.count
    unread += bytes
    var answers: [Answer] = []
    while state != .over, let end = unread.firstIndex(of: 10) {
      let line = String(decoding: unread[..<end].filter { $0 != 13 }, as: UTF8.self)
      unread.removeSubrange(...end)
      let answer = carrier == .smtp ? smtp(line) : imap(line)
      if answer != .none { answers.append(answer) }
    }
    if state == .over, answers.last == .begins, !unread.isEmpty {
      answers[answers.count - 1] = .refused(
        "it sends more data before TLS starts, which can be commands that an attacker injected")
    }
    if state != .over, count > Self.limit {
      state = .over
      answers.append(.refused("it sends \(count) bytes without agreeing to STARTTLS"))
    }
    return answers
  }

  private mutating func smtp(_ line: String) -> Answer {
    let isLast = !line.dropFirst(3).hasPrefix("-")
    switch state {
    case .greeting where line.hasPrefix("220"):
      guard isLast else { return .none }
      state = .capabilities
      return .send("EHLO trustlab.invalid\r\n")
    case .capabilities where line.hasPrefix("250"):
      // The keyword must be a whole word: RFC 5321 section 4.1.1.1.
      if line.dropFirst(4).uppercased().split(whereSeparator: \.isWhitespace).first == "STARTTLS" { offersTLS = true }
      guard isLast else { return .none }
      guard offersTLS else { return refuse("it does not offer STARTTLS") }
      state = .agreement
      return .send("STARTTLS\r\n")
    case .agreement where line.hasPrefix("220"):
      guard isLast else { return .none }
      state = .over
      return .begins
    case .over: return .none
    default: return refuse("it responds with '\(Self.shown(line))'")
    }
  }

  private mutating func imap(_ line: String) -> Answer {
    switch state {
    case .greeting where line.uppercased().hasPrefix("* OK"):
      state = .agreement
      return .send("a1 STARTTLS\r\n")
    case .agreement where line.hasPrefix("*"): return .none
    case .agreement where line.uppercased().hasPrefix("A1 OK"):
      state = .over
      return .begins
    case .over: return .none
    default: return refuse("it responds with '\(Self.shown(line))'")
    }
  }

  private mutating func refuse(_ reason: String) -> Answer {
    state = .over
    return .refused(reason)
  }

  /// The printable characters of a line from the server.
  static func shown(_ line: String) -> String {
    String(String.UnicodeScalarView(line.unicodeScalars.prefix(60).map { $0.isASCII && $0.value >= 32 ? $0 : "?" }))
  }
}
