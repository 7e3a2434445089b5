import Endpoint
import Explanation
import Simulator

/// The contents of an HTTP message in plain words: the request, or the response's status and content.
struct Saying {
  /// The start line of the message: `GET /price`, `200 OK`.
  let head: String
  /// The fields about identity or redirection: `Authorization: Basic …`.
  let fields: [String]
  /// The content of the message; empty if there is none.
  let content: String

  /// The names of fields that are useful to a reader.
  private static let telling = [
    "authorization", "proxy-authorization", "www-authenticate", "proxy-authenticate", "cookie", "set-cookie",
    "location",
    "strict-transport-security",
  ]
  /// The length at which text is cut off.
  private static let longest = 160

  /// Parses these bytes; nil if they are not a complete HTTP message.
  init?(_ bytes: [UInt8]) {
    guard HTTP2Frames.types(in: bytes) == nil, let message = HTTP.fields(of: bytes).first,
      message.name == "HTTP-message",
      let start = message.children.first?.meaning, start.contains("HTTP/")
    else { return nil }
    let words = start.split(separator: " ", omittingEmptySubsequences: false)
    // The HTTP version is omitted: `HTTP/1.1 200 OK`, `GET / HTTP/1.1`.
    head = words.filter { !$0.hasPrefix("HTTP/") }.joined(separator: " ")
    fields = message.children.filter { field in
      field.name == "field-line" && Self.telling.contains(field.meaning.prefix { $0 != ":" }.lowercased())
    }.map { $0.meaning.shortened(to: Self.longest) }
    let body = message.children.first { $0.name == "content" }.map { Array(bytes[$0.range]) } ?? []
    content = Self.text(of: body)
  }

  /// Returns the text of the body, or the number of bytes if the body is not text.
  private static func text(of body: [UInt8]) -> String {
    guard !body.isEmpty else { return "" }
    guard let text = String(validating: body, as: UTF8.self),
      text.unicodeScalars.allSatisfy({
        $0.properties.generalCategory != .control || "\n\r\t".unicodeScalars.contains($0)
      })
    else { return "\(body.count) bytes" }
    return text.shortened(to: longest)
  }

  /// The start line, fields and content on one line.
  var words: String {
    let start = ([head] + fields).joined(separator: "; ")
    return content.isEmpty ? start : "\(start): \(content)"
  }

  /// The shortest distinguishing text for a diagram: the content in quotes, or the request line.
  var label: String {
    content.isEmpty ? head : "\"\(content.replacing("\n", with: " ").shortened(to: 40))\""
  }
}

extension Step {
  /// The contents of an HTTP message in plain words; nil for other messages.
  var saying: Saying? {
    guard kind == .message else { return nil }
    return Saying(isProtected ? plaintext : bytes)
  }

  /// The contents that the receiver gets if an attacker changed an unencrypted message.
  var arriving: Saying? { interference?.adds == true ? Saying(bytes) : nil }
}

extension [Step] {
  /// Returns the content that the app shows after this step, which is that of the last response to the client.
  func shown(after number: Int, in connection: String?) -> Saying? {
    prefix { $0.number < number }.last { step in
      step.connection == connection && step.to == .client && (step.saying ?? step.arriving) != nil
    }.flatMap { $0.arriving ?? $0.saying }
  }
}
