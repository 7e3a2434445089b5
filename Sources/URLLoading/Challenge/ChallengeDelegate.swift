import Explanation
import PKIX

/// An app's delegate as a table, with its methods, and with conditions that select its responses.
public struct ChallengeDelegate: Sendable {
  /// The implemented methods.
  public var methods: Set<DelegateMethod>
  /// The result of `connectionShouldUseCredentialStorage:`; nil if it is not implemented, which means YES.
  public var shouldUseCredentialStorage: Bool?
  /// The methods for which `canAuthenticateAgainstProtectionSpace:` returns YES.
  public var canAuthenticate: [AuthenticationMethod]
  /// The conditions and responses. The first match is used, and without a match there is no response.
  public var rules: [ChallengeRule]
  /// The rules that the delegate's code violates independently of its responses.
  public var remarks: [Rule]

  /// Creates a delegate with these rules.
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

  /// Creates a delegate that evaluates server trust in this way and follows the result. It leaves all other challenges
  /// to the system.
  public static func inspecting(_ inspection: TrustInspection) -> ChallengeDelegate {
    ChallengeDelegate(
      [
        ChallengeRule(
          ChallengeCondition(methods: [.serverTrust]), inspection, answers: [.useCredential(.trust)],
          otherwise: [.cancel]),
        .defaultHandling,
      ], canAuthenticate: [.serverTrust])
  }

  /// A delegate that accepts every server, and leaves all other challenges to the system.
  public static let acceptAll = ChallengeDelegate(
    [
      ChallengeRule(ChallengeCondition(methods: [.serverTrust]), answers: [.useCredential(.trust)]), .defaultHandling,
    ], canAuthenticate: [.serverTrust])

  /// The delegate of an app without an identity. Rows that would use an identity leave the challenge to the system.
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

  /// The delegate's own anchors.
  public var anchors: [Certificate] { rules.flatMap { $0.inspection?.settings.anchors ?? [] } }

  /// Returns the first rule that matches `challenge`; nil if none does. With `below`, rules of libraries are skipped.
  func rule(for challenge: AuthenticationChallenge, isRegistered: Bool, below: Bool = false) -> ChallengeRule? {
    rules.first { $0.condition.holds(for: challenge, isRegistered: isRegistered) && !(below && $0.library != nil) }
  }
}

/// One row of a delegate's table.
public struct ChallengeRule: Sendable {
  /// The condition of the row.
  public var condition: ChallengeCondition
  /// The delegate's evaluation of the trust; nil if it does not evaluate the trust.
  public var inspection: TrustInspection?
  /// The library that evaluates the trust instead of the delegate; nil if there is none.
  public var library: LibraryPolicy?
  /// The delegate's calls, in order. After an evaluation, they are the calls for a trusted server.
  public var answers: [DelegateCall]
  /// The delegate's calls for a server that is not trusted.
  public var otherwise: [DelegateCall]

  /// Creates a row.
  public init(
    _ condition: ChallengeCondition = .init(), _ inspection: TrustInspection? = nil, answers: [DelegateCall],
    otherwise: [DelegateCall] = []
  ) {
    self.condition = condition
    self.inspection = inspection
    self.answers = answers
    self.otherwise = otherwise
  }

  /// Creates a row in which a library handles a server's trust.
  public init(_ library: LibraryPolicy) {
    self.init(ChallengeCondition(methods: [.serverTrust]), answers: [])
    self.library = library
  }

  /// A row that leaves all other challenges to the system.
  public static let defaultHandling = ChallengeRule(answers: [.performDefaultHandling])
}

/// The condition of a row in a delegate's table. Every part that is set must match.
public struct ChallengeCondition: Sendable, Hashable {
  /// The authentication methods; nil for any.
  public var methods: [AuthenticationMethod]?
  /// The number of failed attempts; nil for any number.
  public var failures: ClosedRange<Int>?
  /// The required parts of the protection space.
  public var space = ProtectionSpacePattern()
  /// Whether a proxy must have sent the challenge; nil for either.
  public var isProxy: Bool?
  /// A list of spaces, one of which must match.
  public var isIn: [ProtectionSpacePattern]?
  /// A list of spaces, none of which may match.
  public var isNotIn: [ProtectionSpacePattern]?
  /// Whether the app assumes that its device is registered; nil for either.
  public var isRegistered: Bool?

  /// Creates a condition that restricts only `methods`.
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

  /// Whether the condition uses parts of the space that an attacker on the network can also cause.
  var looksAtSpace: Bool {
    isIn != nil || isNotIn != nil || space.host != nil || space.port != nil || space.protocol != nil
      || space.realm != nil
  }
}

/// A call with which a delegate responds.
public enum DelegateCall: Sendable, Hashable {
  /// `useCredential:` with this credential.
  case useCredential(CredentialSource)
  /// `continueWithoutCredential…`, or `useCredential` with nil.
  case continueWithoutCredential
  /// `cancelAuthenticationChallenge:`.
  case cancel
  /// `[connection cancel]`, after which the delegate gets no further calls for the load.
  case cancelConnection
  /// `performDefaultHandling…`.
  case performDefaultHandling
  /// `rejectProtectionSpace…`.
  case rejectProtectionSpace
  /// No response, because an exception ends the app first.
  case raise

  /// Whether the call uses an identity of the app.
  var isIdentity: Bool {
    switch self {
    case .useCredential(.identity): true
    case .useCredential(.made(let credential)): credential.suits(.clientCertificate)
    default: false
    }
  }

  /// The disposition; nil if the call does not respond to the challenge.
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

/// The source of the credential in a response.
public enum CredentialSource: Sendable, Hashable {
  /// `credentialForTrust:` with the trust of the challenge.
  case trust
  /// The app's credential for this kind of challenge: the trust, the app's identity, or the user's account.
  case own
  /// The app's identity.
  case identity
  /// The account of the app's user.
  case account
  /// The credential that the challenge proposes.
  case proposed
  /// The stored credential for this space, or for the space of the challenge. Without one, the delegate does not call.
  case stored(ProtectionSpacePattern?)
  /// A credential that the app creates.
  case made(Credential)
}
