import Explanation

/// An authentication scheme of HTTP: the `auth-scheme` of RFC 9110 section 11.1.
public enum HTTPAuthenticationScheme: String, Sendable, Hashable, CaseIterable, Comparable {
  /// The client sends the password itself (RFC 7617).
  case basic = "Basic"
  /// The client sends a digest of the password and the server's parameters (RFC 7616).
  case digest = "Digest"
  /// Three messages prove knowledge of the password (MS-NLMP, MS-NTHT). The proof is bound to the connection.
  case ntlm = "NTLM"
  /// The client sends a Kerberos ticket (RFC 4559). This is never simulated, because no client here has a ticket.
  case negotiate = "Negotiate"

  /// Creates the scheme with this name, ignoring case (RFC 9110 section 11.1); nil if it is not supported.
  public init?(name: String) {
    guard let scheme = Self.allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() }) else { return nil }
    self = scheme
  }

  /// Orders schemes by strength, because the URL Loading System ignores the server's order.
  public static func < (left: Self, right: Self) -> Bool { left.strength < right.strength }

  private var strength: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A challenge of `WWW-Authenticate` or `Proxy-Authenticate`, or the credentials of `Authorization`.
///
/// Challenges and credentials have the same syntax (RFC 9110 sections 11.3 and 11.4).
public struct HTTPChallenge: Sendable, Hashable, CustomStringConvertible {
  /// The scheme as written, such as `Basic`.
  public let name: String
  /// The text after the scheme, such as an NTLM message or Basic credentials; nil for a list of parameters.
  public let token: String?
  /// The parameters in order. Their names are in lower case, because they are not case-sensitive.
  public let parameters: [Parameter]

  /// A parameter: `auth-param` (RFC 9110 section 11.2).
  public struct Parameter: Sendable, Hashable {
    /// The name in lower case.
    public let name: String
    /// The value, without quotes.
    public let value: String
    /// Whether the value is written as a quoted-string.
    public let isQuoted: Bool

    /// Creates a parameter.
    public init(_ name: String, _ value: String, isQuoted: Bool = true) {
      self.name = name
      self.value = value
      self.isQuoted = isQuoted
    }
  }

  /// Creates a challenge from its parts.
  public init(_ name: String, token: String? = nil, _ parameters: [Parameter] = []) {
    self.name = name
    self.token = token
    self.parameters = parameters
  }

  /// The scheme; nil if it is not supported.
  public var scheme: HTTPAuthenticationScheme? { HTTPAuthenticationScheme(name: name) }
  /// The protection space within the host, which is case-sensitive (RFC 9110 section 11.5).
  public var realm: String? { self["realm"] }

  /// The value of the first parameter with this name.
  public subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// The challenge as it is sent.
  public var description: String {
    let listed = parameters.map { parameter in
      guard parameter.isQuoted else { return "\(parameter.name)=\(parameter.value)" }
      let escaped = parameter.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return "\(parameter.name)=\"\(escaped)\""
    }
    return ([name] + [token].compactMap(\.self) + [listed.joined(separator: ", ")]).filter { !$0.isEmpty }
      .joined(separator: " ")
  }
}

/// The challenges in the fields of a response, or the credentials in the fields of a request.
public struct HTTPChallengeList: Sendable, Hashable {
  /// The challenges, in order.
  public private(set) var challenges: [HTTPChallenge] = []
  /// The errors in malformed fields (RFC 9110 section 11.6.1).
  public private(set) var faults: [Fault] = []

  /// A position in a field at which the grammar requires something else.
  public struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// A part of a challenge.
    public enum Part: String, Sendable, Hashable {
      case scheme = "a scheme"
      case parameter = "a parameter"
      case newParameter = "a parameter that is not repeated"
      case comma = "a comma"
    }

    /// The position of the byte, counted from 1; nil at the end of the field.
    public let byte: Int?
    /// The part that the grammar requires there.
    public let expected: Part

    /// The position and the expected part.
    public var description: String {
      "\(byte.map { "at byte \($0)" } ?? "at the end"): \(expected.rawValue) is expected"
    }
  }

  /// Reads the values of the fields, each up to its first error. One field may have several challenges.
  public init(_ values: [String]) {
    for value in values {
      var reader = HTTPChallengeReader(value)
      challenges += reader.read()
      faults += [reader.fault].compactMap(\.self)
    }
  }
}

