import Explanation

extension Rule {
  /// Every rule by which a server's handshake refuses a client, or a client should choose its certificate.
  public static let clientAuthentication: [Rule] = [
    .clientCertificateRequired, .badCertificateVerify, .authorityNotListed,
  ]

  /// `client-auth.certificate-required`
  public static let clientCertificateRequired = Rule(
    .clientAuth, "certificate-required", "A client must show a certificate where the server demands one.",
    .rfc(5246, "7.4.6"), fix: "Give the client a certificate and its key, or let the server make it optional.")
  /// `client-auth.bad-certificate-verify`
  public static let badCertificateVerify = Rule(
    .clientAuth, "bad-certificate-verify",
    "The key in the client's certificate must have signed all handshake messages before CertificateVerify.",
    .rfc(5246, "7.4.8"), fix: "The client does not hold the certificate's key, or someone altered a message.")
  /// `client-auth.authority-not-listed`
  public static let authorityNotListed = Rule(
    .clientAuth, "authority-not-listed",
    "The client's certificate should come from an authority that the server lists, where it lists any.",
    .rfc(5246, "7.4.6"), fix: "Get the client's certificate from an authority that the server trusts for clients.",
    decides: false)
}
