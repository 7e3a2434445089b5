import Cryptography
import Explanation

/// The opening handshake of WebSockets: an HTTP/1.1 request and its response (RFC 6455 sections 1.3 and 4).
enum WebSocket {
  /// The number of bytes in a key (RFC 6455 section 4.1).
  static let keyCount = 16
  /// The only protocol version (RFC 6455 section 4.1).
  static let version = "13"
  /// The identifier that every server appends to the key (RFC 6455 section 1.3).
  private static let identifier = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  /// The value of Sec-WebSocket-Accept for `key` (RFC 6455 section 4.2.2).
  static func accept(_ key: String) -> String {
    Base64.encode(Hash.sha1.digest(Array((key + identifier).utf8)))
  }

  /// The header fields that request a WebSocket with `key` (RFC 6455 section 4.1).
  static func fields(asking key: String) -> String {
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: \(version)\r\n"
  }

  /// The response that opens the WebSocket with `key` (RFC 6455 section 4.2.2).
  static func response(to key: String) -> [UInt8] {
    Array(
      ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: \(accept(key))\r\n\r\n").utf8)
  }
}

extension HTTPMessage {
  /// Whether the list in the fields with this name contains `token`. The comparison is case-insensitive.
  private func lists(_ token: String, in name: String) -> Bool {
    values(of: name).contains { $0.lowercased() == token }
  }

  /// Whether a request is for a WebSocket, even if it is malformed (RFC 6455 section 4.2.1).
  var asksForWebSocket: Bool {
    startLine.hasPrefix("GET ") && !startLine.hasSuffix("HTTP/1.0") && lists("websocket", in: "upgrade")
      && lists("upgrade", in: "connection")
  }

  /// The key in a WebSocket request; nil unless there is exactly one key of 16 bytes.
  var webSocketKey: String? {
    let keys = values(of: "sec-websocket-key")
    guard asksForWebSocket, keys.count == 1, let key = keys.first,
      (try? Base64.decode(key))?.count == WebSocket.keyCount
    else { return nil }
    return key
  }

  /// The fault in a WebSocket request; nil if the server may open the WebSocket (RFC 6455 sections 4.2.1 and 4.4).
  var webSocketFault: HTTPFault? {
    guard asksForWebSocket else { return nil }
    let versions = values(of: "sec-websocket-version")
    guard versions == [WebSocket.version] else {
      let found = versions.isEmpty ? "no version" : "version \(versions.joined(separator: ", "))"
      return HTTPFault(.malformedOpening, found, status: "426 Upgrade Required")
    }
    return webSocketKey == nil ? HTTPFault(.malformedOpening, "no key of \(WebSocket.keyCount) bytes") : nil
  }

  /// The part of a response that prevents a WebSocket with `key`, with the required and the actual value.
  ///
  /// Nil if the response opens the WebSocket (RFC 6455 section 4.1).
  func obstacle(toOpening key: String) -> (required: String, found: Detail)? {
    guard status == 101 else {
      let words = startLine.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      return ("101 Switching Protocols", .word(words.dropFirst().first.map(String.init) ?? startLine))
    }
    guard lists("websocket", in: "upgrade") else { return ("Upgrade: websocket", found("upgrade")) }
    guard lists("upgrade", in: "connection") else { return ("Connection: Upgrade", found("connection")) }
    let accept = WebSocket.accept(key)
    guard values(of: "sec-websocket-accept") == [accept] else {
      return ("Sec-WebSocket-Accept: \(accept)", found("sec-websocket-accept"))
    }
    // The request contained neither field.
    for name in ["Sec-WebSocket-Extensions", "Sec-WebSocket-Protocol"] where value(of: name.lowercased()) != nil {
      return ("no \(name)", found(name.lowercased()))
    }
    return nil
  }

  private func found(_ name: String) -> Detail { value(of: name).map(Detail.word) ?? .absent }
}

extension Rule {
  /// `application.websocket-not-opened`
  public static let webSocketNotOpened = Rule(
    .application, "websocket-not-opened",
    "The server responds with 101, the fields Upgrade and Connection, and the Sec-WebSocket-Accept for the client's "
      + "key.",
    .rfc(6455, "4.1"),
    fix: "Respond to the opening handshake at this URL: a client need not follow a redirect. "
      + "Check for a proxy that drops Upgrade and Connection.")

  /// `application.malformed-opening`
  public static let malformedOpening = Rule(
    .application, "malformed-opening",
    "A request for a WebSocket has version 13 and a key of 16 bytes in Base64.",
    .rfc(6455, "4.2.1"), fix: "Use a client that supports RFC 6455: older drafts use other handshakes.")

  /// `application.malformed-frame`
  public static let malformedFrame = Rule(
    .application, "malformed-frame",
    "A WebSocket frame has the syntax of RFC 6455. Only a client's frames are masked.", .rfc(6455, "5.1"),
    fix: "Find and remove the proxy or the attacker that changes the peer's data. If there is none, repair the peer: "
      + "after 101 it sends only frames.")

  /// All rules of WebSockets.
  static let webSockets: [Rule] = [.webSocketNotOpened, .malformedOpening, .malformedFrame]
}
