import Cryptography
import TLS

extension Method {
  /// RSADP and EME-PKCS1-v1_5 decoding with the server's private key: RFC 8017 section 7.2.2.
  static let privateDecryption = Method(isCalled: { $0.hasPrefix("RSADP") }) { (application) throws(Obstacle) in
    guard case .rsa(let key)? = try? PrivateKey(der: try application.input(1)) else {
      throw .failed("the private key cannot be read")
    }
    guard let message = try? key.decryptPKCS1v15(try application.input(0)) else {
      throw .failed("this key decrypts to nothing that is padded rightly")
    }
    return Computation(message)
  }

  /// ECDH: one side's private key and the other's public one, RFC 8422 section 5.10.
  static let agreement = Method(isCalled: { $0.hasPrefix("ECDH(") }) { (application) throws(Obstacle) in
    let key = try privateKey(application, group: application.function.dropFirst(5).dropLast())
    guard let secret = try? key.sharedSecret(with: try application.input(1)) else {
      throw .failed("the two keys agree on nothing")
    }
    return Computation(secret)
  }

  /// A public key follows from its private one.
  static let basePoint = Method(isCalled: { $0.hasSuffix(" base point") }) { (application) throws(Obstacle) in
    let group = application.function.dropLast(" base point".count)
    return Computation(try privateKey(application, group: group).publicKey)
  }

  private static func privateKey(
    _ application: Application, group: Substring
  ) throws(Obstacle) -> KeyAgreementPrivateKey {
    guard let curve = NamedGroup(name: String(group))?.curve,
      let key = try? KeyAgreementPrivateKey(curve, rawRepresentation: try application.input(0))
    else { throw .notPlayed(application.function) }
    return key
  }
}
