import Trust

/// A URL that an app loads, split into the components that the decision uses (RFC 3986 section 3).
public struct LoadURL: Sendable, Hashable, CustomStringConvertible {
  /// The scheme in lower case, such as `https`.
  public let scheme: String
  /// The host with A-labels (RFC 5890). It is in lower case, because host names are not case-sensitive (RFC 4343).
  public let host: String
  /// The address without a zone, if the host is an address.
  public let address: IPAddress?
  /// The host as written, without the brackets of an IPv6 address. It is empty if the URL needs no host (`file:///…`).
  public let writtenHost: String
  /// The user name and password before the host; nil if either is missing.
  ///
  /// An app should not include them in a URL (RFC 3986 section 3.2.1).
  public let userInfo: UserPassword?
  /// The port as written, or else 443 or 80 for schemes that have a default port.
  public let port: UInt16?
  /// The path and the query, beginning with `/`.
  public let path: String
  private let text: String

  /// The maximum number of redirects in a load (Apple's documentation of `URLError.httpTooManyRedirects`).
  public static let mostRedirects = 16

  /// The reason why a text is not a URL that can be loaded.
  public enum Obstacle: String, Error, Sendable, Hashable, CaseIterable {
    case scheme = "The URL has no scheme; write `https://…`"
    case host = "The URL has no host"
    case port = "The port is not a number from 1 to 65535"
    case length = "The host is longer than 255 bytes, the limit for names"
    case character = "The host contains a character that is not allowed in hosts"
  }

  /// Reads an absolute URL, byte by byte. Every delimiter is ASCII (RFC 3986 section 2.2).
  public init(_ text: String) throws(Obstacle) {
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(text[..<colon]) else { throw .scheme }
    scheme = text[..<colon].lowercased()
    self.text = text
    let rest = bytes[bytes.index(after: colon)...]
    guard rest.starts(with: "//".utf8) else {
      if Self.defaultPorts[scheme] != nil { throw .host }
      (writtenHost, host, address, userInfo, port, path) = ("", "", nil, nil, nil, String(Substring(rest)))
      return
    }
    let authorityAndPath = rest.dropFirst(2)
    let authority = authorityAndPath.prefix {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
    }
    let tail = authorityAndPath[authority.endIndex...].prefix { $0 != UInt8(ascii: "#") }
    path = tail.first == UInt8(ascii: "/") ? String(Substring(tail)) : "/" + Substring(tail)
    let user = authority.lastIndex(of: UInt8(ascii: "@"))
    userInfo = user.flatMap { UserPassword(userInfo: Substring(authority[..<$0])) }
    let (host, portText) = try Self.split(Substring(user.map { authority[authority.index(after: $0)...] } ?? authority))
    guard !host.isEmpty || Self.defaultPorts[scheme] == nil else { throw .host }
    guard host.utf8.count <= 255 else { throw .length }
    guard Self.mayBeHost(host) else { throw .character }
    writtenHost = String(host)
    guard let name = RequestedHost.asciiForm(of: writtenHost) else { throw .character }
    self.host = name.lowercased()
    let zone = name.utf8.firstIndex(of: UInt8(ascii: "%"))
    address = IPAddress(zone.map { String(name[..<$0]) } ?? name)
    guard let portText, !portText.isEmpty else {
      port = Self.defaultPorts[scheme]
      return
    }
    guard portText.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(portText), number > 0 else {
      throw .port
    }
    port = number
  }

  /// Returns whether a host has no white space, no control characters, and no characters that RFC 3986 forbids in URLs.
  private static func mayBeHost(_ host: Substring) -> Bool {
    var isASCII = true
    for byte in host.utf8 {
      switch byte {
      case 0..<0x21, 0x7f, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
        UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
        return false
      case 0x80...: isASCII = false
      default: break
      }
    }
    return isASCII || !host.contains(where: \.isWhitespace)
  }

  /// The host and the port, in the form in which HTTP identifies the server (RFC 9110 section 7.2).
  ///
  /// An IPv6 address is in brackets. The port is omitted if it is the scheme's default.
  public var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    guard let port, port != Self.defaultPorts[scheme] else { return name }
    return "\(name):\(port)"
  }
  /// Whether TLS protects the load.
  public var isSecure: Bool { scheme == "https" || scheme == "wss" }
  /// Whether the load uses HTTP or WebSockets, secure or not.
  public var isHTTP: Bool { ["http", "https", "ws", "wss"].contains(scheme) }
  /// Whether the load uses WebSockets (RFC 6455 section 3).
  public var isWebSocket: Bool { scheme == "ws" || scheme == "wss" }
  /// Whether the load never uses the network.
  var leadsNowhere: Bool { ["file", "data", "about", "blob", "javascript"].contains(scheme) }
  /// The URL as written.
  public var description: String { text }

  /// Resolves a `reference` in a response against this URL (RFC 3986 section 5.2, without dot segments).
  public func resolving(_ reference: String) -> LoadURL? {
    if reference.hasPrefix("//") { return try? LoadURL("\(scheme):\(reference)") }
    if let colon = reference.firstIndex(of: ":"), Self.isScheme(reference[..<colon]) { return try? LoadURL(reference) }
    let folder = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let target = reference.hasPrefix("/") ? reference : folder.joined(separator: "/") + "/" + reference
    return try? LoadURL("\(scheme)://\(authority)\(target)")
  }

  private static let defaultPorts: [String: UInt16] = ["http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21]

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, (65...90).contains(first & 0xdf) else { return false }
    return text.utf8.allSatisfy {
      (65...90).contains($0 & 0xdf) || (48...57).contains($0) || [43, 45, 46].contains($0)
    }
  }

  /// Splits a text of the form `host`, `host:port`, `[address]` or `[address]:port`.
  private static func split(_ text: Substring) throws(Obstacle) -> (host: Substring, port: Substring?) {
    let bytes = text.utf8
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { throw .host }
      let host = text[bytes.index(after: bytes.startIndex)..<end]
      let rest = text[bytes.index(after: end)...]
      guard IPAddress(String(host.prefix { $0 != "%" }))?.isVersion6 == true else { throw .character }
      if rest.isEmpty { return (host, nil) }
      guard rest.utf8.first == UInt8(ascii: ":") else { throw .port }
      return (host, rest.dropFirst())
    }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return (text, nil) }
    return (text[..<colon], text[bytes.index(after: colon)...])
  }
}
