import Cryptography
import Foundation
import Testing

@testable import Laboratory

@Suite("The key store")
struct KeyStoreTests {
  private func inDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body(directory)
  }

  @Test("owner and size determine the key in every store, and a store makes it once")
  func stable() throws {
    let store = KeyStore()
    let key = try store.rsaKey(owner: "Root A", bits: 512)
    #expect(try store.rsaKey(owner: "Root A", bits: 512) === key)
    #expect(try KeyStore().rsaKey(owner: "Root A", bits: 512).publicKey == key.publicKey)
    #expect(try store.rsaKey(owner: "Root B", bits: 512).publicKey != key.publicKey)
    #expect(try store.rsaKey(owner: "Root A", bits: 513).publicKey != key.publicKey)
    var random = DeterministicRandom(seed: .number(0), label: "key/Root A/rsa-512")
    #expect(try RSAPrivateKey.generate(bits: 512, random: &random).publicKey == key.publicKey)
    #expect(throws: RSAError.modulusSize(bits: 100)) { try store.rsaKey(owner: "Root A", bits: 100) }
  }

  @Test("all threads get the same key")
  func threads() async {
    let store = KeyStore()
    let keys = await withTaskGroup(of: RSAPrivateKey?.self, returning: [RSAPrivateKey].self) { group in
      for _ in 0..<32 { group.addTask { try? store.rsaKey(owner: "threads", bits: 768) } }
      return await group.reduce(into: []) { if let key = $1 { $0.append(key) } }
    }
    #expect(keys.count == 32 && Set(keys.map(ObjectIdentifier.init)).count == 1)
  }

  @Test("a directory keeps keys, and damaged or foreign files are ignored")
  func directory() throws {
    try inDirectory { directory in
      let files = KeyFiles(directory: directory)
      let key = try KeyStore().rsaKey(owner: "kept", bits: 512)
      #expect(files.key("label") == nil)
      try files.keep(key, "label")
      #expect(try files.key("label")?.pkcs8 == key.pkcs8)
      #expect(files.key("other label") == nil)
      let names = try FileManager.default.contentsOfDirectory(atPath: directory)
      #expect(names.count == 1)
      let path = "\(directory)/\(try #require(names.first))"
      let content = try Data(contentsOf: URL(fileURLWithPath: path))
      for count in stride(from: 0, to: content.count - 1, by: 7) {
        try content.prefix(count).write(to: URL(fileURLWithPath: path))
        #expect(files.key("label") == nil)
      }
      try Data("TrustLab key 1 00\n\(PrivateKey.rsa(key).pem)".utf8).write(to: URL(fileURLWithPath: path))
      #expect(files.key("label") == nil)
      try content.write(to: URL(fileURLWithPath: path))
      #expect(files.key("label") != nil)
    }
  }

  @Test("a file with the key of another owner is ignored")
  func swapped() throws {
    try inDirectory { directory in
      let label = "key/swapped/rsa-512"
      let stranger = try KeyStore().rsaKey(owner: "stranger to the swapped", bits: 512)
      try KeyFiles(directory: directory).keep(stranger, label)
      let key = try KeyStore(directory: directory).rsaKey(owner: "swapped", bits: 512)
      #expect(key.publicKey != stranger.publicKey)
      var random = DeterministicRandom(seed: .number(0), label: label)
      #expect(try RSAPrivateKey.generate(bits: 512, random: &random).publicKey == key.publicKey)
    }
  }

  @Test("owners with any name have their files, and a store without a directory works")
  func names() throws {
    try inDirectory { directory in
      let store = KeyStore(directory: directory)
      for owner in ["../../etc/passwd", "ü/\n\u{0}", ""] { _ = try store.rsaKey(owner: owner, bits: 512) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 3)
    }
    _ = try KeyStore(directory: "/dev/null/nowhere").rsaKey(owner: "homeless", bits: 512)
  }
}
