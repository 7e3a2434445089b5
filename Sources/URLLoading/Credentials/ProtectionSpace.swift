import Explanation

/// The server and realm that a challenge is about: `NSURLProtectionSpace`.
///
/// Host and port are those of the URL, not of the server that responds: an attacker on the network shows the same
/// space.
public struct ProtectionSpace: Sendable, Hashable, CustomStringConvertible {
  /// The host of the URL, or of the proxy.
  public var host: String
  /// The URL's port, or else 80 or 443.
  public var port: UInt16
  /// `http`, `https` or `ftp`, the content of `NSURLProtectionSpaceHTTPS`; nil for a proxy.
  public var `protocol`: String?
  /// The realm that the server named (RFC 9110 section 11.5); nil for challenges of TLS.
  public var realm: String?
  /// The authentication method.
  public var method: AuthenticationMethod
  /// The kind of proxy that sends the challenge; nil if none does.
  public var proxyType: ProxyType?
  /// Whether a proxy sends the challenge.
  public var isProxy: Bool { proxyType != nil }
  /// The CA names of the CertificateRequest, in DER; equality ignores them.
  public var distinguishedNames: [[UInt8]]?

  /// Creates a space with these parts.
  public init(
    host: String, port: UInt16, protocol: String? = "https", realm: String? = nil,
    method: AuthenticationMethod = .default, proxyType: ProxyType? = nil, distinguishedNames: [[UInt8]]? = nil
  ) {
    self.host = host
    self.port = port
    self.protocol = `protocol`
    self.realm = realm
    self.method = method
    self.proxyType = proxyType
    self.distinguishedNames = distinguishedNames
  }

  /// Creates the space of a challenge about `url`.
  ///
  /// A WebSocket begins with an HTTP request (RFC 6455 section 1.3), which the challenge belongs to. Apple does not
  /// document the space of a ws or wss URL.
  public init(of url: LoadURL, _ method: AuthenticationMethod, realm: String? = nil, names: [[UInt8]]? = nil) {
    let scheme = url.isWebSocket ? url.isSecure ? "https" : "http" : url.scheme
    self.init(
      host: url.host, port: url.port ?? 0, protocol: scheme, realm: realm, method: method, distinguishedNames: names)
  }

  /// The kind of requests that a proxy forwards: `NSURLProtectionSpace.proxyType`.
  ///
  /// Raw values are the contents of Apple's constants, and the words of scenarios.
  public enum ProxyType: String, Sendable, Hashable, CaseIterable {
    /// `NSURLProtectionSpaceHTTPProxy`: requests for http URLs, which the proxy can read.
    case http
    /// `NSURLProtectionSpaceHTTPSProxy`: tunnels for https URLs, whose content the proxy cannot read.
    case https
    /// `NSURLProtectionSpaceFTPProxy`.
    case ftp
    /// `NSURLProtectionSpaceSOCKSProxy`.
    case socks = "SOCKS"

    /// Apple's name of the constant.
    public var constant: String { "NSURLProtectionSpace\(rawValue.uppercased())Proxy" }
  }

  /// Compares spaces by value; realms are compared with case (RFC 9110 section 11.5).
  public static func == (left: ProtectionSpace, right: ProtectionSpace) -> Bool { left.differences(to: right).isEmpty }

  /// Hashes the parts that equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(host)
    hasher.combine(port)
    hasher.combine(realm)
  }

  /// The parts in which two spaces differ: `realm`.
  public func differences(to other: ProtectionSpace) -> [String] {
    [
      host == other.host ? nil : "host", port == other.port ? nil : "port",
      `protocol` == other.protocol ? nil : "protocol", realm == other.realm ? nil : "realm",
      method.isEqual(to: other.method) ? nil : "authenticationMethod", isProxy == other.isProxy ? nil : "isProxy",
      proxyType == other.proxyType || isProxy != other.isProxy ? nil : "proxyType",
    ].compactMap(\.self)
  }

  /// The description of `NSURLProtectionSpace`, on one line.
  public var description: String { "\(place), \(method.constant)" }

  /// The same without the method: the host and its realm.
  public var place: String {
    let authority =
      proxyType.map { "\($0.rawValue) proxy \(host):\(port)" } ?? "\(`protocol` ?? "nil")://\(host):\(port)"
    return "\(authority), realm \(realm.map { "'\($0)'" } ?? "nil")"
  }

  /// Whether a password is protected in transit: NSURLProtectionSpace.receivesCredentialSecurely.
  ///
  /// Apple does not document the value for Digest and NTLM over http.
  public var receivesCredentialSecurely: Bool { `protocol` == "https" }
}

/// A pattern for spaces: it compares only the parts that it names, or all of them.
public struct ProtectionSpacePattern: Sendable, Hashable {
  /// The host; nil for any.
  public var host: String?
  /// The port; nil for any.
  public var port: UInt16?
  /// The protocol; nil for any.
  public var `protocol`: String?
  /// The realm; nil for any.
  public var realm: String?
  /// The authentication method; nil for any.
  public var method: AuthenticationMethod?
  /// The kind of proxy; nil for any, and for none.
  public var proxyType: ProtectionSpace.ProxyType?
  /// Whether the pattern is a whole space, whose unnamed parts are nil: `[spaces containsObject:]`.
  public var isWhole = false

  /// Creates a pattern that names nothing.
  public init() {}

  /// The space that a whole pattern describes.
  public var space: ProtectionSpace {
    ProtectionSpace(
      host: host ?? "", port: port ?? 0, protocol: `protocol`, realm: realm, method: method ?? .default,
      proxyType: proxyType)
  }

  /// Whether `other` matches.
  public func matches(_ other: ProtectionSpace) -> Bool {
    if isWhole { return space == other }
    return (host ?? other.host) == other.host && (port ?? other.port) == other.port
      && (`protocol` ?? other.protocol) == other.protocol && (realm ?? other.realm) == other.realm
      && (method ?? other.method).isEqual(to: other.method) && (proxyType ?? other.proxyType) == other.proxyType
  }

  /// The parts in which `other` does not match; an unnamed part matches any value.
  public func differences(to other: ProtectionSpace) -> [String] {
    if isWhole { return space.differences(to: other) }
    let isOtherMethod = method.map { !$0.isEqual(to: other.method) } ?? false
    return [
      (host ?? other.host) == other.host ? nil : "host", (port ?? other.port) == other.port ? nil : "port",
      (`protocol` ?? other.protocol) == other.protocol ? nil : "protocol",
      (realm ?? other.realm) == other.realm ? nil : "realm", isOtherMethod ? "authenticationMethod" : nil,
      (proxyType ?? other.proxyType) == other.proxyType ? nil : "proxyType",
    ].compactMap(\.self)
  }

  /// The named parts, as words.
  public var words: String {
    [
      host.map { "host \($0)" }, port.map { "port \($0)" }, `protocol`.map { "protocol \($0)" },
      realm.map { "realm '\($0)'" }, method.map(\.constant), proxyType.map(\.constant),
    ].compactMap(\.self).joined(separator: ", ")
  }
}
