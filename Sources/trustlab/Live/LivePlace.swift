import Explanation
import Foundation
import LiveTLS
import Scenarios
import TLS
import URLLoading

/// A real server, as a user names it.
struct LivePlace: CustomStringConvertible {
  /// The address to connect to.
  let destination: LiveClient.Destination
  /// The URL to load.
  let url: LoadURL

  /// The address in text form: `localhost:4433`.
  var description: String { "\(Self.bracketed(destination.host)):\(destination.port)" }

  /// Parses a host with or without a port, or a URL.
  ///
  /// - Throws: `Diagnostics` if the text is neither.
  init(_ text: String, serverName: String? = nil, starttls: StartTLS.Carrier? = nil) throws {
    let isAddress = text.filter { $0 == ":" }.count > 1 && !text.contains("[") && !text.contains("/")
    let full = text.contains("://") ? text : "https://\(isAddress ? "[\(text)]" : text)"
    if text.lowercased().hasPrefix("http://") {
      throw Diagnostics("'\(text)' is an http:// URL, which does not use TLS", hint: "use an https:// URL")
    }
    guard let asked = try? LoadURL(full), asked.scheme == "https", !asked.host.isEmpty,
      text.contains("://") || asked.path == "/"
    else {
      throw Diagnostics(
        "'\(text)' is neither a host, with or without a port, nor an https:// URL",
        hint: "write api.example:443, 192.0.2.1, [2001:db8::1]:8443 or an https:// URL")
    }
    let isWritten = full.dropFirst(8).prefix { $0 != "/" }.last { $0 == ":" || $0 == "]" } == ":"
    let port = isWritten ? asked.port.map { Int($0) } ?? 443 : starttls?.port ?? 443
    let host = asked.address.map { "\($0)" } ?? asked.host
    destination = LiveClient.Destination(host: host, port: port, startTLS: starttls.map(StartTLS.init))
    let name = try serverName.map(VerifySettings.host) ?? host
    let authority = Self.bracketed(name) + (port == 443 ? "" : ":\(port)")
    guard let url = try? LoadURL("https://\(authority)\(asked.path)") else {
      throw Diagnostics(
        "'\(name)' is neither a host name nor an IP address", hint: "write only a name or an address: api.example")
    }
    self.url = url
  }

  /// Returns a host as written before a port. An IPv6 address is in brackets.
  static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}

extension ProtocolVersion {
  /// Parses a comma-separated list of protocol versions and returns their range.
  ///
  /// - Throws: `Diagnostics` about an unknown version.
  static func listed(_ text: String) throws -> ClosedRange<ProtocolVersion> {
    let known = ProtocolVersion.implemented
    let named = try text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.map {
      word -> ProtocolVersion in
      guard let version = known.first(where: { $0.description == word }) else {
        throw Diagnostics(
          "unsupported version '\(word)'",
          hint: Spelling.hint(for: word, among: known.map(\.description)))
      }
      return version
    }
    guard let lowest = named.min(), let highest = named.max() else {
      throw Diagnostics("--versions contains no version", hint: "write --versions TLSv1.1,TLSv1.2")
    }
    return lowest...highest
  }
}

extension ClosedRange<ProtocolVersion> {
  /// The range in words, such as `TLSv1.0 to TLSv1.2`.
  var words: String { lowerBound == upperBound ? "\(upperBound)" : "\(lowerBound) to \(upperBound)" }
}

extension CipherSuite {
  /// Parses a comma-separated list of cipher suites.
  ///
  /// - Throws: `Diagnostics` about an unknown or unsupported suite.
  static func listed(_ text: String) throws -> [CipherSuite] {
    let names = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    guard !names.isEmpty else {
      throw Diagnostics("--suites contains no suite", hint: "'trustlab list suites' lists all cipher suites")
    }
    return try names.map { name in
      guard let suite = CipherSuite(name: name) else {
        throw Diagnostics(
          "unknown cipher suite '\(name)'",
          hint: (OpenSSLSuite.registered(name) ?? Spelling.nearest(to: name, among: CipherSuite.registry.map(\.name)))
            .map { "did you mean '\($0)'?" } ?? "'trustlab list suites' lists all cipher suites")
      }
      guard !suite.isSignalling else {
        throw Diagnostics(
          "'\(name)' is an SCSV, which a server cannot select",
          hint: "remove it: the client adds it automatically")
      }
      return suite
    }
  }
}
