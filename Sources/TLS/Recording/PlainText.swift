/// What a side says where it should begin TLS, if its first bytes are text: HTTP, a greeting of a mail server.
struct PlainText: CustomStringConvertible {
  private let line: String

  /// The text that these bytes begin; nil where they are something else.
  init?(_ bytes: [UInt8]) {
    let line = bytes.prefix(60).prefix { $0 != 10 && $0 != 13 }
    guard line.count >= 4, line.allSatisfy({ (32...126).contains($0) }) else { return nil }
    self.line = String(decoding: line, as: UTF8.self)
  }

  /// The line, and the protocol that it is of.
  var description: String {
    let protocols = [
      ("HTTP/", "HTTP"), ("GET ", "HTTP"), ("<", "HTML or XML"), ("SSH-", "SSH"), ("220 ", "SMTP or FTP"),
      ("220-", "SMTP or FTP"), ("* OK", "IMAP"), ("+OK", "POP3"),
    ]
    let name = protocols.first { line.hasPrefix($0.0) }?.1
    return "\(name.map { "\($0) without TLS" } ?? "text without TLS"): \"\(line)\""
  }
}
