import Cryptography
import Explanation

/// The secrets that the reader of a recording has. Any of them may be absent.
public struct SessionSecrets: Sendable {
  /// The server's private key, which can decrypt only an RSA key exchange.
  public var serverKey: PrivateKey?
  /// The name of the private key as a value.
  public var serverKeyName = ValueScope("\(Side.server)").name(.key)
  /// `premaster_secret`.
  public var premasterSecret: [UInt8]?
  /// The `master_secret` of a session, which has 48 bytes.
  public var masterSecret: [UInt8]?
  /// The secrets of many sessions, each identified by a cleartext value.
  public var keyLog = Log()

  /// Creates a set of secrets.
  public init(
    serverKey: PrivateKey? = nil, premasterSecret: [UInt8]? = nil, masterSecret: [UInt8]? = nil,
    keyLog: Log = Log()
  ) {
    self.serverKey = serverKey
    self.premasterSecret = premasterSecret
    self.masterSecret = masterSecret
    self.keyLog = keyLog
  }

  /// These secrets, without those of the session with this `client_random`.
  public func without(_ clientRandom: [UInt8]) -> SessionSecrets {
    var rest = SessionSecrets(serverKey: serverKey)
    rest.serverKeyName = serverKeyName
    rest.keyLog = keyLog
    rest.keyLog.masterSecrets[clientRandom] = nil
    rest.keyLog.premasterSecrets[clientRandom] = nil
    rest.keyLog.trafficSecrets[clientRandom] = nil
    // These two dictionaries identify the session by other values.
    rest.keyLog.sessions = [:]
    rest.keyLog.decryptions = [:]
    return rest
  }

  /// Other possible secrets of the session, in case the first is wrong.
  public func others(for clientRandom: [UInt8]) -> [SessionSecrets] {
    var others: [SessionSecrets] = []
    for master in [keyLog.masterSecrets[clientRandom]].compactMap(\.self)
      + (keyLog.earlierMasterSecrets[clientRandom] ?? []).reversed()
    {
      var other = without(clientRandom)
      other.keyLog.masterSecrets[clientRandom] = master
      others.append(other)
    }
    return others
  }

  /// The secrets of many sessions, from a key log.
  public struct Log: Sendable, Hashable {
    /// Each `master_secret` by the session's `client_random`.
    public var masterSecrets: [[UInt8]: [UInt8]] = [:]
    /// Each `premaster_secret` by the session's `client_random`.
    public var premasterSecrets: [[UInt8]: [UInt8]] = [:]
    /// Each `premaster_secret` by the first 8 bytes of its `encrypted_premaster_secret`.
    public var decryptions: [[UInt8]: [UInt8]] = [:]
    /// Each `master_secret` by its `session_id`.
    public var sessions: [[UInt8]: [UInt8]] = [:]
    /// Each `master_secret` that a later line contradicts, by the session's `client_random`.
    public var earlierMasterSecrets: [[UInt8]: [[UInt8]]] = [:]
    /// The secrets of TLS 1.3 by the session's `client_random`.
    public var trafficSecrets: [[UInt8]: [ScheduledSecret: [UInt8]]] = [:]
    /// The labels of lines that TLS 1.2 does not use, such as those of TLS 1.3, by `client_random`.
    public var otherLabels: [[UInt8]: [String]] = [:]
    /// The number of lines in the log; nil if there is no log.
    public var lineCount: Int?

    /// Creates an empty log.
    public init() {}

    /// Adds a secret of TLS 1.3 with its label. A later secret replaces an earlier one; unknown labels are only stored.
    public mutating func add(_ secret: [UInt8], _ label: String, clientRandom: [UInt8]) {
      otherLabels[clientRandom, default: []].append(label)
      guard let scheduled = ScheduledSecret(keyLogLabel: label) else { return }
      trafficSecrets[clientRandom, default: [:]][scheduled] = secret
    }

    /// Adds the secrets of another log. Its secrets replace existing ones.
    public mutating func merge(_ other: Log) {
      masterSecrets.merge(other.masterSecrets) { $1 }
      premasterSecrets.merge(other.premasterSecrets) { $1 }
      decryptions.merge(other.decryptions) { $1 }
      sessions.merge(other.sessions) { $1 }
      earlierMasterSecrets.merge(other.earlierMasterSecrets) { $0 + $1 }
      otherLabels.merge(other.otherLabels) { $0 + $1 }
      trafficSecrets.merge(other.trafficSecrets) { $0.merging($1) { $1 } }
      if let count = other.lineCount { lineCount = (lineCount ?? 0) + count }
    }

    /// Whether the log contains no secrets.
    public var isEmpty: Bool {
      masterSecrets.isEmpty && premasterSecrets.isEmpty && decryptions.isEmpty && sessions.isEmpty
        && trafficSecrets.isEmpty
    }

    /// The master secret of the session with this `client_random` or `session_id`; nil if it is unknown.
    func masterSecret(_ clientRandom: [UInt8], sessionID: [UInt8]) -> [UInt8]? {
      masterSecrets[clientRandom] ?? (sessionID.isEmpty ? nil : sessions[sessionID])
    }

    /// The premaster secret of the session with this `client_random` or encrypted premaster secret; nil if it is
    /// unknown.
    func premasterSecret(_ clientRandom: [UInt8], encrypted: [UInt8]?) -> [UInt8]? {
      premasterSecrets[clientRandom] ?? encrypted.flatMap { decryptions[Array($0.prefix(8))] }
    }
  }
}

/// The settings of a replay.
public struct ReplayConfiguration: Sendable {
  /// The secrets with which the replay decrypts records.
  public var secrets: SessionSecrets
  /// Returns the public key in a DER certificate; nil if the certificate is unreadable.
  ///
  /// The caller provides this function because TLS does not parse certificates.
  public var publicKey: @Sendable ([UInt8]) -> PublicKey?
  /// The rules that the replay checks.
  public var enforcement: Enforcement
  /// The prefix of all value names; empty for a single session.
  public var valueScope: ValueScope
  /// The sides from which the recording lacks bytes before others, with the reason.
  public var incomplete: [Side: String] = [:]
  /// Whether a secret that does not decrypt the first record is assumed to belong to another session.
  ///
  /// The replay then attributes no violation to either side.
  public var doubtsSecrets = false

  /// Creates the settings of a replay. Without `publicKey`, the replay verifies no signatures.
  public init(
    secrets: SessionSecrets = SessionSecrets(),
    publicKey: @escaping @Sendable ([UInt8]) -> PublicKey? = { _ in nil },
    enforcement: Enforcement = .standard, valueScope: ValueScope = ValueScope()
  ) {
    self.secrets = secrets
    self.publicKey = publicKey
    self.enforcement = enforcement
    self.valueScope = valueScope
  }
}
