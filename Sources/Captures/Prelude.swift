/// What two ends say before TLS, or instead of it, by how it begins.
struct Prelude {
  /// The first bytes of each side.
  let client: [UInt8]
  let server: [UInt8]

  /// What is said before TLS begins; nil for nothing that is known.
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
    // The server speaks first: a length of three bytes, the number 0, the protocol's version 10.
    if isMySQL, client.count > 7, client[5] & 8 != 0 { return "MySQL's SSLRequest" }
    return nil
  }

  private var isMySQL: Bool { server.count > 4 && server[2] == 0 && server[3] == 0 && server[4] == 10 }

  /// Whether records travel in packets of TDS, MS-TDS section 2.2.3.1.1: a pre-login, and a response.
  var isTDS: Bool { client.count > 8 && client[0] == 0x12 && client[1] <= 1 && server.first == 4 }

  private var other: String? {
    if client.starts(with: [3, 0]), client.count > 5, client[5] == 0xe0 {
      return "RDP's X.224 Connection Request"
    }
    if client.first == 0x30, contains("1.3.6.1.4.1.1466.20037") { return "LDAP StartTLS (RFC 4511 section 4.14)" }
    if contains("urn:ietf:params:xml:ns:xmpp-tls") { return "XMPP STARTTLS (RFC 6120 section 5)" }
    return nil
  }

  /// A command that requests TLS of a server of mail or files: `STARTTLS`, with a tag before it in IMAP, `STLS` or `AUTH
  /// TLS`.
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
  /// What the two ends speak instead of TLS, as far as it is known.
  var protocolName: String? {
    if isTDS { return "TDS (Microsoft SQL Server), which has TLS within its own packets" }
    if client.count > 4, client[0] & 0x80 != 0, client[2] == 1, [0, 3].contains(client[3]) {
      return "a hello in the form of SSL 2.0 (RFC 5246 appendix E.2)"
    }
    if Self.isHTTP(client) {
      let isAlert = server.starts(with: [21, 3])
      return "HTTP without TLS" + (isAlert ? ", which the server answers with an alert of TLS" : "")
    }
    if client.starts(with: "SSH-".utf8) || server.starts(with: "SSH-".utf8) { return "SSH" }
    if let name {
      // PostgreSQL answers with one letter: S for TLS, N for none.
      if client.starts(with: [0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f]), server.first == UInt8(ascii: "N") {
        return "\(name), which the server answers with N: it does not offer TLS"
      }
      return "\(name), and no ClientHello after it"
    }
    let greetings = [("220 ", "SMTP or FTP"), ("* OK", "IMAP"), ("+OK", "POP3")]
    let greeting = greetings.first { server.starts(with: $0.0.utf8) }
    return (greeting?.1 ?? (isMySQL ? "MySQL" : nil)).map { "\($0) without TLS" }
  }

  /// Whether a message of HTTP begins so.
  private static func isHTTP(_ bytes: [UInt8]) -> Bool {
    let starts = ["GET ", "POST ", "HEAD ", "PUT ", "DELETE ", "OPTIONS ", "PATCH ", "PRI * HTTP/2", "HTTP/1."]
    return starts.contains { bytes.starts(with: $0.utf8) }
  }
}
