import ArgumentParser
import Cryptography
import Peers

@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures TrustLab and its peers in one process, by CPU time.",
    discussion: """
      Contenders take turns; min and median are over the rounds. The speed is ours as
      a multiple of that line's: above 1 TrustLab is faster.

      Examples:
        bench                          everything
        bench handshakes chains        whole handshakes and chain evaluation
        bench rsa keys --bits 4096     arithmetic, with another size of key
      """)

  @Argument(help: "The subjects to measure; all by default.")
  var subjects: [Subject] = Subject.allCases

  @Option(help: "The size of the keys of 'rsa' and 'keys', in bits.")
  var bits = 2048

  @Option(help: "The number of keys that 'keys' generates.")
  var keys = 100

  @Option(help: "The number of rounds; more rounds reduce the effect of other processes.")
  var rounds = 60

  @Option(help: "Measure only subjects whose title contains this text: 'X25519'.")
  var match: String?

  @Flag(help: "Leave the peers out, to profile TrustLab.")
  var alone = false

  func validate() throws {
    guard RSAPublicKey.sizes.contains(bits) else { throw ValidationError("--bits takes 512 to 8192") }
    guard keys > 0, rounds > 0 else { throw ValidationError("--keys and --rounds take 1 or more") }
  }

  func run() async throws {
    print("peers: GMP \(String(cString: peer_gmp_version())), \(String(cString: peer_openssl_version()))\n")
    for subject in subjects {
      switch subject {
      case .rsa: try await rsa()
      case .keys: print(try keyGeneration())
      case .chains: try await chains()
      case .handshakes: try await handshakes()
      case .records: try await records()
      case .scenarios: print(try Curriculum.measured(rounds: rounds))
      case .versions:
        try await show("A case of L16-01, run and judged", Curriculum.versions(), repetitions: 20)
      }
    }
  }

  private func rsa() async throws {
    let pair = try RSAPair(bits: bits)
    try await pair.agree()
    try await show("RSA-\(bits) private operation", pair.privateContenders, repetitions: 10)
    try await show("RSA-\(bits) public operation", pair.publicContenders, repetitions: 200)
  }

  private func chains() async throws {
    for kind in [Hierarchy.Kind.rsa, .ecdsa] {
      let pair = try ChainPair(kind)
      try await show("Chain of three, \(kind.rawValue): DER in, decision out", pair.contenders, repetitions: 20)
    }
  }

  private func handshakes() async throws {
    for suite in TLSPair.Suite.handshakes {
      let pair = try TLSPair(suite)
      try await show("handshake, both sides: \(suite.title)", pair.handshakes, repetitions: 5)
    }
  }

  private func records() async throws {
    for suite in TLSPair.Suite.records {
      let pair = try TLSPair(suite)
      try await show("Record of 16 KiB, sealed and opened: \(suite.title)", pair.transfers(), repetitions: 50)
    }
  }

  private func show(_ title: String, _ contenders: [Contender], repetitions: Int) async throws {
    if let match, !title.contains(match) { return }
    let contenders = alone ? Array(contenders.prefix(1)) : contenders
    print(Table.text(title, try await measure(contenders, rounds: rounds, repetitions: repetitions)))
  }

  private func keyGeneration() throws -> String {
    var ours = Times(name: "TrustLab")
    var openSSL = Times(name: "OpenSSL", target: bits == 2048 ? 4 : nil)
    for number in 1...keys {
      var random = DeterministicRandom(seed: .number(UInt64(number)), label: "bench")
      let start = peer_cpu_time()
      _ = try RSAPrivateKey.generate(bits: bits, random: &random)
      let middle = peer_cpu_time()
      try PeerError.check(peer_openssl_generate(Int32(bits)), "OpenSSL's key generation")
      ours.samples.append(middle - start)
      openSSL.samples.append(peer_cpu_time() - middle)
    }
    return Table.text("RSA-\(bits) key generation, \(keys) keys (ours seeded)", [ours, openSSL], by: .mean)
  }
}

/// A subject that can be measured.
enum Subject: String, CaseIterable, ExpressibleByArgument {
  case rsa, keys, chains, handshakes, records, scenarios, versions
}
