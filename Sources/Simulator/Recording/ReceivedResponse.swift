import Endpoint

/// The head of a real server's response (RFC 9110 section 6.2).
public struct ReceivedResponse: Sendable, Hashable {
  /// The status line, such as `HTTP/1.1 404 Not Found`. HTTP/2 has no reason phrase: `HTTP/2 404`.
  public let statusLine: String
  /// The header fields, in order, each as name and value.
  public let fields: [String]

  /// Parses the head of a response; nil if there is none.
  init?(_ bytes: [UInt8]) {
    let head = HTTP.fields(of: bytes).first?.children.filter { $0.name != "content" }.map(\.meaning) ?? []
    guard let line = head.first, !line.isEmpty else { return nil }
    statusLine = Self.printable(String(line.prefix(200)))
    fields = head.dropFirst().map(Self.printable)
  }

  /// The version of HTTP, such as `HTTP/2`.
  public var version: String { String(statusLine.prefix { $0 != " " }) }

  /// The status code and the reason phrase, such as `404 Not Found`.
  public var status: String { String(statusLine.drop { $0 != " " }.drop { $0 == " " }) }

  /// The status code; nil if the server sent none.
  public var code: Int? { Int(status.prefix { $0 != " " }) }

  /// Whether the status is that of an error (RFC 9110 sections 15.5 and 15.6).
  public var isError: Bool { code.map { $0 >= 400 } ?? false }

  private static func printable(_ text: String) -> String {
    String(decoding: text.utf8.map { $0 < 32 || $0 == 127 ? 63 : $0 }, as: UTF8.self)
  }
}
