import Explanation
import TLS

/// The protocol that two endpoints use before or instead of TLS, recognised by its first bytes.
struct Prelude {
  /// The first bytes that the client sent.
  let client: [UInt8]
  let server: [UInt8]

  /// The name of the protocol before TLS; nil if it is unknown.
  var name: String? { proxy ?? database ?? other ?? mail }

  private var proxy: String? {
    if client.starts(with: "CONNECT ".utf8) { return "a CONNECT request to a proxy (RFC 9110 section 9.3.6)" }
    if client.starts(with: "PROXY ".utf8) { return "the header of the PROXY protocol, version 1" }
    if client.starts(with: [0x0d, 0x0a, 0x0d, 0x0a, 0, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]) {
      return "the header of the PROXY protocol, version 2"
    }
    if client.starts(with: [5]), server.starts(with: [5]), client.count >= 3 { return "SOCKS 5 (RFC 1928)" }
    if client.starts(with: [4, 1]), server.starts(with: [0]), server.count >= 8 { return "SOCKS 4" }
    return nil
  }

  private var database: String? {
    if client.starts(with: [0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f]) { return "PostgreSQL's SSLRequest" }
    if client.starts(with: [0, 0, 0, 8, 4, 0xd2, 0x16, 0x30]) { return "PostgreSQL's GSSENCRequest" }
    // The server's first packet has a length of three bytes, the number 0 and the protocol version 10.
    if isMySQL, client.count > 7, client[5] & 8 != 0 { return "MySQL's SSLRequest" }
    return nil
  }

  private var isMySQL: Bool { server.count > 4 && server[2] == 0 && server[3] == 0 && server[4] == 10 }

  /// Whether TLS records are inside TDS packets (MS-TDS section 2.2.3.1.1): a pre-login request and its response.
  var isTDS: Bool { client.count > 8 && client[0] == 0x12 && client[1] <= 1 && server.first == 4 }

  private var other: String? {
    if client.starts(with: [3, 0]), client.count > 5, client[5] == 0xe0 {
      return "RDP's X.224 Connection Request"
    }
    if client.first == 0x30, contains("1.3.6.1.4.1.1466.20037") { return "LDAP StartTLS (RFC 4511 section 4.14)" }
    if contains("urn:ietf:params:xml:ns:xmpp-tls") { return "XMPP STARTTLS (RFC 6120 section 5)" }
    return nil
  }

  /// The command that requests TLS from a mail or file server; nil if there is none.
  ///
  /// The commands are `STARTTLS` (after a tag in IMAP), `STLS` and `AUTH TLS`.
  private var mail: String? {
    let text = String(decoding: client, as: UTF8.self).uppercased()
    guard client.last == 10, let line = text.split(whereSeparator: \.isNewline).last else { return nil }
    let words = line.split(whereSeparator: \.isWhitespace)
    if words == ["STLS"] { return "POP3 STLS (RFC 2595)" }
    if words == ["AUTH", "TLS"] || words == ["AUTH", "SSL"] { return "FTP AUTH TLS (RFC 4217)" }
    guard words.count <= 2, words.last == "STARTTLS" else { return nil }
    if words.count == 2 { return "IMAP STARTTLS (RFC 9051 section 6.2.1)" }
    let isSMTP = ["EHLO ", "HELO ", "LHLO "].contains(where: text.hasPrefix)
    return isSMTP ? "SMTP STARTTLS (RFC 3207)" : "STARTTLS"
  }

  private func contains(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    return client.indices.contains { client[$0...].starts(with: wanted) }
  }
}

extension Prelude {
  /// The protocol that the two endpoints use instead of TLS; nil if it is unknown.
  var protocolName: String? {
    if isTDS { return "TDS (Microsoft SQL Server), which carries TLS in its own packets" }
    if client.count > 4, client[0] & 0x80 != 0, client[2] == 1, [0, 3].contains(client[3]) {
      return "a ClientHello in the SSL 2.0 format (RFC 5246 appendix E.2)"
    }
    if let name { return name + (refusal ?? ", and no ClientHello after it") }
    return text ?? withoutStart
  }

