import Cryptography
import Explanation

/// The key schedule of TLS 1.3 (RFC 8446 section 7.1).
///
/// ```
/// HKDF-Extract(0, PSK)                                  = early_secret
/// HKDF-Extract("derived" of early_secret, (EC)DHE)      = handshake_secret
/// HKDF-Extract("derived" of handshake_secret, 0)        = master_secret
/// ```
///
/// Derive-Secret computes the traffic secrets and all others from these three; see `ScheduledSecret`.
public struct KeySchedule13: Sendable, Hashable {
  /// The functions of HKDF with the hash of the suite or of the PSK.
  public let functions: ExpandLabel
  /// `early_secret`
  public let earlySecret: [UInt8]
  /// `handshake_secret`; nil before the key exchange.
  public private(set) var handshakeSecret: [UInt8]?
  /// `master_secret`; nil before the key exchange.
  public private(set) var masterSecret: [UInt8]?

  /// The hash of the suite or of the PSK.
  public var hash: Hash { functions.hash }

  /// Computes the early secret. Without a PSK, zeros are used.
  public init(_ hash: Hash, psk: [UInt8]? = nil) {
    functions = ExpandLabel(hash)
    earlySecret = functions.extract(salt: [UInt8](repeating: 0, count: hash.digestSize), psk)
  }

  /// Computes the handshake secret and the master secret. Without (EC)DHE, as with `psk_ke`, zeros are used.
  public mutating func addSharedSecret(_ sharedSecret: [UInt8]?) {
    let handshake = functions.extract(salt: derived(earlySecret), sharedSecret)
    handshakeSecret = handshake
    masterSecret = functions.extract(salt: derived(handshake), nil)
  }

  /// Derive-Secret(`secret`, "derived", ""), the salt of the next HKDF-Extract.
  public func derived(_ secret: [UInt8]) -> [UInt8] {
    functions.secret(secret, .derived, transcriptHash: hash.digest([]))
  }

  /// The secret of a stage; nil before the key exchange.
  public func secret(_ stage: ScheduledSecret.Stage) -> [UInt8]? {
    switch stage {
    case .early: earlySecret
    case .handshake: handshakeSecret
    case .master: masterSecret
    }
  }

  /// A secret of the schedule, from the hash of the messages in its `coverage`. A binder key ignores the hash.
  ///
  /// Nil before the key exchange if the secret depends on it.
  public func secret(_ name: ScheduledSecret, transcriptHash: [UInt8]) -> [UInt8]? {
    let messages = name.coverage == .nothing ? hash.digest([]) : transcriptHash
    return secret(name.stage).map { functions.secret($0, name.label, transcriptHash: messages) }
  }

  /// The `binder_key` of a PSK (section 4.2.11.2).
  public func binderKey(isResumption: Bool) -> [UInt8] {
    functions.secret(
      earlySecret, isResumption ? .resumptionBinder : .externalBinder, transcriptHash: hash.digest([]))
  }
}

/// The values that traffic secrets, binder keys and the secrets of the connection's end result in.
extension ExpandLabel {
  /// `finished_key` of a traffic secret or a binder key (section 4.4.4).
  public func finishedKey(_ secret: [UInt8]) -> [UInt8] { output(secret, .finished) }

  /// The `verify_data` of Finished, or a PSK binder: HMAC(finished_key, hash of the transcript) (section 4.4.4).
  public func verifyData(_ secret: [UInt8], transcriptHash: [UInt8]) -> [UInt8] {
    HMAC.authenticationCode(hash, key: finishedKey(secret), transcriptHash)
  }

  /// The key and the IV of a traffic secret (section 7.3).
  public func recordKeys(
    _ trafficSecret: [UInt8], _ suite: CipherSuite.Registration, _ epoch: TrafficEpoch? = nil
  ) -> RecordKeys {
    RecordKeys(
      version: .tls13, cipher: suite.cipher, mac: .aead, macKey: [],
      key: output(trafficSecret, .key, count: suite.cipher.keyLength),
      iv: output(trafficSecret, .iv, count: AEADProtection13.nonceLength), epoch: epoch)
  }

  /// `application_traffic_secret_N+1`, to which KeyUpdate switches (section 7.2).
  public func nextTrafficSecret(_ trafficSecret: [UInt8]) -> [UInt8] { output(trafficSecret, .trafficUpdate) }

  /// The PSK of a ticket, from `resumption_master_secret` (section 4.6.1).
  public func ticketPSK(_ resumptionSecret: [UInt8], nonce: [UInt8]) -> [UInt8] {
    output(resumptionSecret, .resumption, context: nonce)
  }

  /// Exported keying material, from `exporter_master_secret` or `early_exporter_master_secret` (section 7.5).
  ///
  /// An absent and an empty context have the same result. Nil for a length or label that is too long.
  public func exported(_ exporterSecret: [UInt8], label: String, context: [UInt8] = [], count: Int) -> [UInt8]? {
    guard let secret = output(exporterSecret, label, context: hash.digest([]), count: hash.digestSize) else {
      return nil
    }
    return output(secret, Method.ExpandLabel.exporter.rawValue, context: hash.digest(context), count: count)
  }
}
