import Explanation

/// As much of HTTP/1.1 (RFC 9112) as one request and its response take.
enum HTTP {
  /// A GET of `path` on `host` that closes the connection.
  static func request(host: String, path: String) -> [UInt8] {
    Array("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8)
  }

  /// A response with `body`, or 404 without one.
  static func response(body: String?) -> [UInt8] {
    let status = body == nil ? "404 Not Found" : "200 OK"
    let content = body ?? "not found"
    return Array(
      ("HTTP/1.1 \(status)\r\nContent-Type: text/plain; charset=utf-8\r\n"
        + "Content-Length: \(content.utf8.count)\r\nConnection: close\r\n\r\n\(content)").utf8)
  }

  /// The request line's method and path once the header is complete: `GET /`.
  static func requestLine(of bytes: [UInt8]) -> String? {
    guard let head = split(bytes)?.head, let line = lines(of: head).first else { return nil }
    let parts = line.split(separator: " ")
    return parts.count == 3 ? "\(parts[0]) \(parts[1])" : nil
  }

  /// The body once all of it has come, by Content-Length.
  static func body(of bytes: [UInt8]) -> [UInt8]? {
    guard let (head, rest) = split(bytes) else { return nil }
    for line in lines(of: head).dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
      guard let length = Int(parts[1].filter { $0 != " " }), length >= 0 else { return nil }
      return rest.count >= length ? Array(rest.prefix(length)) : nil
    }
    return nil
  }

  /// Start line, header fields and content, with their bytes.
  static func fields(of bytes: [UInt8]) -> [Field] {
    guard let (head, _) = split(bytes) else {
      return [Field("HTTP message", 0..<bytes.count, meaning: "\(bytes.count) bytes")]
    }
    var children: [Field] = []
    var offset = 0
    for line in lines(of: head) {
      let count = line.utf8.count
      children.append(
        Field(children.isEmpty ? "start-line" : "field-line", offset..<(offset + count), meaning: String(line)))
      offset += count + 2
    }
    let body = (head.count + 4)..<bytes.count
    if !body.isEmpty {
      children.append(Field("content", body, meaning: String(decoding: bytes[body].prefix(60), as: UTF8.self)))
    }
    return [Field("HTTP-message", 0..<bytes.count, meaning: "HTTP/1.1", children: children)]
  }

  private static func split(_ bytes: [UInt8]) -> (head: [UInt8], rest: ArraySlice<UInt8>)? {
    let end: [UInt8] = [13, 10, 13, 10]
    guard bytes.count >= end.count else { return nil }
    for start in 0...(bytes.count - end.count) where bytes[start] == 13 && Array(bytes[start..<(start + 4)]) == end {
      return (Array(bytes[..<start]), bytes[(start + 4)...])
    }
    return nil
  }

  private static func lines(of head: [UInt8]) -> [String] {
    head.split(separator: 10, omittingEmptySubsequences: false).map { line in
      String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
    }
  }
}
