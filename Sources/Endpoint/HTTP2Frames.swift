/// The frames of HTTP/2 in the content of a TLS record (RFC 9113 section 4.1).
public enum HTTP2Frames {
  /// The first bytes that a client sends (RFC 9113 section 3.4).
  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  /// The types of RFC 9113 section 6, by number.
  private static let types = [
    "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
    "CONTINUATION",
  ]
  /// The maximum length of a frame, unless a peer allows more (RFC 9113 section 4.2).
  private static let maximumLength = 1 << 14

  /// The types of the frames that begin in `content`; nil if it does not begin with a frame.
  ///
  /// No HTTP/1.1 message and no WebSocket frame begins with the zero of a frame's length.
  public static func types(in content: [UInt8]) -> [String]? {
    var rest = content[...]
    if rest.starts(with: preface) { rest = rest.dropFirst(preface.count) }
    var found: [String] = []
    while let (type, length) = header(rest) {
      found.append(type)
      rest = rest.dropFirst(9 + length)
    }
    return found.isEmpty ? nil : found
  }

  private static func header(_ bytes: ArraySlice<UInt8>) -> (type: String, length: Int)? {
    let header = bytes.prefix(9).map(Int.init)
    guard header.count == 9, types.indices.contains(header[3]) else { return nil }
    let length = header[0] << 16 | header[1] << 8 | header[2]
    return length <= maximumLength ? (types[header[3]], length) : nil
  }
}
