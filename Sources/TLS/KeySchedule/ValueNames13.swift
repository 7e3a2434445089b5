import Cryptography
import Explanation

/// The kinds of values in a connection of TLS 1.3, with their names from RFC 8446.
extension ValueKind {
  /// `shared_secret`, the result of (EC)DHE
  public static let sharedSecret = ValueKind("shared_secret")
  /// `ecdh_shared_secret`, the part of a hybrid `shared_secret` that X25519 contributes
  public static let ecdhSharedSecret = ValueKind("ecdh_shared_secret")
  /// `client_mlkem_seed`, the seed d ‖ z of the client's ML-KEM key
  public static let mlkemSeed = ValueKind("mlkem_seed")
  /// `client_mlkem_public`, the client's encapsulation key
  public static let mlkemPublic = ValueKind("mlkem_public")
  /// `server_mlkem_randomness`, the randomness m of the server's encapsulation
  public static let mlkemRandomness = ValueKind("mlkem_randomness")
  /// `server_mlkem_ciphertext`
  public static let mlkemCiphertext = ValueKind("mlkem_ciphertext")
  /// `mlkem_shared_secret`, the part of a hybrid `shared_secret` that ML-KEM contributes
  public static let mlkemSharedSecret = ValueKind("mlkem_shared_secret")
  /// `psk`, the pre-shared key that the handshake uses; numbered among the PSKs of the tickets
  public static let psk = ValueKind("psk")
  /// `early_secret`
  public static let earlySecret = ValueKind("early_secret")
  /// `handshake_secret`
  public static let handshakeSecret = ValueKind("handshake_secret")
  /// `derived_early_secret` and `derived_handshake_secret`, the salts of the next HKDF-Extract
  public static func derived(_ stage: ScheduledSecret.Stage) -> ValueKind { ValueKind("derived_\(stage.kind.word)") }
  /// `binder_key`
  public static let binderKey = ValueKind("binder_key")
  /// `client_early_traffic_secret`
  public static let earlyTrafficSecret = ValueKind("early_traffic_secret")
  /// `early_exporter_master_secret`
  public static let earlyExporterSecret = ValueKind("early_exporter_master_secret")
  /// `client_handshake_traffic_secret`
  public static let handshakeTrafficSecret = ValueKind("handshake_traffic_secret")
  /// `client_application_traffic_secret_0`, and the next generations
  public static func applicationTrafficSecret(_ generation: Int) -> ValueKind {
    ValueKind("application_traffic_secret_\(generation)")
  }
  /// `exporter_master_secret`
  public static let exporterSecret = ValueKind("exporter_master_secret")
  /// `resumption_master_secret`
  public static let resumptionSecret = ValueKind("resumption_master_secret")
  /// `legacy_session_id`
  static let legacySessionID = ValueKind("legacy_session_id")
  /// `cookie`, in a HelloRetryRequest
  static let cookie = ValueKind("cookie")
  /// `ticket_age_add`
  static let ticketAgeAdd = ValueKind("ticket_age_add")
  /// `certificate_request_context`
  static let requestContext = ValueKind("certificate_request_context")
  /// `external_psk`
  public static let externalPSK = ValueKind("external_psk")
  /// `client_binder`
  public static let binder = ValueKind("binder")
  /// `ticket_nonce`
  public static let ticketNonce = ValueKind("ticket_nonce")
  /// The hash of the messages that a secret covers, such as `transcript_hash_server_hello`
  public static func transcriptHash(_ coverage: ScheduledSecret.Coverage) -> ValueKind {
    switch coverage {
    case .nothing: ValueKind("transcript_hash_nothing")
    case .clientHello: ValueKind("transcript_hash_client_hello")
    case .serverHello: ValueKind("transcript_hash_server_hello")
    case .serverFinished: ValueKind("transcript_hash_server_finished")
    case .clientFinished: ValueKind("transcript_hash_client_finished")
    }
  }
  /// Whether the value is the hash of a part of the transcript.
  public var isTranscriptHash: Bool { ScheduledSecret.Coverage.allCases.contains { self == .transcriptHash($0) } }
}

/// One generation of one side's traffic secret, with the names of the values that follow from it.
public struct TrafficEpoch: Sendable, Hashable {
  /// The part of the connection that the keys protect.
  public enum Phase: Sendable, Hashable {
    /// Early data of the client.
    case early
    /// The handshake.
    case handshake
    /// Application data and messages after the handshake. Each KeyUpdate starts the next generation.
    case application(generation: Int)
  }

  /// The side whose records the keys protect.
  public let side: Side
  /// The part of the connection that the keys protect.
  public let phase: Phase

  /// Creates an epoch of one side.
  public init(_ side: Side, _ phase: Phase) {
    self.side = side
    self.phase = phase
  }

  /// The next epoch after a KeyUpdate; nil before the application phase.
  public var next: TrafficEpoch? {
    guard case .application(let generation) = phase else { return nil }
    return TrafficEpoch(side, .application(generation: generation + 1))
  }

  /// The kind of the traffic secret.
  public var secretKind: ValueKind {
    switch phase {
    case .early: .earlyTrafficSecret
    case .handshake: .handshakeTrafficSecret
    case .application(let generation): .applicationTrafficSecret(generation)
    }
  }

  /// The kind `handshake_write_key` or, with a generation, `application_write_key_0`.
  public var keyKind: ValueKind { kind("write_key") }
  /// The kind `handshake_write_iv`.
  public var ivKind: ValueKind { kind("write_iv") }
  /// The kind `handshake_finished_key`.
  public var finishedKeyKind: ValueKind { kind("finished_key") }

