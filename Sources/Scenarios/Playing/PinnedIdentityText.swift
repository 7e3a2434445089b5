import Cryptography
import PKIX
import Trust
import URLLoading

/// A pinned identity as a scenario writes it in a property list: `spki(api)` stands for the Base64 of the SHA-256 of the
/// SubjectPublicKeyInfo of the certificate `api`, which its author cannot know beforehand.
enum PinnedIdentityText {
  /// The certificate that `text` names; nil when it is any other text.
  static func name(in text: String) -> String? {
    guard text.hasPrefix("spki("), text.hasSuffix(")") else { return nil }
    return String(text.dropFirst(5).dropLast())
  }

  /// What an Info.plist has in that place.
  static func text(of certificate: Certificate) -> String {
    Base64.encode(PublicKeyPins.Pin.fingerprint(of: certificate))
  }

  /// An identity that is as well-formed as any, where only the form matters.
  static let placeholder = Base64.encode(Array(repeating: 0, count: 32))
}

extension PropertyList {
  /// The names of the certificates whose identities it has.
  var identities: [String] {
    switch self {
    case .dictionary(let dictionary): dictionary.entries.flatMap(\.value.identities)
    case .array(let values): values.flatMap(\.identities)
    case .string(let text): PinnedIdentityText.name(in: text).map { [$0] } ?? []
    default: []
    }
  }

  /// The same list with every identity written out.
  func resolvingIdentities(_ text: (String) -> String?) -> PropertyList {
    switch self {
    case .dictionary(let dictionary):
      .dictionary(
        .init(
          entries: dictionary.entries.map { entry in
            .init(key: entry.key, value: entry.value.resolvingIdentities(text), place: entry.place)
          }))
    case .array(let values): .array(values.map { $0.resolvingIdentities(text) })
    case .string(let string): PinnedIdentityText.name(in: string).flatMap(text).map(PropertyList.string) ?? self
    default: self
    }
  }
}

extension ClientDescription.InfoPlist {
  /// The names of the certificates whose identities a list in the scenario has.
  var identities: [String] {
    if case .inline(let list) = self { list.identities } else { [] }
  }
}
