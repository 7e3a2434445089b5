import Cryptography
import Synchronization

/// The signatures of certificates that were verified within one evaluation, and what came of each.
///
/// Many paths share their links: none is verified twice. What is left of the work that one evaluation may cause is
/// counted here for path building, validation and revocation together.
public final class SignatureMemory: Sendable {
  /// How many signatures one evaluation verifies at most.
  public static let usualLimit = 2048

  private struct State {
    var results: [Link<Certificate>: SignatureError?] = [:]
    var lists: [Link<CertificateRevocationList>: Bool] = [:]
    var left: Int
    var isExhausted = false

    mutating func spend(_ cost: Int = 1) -> Bool {
      if left < cost { isExhausted = true }
      left = max(0, left - cost)
      return !isExhausted
    }
  }

  private let state: Mutex<State>

  /// Nothing was verified yet, and so many signatures may be.
  public init(limit: Int = SignatureMemory.usualLimit) { state = Mutex(State(left: limit)) }

  /// Whether a signature was left unverified for there had been too many.
  public var isExhausted: Bool { state.withLock { $0.isExhausted } }

  /// What came of verifying the signature on `certificate` with the key of `issuer`: nil in the second place where it
  /// holds. Nil where it was not verified before and there were too many.
  func result(
    of certificate: Certificate, by issuer: Certificate, _ verify: () -> SignatureError?
  ) -> SignatureError?? {
    let link = Link(signed: certificate, issuer: issuer)
    if let known = state.withLock({ $0.results[link] }) { return .some(known) }
    guard state.withLock({ $0.spend(issuer.publicKey.verificationCost) }) else { return nil }
    let result = verify()
    state.withLock { $0.results[link] = .some(result) }
    return .some(result)
  }

  /// Whether the key of `issuer` made the signature on `list`; not where too many were verified already.
  func isSigned(_ list: CertificateRevocationList, by issuer: Certificate) -> Bool {
    let link = Link(signed: list, issuer: issuer)
    if let known = state.withLock({ $0.lists[link] }) { return known }
    guard state.withLock({ $0.spend(issuer.publicKey.verificationCost) }) else { return false }
    let holds = (try? list.verify(with: issuer.publicKey)) != nil
    state.withLock { $0.lists[link] = holds }
    return holds
  }

  /// Whether a signature of another kind may be verified; it is counted.
  func spend() -> Bool { state.withLock { $0.spend() } }
}

extension PublicKey {
  /// How many usual verifications one with this key takes as long as: what no library has made fast takes longer.
  fileprivate var verificationCost: Int {
    switch self {
    case .namedCurve, .dsa: 8
    case .rsa, .ec, .ed25519, .unsupported: 1
    }
  }
}

/// What is signed and a certificate whose key may have done it, by their bytes: an answer may bring along the same one
/// anew.
private struct Link<Signed: Hashable & Sendable>: Hashable {
  let signed: Signed
  let issuer: Certificate
}
