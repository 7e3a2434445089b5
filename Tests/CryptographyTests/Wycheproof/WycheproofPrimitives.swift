@testable import Cryptography

extension WycheproofFile {
  /// Runs a test with the primitive that the file is about.
  func answer(_ group: Group, _ test: Test) throws -> WycheproofAnswer {
    let algorithm = algorithm ?? group.type ?? ""
    switch algorithm {
    case "AES-GCM": return try aead(group, test, AESGCM.seal, AESGCM.open)
    case "CHACHA20-POLY1305": return try aead(group, test, ChaCha20Poly1305.seal, ChaCha20Poly1305.open)
    case "AES-CBC-PKCS5": return try cbc(test)
    case "XDH": return try x25519(group, test)
    case "ECDH": return try ecdh(group, test)
    case "EDDSA": return try eddsa(group, test)
    case "ML-KEM": return try mlkem(group, test)
    case "ECDSA": return try ecdsa(group, test)
    case "RSASSA-PKCS1-v1_5": return try pkcs1Signature(group, test)
    case "RSASSA-PSS": return try pss(group, test)
    case "RSAES-PKCS1-v1_5": return try pkcs1Decryption(group, test)
    case "PrimalityTest": return try primality(test)
    default:
      if let hash = hash(named: algorithm, prefix: "HMAC") { return try hmac(hash, group, test) }
      if let hash = hash(named: algorithm, prefix: "HKDF-") { return try hkdf(hash, test) }
      return .skipped("\(algorithm) is not used here")
    }
  }

  private func hash(named name: String?, prefix: String = "") -> Hash? {
    guard let name, name.hasPrefix(prefix) else { return nil }
    let rest = name.dropFirst(prefix.count)
    return Hash.allCases.first { $0.name == rest || $0.name.replacing("-", with: "") == rest }
  }

  private typealias Cipher = ([UInt8], [UInt8], [UInt8], [UInt8]) throws(CipherError) -> [UInt8]

  private func aead(_ group: Group, _ test: Test, _ seal: Cipher, _ open: Cipher) throws -> WycheproofAnswer {
    guard group.tagSize == 128 else { return .skipped("tags of \(group.tagSize ?? 0) bits: TLS has 128") }
    let (key, iv, aad) = (try bytes(test.key ?? ""), try bytes(test.iv ?? ""), try bytes(test.aad ?? ""))
    let (plaintext, sealed) = (try bytes(test.msg ?? ""), try bytes(test.ct ?? "") + bytes(test.tag ?? ""))
    do {
      let opened = try open(sealed, key, iv, aad)
      return .init(try opened == plaintext && seal(plaintext, key, iv, aad) == sealed)
    } catch CipherError.nonceSize {
      return .rejected("nonce")
    } catch {
      return .rejected("\(error)")
    }
  }

  private func cbc(_ test: Test) throws -> WycheproofAnswer {
    let (key, iv) = (try bytes(test.key ?? ""), try bytes(test.iv ?? ""))
    let (plaintext, ciphertext) = (try bytes(test.msg ?? ""), try bytes(test.ct ?? ""))
    // TLS has its own padding, so this code adds the PKCS #5 padding of the test.
    let fill = 16 - plaintext.count % 16
    let padded = plaintext + [UInt8](repeating: UInt8(fill), count: fill)
    guard let decrypted = try? AESCBC.decrypt(ciphertext, key: key, iv: iv) else { return .rejected("size") }
    return .init(try decrypted == padded && AESCBC.encrypt(padded, key: key, iv: iv) == ciphertext)
  }

  private func x25519(_ group: Group, _ test: Test) throws -> WycheproofAnswer {
    guard group.curve == "curve25519" else { return .skipped("the curve \(group.curve ?? "")") }
    var (scalar, point) = (try bytes(test.private ?? ""), try bytes(test.public ?? ""))
    if group.type == "XdhAsnComp" {
      guard let peer = try? PublicKey(subjectPublicKeyInfo: point), peer.algorithmName == "X25519" else {
        return .rejected("no key of the curve")
      }
      // No protocol here has the PKCS #8 form of these private keys (RFC 8410 section 7).
      let prefix = try bytes("302e020100300506032b656e04220420")
      guard scalar.starts(with: prefix) else { return .rejected("no PKCS #8 key of the curve") }
      (scalar, point) = (Array(scalar.dropFirst(prefix.count)), peer.subjectPublicKey)
    }
    do {
      let key = try KeyAgreementPrivateKey(.x25519, rawRepresentation: scalar)
      return .init(try key.sharedSecret(with: point) == bytes(test.shared ?? ""))
    } catch let error as KeyAgreementError {
      if error == .zeroSecret { return .rejected(try bytes(test.shared ?? "").allSatisfy { $0 == 0 } ? "zero" : "?") }
      return .rejected(error.description)
    }
  }

  private func ecdh(_ group: Group, _ test: Test) throws -> WycheproofAnswer {
    let curves: [String: (KeyAgreementCurve, String)] = [
      "secp256r1": (.p256, "EC P-256"), "secp384r1": (.p384, "EC P-384"), "secp521r1": (.p521, "EC P-521"),
    ]
    guard let (curve, name) = curves[group.curve ?? ""] else { return .skipped("the curve \(group.curve ?? "")") }
    guard group.encoding == "asn" || group.encoding == "ecpoint" else {
      return .skipped("keys in the form \(group.encoding ?? ""): TLS sends points")
    }
    let scalar = try Natural(bigEndian: bytes(test.private ?? "")).bigEndianBytes(count: curve.secretSize)
    let key = try KeyAgreementPrivateKey(curve, rawRepresentation: scalar)
    var point = try bytes(test.public ?? "")
    if group.encoding == "asn" {
      guard let peer = try? PublicKey(subjectPublicKeyInfo: point), peer.algorithmName == name else {
        return .rejected("no key of the curve")
      }
      point = peer.subjectPublicKey
    }
    guard let secret = try? key.sharedSecret(with: point) else { return .rejected("no point of the curve") }
    return .init(secret == (try bytes(test.shared ?? "")))
  }

