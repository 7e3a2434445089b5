/// Decides which requests reach the engine: only those of pages that this server sent to its own user.
///
/// The token keeps other users and other pages out. The check of `Host` defeats DNS rebinding, and the check of `Origin`
/// defeats requests that another page makes in the user's browser.
public struct WebGate: Sendable {
  /// The secret of this start of the server.
  public let token: String

  /// A gate that opens for `token`.
  public init(token: String) { self.token = token }

  /// A gate with a new random token of 128 bits.
  public init() {
    var generator = SystemRandomNumberGenerator()
    let words = (0..<2).map { _ in generator.next() as UInt64 }
    self.init(
      token: words.map { word in
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }.joined())
  }

  /// The parts of a request's header section that the gate reads.
  struct Head {
    var method: String
    /// The path and the query.
    var target: String
    var host: [String]
    var origin: [String]
    var cookies: [String]
    var authorization: [String]
  }

  /// The result for a request.
  enum Result: Equatable {
    case pass(path: String)
    case respond(WebResponse)
  }

  /// Checks a request that arrived at `port`.
  func check(_ head: Head, port: Int) -> Result {
    guard head.host.count == 1, let host = head.host.first, Self.isOwn(host, port: port) else {
      return .respond(.refusal(421, "The Host of the request is not this server. Open the address that it printed."))
    }
    if let origin = head.origin.first, head.origin.count > 1 || origin.lowercased() != "http://\(host.lowercased())" {
      return .respond(.refusal(403, "The request comes from another page."))
    }
    let parts = head.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = Self.decoded(parts.first ?? "") else {
      return .respond(.refusal(400, "The path is not valid."))
    }
    if parts.count > 1, let given = Self.token(inQuery: parts[1]), isToken(given) {
      return .respond(entry(to: path, port))
    }
    guard isKnown(head, port) else {
      return .respond(
        .refusal(403, "The token is missing. Open the whole address that 'trustlab web' printed, with ?token=…"))
    }
    guard ["GET", "HEAD", "POST"].contains(head.method) else {
      var response = WebResponse.refusal(405, "The method is not allowed.")
      response.fields = [.init(name: "Allow", value: "GET, HEAD, POST")]
      return .respond(response)
    }
    return .pass(path: path)
  }

  /// Stores the token in the browser and removes it from the address, so that it is not in its history.
  private func entry(to path: String, _ port: Int) -> WebResponse {
    var response = WebResponse(303, "The token is stored.")
    response.fields = [
      .init(
        name: "Location",
        value: path.utf8.allSatisfy { (0x21..<0x7f).contains($0) } && !path.hasPrefix("//") ? path : "/"),
      .init(name: "Set-Cookie", value: "\(Self.cookie(port))=\(token); Path=/; HttpOnly; SameSite=Strict"),
    ]
    return response
  }

  /// A host's cookies are shared by all of its ports, so the name contains the port.
  private static func cookie(_ port: Int) -> String { "trustlab-\(port)" }

  private func isKnown(_ head: Head, _ port: Int) -> Bool {
    let scheme = "Bearer "
    let bearer = head.authorization.first { $0.hasPrefix(scheme) }?.dropFirst(scheme.count)
    let pairs = head.cookies.joined(separator: ";").split(separator: ";").map { pair in pair.drop(while: { $0 == " " })
    }
    let name = "\(Self.cookie(port))="
    let cookie = pairs.first { $0.hasPrefix(name) }?.dropFirst(name.count)
    return [bearer, cookie].contains { $0.map(isToken) ?? false }
  }

  /// Compares in a time that does not depend on the characters.
  private func isToken(_ given: Substring) -> Bool {
    let (own, other) = (Array(token.utf8), Array(given.utf8))
    guard own.count == other.count else { return false }
    return zip(own, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func token(inQuery query: Substring) -> Substring? {
    query.split(separator: "&").first { $0.hasPrefix("token=") }?.dropFirst("token=".count)
  }

  /// Whether a Host names this machine: `localhost`, or an address. Rebinding needs another name.
  private static func isOwn(_ host: String, port: Int) -> Bool {
    let suffix = ":\(port)"
    guard host.hasSuffix(suffix) || port == 80 else { return false }
    let name = host.hasSuffix(suffix) ? host.dropLast(suffix.count) : Substring(host)
    if name.lowercased() == "localhost" { return true }
    if name.hasPrefix("["), name.hasSuffix("]") {
      return name.dropFirst().dropLast().allSatisfy { $0.isHexDigit || ":.".contains($0) }
    }
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
  }

  /// A path without percent-encoding; nil if it is not a path, or leads out of its folder.
  private static func decoded(_ path: Substring) -> String? {
    guard path.hasPrefix("/") else { return nil }
    var bytes: [UInt8] = []
    var rest = path.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = UInt8(String(Substring(rest.prefix(2))), radix: 16), rest.count >= 2 else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard let text = String(validating: bytes, as: UTF8.self), !text.contains("\0"), !text.contains("\\"),
      !text.split(separator: "/").contains("..")
    else { return nil }
    return text
  }
}
