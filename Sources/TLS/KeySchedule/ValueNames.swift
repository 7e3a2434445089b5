import Cryptography
import Explanation

/// The kinds of values in a connection, with their names from RFC 5246, RFC 8422 and RFC 7627.
extension ValueKind {
  /// `client_random`, `server_random`
  public static let random = ValueKind("random")
  /// `client_ecdh_private`
  public static let ecdhPrivate = ValueKind("ecdh_private")
  /// `client_ecdh_public`
  public static let ecdhPublic = ValueKind("ecdh_public")
  /// `client_dh_private`
  public static let dhPrivate = ValueKind("dh_private")
  /// `client_dh_public`
  public static let dhPublic = ValueKind("dh_public")
  /// `dh_p`
  public static let dhPrime = ValueKind("dh_p")
  /// `dh_g`
  public static let dhGenerator = ValueKind("dh_g")
  /// The values of a key agreement.
  public static let keyAgreement = [ecdhPrivate, ecdhPublic, dhPrivate, dhPublic, dhPrime, dhGenerator]
  /// `premaster_secret`
  public static let premasterSecret = ValueKind("premaster_secret")
  /// `encrypted_premaster_secret`
  public static let encryptedPremasterSecret = ValueKind("encrypted_premaster_secret")
  /// `substitute_premaster_secret`
  public static let substitutePremasterSecret = ValueKind("substitute_premaster_secret")
  /// `session_hash`
  public static let sessionHash = ValueKind("session_hash")
  /// `master_secret`
  public static let masterSecret = ValueKind("master_secret")
  /// `key_block`
  public static let keyBlock = ValueKind("key_block")
  /// `client_write_MAC_key`
  public static let writeMACKey = ValueKind("write_MAC_key")
  /// `client_write_key`
  public static let writeKey = ValueKind("write_key")
  /// `client_write_IV`
  public static let writeIV = ValueKind("write_IV")
  /// `client_verify_data`
  public static let verifyData = ValueKind("verify_data")
  /// `certificate_verify_signature`
  public static let certificateVerifySignature = ValueKind("certificate_verify_signature")
  /// `session_id`
  public static let sessionID = ValueKind("session_id")
  /// `ticket_session_id`
  static let ticketSessionID = ValueKind("ticket_session_id")
  /// `session_ticket`
  public static let sessionTicket = ValueKind("session_ticket")
  /// `session_ticket_iv`
  static let sessionTicketIV = ValueKind("session_ticket_iv")
  /// `offered_session_ticket`
  public static let offeredSessionTicket = ValueKind("offered_session_ticket")
  /// `session_ticket_key`
  public static let sessionTicketKey = ValueKind("session_ticket_key")
  /// `application_data.client.1`
  public static let applicationData = ValueKind("application_data")
  /// `record.client.1`
  public static let record = ValueKind("record")
  /// `record_IV.client.1`
  public static let recordIV = ValueKind("record_IV")
  /// `handshake_message.client.1`
  public static let handshakeMessage = ValueKind("handshake_message")
  /// `handshake_record.client.1`
  public static let handshakeRecord = ValueKind("handshake_record")
  /// `handshake_record_IV.client.1`
  public static let handshakeRecordIV = ValueKind("handshake_record_IV")
  /// `grease`
  static let grease = ValueKind("grease")
}

/// The values of one handshake, and how they are derived.
extension ValueScope {
  /// Creates a value of this handshake.
  func value(_ kind: ValueKind, of side: Side? = nil, _ bytes: [UInt8], _ derivations: Value.Derivation...) -> Value {
    Value(name(kind, of: side), bytes, derivations: derivations)
  }

  /// `client_random` and `server_random`.
  var randoms: [ValueName] { Side.allCases.map { name(.random, of: $0) } }

  /// `SIDE_ecdh_public`.
  func ecdhPublic(of side: Side, number: Int? = nil, _ publicKey: [UInt8], _ group: NamedGroup) -> Value {
    Value(
      name(.ecdhPublic, of: side, number: number), publicKey,
      .computed(.publicKey(group: "\(group)"), from: [name(.ecdhPrivate, of: side, number: number)]), .published)
  }

