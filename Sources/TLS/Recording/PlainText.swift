/// A protocol that a side uses instead of TLS: HTTP, or that of a mail server or database.
///
/// The first bytes of the side identify the protocol.
public struct PlainText: CustomStringConvertible {
  /// The name of the protocol; nil for unknown text.
  public let name: String?
  /// The name of the protocol and, for a text protocol, its first line.
  public let description: String

  /// Recognizes the protocol by its first bytes; nil if they match none.
  public init?(_ bytes: [UInt8]) {
    if let name = Self.binary(bytes) {
      self.name = name
      description = "\(name) without TLS"
      return
    }
    let line = bytes.drop { $0 == 10 || $0 == 13 }.prefix(60).prefix { $0 != 10 && $0 != 13 }
    guard line.count >= 4, line.allSatisfy({ (32...126).contains($0) || $0 >= 0x80 }),
      line.prefix(4).allSatisfy({ (32...126).contains($0) })
    else { return nil }
    let text = String(decoding: line, as: UTF8.self)
    name = Self.protocols.first { text.hasPrefix($0.0) }?.1
    description = "\(name.map { "\($0) without TLS" } ?? "text without TLS"): \"\(text)\""
  }

  private static let protocols = [
    ("HTTP/", "HTTP"), ("GET ", "HTTP"), ("<", "HTML or XML"), ("SSH-", "SSH"), ("220 ", "SMTP or FTP"),
    ("220-", "SMTP or FTP"), ("* OK", "IMAP"), ("+OK", "POP3"), ("RFB ", "VNC"),
  ]

  /// The name of the binary protocol that begins with these bytes; nil if there is none.
  private static func binary(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: "AMQP".utf8) { return "AMQP" }
    // A SETTINGS frame on stream 0: RFC 9113 section 3.4.
    if bytes.count >= 9, bytes[0] == 0, bytes[3...8].elementsEqual([4, 0, 0, 0, 0, 0]) { return "HTTP/2" }
    // A MySQL packet with the number 0: a greeting of version 10, or an error.
    if bytes.count > 6, bytes[2] == 0, bytes[3] == 0, [10, 0xff].contains(bytes[4]) { return "MySQL" }
    if bytes.starts(with: [UInt8(ascii: "E"), 0, 0]) || bytes.starts(with: "ESFATAL".utf8) { return "PostgreSQL" }
    return nil
  }
}
