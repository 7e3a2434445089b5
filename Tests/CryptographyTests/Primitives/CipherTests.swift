import Testing

@testable import Cryptography

@Suite("Ciphers")
struct CipherTests {
  @Test("AES-CBC, case 2 of RFC 3602 section 4")
  func rfc3602() throws {
    let key = try bytes("c286696d887c9aa0611bbb3e2025a45a")
    let iv = try bytes("562e17996d093d28ddb3ba695a2e6f58")
    let plaintext = (0..<32).map { UInt8($0) }
    let ciphertext = try bytes("d296cd94c2cccf8a3a863028b5e1dc0a7586602d253cfff91b8266bea6d61ab1")
    #expect(try AESCBC.encrypt(plaintext, key: key, iv: iv) == ciphertext)
    #expect(try AESCBC.decrypt(ciphertext, key: key, iv: iv) == plaintext)
  }

  @Test("AES-GCM, test case 4 of the GCM specification")
  func gcmSpecification() throws {
    let key = try bytes("feffe9928665731c6d6a8f9467308308")
    let nonce = try bytes("cafebabefacedbaddecaf888")
    let additional = try bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    let plaintext = try bytes(
      """
      d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
      1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
      """)
    let sealed = try bytes(
      """
      42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e
      21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091
      5bc94fbc3221a5db94fae95ae7121a47
      """)
    #expect(try AESGCM.seal(plaintext, key: key, nonce: nonce, authenticating: additional) == sealed)
    #expect(try AESGCM.open(sealed, key: key, nonce: nonce, authenticating: additional) == plaintext)
  }

  @Test("ChaCha20-Poly1305, the example of RFC 8439 section 2.8.2")
  func rfc8439() throws {
    let key = (0x80..<0xa0).map { UInt8($0) }
    let nonce = try bytes("070000004041424344454647")
    let additional = try bytes("50515253c0c1c2c3c4c5c6c7")
    let plaintext = Array(
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
        .utf8)
    let sealed = try bytes(
      """
      d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6
      3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36
      92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc
      3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691
      """)
    #expect(try ChaCha20Poly1305.seal(plaintext, key: key, nonce: nonce, authenticating: additional) == sealed)
    #expect(try ChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: additional) == plaintext)
    for index in [0, sealed.count - 17, sealed.count - 1] {
      var changed = sealed
      changed[index] ^= 0x80
      #expect(throws: CipherError.authenticationFailure) {
        try ChaCha20Poly1305.open(changed, key: key, nonce: nonce, authenticating: additional)
      }
    }
    #expect(throws: CipherError.authenticationFailure) { try ChaCha20Poly1305.open(sealed, key: key, nonce: nonce) }
    #expect(throws: CipherError.inputSize(15)) {
      try ChaCha20Poly1305.open(Array(sealed.prefix(15)), key: key, nonce: nonce)
    }
    #expect(throws: CipherError.keySize(16)) {
      try ChaCha20Poly1305.seal(plaintext, key: Array(key.prefix(16)), nonce: nonce)
    }
    #expect(throws: CipherError.nonceSize(8)) {
      try ChaCha20Poly1305.seal(plaintext, key: key, nonce: Array(nonce.prefix(8)))
    }
  }

  @Test("AES-GCM does not open if any bit is changed")
  func tampering() throws {
    let (key, nonce, additional) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 12), [UInt8](0..<5))
    let sealed = try AESGCM.seal(Array("hello".utf8), key: key, nonce: nonce, authenticating: additional)
    #expect(try AESGCM.open(sealed, key: key, nonce: nonce, authenticating: additional) == Array("hello".utf8))
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: CipherError.authenticationFailure) {
        try AESGCM.open(changed, key: key, nonce: nonce, authenticating: additional)
      }
    }
    #expect(throws: CipherError.authenticationFailure) {
      try AESGCM.open(sealed, key: key, nonce: nonce, authenticating: [])
    }
    #expect(throws: CipherError.authenticationFailure) {
      try AESGCM.open(Array(sealed.dropLast()), key: key, nonce: nonce, authenticating: additional)
    }
    #expect(throws: CipherError.inputSize(15)) { try AESGCM.open(Array(sealed.prefix(15)), key: key, nonce: nonce) }
  }

  @Test("keys, nonces and blocks of other sizes are errors", arguments: [0, 1, 15, 17, 31, 33])
  func sizes(count: Int) {
    let odd = [UInt8](repeating: 0, count: count)
    let block = [UInt8](repeating: 0, count: 16)
    #expect(throws: CipherError.keySize(count)) { try AESCBC.encrypt(block, key: odd, iv: block) }
    #expect(throws: CipherError.nonceSize(count)) { try AESCBC.decrypt(block, key: block, iv: odd) }
    #expect(throws: CipherError.keySize(count)) { try AESGCM.seal(block, key: odd, nonce: block) }
    if count % 16 != 0 {
      #expect(throws: CipherError.inputSize(count)) { try AESCBC.decrypt(odd, key: block, iv: block) }
    }
    if count < 12 { #expect(throws: CipherError.nonceSize(count)) { try AESGCM.seal(block, key: block, nonce: odd) } }
  }
}
