import Cryptography
import Synchronization

/// A cache of the signatures that one evaluation has verified.
///
/// Many paths share the same links, and the cache prevents a second verification. It also limits the total work of path
/// building, validation and revocation checking in one evaluation.
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

  /// The maximum number of signatures that this evaluation verifies.
  let limit: Int
  private let state: Mutex<State>

  /// Creates an empty cache that allows `limit` verifications.
  public init(limit: Int = SignatureCache.defaultLimit) {
    self.limit = limit
    state = Mutex(State(left: limit))
  }

  /// Whether a signature was not verified because of the limit.
  public var isExhausted: Bool { state.withLock { $0.isExhausted } }

  /// Verifies the signature on `certificate` with the key of `issuer`. The error is nil if the signature is valid.
  ///
  /// The result is nil if the limit has already been reached.
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

  /// Returns whether the signature on `list` verifies with the key of `issuer`; false after the limit is reached.
  func isSigned(_ list: CertificateRevocationList, by issuer: Certificate) -> Bool {
    let link = Link(signed: list, issuer: issuer)
    if let known = state.withLock({ $0.lists[link] }) { return known }
    guard state.withLock({ $0.spend(issuer.publicKey.verificationCost) }) else { return false }
    let holds = (try? list.verify(with: issuer.publicKey)) != nil
    state.withLock { $0.lists[link] = holds }
    return holds
  }

  /// Counts one verification, and returns whether the limit allows it.
  func spend() -> Bool { state.withLock { $0.spend() } }
}

extension PublicKey {
  /// The cost of a verification with this key, as a number of ordinary verifications. Keys that cryptographic libraries
  /// do not optimise cost more.
  fileprivate var verificationCost: Int {
    switch self {
    case .namedCurve, .dsa: 8
    case .unsupported(let key): key.explicitKey == nil ? 1 : 8
    case .rsa, .ec, .ed25519: 1
    }
  }
}

/// The signed bytes and a certificate whose key may have signed them.
///
/// Certificates are compared by their bytes, because a response may contain a copy.
private struct Link<Signed: Hashable & Sendable>: Hashable {
  let signed: Signed
  let issuer: Certificate
}