  /// The name of a text-based protocol; nil if it is unknown.
  private var text: String? {
    if Self.isHTTP(client) {
      let isAlert = server.starts(with: [21, 3])
      return "HTTP without TLS" + (isAlert ? ", which the server rejects with a TLS alert" : "")
    }
    if client.starts(with: "SSH-".utf8) || server.starts(with: "SSH-".utf8) { return "SSH" }
    let greetings = [("220 ", "SMTP or FTP"), ("220-", "SMTP or FTP"), ("* OK", "IMAP"), ("+OK", "POP3")]
    return greetings.first { server.starts(with: $0.0.utf8) }.map { "\($0.1) without TLS" }
  }

  /// The name of a protocol that can request TLS, but does not; nil if there is none.
  private var withoutStart: String? {
    if isMySQL { return "MySQL without TLS" }
    if server.count > 5, server[2] == 0, server[3] == 0, server[4] == 0xff {
      return "MySQL: the server reports an error before TLS"
    }
    if client.count > 8, client[0] == 0, client[1] == 0, client[4...7].elementsEqual([0, 3, 0, 0]) {
      return "PostgreSQL without an SSLRequest"
    }
    // A SEQUENCE contains a message number, then an application-specific operation (RFC 4511 section 4.1.1).
    let message = client.dropFirst(client.dropFirst().first == 0x84 ? 6 : 2)
    if client.first == 0x30, message.first == 2, let size = message.dropFirst().first,
      let operation = message.dropFirst(2 + Int(size)).first, (0x40...0x7f).contains(operation)
    {
      return "LDAP without StartTLS"
    }
    return nil
  }

  /// The server's refusal to start TLS; nil if there is no known refusal.
  private var refusal: String? {
    if client.starts(with: [0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f]) {
      // PostgreSQL responds with one letter: S accepts TLS, N declines it, and E reports an error.
      if server.first == UInt8(ascii: "N") { return "; the server responds with N: it does not offer TLS" }
      if server.first == UInt8(ascii: "E") { return "; the server responds with an error" }
    }
    if client.starts(with: [5]), server.count > 3, server[2] == 5, server[3] != 0 {
      return "; the proxy responds with the error \(server[3])"
    }
    if client.starts(with: [4, 1]), server.count > 1, server[1] != 90 {
      return "; the proxy responds with the code \(server[1])"
    }
    if client.starts(with: [3, 0]), server.count > 11, server[11] == 3 { return ", which the server refuses" }
    if client.starts(with: [3, 0]), server.count == 11 || server.count > 15 && server[15] == 0 {
      return "; the server selects RDP's own security, without TLS"
    }
    return textRefusal
  }

  /// The last line from a text-based server, unless the line agrees to TLS.
  private var textRefusal: String? {
    guard
      let last = String(decoding: server, as: UTF8.self).split(whereSeparator: \.isNewline).last(where: { line in
        !isHeader(line)
      }), last.utf8.allSatisfy({ (32...126).contains($0) })
    else { return nil }
    let agrees = ["220", "234", "+OK"].contains(where: last.hasPrefix) || last.contains(" OK") || last.contains(" 200")
    return agrees ? nil : "; the response is \"\(last.prefix(60))\""
  }

  /// Whether a line is a header field of an HTTP message.
  private func isHeader(_ line: Substring) -> Bool {
    server.starts(with: "HTTP/".utf8) && !line.hasPrefix("HTTP/")
  }

  /// A description of an unknown protocol's first bytes; nil if there are none.
  var unknown: String? {
    let (side, bytes) = client.isEmpty ? (Side.server, server) : (.client, client)
    guard !bytes.isEmpty else { return nil }
    let line = bytes.prefix(32).prefix { (32...126).contains($0) }
    let shown =
      line.count >= min(4, bytes.count)
      ? "\"\(String(decoding: line, as: UTF8.self))\"" : Hex.string(Array(bytes.prefix(8)))
    return "another protocol, or the middle of a connection: the \(side) begins with \(shown), not with a ClientHello"
  }

  /// Whether the bytes begin like an HTTP message (RFC 9112 section 2).
  private static func isHTTP(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: "PRI * HTTP/2".utf8) || bytes.starts(with: "HTTP/1.".utf8) { return true }
    let line = String(decoding: bytes.prefix(2048).prefix { $0 != 13 && $0 != 10 }, as: UTF8.self)
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    return words.count == 3 && words[2].hasPrefix("HTTP/") && words[0].allSatisfy(\.isUppercase)
  }
}
