import Cryptography
import Explanation
import TLS

/// The names of functions that search, and of generators that can be searched: whoever describes a weakness and whoever
/// carries it out use the same.
public enum WeakGenerator {
  /// A premaster secret of so few random bits.
  public static func premasterSearch(bits: Int, prefix: String) -> Value.Derivation {
    .computed(
      function: "search of 2^\(bits) values until the record opens",
      from: ["client_random", "server_random", "record.client.1"].map { prefix + $0 })
  }

  /// A premaster secret that a generator made whose seed is the second of the connection and so few bits.
  public static func seedSearch(bits: Int, prefix: String) -> Value.Derivation {
    .computed(
      function: "search of 2^\(bits) seeds of that second until the record opens",
      from: ["client_random", "server_random", "record.client.1"].map { prefix + $0 })
  }

  /// A private key of a generator with so few random bits.
  public static func keySearch(bits: Int, owner: String) -> Value.Derivation {
    .computed(
      function: "search of the 2^\(bits) keys that the generator can make", from: ["\(owner).certificate"])
  }

  /// What a generator makes of a second and a small number: SHA-256 of both as text, hashed on for more.
  public static func output(second: Int64, number: UInt64, count: Int) -> [UInt8] {
    nextOutput(after: Array("\(second) \(number)".utf8), count: count)
  }

  /// A generator with a back door: what it gives next follows from what it gave last, for those who know how.
  public static func nextOutput(after state: [UInt8], count: Int) -> [UInt8] {
    let blocks = (0..<((max(0, count) + 31) / 32)).map { Hash.sha256.digest(state + [UInt8(truncatingIfNeeded: $0)]) }
    return Array(blocks.joined().prefix(max(0, count)))
  }
}

extension Method {
  /// A premaster secret of few bits: each value in turn, until the client's first record opens with what follows from it.
  static let premasterSearch = Method(
    isCalled: { $0.hasPrefix("search of 2^") && $0.contains(" values ") }
  ) { (application) throws(Obstacle) in
    try search(application) { number, length in
      let zeros = [UInt8](repeating: 0, count: length - 8)
      return zeros + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    }
  }

  /// A premaster secret from a seed of few bits: each seed in turn.
  static let seedSearch = Method(
    isCalled: { $0.hasPrefix("search of 2^") && $0.contains(" seeds ") }
  ) { (application) throws(Obstacle) in
    let prefix = application.prefix(before: "premaster_secret")
    let random = application.run.trace.values[prefix + "client_random"]?.bytes
    guard
      let second = application.run.trace.steps.first(where: { step in
        step.values.contains { $0.id == prefix + "client_random" && $0.bytes == random }
      })?.at.secondsSince1970
    else { throw .missing(prefix + "client_random") }
    return try search(application) { WeakGenerator.output(second: second, number: $0, count: $1) }
  }

  private static func search(
    _ application: Application, _ candidate: (_ number: UInt64, _ length: Int) -> [UInt8]
  ) throws(Obstacle) -> Computation {
    let bits = try application.searchBits()
    let handshake = try ClearHandshake(application.prefix(before: "premaster_secret"), in: application.run.trace)
    guard !handshake.hasExtendedMasterSecret, handshake.suite.keyExchange == .rsa,
      let record = Record(try application.input(2))
    else { throw .notPlayed(application.function) }
    let version = handshake.clientVersion.rawValue
    let head = [UInt8(truncatingIfNeeded: version >> 8), UInt8(truncatingIfNeeded: version)]
    let (clientRandom, serverRandom) = (try application.input(0), try application.input(1))
    for number in 0..<(UInt64(1) << UInt64(bits)) {
      let premaster = head + candidate(number, KeySchedule12.masterSecretLength - head.count)
      let schedule = KeySchedule12(
        handshake.negotiated, premasterSecret: premaster, clientRandom: clientRandom, serverRandom: serverRandom)
      let keys = schedule.keyBlock(
        clientRandom: clientRandom, serverRandom: serverRandom, encryptThenMAC: handshake.encryptsThenMACs)
      // The Finished was the first protected record, number 0.
      guard keys.client.opening(record, number: 1) != nil else { continue }
      return Computation(premaster, trials: Int(number) + 1, remark: "found as number \(number) of 2^\(bits)")
    }
    throw .failed("none of 2^\(bits) values opens the record")
  }
}
