import Cryptography
import Synchronization

/// A cache of the signatures that one evaluation has verified.
///
/// Paths share many links, and none is verified twice. The cache also counts the remaining work of one evaluation, for
/// path building, validation and revocation together.
public final class SignatureCache: Sendable {
  /// The maximum number of signatures that one evaluation verifies.
  public static let defaultLimit = 2048

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

  /// Creates an empty cache that allows `limit` verifications.
  public init(limit: Int = SignatureCache.defaultLimit) { state = Mutex(State(left: limit)) }

  /// Whether the limit left a signature unverified.
  public var isExhausted: Bool { state.withLock { $0.isExhausted } }

  /// The result of verifying the signature on `certificate` with the key of `issuer`; the error is nil if it verifies.
  ///
  /// The result is nil if the limit was reached before.
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

  /// Whether the key of `issuer` made the signature on `list`; false after the limit was reached.
  func isSigned(_ list: CertificateRevocationList, by issuer: Certificate) -> Bool {
    let link = Link(signed: list, issuer: issuer)
    if let known = state.withLock({ $0.lists[link] }) { return known }
    guard state.withLock({ $0.spend(issuer.publicKey.verificationCost) }) else { return false }
    let holds = (try? list.verify(with: issuer.publicKey)) != nil
    state.withLock { $0.lists[link] = holds }
    return holds
  }

  /// Whether another signature may be verified; counts it.
  func spend() -> Bool { state.withLock { $0.spend() } }
}

extension PublicKey {
  /// The cost of a verification with this key, in ordinary verifications. Keys that no library optimises cost more.
  fileprivate var verificationCost: Int {
    switch self {
    case .namedCurve, .dsa: 8
    case .rsa, .ec, .ed25519, .unsupported: 1
    }
  }
}

/// Signed bytes and a certificate whose key may have signed them. They are compared by their bytes, because a response
/// may contain a copy.
private struct Link<Signed: Hashable & Sendable>: Hashable {
  let signed: Signed
  let issuer: Certificate
}
