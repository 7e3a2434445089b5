import Cryptography
import Endpoint
import Explanation
import Laboratory
import PKIX
import TLS

/// The random generators that can be searched or predicted. Descriptions of a weakness and attacks on it share this
/// code.
public enum WeakGenerator {
  /// Returns the derivation of a premaster secret with this many random bits.
  public static func premasterSearch(bits: Int, scope: ValueScope) -> Value.Derivation {
    .computed(.premasterSearch(bits: bits), from: evidence(in: scope))
  }

  /// Returns the derivation of a premaster secret whose seed is the second of the connection and this many bits.
  public static func seedSearch(bits: Int, scope: ValueScope) -> Value.Derivation {
    .computed(.seedSearch(bits: bits), from: evidence(in: scope))
  }

  /// Returns the values that confirm a candidate.
  private static func evidence(in scope: ValueScope) -> [ValueName] {
    Side.allCases.map { scope.name(.random, of: $0) } + [scope.name(.record, of: .client, number: 1)]
  }

  /// Returns the derivation of a private key whose generator had this many random bits.
  public static func keySearch(bits: Int, owner: String) -> Value.Derivation {
    .computed(.keySearch(bits: bits), from: [ValueScope(owner).name(.certificate)])
  }

  /// Returns the derivation of an ephemeral private key with this many random bits. Its public key is visible.
  public static func ephemeralKeySearch(bits: Int, of name: Value.ID) -> Value.Derivation {
    .computed(.ephemeralKeySearch(bits: bits), from: [name.sibling(.ecdhPublic, of: name.side, number: name.number)])
  }

  /// Returns the binary logarithm of the work to find a private key with this many random bits.
  ///
  /// Pollard's kangaroo method takes about twice the square root of the number of keys (J. Pollard, Mathematics of
  /// Computation 32, 1978).
  static func ephemeralSearchCost(_ bits: Int) -> Int { min(bits, bits / 2 + 2) }

  /// Returns the generator's output for a second and a small number. It is SHA-256 of both as text, hashed again for
  /// more bytes.
  public static func output(second: Int64, number: UInt64, count: Int) -> [UInt8] {
    nextOutput(after: Array("\(second) \(number)".utf8), count: count)
  }

  /// Returns the next output of a generator with a backdoor, which is computed from its last output.
  public static func nextOutput(after state: [UInt8], count: Int) -> [UInt8] {
    let blocks = (0..<((max(0, count) + 31) / 32)).map { Hash.sha256.digest(state + [UInt8(truncatingIfNeeded: $0)]) }
    return Array(blocks.joined().prefix(max(0, count)))
  }

  /// The maximum size, as a power of two, of a complete search of key generators, because generating keys is slow.
  static let wholeKeySearch = 6
}

// Attacks by computation: on generators with few bits, keys that share a prime, and backdoors.
extension Application {
  /// Searches a premaster secret of few bits. Tries each value until the derived keys decrypt the client's first
  /// record.
  func premasterSearch(_ bits: Int) throws(Obstacle) -> Computation {
    try search(bits) { number, length in
      let zeros = [UInt8](repeating: 0, count: length - 8)
      return zeros + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    }
  }

  /// Searches the seed of a premaster secret by trying each of the few seeds.
  func seedSearch(_ bits: Int) throws(Obstacle) -> Computation {
    let name = value.sibling(.random, of: .client)
    let random = run.trace.values[name]?.bytes
    guard
      let second = run.trace.steps.first(where: { step in
        step.values.contains { $0.id == name && $0.bytes == random }
      })?.at.secondsSince1970
    else { throw .missing(name) }
    return try search(bits) { WeakGenerator.output(second: second, number: $0, count: $1) }
  }

  private func search(
    _ bits: Int, _ candidate: (_ number: UInt64, _ length: Int) -> [UInt8]
  ) throws(Obstacle) -> Computation {
    guard bits <= limit else { throw .tooLarge(bits: bits, limit: limit) }
    guard (0...62).contains(bits) else { throw .notPlayed(method) }
    let handshake = try ClearHandshake(value.scope, in: run.trace)
    guard !handshake.hasExtendedMasterSecret, handshake.suite.keyExchange == .rsa, let record = Record(try input(2))
    else { throw .notPlayed(method) }
    let head = handshake.offeredVersionBytes
    let (clientRandom, serverRandom) = (try input(0), try input(1))
    for number in 0..<(UInt64(1) << UInt64(bits)) {
      let premaster = head + candidate(number, KeySchedule12.masterSecretLength - head.count)
      let schedule = KeySchedule12(
        handshake.negotiated, premasterSecret: premaster, clientRandom: clientRandom, serverRandom: serverRandom)
      let keys = schedule.keyBlock(
        clientRandom: clientRandom, serverRandom: serverRandom, encryptThenMAC: handshake.encryptsThenMACs)
      // Finished was the first protected record, with the number 0.
      guard keys.client.opening(record, number: 1) != nil else { continue }
      return Computation(premaster, trials: Int(number) + 1, remark: "found as candidate \(number) of 2^\(bits)")
    }
    throw .failed("none of 2^\(bits) values decrypts the record")
  }

