import Cryptography
import Explanation
import Wire

/// A key that the client and the server have agreed on outside TLS (RFC 8446 section 2.2).
public struct ExternalPSK: Sendable, Hashable {
  /// The name of the key on the wire.
  public var identity: [UInt8]
  /// The key.
  public var key: [UInt8]
  /// The hash that the key is used with: SHA-256 if nothing else is agreed (RFC 8446 section 4.2.11).
  public var hash: Hash
  /// The name of the key as a value, such as `psk`.
  public var id: Value.ID

  /// Creates a key with this name on the wire.
  public init(identity: [UInt8], key: [UInt8], hash: Hash = .sha256, id: Value.ID = ValueName(.externalPSK)) {
    (self.identity, self.key, self.hash, self.id) = (identity, key, hash, id)
  }
}

extension ExternalPSK {
  /// Returns whether both are one key under one name on the wire.
  public func isSame(as other: ExternalPSK) -> Bool { identity == other.identity && key == other.key }
}

extension ServerConfiguration {
  /// Returns whether the server accepts this external key.
  public func has(_ psk: ExternalPSK) -> Bool { externalPSKs.contains(where: psk.isSame) }
}

/// A session of TLS 1.3: a ticket, and the pre-shared key that follows from it (RFC 8446 section 4.6.1).
public struct Session13: Sendable, Hashable {
  /// The name of the key on the wire.
  public let id: [UInt8]
  /// The pre-shared key.
  public let psk: [UInt8]
  /// The name of the key as a value, such as `first.psk.1`.
  public let pskName: Value.ID
  /// The parameters that the handshake negotiated.
  public let parameters: ConnectionParameters
  /// The time at which the ticket was issued.
  public let established: Instant
  /// The number of seconds for which the server offers to resume the session.
  public let lifetime: Int64
  /// The number that obfuscates the age of the ticket.
  public let ageAdd: UInt32
  /// The number of bytes of early data that the server permits; 0 permits none.
  public let maximumEarlyData: UInt32
}

/// The handling of early data by a server (RFC 8446 section 8).
public struct EarlyDataPolicy: Sendable, Hashable {
  /// The protection against the replay of early data.
  public enum ReplayProtection: String, Sendable, Hashable, CaseIterable {
    /// The server accepts early data with a ticket again and again.
    case none
    /// Each ticket permits early data once (section 8.1).
    case singleUse = "single-use"
  }

  /// The number of bytes of early data that the server accepts.
  public var maximum: UInt32
  /// The protection against a replay.
  public var replayProtection: ReplayProtection

  /// Creates a policy.
  public init(maximum: UInt32 = 16_384, replayProtection: ReplayProtection = .singleUse) {
    (self.maximum, self.replayProtection) = (maximum, replayProtection)
  }
}

/// A pre-shared key in a handshake: that of a ticket, or an external one.
struct PreSharedKey: Sendable {
  let identity: [UInt8]
  let key: [UInt8]
  let hash: Hash
  /// The name of the key as a value.
  let name: Value.ID
  /// The session; nil for an external key.
  var session: Session13?

  init(_ external: ExternalPSK) {
    (identity, key, hash, name) = (external.identity, external.key, external.hash, external.id)
  }

  /// The key of a session; nil if its suite is unknown.
  init?(_ session: Session13) {
    guard let hash = session.parameters.cipherSuite.registration?.hash13 else { return nil }
    (identity, key, self.hash, name) = (session.id, session.psk, hash, session.pskName)
    self.session = session
  }

  /// Whether the key comes from a ticket.
  var isResumption: Bool { session != nil }

  /// The binder of the key: an HMAC over the messages up to the list of binders (RFC 8446 section 4.2.11.2).
  func binder(_ transcript: Transcript, before truncated: [UInt8]) -> [UInt8] {
    let schedule = KeySchedule13(hash, psk: key)
    return schedule.functions.verifyData(
      schedule.binderKey(isResumption: isResumption), transcriptHash: transcript.digest(hash, before: truncated))
  }

  /// `obfuscated_ticket_age` at `time` (RFC 8446 section 4.2.11.1); 0 for an external key.
  func obfuscatedAge(at time: Instant) -> UInt32 {
    guard let session else { return 0 }
    let age = max(0, time.secondsSince1970 - session.established.secondsSince1970)
    return UInt32(truncatingIfNeeded: age &* 1000) &+ session.ageAdd
  }
}

extension ClientHello {
  /// The same hello with `pre_shared_key` at its end, with binders over `transcript` and the hello.
  func offering(
    _ keys: [PreSharedKey], at time: Instant, after transcript: Transcript
  ) throws -> ClientHello {
    guard !keys.isEmpty else { return self }
    let identities = keys.map { key in
      OfferedPSKs.Identity(identity: key.identity, obfuscatedTicketAge: key.obfuscatedAge(at: time))
    }
    func hello(_ binders: [[UInt8]]) -> ClientHello {
      var hello = self
      hello.extensions =
        (extensions ?? []) + [.tls13(.preSharedKeys(OfferedPSKs(identities: identities, binders: binders)))]
      return hello
    }
    let draft = hello(keys.map { [UInt8](repeating: 0, count: $0.hash.digestSize) })
    let truncated = try HandshakeMessage(.clientHello(draft), under: .form13).truncated
    return hello(keys.map { $0.binder(transcript, before: truncated) })
  }
}

extension HandshakeMessage {
  /// The bytes of a ClientHello before its list of binders.
  var truncated: [UInt8] {
    guard case .clientHello(let hello) = body, let offer = hello.extensions?.preSharedKeys else { return bytes }
    return Array(bytes.dropLast(offer.bindersLength))
  }
}

extension Negotiated {
  /// The form of messages in TLS 1.3, before a suite is known. The suite does not change the form, except for Finished.
  static let form13 = CipherSuite.aes128GCMSHA256.registration.map { Negotiated(version: .tls13, suite: $0) }
}
