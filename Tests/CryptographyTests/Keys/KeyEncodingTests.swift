import Explanation
import Oracles
import SwiftASN1
import Testing

@testable import Cryptography

@Suite("Keys as bytes and text")
struct KeyEncodingTests {
  @Test("a key is encoded and decoded without loss in PKCS#8, PKCS#1 and PEM", arguments: [512, 513, 1024, 2048])
  func roundTrip(bits: Int) throws {
    let key = try Keys.rsa(bits)
    let blocks = [PEM.encode("RSA PRIVATE KEY", try key.pkcs1), try PrivateKey.rsa(key).pem]
    let copies =
      [try PrivateKey(der: key.pkcs8), try PrivateKey(der: key.pkcs1)] + (try blocks.map(PrivateKey.init(pem:)))
    for case .rsa(let copy) in copies {
      #expect(try copy.disclosedComponents() == key.disclosedComponents())
      #expect(try copy.pkcs8 == key.pkcs8)
    }
    let der = PublicKey.rsa(key.publicKey).subjectPublicKeyInfo
    let copy = try PublicKey(subjectPublicKeyInfo: der)
    #expect(copy == .rsa(key.publicKey) && copy.subjectPublicKeyInfo == der)
    #expect(copy.bits == bits && copy.algorithmName == "RSA" && copy.description == "RSA \(bits)")
  }

  @Test("OpenSSL accepts these keys and encodes them alike", .needs(.openssl))
  func openSSL() throws {
    let key = try Keys.rsa(1024)
    let files = ["key.pem": Array(try PrivateKey.rsa(key).pem.utf8)]
    #expect(try OpenSSL.run(["rsa", "-check", "-noout", "-in", "key.pem"], files: files).status == 0)
    let pkcs1 = ["rsa", "-in", "key.pem", "-traditional", "-outform", "DER"]
    #expect(try OpenSSL.run(pkcs1, files: files).output == key.pkcs1)
    let pkcs8 = ["pkcs8", "-topk8", "-nocrypt", "-in", "key.pem", "-outform", "DER"]
    #expect(try OpenSSL.run(pkcs8, files: files).output == key.pkcs8)
    let spki = ["rsa", "-in", "key.pem", "-pubout", "-outform", "DER"]
    #expect(try OpenSSL.run(spki, files: files).output == key.publicKey.subjectPublicKeyInfo)
    #expect(try OpenSSL.run(["rsa", "-check", "-noout", "-in", "key.pem"], files: ["key.pem": [1]]).status != 0)
  }