  /// Finds the private key behind a certificate whose generator had few random bits.
  ///
  /// A small space is searched completely. In a larger space, only the right candidate is generated again and compared
  /// with the certificate. The candidate's number is derived from the owner's name; see `KeyStore`.
  func keySearch(_ bits: Int) throws(Obstacle) -> Computation {
    let wanted = try publicKey(in: try input(0))
    let right = KeyStore.number(of: value.scope.owner, entropy: bits)
    let keys = run.keys
    let isWhole = bits <= WeakGenerator.wholeKeySearch
    for number in isWhole ? 0...right : right...right {
      guard let key = try? keys.rsaKey(number: number, bits: wanted.bits, entropy: bits) else { continue }
      guard key.publicKey == wanted, let bytes = try? PrivateKey.rsa(key).pkcs8 else { continue }
      let remark =
        isWhole
        ? "found as candidate \(number) of 2^\(bits)"
        : "candidate \(number) of 2^\(bits), regenerated and compared with the certificate"
      return Computation(bytes, trials: isWhole ? Int(number) + 1 : 1, remark: remark)
    }
    throw .failed("none of the keys is the key in the certificate")
  }

  /// Searches the ephemeral private key whose public key was sent (RFC 8422 section 5.10).
  func ephemeralKeySearch(_ bits: Int) throws(Obstacle) -> Computation {
    guard bits <= limit else { throw .kangaroos(bits: bits, cost: WeakGenerator.ephemeralSearchCost(bits)) }
    let sent = try input(0)
    guard (0...62).contains(bits),
      let curve = KeyAgreementCurve.allCases.first(where: { $0.publicKeySize == sent.count })
    else { throw .notPlayed(method) }
    for number in 0..<(UInt64(1) << UInt64(bits)) {
      let candidate = curve.privateKey(numbered: number)
      guard let key = try? KeyAgreementPrivateKey(curve, rawRepresentation: candidate), key.publicKey == sent else {
        continue
      }
      return Computation(candidate, trials: Int(number) + 1, remark: "found as candidate \(number) of 2^\(bits)")
    }
    throw .failed("none of 2^\(bits) keys has that public key")
  }

  /// Computes the private key from two moduli with a common prime: gcd(n1, n2) = p, and n1 / p = q.
  func sharedPrime() throws(Obstacle) -> Computation {
    guard inputs.count == 2, let place = inputs.firstIndex(where: { $0.name == value.sibling(.certificate) }) else {
      throw .notPlayed(method)
    }
    let own = try publicKey(in: try input(place))
    let other = try publicKey(in: try input(1 - place))
    let prime = own.modulus.greatestCommonDivisor(with: other.modulus)
    guard prime > 1, prime < own.modulus else { throw .failed("the two moduli have no prime in common") }
    return Computation(
      try privateKey(of: own, with: prime), remark: "the common prime has \(prime.bitWidth) bits")
  }

  /// Computes the private key if a prime of the modulus is easy to find. Otherwise the work is only counted.
  func factoring(_ bits: Int) throws(Obstacle) -> Computation {
    guard let certificate = inputs.first, let key = try? publicKey(in: certificate.bytes),
      let (factor, powers) = key.modulus.smoothFactor()
    else { throw .workload(method, SecurityStrength(ofModulus: bits)) }
    return Computation(
      try privateKey(of: key, with: factor), trials: powers,
      remark: "the p - 1 method finds a prime of \(factor.bitWidth) bits after \(powers) powers")
  }

  /// Computes the private key if the group's order has only small factors. Otherwise the work is only counted.
  func discreteLogarithm(_ bits: Int) throws(Obstacle) -> Computation {
    guard inputs.count == 3 else { throw .notPlayed(method) }
    let group = DHGroup(prime: Natural(bigEndian: inputs[1].bytes), generator: Natural(bigEndian: inputs[2].bytes))
    guard let (exponent, steps) = group.smoothLogarithm(of: inputs[0].bytes),
      let key = try? exponent.bigEndianBytes(count: (group.bits + 7) / 8)
    else { throw .workload(method, SecurityStrength(ofModulus: bits)) }
    return Computation(key, trials: steps, remark: "Pohlig and Hellman's method needs \(steps) steps")
  }

  /// Returns the private key with a known prime, in PKCS #8.
  private func privateKey(of own: RSAPublicKey, with prime: Natural) throws(Obstacle) -> [UInt8] {
    guard let rest = try? own.modulus.quotientAndRemainder(dividingBy: prime).quotient,
      let parts = try? RSAPrivateComponents(
        prime1: max(prime, rest), prime2: min(prime, rest), publicExponent: own.exponent),
      let key = try? RSAPrivateKey(parts), let bytes = try? PrivateKey.rsa(key).pkcs8
    else { throw .failed("the divisor is not a prime of the key") }
    return bytes
  }

  /// Returns the RSA key in a certificate.
  private func publicKey(in certificate: [UInt8]) throws(Obstacle) -> RSAPublicKey {
    guard case .rsa(let key)? = try? Certificate(der: certificate).publicKey else {
      throw .failed("the certificate does not contain an RSA key")
    }
    return key
  }

  /// Computes the next output of a generator with a backdoor.
  func nextOutput() throws(Obstacle) -> Computation {
    let state = try input(0)
    return try drawn { WeakGenerator.nextOutput(after: state, count: $0) }
  }

  /// Returns a value that is always zero.
  func unitKey(on curve: String) throws(Obstacle) -> Computation {
    guard let key = EllipticCurve(rawValue: curve).flatMap(ECPrivateKey.one(on:)) else { throw .notPlayed(method) }
    return Computation(key.pkcs8)
  }

  func constant() throws(Obstacle) -> Computation {
    try drawn { [UInt8](repeating: 0, count: $0) }
  }

  /// Returns the output of `generator` as the value. A premaster secret begins with the offered version (RFC 5246
  /// section 7.4.7.1).
  private func drawn(_ generator: (_ count: Int) -> [UInt8]) throws(Obstacle) -> Computation {
    guard value.kind == .premasterSecret else { return Computation(generator(32)) }
    let handshake = try ClearHandshake(value.scope, in: run.trace)
    return Computation(handshake.offeredVersionBytes + generator(46))
  }
}
