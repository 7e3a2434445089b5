import Trust
import URLLoading

/// A delegate's answer under construction: a call and its credential.
struct DelegateAnswer: Sendable {
  var credential: CredentialSource?
  var space: ProtectionSpacePattern?

  static let section = Section<DelegateAnswer>(
    "delegate answer", "An answer that uses a credential.",
    [
      .term(
        "useCredential", .credentialSource,
        "the credential: trust, identity, account, proposed, stored, the name of an identity, or a map with user and "
          + "password",
        into: \.credential),
      .term(
        "from", .space, "the protection space of a stored credential", into: \.space),
    ])

  /// The keywords for answers, including Apple's names for them.
  static let words = ChallengeDisposition.words + ["cancelConnection", "none"]

  /// Returns the call with this name; nil if there is none.
  static func call(_ word: String) -> DelegateCall? {
    switch ChallengeDisposition(word: word) {
    case .useCredential: .useCredential(.own)
    case .continueWithoutCredential: .continueWithoutCredential
    case .cancel: .cancel
    case .performDefaultHandling: .performDefaultHandling
    case .rejectProtectionSpace: .rejectProtectionSpace
    case nil: word == "cancelConnection" ? .cancelConnection : nil
    }
  }
}

/// A user's name and password under construction.
struct PasswordDescription: Sendable, Hashable {
  var user: String?
  var password: String?
  var identity: String?
  var persistence = Credential.Persistence.session

  static let section = Section<PasswordDescription>(
    "credential", "A credential: a user name and password, or an identity.",
    [
      .term("user", .text, "the user", into: \.user),
      .term("password", .text, "the password", into: \.password),
      .term("identity", .text, "the certificate of an identity, instead of user and password", into: \.identity),
      .term(
        "persistence", .choice(called: "persistence"),
        "the persistence of the credential: none, session, permanent or synchronizable; default: session",
        into: \.persistence),
    ])

  /// Reads the credential in a map; nil if it is invalid, which is reported once.
  static func read(_ reader: NodeReader) -> Credential? {
    let reports = reader.sink.reports
    var credential = PasswordDescription()
    guard reader.read(section, into: &credential) != nil, reader.sink.reports == reports else { return nil }
    return credential.credential(reader)
  }

  /// Returns the credential. Reports it and returns nil if it is neither a user with a password nor an identity.
  func credential(_ reader: NodeReader) -> Credential? {
    if let identity, user == nil, password == nil {
      return Credential(.identity(identity, certificates: []), persistence: persistence)
    }
    guard identity == nil, let user, let password else {
      reader.fail(
        "\(reader.path) must be a user and password, or an identity", hint: "write { user: alice, password: secret }")
      return nil
    }
    return .password(user, password, persistence)
  }
}

/// An entry of the credential storage under construction.
struct StoredCredential: Sendable, Hashable {
  var space = ProtectionSpacePattern()
  var credential = PasswordDescription()

  static let section = Section<StoredCredential>(
    "stored credential",
    "A credential in NSURLCredentialStorage, which is the default credential of its protection space.",
    [
      .term("space", .space, "the complete protection space of the credential", into: \.space),
      .term("user", .text, "the user", into: \.credential.user),
      .term("password", .text, "the password", into: \.credential.password),
      .term("identity", .text, "the certificate of an identity", into: \.credential.identity),
      .term(
        "persistence", .choice(called: "persistence"),
        "the persistence of the credential: session, permanent or synchronizable; default: session",
        into: \.credential.persistence),
    ])
}

/// A credential in the storage, as a scenario describes it.
public struct CredentialDescription: Sendable, Hashable {
  /// The protection space of the credential.
  public let space: ProtectionSpacePattern
  /// The credential that is stored for the protection space.
  public let credential: Credential
}

extension ChallengeDisposition {
  /// Every keyword for a disposition: the short keyword, and Apple's name if it differs.
  fileprivate static let words = allCases.map(\.rawValue) + allCases.filter { $0.name != $0.rawValue }.map(\.name)

