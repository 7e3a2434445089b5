import Explanation

/// The bytes of NTLM's three messages (MS-NLMP section 2.2.1). HTTP carries them in Base64 (MS-NTHT).
public enum NTLMMessage {
  /// The maximum size of a message, which is more than all its fields can contain.
  static let maximumSize = 1 << 17

  /// The options that the client and the server negotiate: NegotiateFlags (section 2.2.2.5).
  public struct Flags: OptionSet, Sendable, Hashable {
    /// The 32 bits.
    public let rawValue: UInt32

    /// Creates flags from their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Text in UTF-16.
    public static let unicode = Flags(rawValue: 1 << 0)
    /// Text is in the code page of the machine.
    public static let oem = Flags(rawValue: 1 << 1)
    /// The server must send its name.
    public static let requestTarget = Flags(rawValue: 1 << 2)
    /// NTLM itself.
    public static let ntlm = Flags(rawValue: 1 << 9)
    /// Messages may be signed later.
    public static let alwaysSign = Flags(rawValue: 1 << 15)
    /// The target is a domain.
    public static let targetTypeDomain = Flags(rawValue: 1 << 16)
    /// The session security of NTLM v2 is used.
    public static let extendedSessionSecurity = Flags(rawValue: 1 << 19)
    /// The server sends more information about itself.
    public static let targetInfo = Flags(rawValue: 1 << 23)
    /// The message has a version.
    public static let version = Flags(rawValue: 1 << 25)

    /// The flags of an HTTP client. Those of the URL Loading System are not documented.
    public static let client: Flags = [.unicode, .oem, .requestTarget, .ntlm, .alwaysSign, .extendedSessionSecurity]
  }

  /// The first message, with the flags of the client. It does not contain secrets.
  public struct Negotiate: Sendable, Hashable {
    /// The client's flags.
    public let flags: Flags

    /// Creates a first message.
    public init(flags: Flags = .client) { self.flags = flags }

    /// Reads the message; nil if the bytes are not a Negotiate message.
    public init?(bytes: [UInt8]) {
      guard let reader = NTLMReader(bytes, type: 1), let flags = reader.number(at: 12) else { return nil }
      self.flags = Flags(rawValue: flags)
    }

    /// The encoded message, with neither domain nor workstation.
    public var bytes: [UInt8] {
      var writer = NTLMWriter(type: 1, headerSize: 32)
      writer.number(flags.rawValue)
      writer.buffer([])
      writer.buffer([])
      return writer.bytes
    }
  }

  /// The second message, with the random number and the name of the server.
  public struct Challenge: Sendable, Hashable {
    /// The flags that the server chose.
    public let flags: Flags
    /// Eight random bytes.
    public let serverChallenge: [UInt8]
    /// The domain, or the server if it does not belong to a domain.
    public let targetName: String
    /// The encoded pairs of an attribute and its value: AV_PAIR (section 2.2.2.1).
    public let targetInfo: [UInt8]
    /// The version in eight bytes; nil if absent.
    public let version: [UInt8]?

    /// Creates a second message.
    public init(
      flags: Flags, serverChallenge: [UInt8], targetName: String, targetInfo: [UInt8], version: [UInt8]? = nil
    ) {
      self.flags = flags
      self.serverChallenge = serverChallenge
      self.targetName = targetName
      self.targetInfo = targetInfo
      self.version = version
    }

    /// Reads the message; nil if the bytes are not a Challenge message.
    public init?(bytes: [UInt8]) {
      guard let reader = NTLMReader(bytes, type: 2), let flags = reader.number(at: 20),
        let challenge = reader.bytes(24..<32), let name = reader.buffer(at: 12)
      else { return nil }
      self.flags = Flags(rawValue: flags)
      serverChallenge = challenge
      targetName = NTLMText.text(name)
      // Messages from the first NTLM servers end after the challenge.
      guard self.flags.contains(.targetInfo) else {
        (targetInfo, version) = ([], nil)
        return
      }
      guard let info = reader.buffer(at: 40) else { return nil }
      targetInfo = info
      version = self.flags.contains(.version) ? reader.bytes(48..<56) : nil
    }

    /// The bytes.
    public var bytes: [UInt8] {
      var writer = NTLMWriter(type: 2, headerSize: version == nil ? 48 : 56)
      writer.buffer(NTLMText.bytes(targetName))
      writer.number(flags.rawValue)
      writer.bytes(serverChallenge)
      writer.bytes([UInt8](repeating: 0, count: 8))
      writer.buffer(targetInfo)
      writer.bytes(version ?? [])
      return writer.bytes
    }
  }

  /// The third message, with the client's name and its proof that it knows the password.
  public struct Authenticate: Sendable, Hashable {
    /// The flags that the client and the server agreed on.
    public var flags: Flags
    /// LmChallengeResponse.
    public var lmResponse: [UInt8]
    /// NtChallengeResponse, which contains NTProofStr and its inputs.
    public var ntResponse: [UInt8]
    /// The user's domain.
    public var domain: String
    /// The user's name.
    public var user: String
    /// The client's machine.
    public var workstation: String
    /// EncryptedRandomSessionKey; empty without a key exchange.
    public var sessionKey: [UInt8]
    /// The version in eight bytes; nil if absent.
    public var version: [UInt8]?

