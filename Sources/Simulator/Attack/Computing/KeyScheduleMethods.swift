import TLS

extension Method {
  /// PRF(secret, label, seed): RFC 5246 section 5, with the hash of the suite in the ServerHello.
  static let pseudoRandom = Method(isCalled: { $0.hasPrefix("PRF(") }) { (application) throws(Obstacle) in
    let parts = application.function.split(separator: "\"")
    guard parts.count == 3, application.inputs.count > 1 else { throw .notPlayed(application.function) }
    let name = application.value.split(separator: ".").last.map(String.init) ?? application.value
    let handshake = try ClearHandshake(application.prefix(before: name), in: application.run.trace)
    let seed = application.inputs.dropFirst().flatMap(\.bytes)
    return Computation(
      PRF12.output(
        handshake.suite.prf.hash, secret: try application.input(0), label: String(parts[1]), seed: seed,
        count: name == "key_block" ? handshake.suite.keyBlockLength : KeySchedule12.masterSecretLength))
  }

  /// A resumed session has the master secret of the first: RFC 5246 section F.1.4.
  static let resumption = Method(isCalled: { $0.hasPrefix("that of the session that ") }) {
    (application) throws(Obstacle) in
    Computation(try application.input(0))
  }

  /// A key is a part of the key block: RFC 5246 section 6.3.
  static let slice = Method(isCalled: { $0.hasPrefix("key_block[") }) { (application) throws(Obstacle) in
    let bounds = application.function.split { !$0.isNumber }.compactMap { Int($0) }
    let block = try application.input(0)
    guard bounds.count == 2, bounds[0] <= bounds[1], bounds[1] <= block.count else {
      throw .failed("the key block has only \(block.count) bytes")
    }
    return Computation(Array(block[bounds[0]..<bounds[1]]))
  }
}
