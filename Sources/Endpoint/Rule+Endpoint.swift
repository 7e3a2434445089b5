import Explanation

extension Rule {
  /// A real chain whose private key is not given is judged as it is; only its signature in the handshake is not its own.
  public static let standInKey = Rule(
    .handshake, "stand-in-key", "The server should sign with the private key of the certificate it presents.",
    .rfc(5246, "7.4.3"),
    fix: "Give the certificate its privateKey. Without it another key stands in for it; the chain is judged as it is.",
    decides: false)

  /// The rules of whole endpoints.
  public static let endpoint: [Rule] = [.standInKey] + clientChain + redirects
}
