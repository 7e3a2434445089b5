import Cryptography
import Explanation

/// What somebody who reads along has been given: any of these, or nothing.
public struct SessionSecrets: Sendable {
  /// The server's private key, which opens an RSA key exchange and no other.
  public var serverKey: PrivateKey?
  /// The private key's name as a value.
  public var serverKeyName = "server.key"
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

  /// Secrets of many sessions, as a key log tells them.
  public struct Log: Sendable, Hashable {
    /// `master_secret`, by `client_random`.
    public var masterSecrets: [[UInt8]: [UInt8]] = [:]
    /// `premaster_secret`, by `client_random`.
    public var premasterSecrets: [[UInt8]: [UInt8]] = [:]
    /// `premaster_secret`, by the first 8 bytes of `encrypted_premaster_secret`.
    public var decryptions: [[UInt8]: [UInt8]] = [:]

    /// No secrets.
    public init() {}

    /// Adds the secrets of another log, which count before those of this one.
    public mutating func merge(_ other: Log) {
      masterSecrets.merge(other.masterSecrets) { $1 }
      premasterSecrets.merge(other.premasterSecrets) { $1 }
      decryptions.merge(other.decryptions) { $1 }
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
  public var valuePrefix: String
  /// Of whose bytes the recording lacks some, before others that it has, and why.
  public var incomplete: [Side: String] = [:]

  /// A replay with these secrets; without `publicKey` no signature is checked.
  public init(
    secrets: SessionSecrets = SessionSecrets(),
    publicKey: @escaping @Sendable ([UInt8]) -> PublicKey? = { _ in nil },
    enforcement: Enforcement = .standard, valuePrefix: String = ""
  ) {
    self.secrets = secrets
    self.publicKey = publicKey
    self.enforcement = enforcement
    self.valuePrefix = valuePrefix
  }
}
