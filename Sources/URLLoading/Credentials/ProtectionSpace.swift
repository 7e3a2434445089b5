import Explanation

/// What a challenge is about: `NSURLProtectionSpace`.
///
/// Host and port are those of the URL, never of whoever answers: a stand-in on the network shows the same space.
public struct ProtectionSpace: Sendable, Hashable, CustomStringConvertible {
  /// The host of the URL, or of the proxy.
  public var host: String
  /// The port of the URL, 80 and 443 where it names none.
  public var port: UInt16
  /// `http`, `https` or `ftp`, the content of `NSURLProtectionSpaceHTTPS`; nil for a proxy.
  public var `protocol`: String?
  /// The realm that the server named (RFC 9110 section 11.5); nil for challenges of TLS.
  public var realm: String?
  /// What is asked.
  public var method: AuthenticationMethod
  /// The kind of proxy that asks; nil where none does.
  public var proxyType: ProxyType?
  /// Whether a proxy asks.
  public var isProxy: Bool { proxyType != nil }
  /// The authorities of the CertificateRequest, in DER; not part of what makes two spaces equal.
  public var distinguishedNames: [[UInt8]]?

  /// A space with these parts.
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

  /// The space of a challenge about `url`.
  ///
  /// A WebSocket begins with a request of HTTP (RFC 6455 section 1.3), in whose name the challenge comes; what the system
  /// writes there of a ws or wss URL is not known.
  public init(of url: LoadURL, _ method: AuthenticationMethod, realm: String? = nil, names: [[UInt8]]? = nil) {
    let scheme = url.isWebSocket ? url.isSecure ? "https" : "http" : url.scheme
    self.init(
      host: url.host, port: url.port ?? 0, protocol: scheme, realm: realm, method: method, distinguishedNames: names)
  }

  /// What a proxy is asked to pass on: `NSURLProtectionSpace.proxyType`. Raw values are the contents of Apple's constants,
  /// and the words of scenarios.
  public enum ProxyType: String, Sendable, Hashable, CaseIterable {
    /// `NSURLProtectionSpaceHTTPProxy`: requests of http URLs, which it reads.
    case http
    /// `NSURLProtectionSpaceHTTPSProxy`: tunnels for https URLs, in which it reads nothing.
    case https
    /// `NSURLProtectionSpaceFTPProxy`.
    case ftp
    /// `NSURLProtectionSpaceSOCKSProxy`.
    case socks = "SOCKS"

    /// Apple's name of the constant.
    public var constant: String { "NSURLProtectionSpace\(rawValue.uppercased())Proxy" }
  }

  /// Spaces are equal by value; a realm by every letter: RFC 9110 section 11.5.
  public static func == (left: ProtectionSpace, right: ProtectionSpace) -> Bool { left.differences(to: right).isEmpty }

  /// Hashes what equality compares.
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

  /// As `NSURLProtectionSpace` describes itself, on one line.
  public var description: String { "\(place), \(method.constant)" }

  /// The same without what is asked: whose space it is, and its realm.
  public var place: String {
    let authority =
      proxyType.map { "\($0.rawValue) proxy \(host):\(port)" } ?? "\(`protocol` ?? "nil")://\(host):\(port)"
    return "\(authority), realm \(realm.map { "'\($0)'" } ?? "nil")"
  }

  /// Whether a password is protected on its way: NSURLProtectionSpace.receivesCredentialSecurely. What Digest and NTLM over
  /// http count as is not documented.
  public var receivesCredentialSecurely: Bool { `protocol` == "https" }
}

/// What a space is compared with: only the parts that are named, or all.
public struct ProtectionSpacePattern: Sendable, Hashable {
  /// The host; nil for any.
  public var host: String?
  /// The port; nil for any.
  public var port: UInt16?
  /// The protocol; nil for any.
  public var `protocol`: String?
  /// The realm; nil for any.
  public var realm: String?
  /// What is asked; nil for anything.
  public var method: AuthenticationMethod?
  /// The kind of proxy that asks; nil for any, and for none.
  public var proxyType: ProtectionSpace.ProxyType?
  /// Whether it is a whole space, of which a part that is not named is nil: `[spaces containsObject:]`.
  public var isWhole = false

  /// A pattern that names nothing.
  public init() {}

  /// The space that it is when it is whole.
  public var space: ProtectionSpace {
    ProtectionSpace(
      host: host ?? "", port: port ?? 0, protocol: `protocol`, realm: realm, method: method ?? .default,
      proxyType: proxyType)
  }

  /// Whether `other` is it.
  public func matches(_ other: ProtectionSpace) -> Bool {
    if isWhole { return space == other }
    return (host ?? other.host) == other.host && (port ?? other.port) == other.port
      && (`protocol` ?? other.protocol) == other.protocol && (realm ?? other.realm) == other.realm
      && (method ?? other.method).isEqual(to: other.method) && (proxyType ?? other.proxyType) == other.proxyType
  }

  /// The parts in which `other` is not it; of a part that is not named any value will do.
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

  /// The parts that it names, as words.
  public var words: String {
    [
      host.map { "host \($0)" }, port.map { "port \($0)" }, `protocol`.map { "protocol \($0)" },
      realm.map { "realm '\($0)'" }, method.map(\.constant), proxyType.map(\.constant),
    ].compactMap(\.self).joined(separator: ", ")
  }
}
