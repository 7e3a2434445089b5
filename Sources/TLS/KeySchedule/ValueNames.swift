import Cryptography
import Explanation

/// Names and derivations of the values of one connection, in the words of RFC 5246 and RFC 8422.
struct ValueNames: Sendable, Hashable {
  /// What every name begins with; empty for a single connection.
  let prefix: String

  /// A value of this connection.
  func value(_ name: String, _ bytes: [UInt8], _ derivations: Value.Derivation...) -> Value {
    Value(prefix + name, bytes, derivations: derivations)
  }

  /// Computed from values of this connection.
  func computed(_ method: Method, from names: [String]) -> Value.Derivation {
    .computed(method, from: names.map { prefix + $0 })
  }

  /// `SIDE_dh_public`, and the numbers of its group.
  func dhPublic(of side: Side, _ publicKey: [UInt8], _ group: DHGroup) -> [Value] {
    [
      value("dh_p", group.prime.bigEndianBytes(), .published),
      value("dh_g", group.generator.bigEndianBytes(), .published),
      value(
        "\(side)_dh_public", publicKey,
        computed(.finiteFieldPublicKey, from: ["\(side)_dh_private", "dh_p", "dh_g"]), .published),
    ]
  }

  /// How `side` comes by the premaster secret of a Diffie–Hellman agreement in a finite field.
  func dhAgreement(of side: Side) -> Value.Derivation {
    computed(.finiteFieldAgreement, from: ["\(side)_dh_private", "\(side.peer)_dh_public", "dh_p"])
  }

  /// `master_secret` and all keys, from `premasterName`; an extended master secret has a `sessionHash`.
  func values(
    _ schedule: KeySchedule12, _ block: KeyBlock, premasterName: String, sessionHash: [UInt8]?
  ) -> [Value] {
    let master = value(
      "master_secret", schedule.masterSecret,
      sessionHash == nil
        ? computed(.pseudoRandom(.masterSecret), from: [premasterName, "client_random", "server_random"])
        : computed(.pseudoRandom(.extendedMasterSecret), from: [premasterName, "session_hash"]))
    let session = sessionHash.map { [value("session_hash", $0, .published)] } ?? []
    return session + [master] + values(block)
  }

  /// `master_secret`, which is that of the session that goes on, and all keys; whoever has either of the two secrets has
  /// both.
  func values(_ schedule: KeySchedule12, _ block: KeyBlock, resuming masterSecretName: Value.ID) -> [Value] {
    let master = value(
      "master_secret", schedule.masterSecret,
      .computed(.resumedSession, from: [masterSecretName]))
    let old = Value(
      masterSecretName, schedule.masterSecret,
      .computed(.resumingSession, from: [master.id]))
    return [master] + values(block) + (old.id == master.id ? [] : [old])
  }

  /// The keys alone.
  func values(_ block: KeyBlock) -> [Value] {
    let keyBlock = value(
      "key_block", block.bytes,
      computed(.pseudoRandom(.keyExpansion), from: ["master_secret", "server_random", "client_random"]))
    let keys = block.parts.map { part in
      value(
        part.name, part.bytes,
        computed(.keyBlockPart(part.range), from: ["key_block"]))
    }
    return [keyBlock] + keys
  }

  /// `client_verify_data` or `server_verify_data`.
  func verifyData(of side: Side, _ bytes: [UInt8]) -> Value {
    value(
      "\(side)_verify_data", bytes,
      computed(.pseudoRandom(side == .client ? .clientFinished : .serverFinished), from: ["master_secret"]))
  }

  /// The session of this connection, for later ones.
  func session(
    _ id: [UInt8], _ schedule: KeySchedule12, _ parameters: ConnectionParameters, at time: Instant
  ) -> Session12 {
    Session12(
      id: id, schedule: schedule, masterSecretName: prefix + "master_secret", parameters: parameters, established: time)
  }
}