    /// Creates a third message.
    public init(
      flags: Flags, lmResponse: [UInt8], ntResponse: [UInt8], domain: String, user: String, workstation: String = "",
      sessionKey: [UInt8] = [], version: [UInt8]? = nil
    ) {
      self.flags = flags
      self.lmResponse = lmResponse
      self.ntResponse = ntResponse
      self.domain = domain
      self.user = user
      self.workstation = workstation
      self.sessionKey = sessionKey
      self.version = version
    }

    /// Reads the message; nil if the bytes are not an Authenticate message.
    public init?(bytes: [UInt8]) {
      guard let reader = NTLMReader(bytes, type: 3), let flags = reader.number(at: 60),
        let lm = reader.buffer(at: 12), let nt = reader.buffer(at: 20), let domain = reader.buffer(at: 28),
        let user = reader.buffer(at: 36), let workstation = reader.buffer(at: 44), let key = reader.buffer(at: 52)
      else { return nil }
      self.flags = Flags(rawValue: flags)
      (lmResponse, ntResponse, sessionKey) = (lm, nt, key)
      let text = self.flags.contains(.unicode) ? NTLMText.text : { String(decoding: $0, as: UTF8.self) }
      (self.domain, self.user, self.workstation) = (text(domain), text(user), text(workstation))
      version = self.flags.contains(.version) ? reader.bytes(64..<72) : nil
    }

    /// The encoded message. The names come first, then the responses, as in the examples of section 4.2.
    public var bytes: [UInt8] {
      var writer = NTLMWriter(type: 3, headerSize: version == nil ? 64 : 72)
      let names = [domain, user, workstation].map { writer.reserve(NTLMText.bytes($0)) }
      for response in [lmResponse, ntResponse] { writer.place(writer.reserve(response)) }
      for name in names { writer.place(name) }
      writer.place(writer.reserve(sessionKey))
      writer.number(flags.rawValue)
      writer.bytes(version ?? [])
      return writer.bytes
    }
  }
}

/// Converts text in NTLM messages to and from UTF-16, little-endian.
enum NTLMText {
  static func bytes(_ text: String) -> [UInt8] {
    text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
  }

  static func text(_ bytes: [UInt8]) -> String {
    let units = stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map {
      UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
    }
    return String(decoding: units, as: UTF16.self)
  }
}

/// Reads a message by the field offsets in its header.
private struct NTLMReader {
  private let content: [UInt8]

  /// Creates a reader; nil unless the bytes begin like a message of this type.
  init?(_ bytes: [UInt8], type: UInt32) {
    content = bytes
    guard bytes.count <= NTLMMessage.maximumSize, bytes.starts(with: NTLMWriter.signature), number(at: 8) == type else {
      return nil
    }
  }

  func bytes(_ range: Range<Int>) -> [UInt8]? {
    range.lowerBound >= 0 && range.upperBound <= content.count ? Array(content[range]) : nil
  }

  func number(at offset: Int) -> UInt32? {
    bytes(offset..<offset + 4).map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
  }

  /// Returns the bytes to which a field of length, capacity and offset refers.
  func buffer(at offset: Int) -> [UInt8]? {
    guard let length = bytes(offset..<offset + 2), let start = number(at: offset + 4) else { return nil }
    let count = Int(length[0]) | Int(length[1]) << 8
    return count == 0 ? [] : bytes(Int(start)..<Int(start) + count)
  }
}

/// Writes a header, followed by the contents to which its fields refer.
private struct NTLMWriter {
  static let signature = Array("NTLMSSP".utf8) + [0]
  private var header: [UInt8]
  private var payload: [UInt8] = []
  private let headerSize: Int

  /// A range in the payload.
  struct Place {
    let offset: Int
    let count: Int
  }

  init(type: UInt32, headerSize: Int) {
    self.headerSize = headerSize
    header = Self.signature
    number(type)
  }

  var bytes: [UInt8] { header + payload }

  mutating func bytes(_ bytes: [UInt8]) { header += bytes }

  mutating func number(_ number: UInt32) {
    header += (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
  }

  /// Appends `content` to the payload, up to the maximum length of a field.
  mutating func reserve(_ content: [UInt8]) -> Place {
    let content = content.prefix(0xffff)
    defer { payload += content }
    return Place(offset: headerSize + payload.count, count: content.count)
  }

  /// Writes the field of length, capacity and offset for a range.
  mutating func place(_ place: Place) {
    let count = UInt16(truncatingIfNeeded: place.count)
    for _ in 0..<2 { header += [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)] }
    number(UInt32(truncatingIfNeeded: place.offset))
  }

  mutating func buffer(_ content: [UInt8]) { place(reserve(content)) }
}
