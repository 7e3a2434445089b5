import Explanation
import Foundation
import LiveTLS
import Scenarios
import TLS
import URLLoading

/// A real server as a user names it.
struct LivePlace: CustomStringConvertible {
  /// Whom to connect to.
  let destination: LiveClient.Destination
  /// What is loaded there.
  let url: LoadURL

  /// `localhost:4433`
  var description: String { "\(Self.bracketed(destination.host)):\(destination.port)" }

  /// The place called `text`: a host, with a port or without, or a URL.
  ///
  /// - Throws: `Diagnostics` where it is none.
  init(_ text: String, serverName: String? = nil, starttls: StartTLS.Carrier? = nil) throws {
    let isAddress = text.filter { $0 == ":" }.count > 1 && !text.contains("[") && !text.contains("/")
    let full = text.contains("://") ? text : "https://\(isAddress ? "[\(text)]" : text)"
    if text.lowercased().hasPrefix("http://") {
      throw Diagnostics("'\(text)' is asked without TLS", hint: "there is a handshake with https:// alone")
    }
    guard let asked = try? LoadURL(full), asked.scheme == "https", !asked.host.isEmpty,
      text.contains("://") || asked.path == "/"
    else {
      throw Diagnostics(
        "'\(text)' is no host and no port",
        hint: "write api.example:443, 192.0.2.1, [2001:db8::1]:8443 or an https:// URL")
    }
    let isWritten = full.dropFirst(8).prefix { $0 != "/" }.last { $0 == ":" || $0 == "]" } == ":"
    let port = isWritten ? asked.port.map { Int($0) } ?? 443 : starttls?.port ?? 443
    let host = asked.address.map { "\($0)" } ?? asked.host
    destination = LiveClient.Destination(host: host, port: port, startTLS: starttls.map(StartTLS.init))
    let name = try serverName.map(VerifySettings.host) ?? host
    let authority = Self.bracketed(name) + (port == 443 ? "" : ":\(port)")
    guard let url = try? LoadURL("https://\(authority)\(asked.path)") else {
      throw Diagnostics("'\(name)' is not a host", hint: "write a name or an address alone: api.example")
    }
    self.url = url
  }

  /// A host as it stands before a port: an address of IPv6 in brackets.
  static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}

extension ProtocolVersion {
  /// The versions in a list with commas, from the oldest to the newest.
  ///
  /// - Throws: `Diagnostics` where one is none.
  static func listed(_ text: String) throws -> ClosedRange<ProtocolVersion> {
    let known = ProtocolVersion.implemented
    let named = try text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.map {
      word -> ProtocolVersion in
      guard let version = known.first(where: { $0.description == word }) else {
        throw Diagnostics(
          "'\(word)' is no version that is spoken here",
          hint: word.hasSuffix("1.3")
            ? "TLS 1.3 is not modelled; there are \(known.map(\.description).joined(separator: ", "))"
            : Spelling.hint(for: word, among: known.map(\.description)))
      }
      return version
    }
    guard let lowest = named.min(), let highest = named.max() else {
      throw Diagnostics("--versions names no version", hint: "write --versions TLSv1.1,TLSv1.2")
    }
    return lowest...highest
  }
}

extension CipherSuite {
  /// The suites in a list with commas.
  ///
  /// - Throws: `Diagnostics` where one is none.
  static func listed(_ text: String) throws -> [CipherSuite] {
    let names = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    guard !names.isEmpty else {
      throw Diagnostics("--suites names no suite", hint: "'trustlab list suites' prints them")
    }
    return try names.map { name in
      guard let suite = CipherSuite(name: name) else {
        throw Diagnostics(
          "there is no cipher suite '\(name)'",
          hint: (OpenSSLSuite.registered(name) ?? Spelling.nearest(to: name, among: CipherSuite.registry.map(\.name)))
            .map { "did you mean '\($0)'?" } ?? "'trustlab list suites' prints them")
      }
      guard !suite.isSignalling else {
        throw Diagnostics(
          "'\(name)' is no cipher suite but a signal, which nobody selects",
          hint: "leave it out: clients say it by themselves")
      }
      guard suite.keyExchange != .tls13 else {
        throw Diagnostics(
          "'\(name)' is a cipher suite of TLS 1.3, which is not spoken here",
          hint: "TLS 1.3 is not modelled; 'trustlab list suites' prints the others, too")
      }
      return suite
    }
  }
}
