import Explanation
import PKIX
import Simulator

extension PublishedList {
  static let section = Section<PublishedList>(
    "revocation list", "The list of what an authority has revoked (RFC 5280 section 5), and what adds to it.",
    [
      .term(
        "at", .location(of: "a list", "http://ca.example/issuing.crl"), "the http:// URL where it can be fetched",
        into: \.location, says: { "its list is at \($0)" }),
      .term(
        "age", .duration,
        "how long before the fetch it was issued, with what was revoked by then; if left out, 1 day, or when it last changed",
        into: \.age, says: { "\(Detail.seconds($0).description) old" }),
      .term(
        "lifetime", .duration, "for how long it is good; 7 days, if left out", into: \.lifetime,
        says: { $0 == 7 * 86_400 ? nil : "good for \(Detail.seconds($0).description)" }),
      .term(
        "delta", .location(of: "a list", "http://ca.example/delta.crl"),
        "the http:// URL of a list of the last day with what has changed since then (section 5.2.4); the list and what "
          + "it covers name the place", into: \.delta, says: { "what adds to it is at \($0)" }),
      .term(
        "signer", .text, "the authority that signs it in the place of this one: an indirect list (section 5.2.5)",
        into: \.signer, says: { "\($0) signs it" }),
      .term(
        "reasons", .list(.revocationReason),
        "the reasons that it is for; what was revoked for another or for none is not on it (onlySomeReasons, section 5.2.5)",
        into: \.reasons, says: { "for these reasons alone: \($0.map(\.name).listed)" }),
      .term(
        "only", .choice(called: "holder"), "whose certificates it is for; everyone's, if left out (section 5.2.5)",
        into: \.holders, says: { "for certificates of \($0.rawValue) alone" }),
    ])

  /// What `describe` says of it.
  var sentence: String { Self.section.sentences(on: self).joined(separator: ", ") }
}

extension Kind {
  /// A reason that an authority can give: RFC 5280 section 5.3.1, where `unspecified` is no reason and `removeFromCRL` is for
  /// what is taken off again.
  static var revocationReason: Kind<RevocationReason> {
    let known = RevocationReason.allCases.filter { $0 != .unspecified && $0 != .removeFromCRL }
    let names = known.map(\.name)
    return Kind<RevocationReason>(.choice(names), written: { $0.name }) { reader in
      reader.choice(names, called: "reason").flatMap { name in known.first { $0.name == name } }
    }
  }

  /// A list of revoked certificates: where it is, or a map.
  static var revocationList: Kind<PublishedList> {
    let place = Kind<String>.location(of: "a list", "http://ca.example/issuing.crl")
    let section = Kind<PublishedList>.section(PublishedList.section) {
      PublishedList()
    }
    return Kind<PublishedList>(.either([place.shape, section.shape])) { reader in
      guard reader.node.entries != nil else {
        return place.read(reader).map { location in
          var list = PublishedList()
          list.location = location
          return list
        }
      }
      let reports = reader.sink.reports
      guard let list = section.read(reader) else { return nil }
      if list.location.isEmpty, reader.sink.reports == reports {
        reader.fail(
          "\(reader.path) does not say where the list is", hint: "write { at: \"http://ca.example/issuing.crl\" }")
        return nil
      }
      return list
    }
  }
}