  /// The derivation of the premaster secret by `side` on an elliptic curve.
  func ecdhAgreement(of side: Side, _ group: NamedGroup) -> Value.Derivation {
    .computed(
      .keyAgreement(group: "\(group)"), from: [name(.ecdhPrivate, of: side), name(.ecdhPublic, of: side.peer)])
  }

  /// `SIDE_dh_public`, and the parameters of its group.
  func dhPublic(of side: Side, number: Int? = nil, _ publicKey: [UInt8], _ group: DHGroup) -> [Value] {
    [
      value(.dhPrime, group.prime.bigEndianBytes(), .published),
      value(.dhGenerator, group.generator.bigEndianBytes(), .published),
      Value(
        name(.dhPublic, of: side, number: number), publicKey,
        .computed(
          .finiteFieldPublicKey,
          from: [name(.dhPrivate, of: side, number: number), name(.dhPrime), name(.dhGenerator)]), .published),
    ]
  }

  /// The derivation of the premaster secret by `side` in a finite field.
  func dhAgreement(of side: Side) -> Value.Derivation {
    .computed(
      .finiteFieldAgreement, from: [name(.dhPrivate, of: side), name(.dhPublic, of: side.peer), name(.dhPrime)])
  }

  /// The `master_secret` and all keys, derived from `premaster`. An extended master secret also needs `sessionHash`.
  func values(
    _ schedule: KeySchedule12, _ block: KeyBlock, premaster: ValueName, sessionHash: [UInt8]?
  ) -> [Value] {
    let master = value(
      .masterSecret, schedule.masterSecret,
      sessionHash == nil
        ? .computed(Self.method(.masterSecret, schedule), from: [premaster] + randoms)
        : .computed(.pseudoRandom(.extendedMasterSecret), from: [premaster, name(.sessionHash)]))
    let session = sessionHash.map { [value(.sessionHash, $0, .published)] } ?? []
    return session + [master] + values(schedule, block)
  }

  /// The `master_secret`, which equals that of the resumed session, and all keys. A party that knows either of the two
  /// secrets also knows the other.
  func values(_ schedule: KeySchedule12, _ block: KeyBlock, resuming masterSecretName: ValueName) -> [Value] {
    let master = value(.masterSecret, schedule.masterSecret, .computed(.resumedSession, from: [masterSecretName]))
    let old = Value(masterSecretName, schedule.masterSecret, .computed(.resumingSession, from: [master.id]))
    return [master] + values(schedule, block) + (old.id == master.id ? [] : [old])
  }

  /// The keys of the key block, without the secrets.
  func values(_ schedule: KeySchedule12, _ block: KeyBlock) -> [Value] {
    let keyBlock = value(
      .keyBlock, block.bytes,
      .computed(Self.method(.keyExpansion, schedule), from: [name(.masterSecret)] + randoms.reversed()))
    let keys = block.parts.map { part in
      value(part.kind, of: part.side, part.bytes, .computed(.keyBlockPart(part.range), from: [keyBlock.id]))
    }
    return [keyBlock] + keys
  }

  /// `client_verify_data` or `server_verify_data`.
  func verifyData(of side: Side, _ bytes: [UInt8], _ schedule: KeySchedule12) -> Value {
    value(
      .verifyData, of: side, bytes,
      .computed(
        Self.method(side == .client ? .clientFinished : .serverFinished, schedule), from: [name(.masterSecret)]))
  }

  private static func method(_ label: Method.PseudoRandomLabel, _ schedule: KeySchedule12) -> Method {
    .pseudoRandom(label, isSSL3: schedule.negotiated.version == .sslv3)
  }

  /// The session of this handshake, which later connections may resume.
  func session(
    _ id: [UInt8], _ schedule: KeySchedule12, _ parameters: ConnectionParameters, at time: Instant
  ) -> Session12 {
    Session12(
      id: id, schedule: schedule, masterSecretName: name(.masterSecret), parameters: parameters, established: time)
  }
}
