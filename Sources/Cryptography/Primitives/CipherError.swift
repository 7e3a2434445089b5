/// Why a cipher gave no result.
public enum CipherError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A key of this many bytes; AES takes 16, 24 or 32, ChaCha20 32.
  case keySize(Int)
  /// A nonce or initialization vector of this many bytes.
  case nonceSize(Int)
  /// A length that is no multiple of the block, or less than a tag.
  case inputSize(Int)
  /// Every nonce has served with this key: one more would serve twice.
  case nonceExhausted
  /// The tag does not belong to these bytes, this nonce and this key.
  case authenticationFailure

  /// The reason in words.
  public var description: String {
    switch self {
    case .keySize(let count): "a key of \(count) bytes; AES takes 16, 24 or 32, ChaCha20 32"
    case .nonceSize(let count): "a nonce or initialization vector of \(count) bytes"
    case .inputSize(let count): "an input of \(count) bytes"
    case .nonceExhausted: "every nonce has been used with this key"
    case .authenticationFailure: "the authentication tag does not match"
    }
  }
}
