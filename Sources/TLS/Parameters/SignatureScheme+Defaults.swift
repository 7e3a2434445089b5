import Cryptography

extension SignatureScheme {
  /// What a client or server signs and verifies with unless it is told otherwise: all that these machines can, SHA-1
  /// last, MD5 not at all.
  public static let defaults: [SignatureScheme] = [
    .ecdsaSHA256, .rsaPKCS1SHA256, .ecdsaSHA384, .rsaPKCS1SHA384, .ecdsaSHA512, .rsaPKCS1SHA512, .ecdsaSHA1,
    .rsaPKCS1SHA1,
  ]
}
