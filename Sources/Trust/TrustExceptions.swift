import Explanation
import PKIX

/// What an app lets pass for one server's certificate: SecTrustCopyExceptions and SecTrustSetExceptions.
///
/// It stands for the decision of a user that was kept. What fails for another reason than these still fails, and what
/// is fatal cannot be excepted: Security, SecTrust.c.
public struct TrustExceptions: Sendable, Hashable {
  /// The server's certificate for which they hold, and no other.
  public let certificate: Certificate
  /// The rules that may be violated.
  public let rules: Set<Rule>

  /// Exceptions for `certificate`.
  public init(_ certificate: Certificate, rules: Set<Rule>) {
    self.certificate = certificate
    self.rules = rules
  }
}
