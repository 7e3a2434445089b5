import Testing

@testable import Cryptography

@Suite("The seeded generator")
struct DeterministicRandomTests {
  @Test("the bytes equal those of HMAC_DRBG as implemented separately with Python's hmac")
  func secondImplementation() throws {
    var random = DeterministicRandom(seed: .number(15), label: "client_random")
    #expect(random.bytes(32) == (try bytes("2e13c540c74009aa36075050c264ac9cba3504827dc8c78628fc43a4019c4122")))
    #expect(random.bytes(5) == (try bytes("7810b0b743")))
    let third = try bytes(
      """
      348beea3d3f0c468d631a225508e1b6c9f45aace31741a9cca4ba52f37283d81bed5f539941416a600626c1909116df4
      d52318cc3b0975b5870a60dd582ef1394fcbd5b28fa7
      """)
    #expect(random.bytes(70) == third)
  }

  @Test("more than 65 536 bytes, the limit of a request, come from several requests")
  func limit() throws {
    var random = DeterministicRandom(seed: .number(0), label: "long")
    let digest = Hash.sha256.digest(random.bytes(100_000))
    #expect(digest == (try bytes("69f6643890a835b537494d4f7d6ac36ef5b27a5d4d1b3b5a9792c597abda3675")))
  }

  @Test("seeds, labels and their boundary make different streams")
  func separation() {
    let streams: [(Seed, String)] = [
      (.number(1), "a"), (.number(2), "a"), (.number(1), "b"), (.number(11), ""), (.counting, "a"), (.number(1), ""),
    ]
    let outputs = Set(
      streams.map { seed, label in
        var random = DeterministicRandom(seed: seed, label: label)
        return random.bytes(16)
      })
    #expect(outputs.count == streams.count)
  }

  @Test("counts that are not positive generate nothing")
  func noBytes() {
    var random = DeterministicRandom(seed: .number(1), label: "a")
    var same = random
    #expect(random.bytes(0) == [] && random.bytes(-5) == [])
    #expect(random.bytes(8) == same.bytes(8))
  }

  @Test("the counting seed numbers only the three values of a handshake")
  func counting() throws {
    var client = DeterministicRandom(seed: .counting, label: "first/client_random")
    var server = DeterministicRandom(seed: .counting, label: "server_random")
    var premaster = DeterministicRandom(seed: .counting, label: "premaster_secret")
    #expect(client.bytes(4) + client.bytes(2) == [0, 1, 2, 3, 4, 5])
    #expect(server.bytes(3) == [0x20, 0x21, 0x22])
    #expect(premaster.bytes(200).last == 0x07)
    var key = DeterministicRandom(seed: .counting, label: "server/key")
    #expect(key.bytes(16) == (try bytes("8dc0489297686bcd2a4acf907e19117b")))
  }

  @Test("a seed of 32 bytes is the complete entropy input, and is written as read")
  func bytesOfASeed() throws {
    let text = String(repeating: "00", count: 31) + "ff"
    let seed = try #require(Seed(text))
    #expect(seed.description == text)
    var random = DeterministicRandom(seed: seed, label: "a")
    var anew = DeterministicRandom(seedMaterial: [UInt8](repeating: 0, count: 31) + [0xff, 0] + Array("a".utf8))
    #expect(random.bytes(48) == anew.bytes(48))
    #expect(Seed("15") == .number(15) && Seed("counting") == .counting)
    for wrong in ["", "-1", "ab", String(text.dropLast(2)), text + "00", String(text.dropLast(2)) + "xy"] {
      #expect(Seed(wrong) == nil, "\(wrong)")
    }
  }

  @Test("padding bytes are never zero")
  func nonzero() {
    var random = DeterministicRandom(seed: .number(3), label: "padding")
    let padding = random.nonzeroBytes(5000)
    #expect(padding.count == 5000 && !padding.contains(0))
  }

  @Test("without a seed the bytes do not repeat, and have the requested number")
  func system() {
    var one = DeterministicRandom(seed: nil, label: "a")
    var other = DeterministicRandom(seed: nil, label: "a")
    var copy = one
    let drawn = [one.bytes(32), one.bytes(32), other.bytes(32), copy.bytes(32)]
    #expect(Set(drawn).count == 4)
    for count in 0...25 { #expect(one.bytes(count).count == count) }
    // Each of the 256 values occurs about 256 times, so that a missing one is practically impossible.
    #expect(Set(one.bytes(65_536)).count == 256)
  }
}
