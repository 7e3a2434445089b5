import Cryptography
import Explanation

/// A user name and a password: `URLCredential(user:password:persistence:)`.
public struct UserPassword: Sendable, Hashable {
  /// The user name. For NTLM, it can be `DOMAIN\user`.
  public let user: String
  /// The password.
  public let password: String

  /// Creates a credential from a user name and a password.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  /// Reads the `userinfo` part of a URL, such as `alice:secret`; nil if there is no password.
  ///
  /// Percent-encoded characters are decoded (RFC 3986 section 2.1).
  init?(userInfo: Substring) {
    guard let colon = userInfo.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    user = Self.decoded(userInfo[..<colon])
    password = Self.decoded(userInfo[userInfo.utf8.index(after: colon)...])
  }

  private static func decoded(_ text: Substring) -> String {
    var rest = Array(text.utf8)[...]
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), let decoded = Hex.bytes(digits)?.first {
        bytes.append(decoded)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The Basic scheme (RFC 7617).
public enum BasicAuthentication {
  /// Returns the value of `Authorization`.
  ///
  /// The result is nil if the name has a colon, or if the name or the password has a control character (section 2).
  ///
  /// A name with a colon cannot be separated from the password. Names and passwords are sent as UTF-8. Without
  /// `charset`, the client chooses the encoding. Apple does not document the encoding that the URL Loading System uses
  /// for characters outside ASCII.
  public static func authorization(_ credential: UserPassword) -> String? {
    guard !credential.user.utf8.contains(UInt8(ascii: ":")), isPlain(credential.user), isPlain(credential.password)
    else { return nil }
    return "Basic " + Base64.encode(Array("\(credential.user):\(credential.password)".utf8))
  }

  /// Reads a name and a password from the token of `Authorization`; nil if the token does not contain both.
  public static func credential(in token: String) -> UserPassword? {
    guard let bytes = try? Base64.decode(token), let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return UserPassword(
      user: String(decoding: bytes[..<colon], as: UTF8.self),
      password: String(decoding: bytes[(colon + 1)...], as: UTF8.self))
  }

  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 32 && $0 != 127 } }
}
