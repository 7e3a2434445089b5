import Explanation

/// A response over HTTP/2, as the frames of its stream arrive (RFC 9113 section 8.1).
public struct HTTP2Response: Sendable {
  private(set) var message = HTTPMessage(startLine: "", fields: [], content: [])

  /// Creates a response of which nothing has arrived.
  public init() {}

  /// Adds a header block. An interim response precedes the header (RFC 9110 section 15.2), and trailers follow it.
  public mutating func append(_ fields: [(name: String, value: String)]) throws(HTTPFault) {
    guard message.startLine.isEmpty else { return }
    guard let status = fields.first?.value, fields.first?.name == ":status", status.utf8.count == 3,
      status.utf8.allSatisfy({ (48...57).contains($0) })
    else { throw .malformedHTTP2("a header without a status code") }
    if status.hasPrefix("1") { return }
    message.startLine = "HTTP/2 \(status)"
    message.fields = fields.dropFirst().map { HTTPField(name: $0.name, value: $0.value) }
  }

  /// Adds the content of a DATA frame.
  public mutating func append(_ content: [UInt8]) throws(HTTPFault) {
    guard !message.startLine.isEmpty else { throw .malformedHTTP2("DATA before a header") }
    let bounds = HTTPReader.Bounds.response
    guard content.count <= bounds.content - message.content.count else { throw .tooMuchContent(bounds) }
    message.content += content
  }

  /// The response in the form of HTTP/1.1, as other programs print it.
  var bytes: [UInt8] {
    let lines = [message.startLine] + message.fields.map { "\($0.name): \($0.value)" }
    return Array(lines.map { "\($0)\r\n" }.joined().utf8) + [13, 10] + message.content
  }
}

extension HTTPFault {
  /// Creates the fault of a peer that breaks a rule of HTTP/2 (RFC 9113 section 5.4).
  public static func malformedHTTP2(_ found: String) -> HTTPFault { HTTPFault(.malformedHTTP2, found) }

  /// Creates the fault of a peer that ends a stream or the connection before the response is complete.
  public static func incompleteHTTP2(_ found: String) -> HTTPFault { HTTPFault(.incompleteHTTP2, found) }

  /// Creates the fault of a header over HTTP/2 that exceeds a limit of TrustLab.
  public static func tooLongHTTP2(_ found: String) -> HTTPFault {
    HTTPFault(tooMuch: found, status: "431 Request Header Fields Too Large", .malformedHTTP2)
  }

  /// Whether the fault is one of HTTP/2.
  public var isHTTP2: Bool { rule.clause.document == Rule.malformedHTTP2.clause.document }
}

extension Rule {
  /// `application.malformed-message` for HTTP/2.
  fileprivate static let malformedHTTP2 = Rule.malformedMessage.moved(
    in: .application, statement: "An HTTP message has the syntax of HTTP/2.", clause: .rfc(9113, "5.4"),
    fix: "Repair the server: its frames must follow HTTP/2.")

  /// `application.incomplete-message` for HTTP/2.
  fileprivate static let incompleteHTTP2 = Rule.incompleteMessage.moved(
    in: .application, clause: .rfc(9113, "8.1"),
    fix: "Find the reason in the log of the server: the server, or a proxy in front of it, ends the exchange.")
}
