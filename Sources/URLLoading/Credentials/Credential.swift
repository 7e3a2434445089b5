/// What answers a challenge: `NSURLCredential`.
public struct Credential: Sendable, Hashable, CustomStringConvertible {
  /// What it is made of.
  public enum Kind: Sendable, Hashable {
    /// `credentialWithUser:password:persistence:`.
    case password(user: String, password: String)
    /// `credentialWithIdentity:certificates:persistence:`, by the name of the certificate; `certificates` are meant to be
    /// the intermediates.
    case identity(String, certificates: [String])
    /// `credentialForTrust:`: whoever makes it says that the trust was evaluated.
    case trust
  }

  /// How long it is kept: `NSURLCredentialPersistence`.
  public enum Persistence: String, Sendable, Hashable, CaseIterable {
    /// For this request.
    case none
    /// As long as the process runs.
    case session
    /// In the keychain; on iOS for this app alone.
    case permanent
    /// In the keychain, and on the user's other devices: iOS 6 and later.
    case synchronizable

    /// Apple's name of the constant.
    public var constant: String {
      switch self {
      case .none: "NSURLCredentialPersistenceNone"
      case .session: "NSURLCredentialPersistenceForSession"
      case .permanent: "NSURLCredentialPersistencePermanent"
      case .synchronizable: "NSURLCredentialPersistenceSynchronizable"
      }
    }
  }

  /// What it is made of.
  public let kind: Kind
  /// How long it is kept.
  public var persistence: Persistence

  /// A credential.
  public init(_ kind: Kind, persistence: Persistence = .session) {
    self.kind = kind
    self.persistence = persistence
  }

  /// User and password.
  public static func password(_ user: String, _ password: String, _ persistence: Persistence = .session) -> Credential {
    Credential(.password(user: user, password: password), persistence: persistence)
  }

  /// Whether it can answer a challenge of `method` at all.
  public func suits(_ method: AuthenticationMethod) -> Bool {
    switch kind {
    case .trust: method == .serverTrust
    case .identity: method == .clientCertificate
    case .password: !method.isOfTLS
    }
  }

  /// As it is shown: a password never is.
  public var description: String {
    switch kind {
    case .password(let user, _): "user '\(user)' with a password, persistence \(persistence.rawValue)"
    case .identity(let name, _):
      // A file may give its identity no other name.
      "the identity\(name == "identity" ? " of the file" : " \(name)"), persistence \(persistence.rawValue)"
    case .trust: "the trust"
    }
  }

  /// How long it really is kept: an identity never longer than the process runs, whatever the argument says.
  public var effectivePersistence: Persistence {
    if case .identity = kind, persistence != .none { return .session }
    return persistence
  }

  /// Whether it is an identity that is to be kept longer than any is.
  var isMisjudged: Bool { persistence != effectivePersistence }
}

/// Where credentials are kept by protection space: `NSURLCredentialStorage`.
public struct CredentialStorage: Sendable, Hashable {
  /// What is kept for one space.
  public struct Entry: Sendable, Hashable {
    /// The space.
    public let space: ProtectionSpace
    /// The credentials, one per user; the first is the default, unless another was made it.
    public fileprivate(set) var credentials: [Credential]
    /// The credential that answers where nobody is asked.
    public fileprivate(set) var defaultCredential: Credential?
  }

  /// What is kept, in the order of storing.
  public private(set) var entries: [Entry] = []
  /// The identities that were to be kept longer than any is, also where nothing is left of them.
  private(set) var misjudged: [Credential] = []

  /// A storage that holds nothing.
  public init() {}

  /// `defaultCredentialForProtectionSpace:`: nil unless a space that is equal in every part was stored.
  public func defaultCredential(for space: ProtectionSpace) -> Credential? {
    entries.first { $0.space == space }?.defaultCredential
  }

  /// `setCredential:forProtectionSpace:`: one credential per user, the first the default; those for one request only are
  /// not kept.
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

  /// What is left after the app was launched again: what the keychain holds.
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
  /// By what a storage tells two credentials of one space apart.
  fileprivate var account: String {
    switch kind {
    case .password(let user, _): "user \(user)"
    case .identity(let name, _): "identity \(name)"
    case .trust: "trust"
    }
  }
}