  @Test(
    "keys made by OpenSSL are read", .needs(.openssl),
    arguments: ["rsa_keygen_bits:1024", "rsa_keygen_pubexp:3"])
  func openSSLKeys(option: String) throws {
    let made = try OpenSSL.run(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024", "-pkeyopt", option])
    let pem = String(decoding: made.output, as: UTF8.self)
    #expect(try PrivateKey(pem: pem).pem == pem)
  }

  @Test("a key truncated at any byte is an error", arguments: ["pkcs8", "pkcs1", "spki"])
  func truncation(form: String) throws {
    let key = try Keys.rsa(512)
    let der = try form == "pkcs8" ? key.pkcs8 : form == "pkcs1" ? key.pkcs1 : key.publicKey.subjectPublicKeyInfo
    func read(_ bytes: [UInt8]) throws(KeyError) {
      if form == "spki" { _ = try PublicKey(subjectPublicKeyInfo: bytes) } else { _ = try PrivateKey(der: bytes) }
    }
    try read(der)
    for count in der.indices { #expect(throws: KeyError.self) { try read(Array(der.prefix(count))) } }
    #expect(throws: KeyError.self) { try read(der + [0]) }
  }

  @Test("a private key with any changed byte is refused or the same", arguments: ["pkcs8", "pkcs1"])
  func damage(form: String) throws {
    let key = try Keys.rsa(512)
    let der = try form == "pkcs8" ? key.pkcs8 : key.pkcs1
    for index in der.indices {
      for flip in [0x01, 0x80, 0xff] as [UInt8] {
        var changed = der
        changed[index] ^= flip
        guard case .rsa(let copy) = try? PrivateKey(der: changed) else { continue }
        #expect(try copy.disclosedComponents() == key.disclosedComponents(), "byte \(index)")
      }
    }
  }

  @Test("a public key with any changed byte is read or refused")
  func publicDamage() throws {
    let der = try Keys.rsa(512).publicKey.subjectPublicKeyInfo
    for index in der.indices {
      for value in 0...255 as ClosedRange<UInt8> {
        var changed = der
        changed[index] = value
        guard let key = try? PublicKey(subjectPublicKeyInfo: changed) else { continue }
        #expect(key.subjectPublicKeyInfo == changed)
        _ = try? key.verify([UInt8](repeating: 1, count: 64), over: [], .rsaPKCS1SHA256)
      }
    }
  }

  @Test("negative numbers, additional fields and other versions are refused")
  func structure() throws {
    let key = try Keys.rsa(512)
    let parts = try key.disclosedComponents()
    let negative = try bytes("3006020180020103")
    let spki = KeyDER.sequence { fields in
      try KeyDER.writeRSAAlgorithm(&fields)
      try fields.serialize(ASN1BitString(bytes: negative[...]))
    }
    #expect(throws: KeyError.self) { try PublicKey(subjectPublicKeyInfo: spki) }
    let numbers = [
      parts.modulus, parts.publicExponent, parts.privateExponent, parts.prime1, parts.prime2, parts.exponent1,
      parts.exponent2, parts.coefficient,
    ]
    #expect(throws: Never.self) { try PrivateKey(der: KeyDER.sequence(of: [0] + numbers)) }
    let version = KeyError.malformed(structure: "RSAPrivateKey", reason: "version must be 0 (a key with two primes)")
    #expect(throws: version) { try PrivateKey(der: KeyDER.sequence(of: [1] + numbers)) }
    #expect(throws: KeyError.self) { try PrivateKey(der: KeyDER.sequence(of: [0] + numbers + [1])) }
    for index in numbers.indices {
      var changed = numbers
      changed[index] = changed[index] + 2
      #expect(throws: KeyError.self) { try PrivateKey(der: KeyDER.sequence(of: [0] + changed)) }
      changed[index] = 0
      #expect(throws: KeyError.self) { try PrivateKey(der: KeyDER.sequence(of: [0] + changed)) }
    }
  }

  @Test(
    "keys of other algorithms are described, not refused", .needs(.openssl),
    arguments: [
      (["EC", "-pkeyopt", "ec_paramgen_curve:sect283r1"], "EC", nil),
      (["EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt", "ec_param_enc:explicit"], "EC", nil),
      (["X25519"], "X25519", 255),
      (
        [
          "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:1024", "-pkeyopt", "rsa_pss_keygen_md:sha256", "-pkeyopt",
          "rsa_pss_keygen_mgf1_md:sha512",
        ], "RSASSA-PSS", 1024
      ),
    ] as [([String], String, Int?)])
  func otherAlgorithms(arguments: [String], name: String, bits: Int?) throws {
    let made = try OpenSSL.run(["genpkey", "-algorithm"] + arguments)
    let spki = try OpenSSL.run(["pkey", "-in", "key", "-pubout", "-outform", "DER"], files: ["key": made.output])
    let key = try PublicKey(subjectPublicKeyInfo: spki.output)
    #expect(key.algorithmName == name && key.bits == bits && key.subjectPublicKeyInfo == spki.output)
    let refused: SignatureError =
      name == "RSASSA-PSS" ? .keyMismatch(key: name, scheme: "rsa_pkcs1_sha256") : .unsupportedKey(name)
    #expect(throws: refused) { try key.verify([], over: [], .rsaPKCS1SHA256) }
    #expect(throws: KeyError.self) { try PrivateKey(pem: String(decoding: made.output, as: UTF8.self)) }
  }

  @Test("an Ed25519 key verifies the signature of RFC 8032 section 7.1, test 2, only")
  func ed25519() throws {
    let point = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    let signature = try #require(
      Hex.bytes(
        """
        92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
        085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
        """))
    let info = try #require(Hex.bytes("302a300506032b6570032100" + point))
    let key = try PublicKey(subjectPublicKeyInfo: info)
    #expect(key.algorithmName == "Ed25519" && key.subjectPublicKeyInfo == info)
    try key.verify(signature, over: [0x72], .ed25519)
    #expect(throws: SignatureError.mismatch) { try key.verify(signature, over: [0x73], .ed25519) }
    #expect(throws: SignatureError.self) { try key.verify(signature, over: [0x72], .rsaPKCS1SHA256) }
  }

  @Test(
    "an RSASSA-PSS key verifies only PSS with its parameters",
    .needs(.openssl))
  func pssKeys() throws {
    let options = ["rsa_keygen_bits:1024", "rsa_pss_keygen_md:sha256", "rsa_pss_keygen_mgf1_md:sha256"]
    let salt = ["rsa_pss_keygen_saltlen:32"]
    for parameters in [[options[0]], options + salt] {
      let made = try OpenSSL.run(["genpkey", "-algorithm", "RSA-PSS"] + parameters.flatMap { ["-pkeyopt", $0] })
      let files = ["key": made.output, "message": [1, 2, 3] as [UInt8]]
      let spki = try OpenSSL.run(["pkey", "-in", "key", "-pubout", "-outform", "DER"], files: files).output
      let key = try PublicKey(subjectPublicKeyInfo: spki)
      #expect(key.algorithmName == "RSASSA-PSS" && key.bits == 1024 && key.subjectPublicKeyInfo == spki)
      let sign = [
        "dgst", "-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:40", "-sign", "key",
      ]
      let signature = try OpenSSL.run(sign + ["message"], files: files).output
      try key.verify(signature, over: [1, 2, 3], .rsaPSSSHA256, saltLength: 40)
      #expect(throws: SignatureError.self) { try key.verify(signature, over: [1, 2, 3], .rsaPSSSHA256) }
      let other = SignatureError.keyMismatch(key: "RSASSA-PSS", scheme: "rsa_pkcs1_sha256")
      #expect(throws: other) { try key.verify(signature, over: [1, 2, 3], .rsaPKCS1SHA256) }
      guard parameters.count > 1 else { continue }
      let short = SignatureError.keyMismatch(key: "RSASSA-PSS", scheme: "rsa_pss_rsae_sha256")
      #expect(throws: short) { try key.verify(signature, over: [1, 2, 3], .rsaPSSSHA256, saltLength: 31) }
    }
  }

  @Test("an RSA key with an unsupported size is described, not refused")
  func oversized() throws {
    for bits in [256, 9000] {
      let modulus = Natural(bigEndian: [UInt8](repeating: 0xff, count: bits / 8))
      let key = KeyDER.sequence(of: [modulus, 65537])
      let spki = KeyDER.sequence { fields in
        try KeyDER.writeRSAAlgorithm(&fields)
        try fields.serialize(ASN1BitString(bytes: key[...]))
      }
      let read = try PublicKey(subjectPublicKeyInfo: spki)
      #expect(read.algorithmName == "RSA" && read.bits == bits && read.subjectPublicKey == key)
      #expect(throws: SignatureError.unsupportedKey("RSA")) { try read.verify([], over: [], .rsaPKCS1SHA256) }
    }
  }
}
