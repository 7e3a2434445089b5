import Cryptography
import Explanation

extension ReplayHandshake12 {
  /// A premaster secret, and whether it is the one that was sent: a server that cannot decrypt it goes on with another.
  struct Premaster {
    let value: Value
    var isGenuine = true
  }

  /// The premaster secret as both sides have it; its bytes are empty where they are not known.
  mutating func premasterSecret(
    _ message: ClientKeyExchange, _ exchange: Exchange
  ) throws(HandshakeFailure) -> Premaster? {
    let secrets = configuration.secrets
    let offer = exchange.choice.offer
    switch message {
    case .rsa(let encrypted):
      derive([names.value("encrypted_premaster_secret", encrypted, .published)], by: .client)
      if case .rsa(let key) = secrets.serverKey { return try decrypt(encrypted, key, offer.clientVersion) }
      let recorded = secrets.premasterSecret ?? secrets.keyLog.premasterSecret(offer.random, encrypted: encrypted)
      return Premaster(value: encryptedPremaster(recorded ?? []))
    case .ecdhe(let publicKey):
      guard let group = exchange.signed?.parameters.group else { return nil }
      deriveShare(publicKey, group, of: .client)
      let recorded = secrets.premasterSecret ?? secrets.keyLog.premasterSecret(offer.random, encrypted: nil)
      let ways = Side.allCases.map { side in
        names.computed("ECDH(\(group))", from: ["\(side)_ecdh_private", "\(side.peer)_ecdh_public"])
      }
      return Premaster(value: Value(names.prefix + "premaster_secret", recorded ?? [], derivations: ways))
    default:
      let recorded = secrets.premasterSecret ?? secrets.keyLog.premasterSecret(offer.random, encrypted: nil)
      return Premaster(
        value: names.value("premaster_secret", recorded ?? [], .generated(by: .client), .generated(by: .server)))
    }
  }

  private func encryptedPremaster(_ bytes: [UInt8]) -> Value {
    names.value(
      "premaster_secret", bytes, .generated(by: .client),
      .computed(
        function: "RSADP, then EME-PKCS1-v1_5 decoding",
        from: [names.prefix + "encrypted_premaster_secret", configuration.secrets.serverKeyName]))
  }

  /// RFC 5246 section 7.4.7.1, with the server's own key: where the decryption is not a premaster secret, a server goes on
  /// with a random one and says nothing, so that the first protected record fails.
  private mutating func decrypt(
    _ encrypted: [UInt8], _ key: RSAPrivateKey, _ version: ProtocolVersion
  ) throws(HandshakeFailure) -> Premaster {
    let substitute = [UInt8](repeating: 0, count: KeySchedule12.masterSecretLength)
    let premaster = try log.decrypt(encrypted, with: key, version: version, orElse: substitute)
    guard premaster.isRight else {
      let value = names.value("substitute_premaster_secret", premaster.bytes, .generated(by: .server))
      return Premaster(value: value, isGenuine: false)
    }
    return Premaster(value: encryptedPremaster(premaster.bytes))
  }
}
