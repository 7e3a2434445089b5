import Cryptography
import Explanation

/// What somebody who reads along has been given: any of these, or nothing.
public struct SessionSecrets: Sendable {
  /// The server's private key, which opens an RSA key exchange and no other.
  public var serverKey: PrivateKey?
  /// The private key's name as a value.
  public var serverKeyName = ValueScope("\(Side.server)").name(.key)
  /// `premaster_secret`.
  public var premasterSecret: [UInt8]?
  /// `master_secret`, 48 bytes.
  public var masterSecret: [UInt8]?
  /// Secrets of many sessions, found by what travels in the clear.
  public var keyLog = Log()

  /// These secrets.
  public init(
    serverKey: PrivateKey? = nil, premasterSecret: [UInt8]? = nil, masterSecret: [UInt8]? = nil,
    keyLog: Log = Log()
  ) {
    self.serverKey = serverKey
    self.premasterSecret = premasterSecret
    self.masterSecret = masterSecret
    self.keyLog = keyLog
  }

  /// These secrets without those that were given for the session that began with this `client_random`.
  public func without(_ clientRandom: [UInt8]) -> SessionSecrets {
    var rest = SessionSecrets(serverKey: serverKey)
    rest.serverKeyName = serverKeyName
    rest.keyLog = keyLog
    rest.keyLog.masterSecrets[clientRandom] = nil
    rest.keyLog.premasterSecrets[clientRandom] = nil
    // These two name the session otherwise.
    rest.keyLog.sessions = [:]
    rest.keyLog.decryptions = [:]
    return rest
  }

  /// What else may be the secret of the session, where the one that counts first does not fit it.
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

  /// Secrets of many sessions, as a key log tells them.
  public struct Log: Sendable, Hashable {
    /// `master_secret`, by `client_random`.
    public var masterSecrets: [[UInt8]: [UInt8]] = [:]
    /// `premaster_secret`, by `client_random`.
    public var premasterSecrets: [[UInt8]: [UInt8]] = [:]
    /// `premaster_secret`, by the first 8 bytes of `encrypted_premaster_secret`.
    public var decryptions: [[UInt8]: [UInt8]] = [:]
    /// `master_secret`, by `session_id`.
    public var sessions: [[UInt8]: [UInt8]] = [:]
    /// What earlier lines have as `master_secret`, by `client_random`, where a later line has another.
    public var earlierMasterSecrets: [[UInt8]: [[UInt8]]] = [:]
    /// The labels of lines that are not used here, such as those of TLS 1.3, by `client_random`.
    public var otherLabels: [[UInt8]: [String]] = [:]
    /// How many lines the log has; nil where there is no log.
    public var lineCount: Int?

    /// No secrets.
    public init() {}

    /// Adds the secrets of another log, which count before those of this one.
    public mutating func merge(_ other: Log) {
      masterSecrets.merge(other.masterSecrets) { $1 }
      premasterSecrets.merge(other.premasterSecrets) { $1 }
      decryptions.merge(other.decryptions) { $1 }
      sessions.merge(other.sessions) { $1 }
      earlierMasterSecrets.merge(other.earlierMasterSecrets) { $0 + $1 }
      otherLabels.merge(other.otherLabels) { $0 + $1 }
      if let count = other.lineCount { lineCount = (lineCount ?? 0) + count }
    }

    /// Whether there is a secret of any session.
    public var isEmpty: Bool {
      masterSecrets.isEmpty && premasterSecrets.isEmpty && decryptions.isEmpty && sessions.isEmpty
    }

    /// The master secret of the session that began with this `client_random`, or has this `session_id`.
    func masterSecret(_ clientRandom: [UInt8], sessionID: [UInt8]) -> [UInt8]? {
      masterSecrets[clientRandom] ?? (sessionID.isEmpty ? nil : sessions[sessionID])
    }

    /// The premaster secret of the session that began with this `client_random`, or that was encrypted as this.
    func premasterSecret(_ clientRandom: [UInt8], encrypted: [UInt8]?) -> [UInt8]? {
      premasterSecrets[clientRandom] ?? encrypted.flatMap { decryptions[Array($0.prefix(8))] }
    }
  }
}

/// What a replay begins with.
public struct ReplayConfiguration: Sendable {
  /// What opens the records.
  public var secrets: SessionSecrets
  /// The key in a certificate in DER, asked of someone who knows certificates; nil when it cannot be told.
  public var publicKey: @Sendable ([UInt8]) -> PublicKey?
  /// The rules in force.
  public var enforcement: Enforcement
  /// What the names of all values begin with; empty for a single session.
  public var valueScope: ValueScope
  /// Of whose bytes the recording lacks some, before others that it has, and why.
  public var incomplete: [Side: String] = [:]
  /// Whether a secret that opens not even the first record is taken for one of another session: nobody is to blame for it.
  public var doubtsSecrets = false

  /// A replay with these secrets; without `publicKey` no signature is checked.
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
