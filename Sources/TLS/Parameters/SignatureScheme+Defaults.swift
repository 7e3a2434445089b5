import Cryptography

extension SignatureScheme {
  /// What a client or server signs and verifies with unless it is told otherwise: all that these machines can, what
  /// RFC 5246 has first and PSS (RFC 8446 section 4.2.3) after it, SHA-1 last, MD5 and SHA-224 not at all.
  ///
  /// PSS comes after PKCS #1 v1.5 so that old lessons keep their signatures; who wants it first says so.
  public static let defaults: [SignatureScheme] = [
    .ecdsaSHA256, .rsaPKCS1SHA256, .ecdsaSHA384, .rsaPKCS1SHA384, .ecdsaSHA512, .rsaPKCS1SHA512,
    .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512, .rsaPSSKeySHA256, .rsaPSSKeySHA384, .rsaPSSKeySHA512, .ecdsaSHA1,
    .rsaPKCS1SHA1,
  ]
}
