/// A credential for a challenge: `NSURLCredential`.
public struct Credential: Sendable, Hashable, CustomStringConvertible {
  /// The content of a credential.
  public enum Kind: Sendable, Hashable {
    /// `credentialWithUser:password:persistence:`.
    case password(user: String, password: String)
    /// `credentialWithIdentity:certificates:persistence:`, identified by the name of the certificate.
    ///
    /// `certificates` should contain the intermediate certificates.
    case identity(String, certificates: [String])
    /// `credentialForTrust:`, with which the app states that it has evaluated the trust.
    case trust
  }

  /// The lifetime of a stored credential: `NSURLCredentialPersistence`.
  public enum Persistence: String, Sendable, Hashable, CaseIterable {
    /// The credential is used for this request only.
    case none
    /// The credential is kept until the process ends.
    case session
    /// The credential is kept in the keychain. On iOS, only this app can use it.
    case permanent
    /// The credential is kept in the keychain, also on the user's other devices (iOS 6 and later).
    case synchronizable

    /// The name of Apple's constant.
    public var constant: String {
      switch self {
      case .none: "NSURLCredentialPersistenceNone"
      case .session: "NSURLCredentialPersistenceForSession"
      case .permanent: "NSURLCredentialPersistencePermanent"
      case .synchronizable: "NSURLCredentialPersistenceSynchronizable"
      }
    }
  }

  /// The content.
  public let kind: Kind
  /// The lifetime of the credential in a storage.
  public var persistence: Persistence

  /// Creates a credential.
  public init(_ kind: Kind, persistence: Persistence = .session) {
    self.kind = kind
    self.persistence = persistence
  }

  /// Creates a credential from a user and a password.
  public static func password(_ user: String, _ password: String, _ persistence: Persistence = .session) -> Credential {
    Credential(.password(user: user, password: password), persistence: persistence)
  }

  /// Returns whether the credential suits challenges of `method`.
  public func suits(_ method: AuthenticationMethod) -> Bool {
    switch kind {
    case .trust: method == .serverTrust
    case .identity: method == .clientCertificate
    case .password: !method.isOfTLS
    }
  }

  /// A description without the password.
  public var description: String {
    switch kind {
    case .password(let user, _): "user '\(user)' with a password, persistence \(persistence.rawValue)"
    case .identity(let name, _):
      // An identity from a file may have no name except `identity`.
      "the identity\(name == "identity" ? " of the file" : " \(name)"), persistence \(persistence.rawValue)"
    case .trust: "the trust"
    }
  }

  /// The effective lifetime. An identity is never kept longer than the process runs, regardless of the argument.
  public var effectivePersistence: Persistence {
    if case .identity = kind, persistence != .none { return .session }
    return persistence
  }

  /// Whether the app asks the system to keep an identity longer than it does.
  var isMisjudged: Bool { persistence != effectivePersistence }
}

/// The credentials by protection space: `NSURLCredentialStorage`.
public struct CredentialStorage: Sendable, Hashable {
  /// The credentials of one space.
  public struct Entry: Sendable, Hashable {
    /// The space.
    public let space: ProtectionSpace
    /// The credentials, one for each user. The first is the default unless the app sets another.
    public fileprivate(set) var credentials: [Credential]
    /// The credential that the system uses without a delegate.
    public fileprivate(set) var defaultCredential: Credential?
  }

  /// The entries in the order in which they were stored.
  public private(set) var entries: [Entry] = []
  /// The identities for which the app requested a lifetime that is too long, including removed ones.
  private(set) var misjudged: [Credential] = []

  /// Creates an empty storage.
  public init() {}

  /// Returns `defaultCredentialForProtectionSpace:`, which is nil unless the storage has a space that is equal in every
  /// part.
  public func defaultCredential(for space: ProtectionSpace) -> Credential? {
    entries.first { $0.space == space }?.defaultCredential
  }

  /// Stores one credential for each user, the first as the default (`setCredential:forProtectionSpace:`).
  ///
  /// Credentials for one request only are not stored.
  public mutating func set(_ credential: Credential, for space: ProtectionSpace, asDefault: Bool = false) {
    guard credential.effectivePersistence != .none else { return }
    if credential.isMisjudged, !misjudged.contains(credential) { misjudged.append(credential) }
    let index = entries.firstIndex { $0.space == space } ?? entries.endIndex
    if index == entries.endIndex { entries.append(Entry(space: space, credentials: [], defaultCredential: nil)) }
    entries[index].credentials.removeAll { $0.account == credential.account }
    entries[index].credentials.append(credential)
    let replaces = entries[index].defaultCredential?.account == credential.account
    if asDefault || replaces || entries[index].defaultCredential == nil {
      entries[index].defaultCredential = credential
    }
  }

  /// The storage after the app was launched again. Only the credentials in the keychain remain.
  public var afterRelaunch: CredentialStorage {
    var kept = CredentialStorage()
    kept.misjudged = misjudged
    for entry in entries {
      for credential in entry.credentials
      where [.permanent, .synchronizable].contains(credential.effectivePersistence) {
        kept.set(credential, for: entry.space, asDefault: credential == entry.defaultCredential)
      }
    }
    return kept
  }
}

extension Credential {
  /// The key that distinguishes two credentials of one space in a storage.
  fileprivate var account: String {
    switch kind {
    case .password(let user, _): "user \(user)"
    case .identity(let name, _): "identity \(name)"
    case .trust: "trust"
    }
  }
}
