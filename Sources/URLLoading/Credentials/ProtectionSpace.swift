import Explanation

/// The server and the realm of a challenge: `NSURLProtectionSpace`.
///
/// The host and the port are those of the URL, not of the server that responds. An attacker on the network therefore
/// has the same protection space.
public struct ProtectionSpace: Sendable, Hashable, CustomStringConvertible {
  /// The host of the URL or of the proxy.
  public var host: String
  /// The port of the URL; 80 or 443 if the URL has no port.
  public var port: UInt16
  /// The protocol: `http`, `https` or `ftp`, as in `NSURLProtectionSpaceHTTPS`; nil for a proxy.
  public var `protocol`: String?
  /// The realm that the server stated (RFC 9110 section 11.5); nil for challenges of TLS.
  public var realm: String?
  /// The authentication method.
  public var method: AuthenticationMethod
  /// The kind of proxy that sent the challenge; nil if a proxy did not send it.
  public var proxyType: ProxyType?
  /// Whether a proxy sent the challenge.
  public var isProxy: Bool { proxyType != nil }
  /// The CA names of the CertificateRequest in DER. They are not compared for equality.
  public var distinguishedNames: [[UInt8]]?

  /// Creates a protection space from its parts.
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
  /// A WebSocket begins with an HTTP request (RFC 6455 section 1.3), to which the challenge belongs. Apple does not
  /// document the protection space of a ws or wss URL.
  public init(of url: LoadURL, _ method: AuthenticationMethod, realm: String? = nil, names: [[UInt8]]? = nil) {
    let scheme = url.isWebSocket ? url.isSecure ? "https" : "http" : url.scheme
    self.init(
      host: url.host, port: url.port ?? 0, protocol: scheme, realm: realm, method: method, distinguishedNames: names)
  }

  /// The kind of requests that a proxy forwards: `NSURLProtectionSpace.proxyType`.
  ///
  /// The raw values are the contents of Apple's constants, and the keywords in scenario files.
  public enum ProxyType: String, Sendable, Hashable, CaseIterable {
    /// Requests for http URLs, which the proxy can read: `NSURLProtectionSpaceHTTPProxy`.
    case http
    /// Tunnels for https URLs, whose content the proxy cannot read: `NSURLProtectionSpaceHTTPSProxy`.
    case https
    /// `NSURLProtectionSpaceFTPProxy`.
    case ftp
    /// `NSURLProtectionSpaceSOCKSProxy`.
    case socks = "SOCKS"

    /// The name of Apple's constant.
    public var constant: String { "NSURLProtectionSpace\(rawValue.uppercased())Proxy" }
  }

  /// Compares protection spaces by value. The comparison of realms is case-sensitive (RFC 9110 section 11.5).
  public static func == (left: ProtectionSpace, right: ProtectionSpace) -> Bool { left.differences(to: right).isEmpty }

  /// Hashes the parts that equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(host)
    hasher.combine(port)
    hasher.combine(realm)
  }

  /// Returns the names of the parts in which two spaces differ, such as `realm`.
  public func differences(to other: ProtectionSpace) -> [String] {
    [
      host == other.host ? nil : "host", port == other.port ? nil : "port",
      `protocol` == other.protocol ? nil : "protocol", realm == other.realm ? nil : "realm",
      method.isEqual(to: other.method) ? nil : "authenticationMethod", isProxy == other.isProxy ? nil : "isProxy",
      proxyType == other.proxyType || isProxy != other.isProxy ? nil : "proxyType",
    ].compactMap(\.self)
  }

  /// A description like that of `NSURLProtectionSpace`, in one line.
  public var description: String { "\(place), \(method.constant)" }

  /// The host and its realm, without the authentication method.
  public var place: String {
    let authority =
      proxyType.map { "\($0.rawValue) proxy \(host):\(port)" } ?? "\(`protocol` ?? "nil")://\(host):\(port)"
    return "\(authority), realm \(realm.map { "'\($0)'" } ?? "nil")"
  }

  /// Whether a password is protected in transit (`NSURLProtectionSpace.receivesCredentialSecurely`).
  ///
  /// Apple does not document the value for Digest and NTLM over http.
  public var receivesCredentialSecurely: Bool { `protocol` == "https" }
}

/// A pattern for protection spaces, which compares all parts, or only those that are set.
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
  /// The kind of proxy; nil for any kind, and for no proxy.
  public var proxyType: ProtectionSpace.ProxyType?
  /// Whether the pattern is a whole protection space, as in `[spaces containsObject:]`. Parts that are not set are then
  /// nil.
  public var isWhole = false

  /// Creates a pattern without any parts, which matches every space.
  public init() {}

  /// The space that a whole pattern describes.
  public var space: ProtectionSpace {
    ProtectionSpace(
      host: host ?? "", port: port ?? 0, protocol: `protocol`, realm: realm, method: method ?? .default,
      proxyType: proxyType)
  }

  /// Returns whether `other` matches.
  public func matches(_ other: ProtectionSpace) -> Bool {
    if isWhole { return space == other }
    return (host ?? other.host) == other.host && (port ?? other.port) == other.port
      && (`protocol` ?? other.protocol) == other.protocol && (realm ?? other.realm) == other.realm
      && (method ?? other.method).isEqual(to: other.method) && (proxyType ?? other.proxyType) == other.proxyType
  }

  /// Returns the names of the parts in which `other` does not match. A part that is not set matches any value.
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

  /// The parts that are set, as text.
  public var words: String {
    [
      host.map { "host \($0)" }, port.map { "port \($0)" }, `protocol`.map { "protocol \($0)" },
      realm.map { "realm '\($0)'" }, method.map(\.constant), proxyType.map(\.constant),
    ].compactMap(\.self).joined(separator: ", ")
  }
}
