import ArgumentParser
import Cryptography
import Peers

@main
struct Bench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures TrustLab beside its peers, in one process, by CPU time.",
    discussion: """
      Contenders take turns; min and median are over the rounds. A ratio below 1 means that TrustLab is faster.

      Example: bench --keys 20 --bits 2048
      """)

  @Option(help: "The size of the RSA keys, in bits.")
  var bits = 2048

  @Option(help: "How many keys to generate; 0 leaves key generation out.")
  var keys = 100

  @Option(help: "How many rounds of the RSA operations to measure.")
  var rounds = 60

  func validate() throws {
    guard RSAPublicKey.sizes.contains(bits) else { throw ValidationError("--bits takes 512 to 8192") }
    guard keys >= 0, rounds > 0 else { throw ValidationError("--keys takes 0 or more, --rounds 1 or more") }
  }

  func run() throws {
    print("peers: GMP \(String(cString: peer_gmp_version())), \(String(cString: peer_openssl_version()))\n")
    let pair = try RSAPair(bits: bits)
    try pair.agree()
    print(
      Table.text(
        "RSA-\(bits) private operation", try measure(pair.privateContenders, rounds: rounds, repetitions: 10),
        unit: "us", scale: 1e6))
    print(
      Table.text(
        "RSA-\(bits) public operation", try measure(pair.publicContenders, rounds: rounds, repetitions: 200),
        unit: "us", scale: 1e6))
    if keys > 0 { print(try keyGeneration()) }
  }

  private func keyGeneration() throws -> String {
    var ours = Times(name: "TrustLab")
    var openSSL = Times(name: "OpenSSL")
    for number in 1...keys {
      var random = DeterministicRandom(seed: .number(UInt64(number)), label: "bench")
      let start = peer_cpu_time()
      _ = try RSAPrivateKey.generate(bits: bits, random: &random)
      let middle = peer_cpu_time()
      guard peer_openssl_generate(Int32(bits)) == 1 else { throw RSAPair.PeerError(description: "OpenSSL failed") }
      ours.samples.append(middle - start)
      openSSL.samples.append(peer_cpu_time() - middle)
    }
    return Table.text(
      "RSA-\(bits) key generation, \(keys) keys (ours seeded 1 to \(keys))", [ours, openSSL], unit: "ms", scale: 1e3,
      showsMean: true)
  }
}