/// Reads a list of challenges: `1#challenge` (RFC 9110 section 11.6.1).
///
/// Commas separate both challenges and the parameters of one challenge. After a comma, a name and `=` begin a
/// parameter; anything else begins a challenge.
private struct HTTPChallengeReader {
  private let bytes: [UInt8]
  private var position = 0
  private(set) var fault: HTTPChallengeList.Fault?

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func read() -> [HTTPChallenge] {
    var found: [HTTPChallenge] = []
    while fault == nil {
      skip { $0 == UInt8(ascii: ",") || $0.isBlank }
      guard position < bytes.count else { break }
      let start = position
      let word = take(\.isToken)
      guard !word.isEmpty else { return failing(.scheme, found) }
      if let last = found.last, parameterFollows() {
        guard last.token == nil, let parameter = parameter(word) else { return failing(.parameter, found) }
        guard last[parameter.name] == nil else {
          position = start
          return failing(.newParameter, found)
        }
        found[found.count - 1] = HTTPChallenge(last.name, last.parameters + [parameter])
      } else {
        let hasSpace = position < bytes.count && bytes[position].isBlank
        skip(\.isBlank)
        let token = hasSpace ? token68() : nil
        found.append(HTTPChallenge(word, token: token))
        if token == nil, hasSpace, position < bytes.count, bytes[position] != UInt8(ascii: ",") {
          guard let parameter = parameter(take(\.isToken)) else { return failing(.parameter, found) }
          found[found.count - 1] = HTTPChallenge(word, [parameter])
        }
      }
      skip(\.isBlank)
      if position < bytes.count, bytes[position] != UInt8(ascii: ",") { return failing(.comma, found) }
    }
    return found
  }

  private mutating func failing(_ expected: HTTPChallengeList.Fault.Part, _ found: [HTTPChallenge]) -> [HTTPChallenge] {
    fault = .init(byte: position < bytes.count ? position + 1 : nil, expected: expected)
    return found
  }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
  }

  private mutating func take(_ isTaken: (UInt8) -> Bool) -> String {
    let start = position
    skip(isTaken)
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Returns whether `=` and a value come next, ignoring white space.
  private func parameterFollows() -> Bool { bytes[position...].first { !$0.isBlank } == UInt8(ascii: "=") }

  /// Reads a `token68` up to the end of the challenge; nil if there is something else.
  private mutating func token68() -> String? {
    let start = position
    skip(\.isToken68)
    let length = position - start
    skip { $0 == UInt8(ascii: "=") }
    let end = position
    skip(\.isBlank)
    if length > 0, position == bytes.count || bytes[position] == UInt8(ascii: ",") {
      return String(decoding: bytes[start..<end], as: UTF8.self)
    }
    position = start
    return nil
  }

  /// Reads `=` and a token or a quoted-string after the name of a parameter.
  private mutating func parameter(_ name: String) -> HTTPChallenge.Parameter? {
    guard !name.isEmpty else { return nil }
    skip(\.isBlank)
    guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else { return nil }
    position += 1
    skip(\.isBlank)
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      return quoted().map { HTTPChallenge.Parameter(name.lowercased(), $0) }
    }
    let value = take(\.isToken)
    return value.isEmpty ? nil : HTTPChallenge.Parameter(name.lowercased(), value, isQuoted: false)
  }

  /// Reads a quoted-string, in which a backslash escapes the next character (RFC 9110 section 5.6.4).
  private mutating func quoted() -> String? {
    var content: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: content, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") {
        guard position < bytes.count else { return nil }
        content.append(bytes[position])
        position += 1
      } else {
        content.append(byte)
      }
    }
    return nil
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 32 || self == 9 }

  private var isLetterOrDigit: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 32)
  }

  /// Whether the byte is a `tchar` (RFC 9110 section 5.6.2).
  fileprivate var isToken: Bool { isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }

  /// Whether the byte may be in a token68, before its padding (RFC 9110 section 11.2).
  fileprivate var isToken68: Bool { isLetterOrDigit || "-._~+/".utf8.contains(self) }
}
