/// What a server answers a request with.
public enum HTTPAnswer: Sendable, Hashable {
  /// `200 OK` with this body.
  case content(String)
  /// A redirect with one of the `statuses`, to a URL or to a path of the same server.
  case redirect(to: String, status: Int)

  /// The status codes that say where else to look, each with its phrase: RFC 9110 sections 15.4.2 to 15.4.9.
  public static let statuses: [(code: Int, phrase: String)] = [
    (301, "Moved Permanently"), (302, "Found"), (303, "See Other"), (307, "Temporary Redirect"),
    (308, "Permanent Redirect"),
  ]
}

extension HTTP {
  /// The response to a request; 404 where there is no answer.
  static func response(_ answer: HTTPAnswer?) -> [UInt8] {
    guard case .redirect(let target, let status) = answer else {
      if case .content(let body) = answer { return response(body: body) }
      return response(body: nil)
    }
    let phrase = HTTPAnswer.statuses.first { $0.code == status }?.phrase ?? ""
    return Array(
      ("HTTP/1.1 \(status) \(phrase)\r\nLocation: \(target)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").utf8)
  }
}
