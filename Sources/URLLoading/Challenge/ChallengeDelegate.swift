import Explanation
import PKIX

/// An app's delegate as a table: which methods it has, and which conditions lead to which answers.
public struct ChallengeDelegate: Sendable {
  /// The methods that it implements.
  public var methods: Set<DelegateMethod>
  /// What `connectionShouldUseCredentialStorage:` answers; nil where it is not implemented, which means yes.
  public var shouldUseCredentialStorage: Bool?
  /// What `canAuthenticateAgainstProtectionSpace:` says yes to.
  public var canAuthenticate: [AuthenticationMethod]
  /// Conditions and answers; the first that holds counts, and where none does nothing is answered.
  public var rules: [ChallengeRule]
  /// What is wrong with it apart from its answers: the rules that its code violates wherever it is used.
  public var remarks: [Rule]

  /// A delegate with these rules.
  public init(
    _ rules: [ChallengeRule], methods: Set<DelegateMethod> = Set(DelegateMethod.allCases),
    shouldUseCredentialStorage: Bool? = nil, canAuthenticate: [AuthenticationMethod] = [], remarks: [Rule] = []
  ) {
    self.rules = rules
    self.methods = methods
    self.shouldUseCredentialStorage = shouldUseCredentialStorage
    self.canAuthenticate = canAuthenticate
    self.remarks = remarks
  }

  /// One that looks at a server's trust in this way, goes by the result, and leaves all else to the system.
  public static func inspecting(_ inspection: TrustInspection) -> ChallengeDelegate {
    ChallengeDelegate(
      [
        ChallengeRule(
          ChallengeCondition(methods: [.serverTrust]), inspection, answers: [.useCredential(.trust)],
          otherwise: [.cancel]),
        .defaultHandling,
      ], canAuthenticate: [.serverTrust])
  }

  /// One that hands in a credential for whatever trust it is given, and leaves all else to the system.
  public static let acceptAll = ChallengeDelegate(
    [
      ChallengeRule(ChallengeCondition(methods: [.serverTrust]), answers: [.useCredential(.trust)]), .defaultHandling,
    ], canAuthenticate: [.serverTrust])

  /// The same delegate of an app that has no identity: rows that would hand one in leave it to the system.
  public var withoutIdentities: ChallengeDelegate {
    var delegate = self
    delegate.rules = rules.map { rule in
      guard rule.answers.contains(where: \.isIdentity) else { return rule }
      var other = rule
      other.answers = [.performDefaultHandling]
      return other
    }
    return delegate
  }

  /// The anchors that it sets for itself.
  public var anchors: [Certificate] { rules.flatMap { $0.inspection?.settings.anchors ?? [] } }

  /// The first rule that holds for `challenge`; `below` for the first that is no library's; nil where none does.
  func rule(for challenge: AuthenticationChallenge, isRegistered: Bool, below: Bool = false) -> ChallengeRule? {
    rules.first { $0.condition.holds(for: challenge, isRegistered: isRegistered) && !(below && $0.library != nil) }
  }
}

/// One row of a delegate's table.
public struct ChallengeRule: Sendable {
  /// When it counts.
  public var condition: ChallengeCondition
  /// What it does with the trust first; nil where it looks at none.
  public var inspection: TrustInspection?
  /// The library that decides about the trust in the place of an inspection; nil for none.
  public var library: LibraryPolicy?
  /// What it calls then, in order; where it looks at the trust, when that is found good.
  public var answers: [DelegateCall]
  /// What it calls when it is not.
  public var otherwise: [DelegateCall]

  /// A row.
  public init(
    _ condition: ChallengeCondition = .init(), _ inspection: TrustInspection? = nil, answers: [DelegateCall],
    otherwise: [DelegateCall] = []
  ) {
    self.condition = condition
    self.inspection = inspection
    self.answers = answers
    self.otherwise = otherwise
  }