  private func kind(_ word: String) -> ValueKind {
    switch phase {
    case .early: ValueKind("early_\(word)")
    case .handshake: ValueKind("handshake_\(word)")
    case .application(let generation): ValueKind("application_\(word)_\(generation)")
    }
  }
}

/// The values of a TLS 1.3 handshake, and how they are derived.
extension ValueScope {
  /// `early_secret`, from the PSK with this name if there is one.
  ///
  /// A server that rejects the PSK of early data has another one, of zeros, which is `early_secret.2`.
  func earlySecret(_ schedule: KeySchedule13, psk: ValueName?, afterEarlyData: Bool = false) -> Value {
    Value(
      name(.earlySecret, number: psk == nil && afterEarlyData ? 2 : nil), schedule.earlySecret,
      .computed(.hkdfExtract, from: psk.map { [$0] } ?? []))
  }

  /// The values of the key exchange: `handshake_secret`, `master_secret` and their salts.
  ///
  /// `early` is the early secret, and `sharedSecret` the name of the (EC)DHE secret; nil without one. Empty before the
  /// key exchange.
  func extractedSecrets(_ schedule: KeySchedule13, early: Value, sharedSecret: ValueName?) -> [Value] {
    guard let handshake = schedule.handshakeSecret, let master = schedule.masterSecret else { return [] }
    let stages = [
      (ScheduledSecret.Stage.early, early.id, early.bytes), (.handshake, name(.handshakeSecret), handshake),
    ]
    let salts = stages.map { stage, name, secret in
      value(.derived(stage), schedule.derived(secret), .computed(.hkdfExpandLabel(.derived), from: [name]))
    }
    return [
      salts[0],
      value(
        .handshakeSecret, handshake,
        .computed(.hkdfExtract, from: [salts[0].id] + (sharedSecret.map { [$0] } ?? []))),
      salts[1], value(.masterSecret, master, .computed(.hkdfExtract, from: [salts[1].id])),
    ]
  }

  /// A secret of the schedule, and the hash of the messages that it covers.
  func values(_ secret: ScheduledSecret, _ bytes: [UInt8], transcriptHash: [UInt8]) -> [Value] {
    var inputs = [name(secret.stage.kind)]
    var hashes: [Value] = []
    if secret.coverage != .nothing {
      hashes = [self.transcriptHash(secret.coverage, transcriptHash)]
      inputs.append(hashes[0].id)
    }
    let derivation = Value.Derivation.computed(.hkdfExpandLabel(secret.label), from: inputs)
    return hashes + [value(secret.kind, of: secret.side, bytes, derivation)]
  }

  /// The hash of the messages in a range. Only a party that decrypts the encrypted ones can compute it.
  private func transcriptHash(_ coverage: ScheduledSecret.Coverage, _ bytes: [UInt8]) -> Value {
    let sides: [Side] =
      switch coverage {
      case .nothing, .clientHello, .serverHello: []
      case .serverFinished: [.server]
      case .clientFinished: [.server, .client]
      }
    guard !sides.isEmpty else { return value(.transcriptHash(coverage), bytes, .published) }
    let secrets = sides.map { name(.handshakeTrafficSecret, of: $0) }
    let keys = sides.flatMap { side in
      let epoch = TrafficEpoch(side, .handshake)
      return [name(epoch.keyKind, of: side), name(epoch.ivKind, of: side)]
    }
    return value(
      .transcriptHash(coverage), bytes, .computed(.transcriptHash, from: secrets),
      .computed(.transcriptHash, from: keys))
  }

  /// The key and the IV of an epoch.
  func values(_ epoch: TrafficEpoch, _ keys: RecordKeys) -> [Value] {
    let secret = name(epoch.secretKind, of: epoch.side)
    return [
      value(epoch.keyKind, of: epoch.side, keys.key, .computed(.hkdfExpandLabel(.key), from: [secret])),
      value(epoch.ivKind, of: epoch.side, keys.iv, .computed(.hkdfExpandLabel(.iv), from: [secret])),
    ]
  }

  /// The traffic secret that follows that of `epoch`; nil before the application phase.
  func nextTrafficSecret(after epoch: TrafficEpoch, _ bytes: [UInt8]) -> Value? {
    guard let next = epoch.next else { return nil }
    return value(
      next.secretKind, of: epoch.side, bytes,
      .computed(.hkdfExpandLabel(.trafficUpdate), from: [name(epoch.secretKind, of: epoch.side)]))
  }

  /// The `finished_key` of an epoch and the `verify_data` of the side.
  func finished(_ epoch: TrafficEpoch, finishedKey: [UInt8], verifyData: [UInt8]) -> [Value] {
    let key = value(
      epoch.finishedKeyKind, of: epoch.side, finishedKey,
      .computed(.hkdfExpandLabel(.finished), from: [name(epoch.secretKind, of: epoch.side)]))
    return [key, value(.verifyData, of: epoch.side, verifyData, .computed(.finishedMAC, from: [key.id]))]
  }

  /// The PSK and the nonce of the ticket with this number.
  ///
  /// The nonce is encrypted, but TrustLab counts tickets with it, so that every party can guess it.
  func ticketPSK(_ psk: [UInt8], nonce: [UInt8], number: Int) -> [Value] {
    let nonceName = name(.ticketNonce, number: number)
    return [
      Value(nonceName, nonce, .published),
      Value(
        name(.psk, number: number), psk,
        .computed(.hkdfExpandLabel(.resumption), from: [name(.resumptionSecret), nonceName])),
    ]
  }
}