  fileprivate init?(word: String) {
    guard let disposition = Self.allCases.first(where: { $0.rawValue == word || $0.name == word }) else { return nil }
    self = disposition
  }
}

extension Kind {
  /// The answer to a challenge: a keyword of a delegate's table, or Apple's name.
  static var givenAnswer: Kind<String> {
    let short = [
      "none": ChallengeExchange.Answer.unanswered.name, "exception": ChallengeExchange.Answer.exception.name,
    ]
    let own = ChallengeExchange.Answer.names.filter { ChallengeDisposition(word: $0) == nil }
    return Kind<String>(.choice(ChallengeDisposition.words + own + short.keys.sorted())) { reader in
      reader.choice(ChallengeDisposition.words + own + short.keys.sorted(), called: "answer").map { word in
        ChallengeDisposition(word: word)?.name ?? short[word] ?? word
      }
    }
  }

  /// A single answer or several answers.
  static var delegateCalls: Kind<[DelegateCall]> {
    let shape = Word.Shape.either([.choice(DelegateAnswer.words), .section(DelegateAnswer.section.name)])
    return Kind<[DelegateCall]>(.either([shape, .list(shape)])) { reader in
      if case .list = reader.node { return reader.list { $0.delegateCall() }?.compactMap(\.self) }
      return reader.delegateCall().map { [$0].compactMap(\.self) }
    }
  }

  static var credentialSource: Kind<CredentialSource> {
    let words = ["trust", "identity", "account", "proposed", "stored"]
    let section = PasswordDescription.section
    return Kind<CredentialSource>(.either([.choice(words), .section(section.name)])) { reader in
      if reader.node.entries != nil {
        return PasswordDescription.read(reader).map(CredentialSource.made)
      }
      switch reader.choice(words, called: "credential") {
      case "trust": return .trust
      case "identity": return .identity
      case "account": return .account
      case "proposed": return .proposed
      case "stored": return .stored(nil)
      default: return nil
      }
    }
  }

  /// An entry of the credential storage.
  static var storedCredential: Kind<CredentialDescription> {
    let section = StoredCredential.section
    return Kind<CredentialDescription>(.section(section.name)) { reader in
      let reports = reader.sink.reports
      var stored = StoredCredential()
      // An unknown word has already been reported, and causes the missing value.
      guard reader.read(section, into: &stored) != nil, reader.sink.reports == reports,
        let credential = stored.credential.credential(reader)
      else { return nil }
      return CredentialDescription(space: stored.space, credential: credential)
    }
  }

  /// The name and password of the app's user.
  static var account: Kind<Credential> {
    let section = PasswordDescription.section
    return Kind<Credential>(.section(section.name)) { reader in
      guard let credential = PasswordDescription.read(reader) else { return nil }
      if case .password = credential.kind { return credential }
      reader.fail(
        "\(reader.path) must have a user name and a password", hint: "write { user: alice, password: secret }")
      return nil
    }
  }
}

extension NodeReader {
  /// Reads a single answer; `.some(nil)` means no answer.
  fileprivate func delegateCall() -> DelegateCall?? {
    guard node.entries != nil else {
      return choice(DelegateAnswer.words, called: "answer").map(DelegateAnswer.call)
    }
    let reports = sink.reports
    var answer = DelegateAnswer()
    guard read(DelegateAnswer.section, into: &answer) != nil, sink.reports == reports else { return nil }
    guard let credential = answer.credential else {
      fail("\(path) has no credential", hint: "write { useCredential: { user: alice, password: secret } }")
      return nil
    }
    guard case .stored = credential else {
      if answer.space != nil {
        fail("\(path): 'from' needs a stored credential", hint: "write { useCredential: stored, from: { host: … } }")
      }
      return .some(.useCredential(credential))
    }
    return .some(.useCredential(.stored(answer.space)))
  }
}
