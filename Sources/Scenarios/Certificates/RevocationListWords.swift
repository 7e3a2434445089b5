import Explanation
import PKIX
import Simulator

extension PublishedCRL {
  static let section = Section<PublishedCRL>(
    "revocation list", "A CA's CRL (RFC 5280 section 5) and its delta CRL.",
    [
      .term(
        "at", .location(of: "a CRL", "http://ca.example/issuing.crl"), "the http:// URL of the CRL",
        into: \.location, says: { "its CRL is at \($0)" }),
      .term(
        "age", .duration,
        "the age of the CRL when a client fetches it; later revocations are not in it; default: 1 day, or the time "
          + "since the last change",
        into: \.age, says: { "\(Detail.seconds($0).description) old" }),
      .term(
        "lifetime", .duration, "the time from thisUpdate to nextUpdate; default: 7 days", into: \.lifetime,
        says: { $0 == 7 * 86_400 ? nil : "valid for \(Detail.seconds($0).description)" }),
      .term(
        "delta", .location(of: "a CRL", "http://ca.example/delta.crl"),
        "the http:// URL of a delta CRL with the changes of the last day (section 5.2.4); the CRL and the certificates "
          + "that it covers name the URL",
        into: \.delta, says: { "its delta CRL is at \($0)" }),
      .term(
        "signer", .text, "the CA that signs the CRL instead of this CA: an indirect CRL (section 5.2.5)",
        into: \.signer, says: { "\($0) signs it" }),
      .term(
        "reasons", .list(.revocationReason),
        "the only revocation reasons that the CRL covers; it omits other revocations (onlySomeReasons, section 5.2.5)",
        into: \.reasons, says: { "only for these reasons: \($0.map(\.name).listed)" }),
      .term(
        "only", .choice(called: "holder"), "the kind of certificates that the CRL covers (section 5.2.5); default: all",
        into: \.holders, says: { "only for certificates of \($0.rawValue)" }),
    ])

  /// The phrases that `describe` prints about the CRL.
  var sentence: String { Self.section.sentences(on: self).joined(separator: ", ") }
}

extension Kind {
  /// A reason that a CA can give for a revocation (RFC 5280 section 5.3.1).
  ///
  /// `unspecified` should be absent from a CRL entry, and `removeFromCRL` is only valid for an entry that was released
  /// from hold.
  static var revocationReason: Kind<RevocationReason> {
    let known = RevocationReason.allCases.filter { $0 != .unspecified && $0 != .removeFromCRL }
    let names = known.map(\.name)
    return Kind<RevocationReason>(.choice(names), written: { $0.name }) { reader in
      reader.choice(names, called: "reason").flatMap { name in known.first { $0.name == name } }
    }
  }

  /// A CRL: its URL, or a map of its settings.
  static var revocationList: Kind<PublishedCRL> {
    let place = Kind<String>.location(of: "a CRL", "http://ca.example/issuing.crl")
    let section = Kind<PublishedCRL>.section(PublishedCRL.section) {
      PublishedCRL()
    }
    return Kind<PublishedCRL>(.either([place.shape, section.shape])) { reader in
      guard reader.node.entries != nil else {
        return place.read(reader).map { location in
          var list = PublishedCRL()
          list.location = location
          return list
        }
      }
      let reports = reader.sink.reports
      guard let list = section.read(reader) else { return nil }
      if list.location.isEmpty, reader.sink.reports == reports {
        reader.fail(
          "\(reader.path) has no URL for the CRL", hint: "write { at: \"http://ca.example/issuing.crl\" }")
        return nil
      }
      return list
    }
  }
}