  /// A server's trust is the library's affair, answers and all.
  public init(_ library: LibraryPolicy) {
    self.init(ChallengeCondition(methods: [.serverTrust]), answers: [])
    self.library = library
  }

  /// All else is the system's.
  public static let defaultHandling = ChallengeRule(answers: [.performDefaultHandling])
}

/// When a row of a delegate's table counts: every part that is said must hold.
public struct ChallengeCondition: Sendable, Hashable {
  /// What is asked; nil for anything.
  public var methods: [AuthenticationMethod]?
  /// How many attempts have failed; nil for any number.
  public var failures: ClosedRange<Int>?
  /// The parts of the space that must be so.
  public var space = ProtectionSpacePattern()
  /// Whether a proxy asks; nil for either.
  public var isProxy: Bool?
  /// Spaces of which it must be one.
  public var isIn: [ProtectionSpacePattern]?
  /// Spaces of which it must be none.
  public var isNotIn: [ProtectionSpacePattern]?
  /// Whether the app believes its device to be registered; nil for either.
  public var isRegistered: Bool?

  /// A condition that always holds, but for `methods`.
  public init(methods: [AuthenticationMethod]? = nil) { self.methods = methods }

  func holds(for challenge: AuthenticationChallenge, isRegistered registered: Bool) -> Bool {
    let asked = challenge.space
    if let methods, !methods.contains(where: asked.method.isEqual) { return false }
    if let failures, !failures.contains(challenge.previousFailureCount) { return false }
    if let isProxy, isProxy != asked.isProxy { return false }
    if let isRegistered, isRegistered != registered { return false }
    if let isIn, !isIn.contains(where: { $0.matches(asked) }) { return false }
    if let isNotIn, isNotIn.contains(where: { $0.matches(asked) }) { return false }
    return space.matches(asked)
  }

  /// Whether it looks at the parts of the space that anyone on the network can show as well.
  var looksAtSpace: Bool {
    isIn != nil || isNotIn != nil || space.host != nil || space.port != nil || space.protocol != nil
      || space.realm != nil
  }
}

/// A call by which a delegate answers.
public enum DelegateCall: Sendable, Hashable {
  /// `useCredential:`, with this credential.
  case useCredential(CredentialSource)
  /// `continueWithoutCredential…`, or `useCredential` with nil.
  case continueWithoutCredential
  /// `cancelAuthenticationChallenge:`.
  case cancel
  /// `[connection cancel]`: the delegate hears nothing more of the load.
  case cancelConnection
  /// `performDefaultHandling…`.
  case performDefaultHandling
  /// `rejectProtectionSpace…`.
  case rejectProtectionSpace
  /// No answer: an exception ends the app first.
  case raise

  /// Whether it hands in an identity of the app's own.
  var isIdentity: Bool {
    switch self {
    case .useCredential(.identity): true
    case .useCredential(.made(let credential)): credential.suits(.clientCertificate)
    default: false
    }
  }

  /// What it answers; nil where it is no answer to the challenge.
  public var disposition: ChallengeDisposition? {
    switch self {
    case .useCredential: .useCredential
    case .continueWithoutCredential: .continueWithoutCredential
    case .cancel: .cancel
    case .cancelConnection, .raise: nil
    case .performDefaultHandling: .performDefaultHandling
    case .rejectProtectionSpace: .rejectProtectionSpace
    }
  }
}

/// Where the credential of an answer comes from.
public enum CredentialSource: Sendable, Hashable {
  /// `credentialForTrust:` of the challenge's own trust.
  case trust
  /// What the app has for a challenge of this kind: the trust, its identity, or the account of its user.
  case own
  /// The app's identity.
  case identity
  /// The account of the app's user.
  case account
  /// The challenge's proposed credential.
  case proposed
  /// What the storage has for this space, or for the challenge's own; nothing is called where it has none.
  case stored(ProtectionSpacePattern?)
  /// A credential that the app makes.
  case made(Credential)
}