  private func ecdsa(_ group: Group, _ test: Test) throws -> WycheproofAnswer {
    guard group.type == "EcdsaVerify" else { return .skipped("signatures in the form \(group.type ?? "")") }
    guard let hash = hash(named: group.sha) else { return .skipped("ECDSA with \(group.sha ?? "")") }
    guard case .ec(let key) = try PublicKey(subjectPublicKeyInfo: bytes(group.publicKeyDer ?? "")) else {
      return .skipped("ECDSA on a curve that TrustLab does not support")
    }
    return try verdict(test) { (signature, message) throws(SignatureError) in
      try key.verify(signature, message: message, hash: hash)
    }
  }

  private func eddsa(_ group: Group, _ test: Test) throws -> WycheproofAnswer {
    guard case .ed25519(let key) = try PublicKey(subjectPublicKeyInfo: bytes(group.publicKeyDer ?? "")) else {
      return .skipped("EdDSA on another curve")
    }
    return try verdict(test) { (signature, message) throws(SignatureError) in
      try key.verify(signature, message: message)
    }
  }

  private func pkcs1Signature(_ group: Group, _ test: Test) throws -> WycheproofAnswer {
    guard let der = group.publicKeyDer else { return .skipped("signing, which the verified signatures cover") }
    guard let hash = hash(named: group.sha) else { return .skipped("PKCS #1 v1.5 with \(group.sha ?? "")") }
    guard case .rsa(let key) = try? PublicKey(subjectPublicKeyInfo: bytes(der)) else { return .rejected("modulus") }
    return try verdict(test) { (signature, message) throws(SignatureError) in
      try key.verifyPKCS1v15(signature, message: message, hash: hash)
    }
  }

  private func pss(_ group: Group, _ test: Test) throws -> WycheproofAnswer {
    guard let der = group.publicKeyDer else { return .skipped("keys in another form") }
    guard let hash = hash(named: group.sha), group.mgf == "MGF1", group.mgfSha == group.sha else {
      return .skipped("PSS with \(group.sha ?? "") and \(group.mgf ?? "") of \(group.mgfSha ?? "")")
    }
    guard case .rsa(let key) = try? PublicKey(subjectPublicKeyInfo: bytes(der)) else { return .rejected("modulus") }
    return try verdict(test) { (signature, message) throws(SignatureError) in
      try key.verifyPSS(signature, message: message, hash: hash, saltLength: group.sLen)
    }
  }

  private func pkcs1Decryption(_ group: Group, _ test: Test) throws -> WycheproofAnswer {
    guard case .rsa(let key) = try? PrivateKey(der: bytes(group.privateKeyPkcs8 ?? "")) else {
      return .rejected("modulus")
    }
    let (ciphertext, message) = (try bytes(test.ct ?? ""), try bytes(test.msg ?? ""))
    let decrypted = try? key.decryptPKCS1v15(ciphertext)
    // The decryption of TLS, which reveals no failure, has the same result.
    let other = [UInt8](repeating: 0xa5, count: message.count)
    let selected = try key.decryptPKCS1v15(ciphertext, orElse: other)
    let isSame = selected.bytes == message && selected.wasWellFormed
    if test.result == "valid", !isSame { return .rejected("the two ways differ") }
    return .init(decrypted == message)
  }

  private func primality(_ test: Test) throws -> WycheproofAnswer {
    let value = try bytes(test.value ?? "")
    // The first bit is the sign; negative numbers are not naturals.
    if (value.first ?? 0) >= 0x80 { return .rejected("negative") }
    return .init(Natural(bigEndian: value).isProbablyPrime)
  }

  private func hmac(_ hash: Hash, _ group: Group, _ test: Test) throws -> WycheproofAnswer {
    let code = HMAC.authenticationCode(hash, key: try bytes(test.key ?? ""), try bytes(test.msg ?? ""))
    return .init(Array(code.prefix((group.tagSize ?? 0) / 8)) == (try bytes(test.tag ?? "")))
  }

  private func hkdf(_ hash: Hash, _ test: Test) throws -> WycheproofAnswer {
    let key = HKDF.extract(hash, salt: try bytes(test.salt ?? ""), try bytes(test.ikm ?? ""))
    let info = try bytes(test.info ?? "")
    guard let output = HKDF.expand(hash, key: key, info: info, count: test.size ?? 0) else { return .rejected("size") }
    return .init(output == (try bytes(test.okm ?? "")))
  }

  private func verdict(
    _ test: Test, _ verify: ([UInt8], [UInt8]) throws(SignatureError) -> Void
  ) throws -> WycheproofAnswer {
    let (signature, message) = (try bytes(test.sig ?? ""), try bytes(test.msg ?? ""))
    do throws(SignatureError) {
      try verify(signature, message)
      return .accepted
    } catch {
      return .rejected(error.description)
    }
  }
}
