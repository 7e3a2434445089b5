import Explanation
import PKIX

/// Whether a certificate is for a mailbox: RFC 8550 section 3, by the rfc822Name entries of subjectAltName alone. The
/// host is compared without regard to case, the part before it exactly (RFC 5280 section 7.5).
public struct MailIdentity: Sendable {
  private let mailbox: String
  private let enforcement: Enforcement

  /// Matches against `mailbox`.
  public init(_ mailbox: String, enforcement: Enforcement = .standard) {
    self.mailbox = mailbox
    self.enforcement = enforcement
  }

  /// Whether a name of `leaf` is the mailbox.
  public func finding(on leaf: Certificate) -> Finding {
    let names = (leaf.subjectAlternativeName?.names ?? []).compactMap { name in
      if case .rfc822Name(let text) = name { text } else { nil }
    }
    let holds = names.contains { MailIdentity.canonical($0) == MailIdentity.canonical(mailbox) }
    return enforcement.check(
      .nameMismatch, on: .host(mailbox), holds, required: .word(mailbox), found: .words(names))
  }

  private static func canonical(_ text: String) -> String {
    guard let sign = text.lastIndex(of: "@") else { return text }
    return text[..<sign] + text[sign...].lowercased()
  }
}
