import Explanation
import URLLoading

extension AppTransportSecurity.Decision {
  /// The decision as JSON, version 1.
  public var json: JSONValue { .object([.init("trustlab", 1)] + members) }

  /// The members of the contract, in order, without the version, and after them everything else that the text shows.
  public var members: [JSONValue.Member] {
    [
      .init("url", .string(load.url.description)), .init("os", .string(load.os.description)),
      .init("loader", .string(load.loader.rawValue)), .init("verdict", .string(verdict.rawValue)),
      .init("because", .strings(because.map(\.id))), .init("decidedBy", .string(decidedBy)),
      .init("atsRequired", .boolean(isRequired)),
      .init("minimumTLSVersion", .optional(requirements?.minimumVersion.description)),
      .init("cipherSuites", requirements?.cipherSuites.map { .strings($0.map(\.name)) } ?? .null),
      .init("forwardSecrecy", .boolean(requirements?.requiresForwardSecrecy ?? false)),
      .init("certificateTransparency", .boolean(requiresCertificateTransparency)),
      .init("trustMayBeLoosened", .boolean(trustMayBeLoosened)), .init("appReview", .strings(appReview)),
      .init("errors", .array(errors.map(\.json))), .init("confidence", .string(confidence.word)),
      .init("notes", .strings(notes.compactMap(\.note))), .init("reason", .string(reason)),
      .init("basis", .string(profile.basis)),
      .init("fix", .strings(fixes)), .init("delegateCannotLoosen", .strings(loosening.rulesThatStay.map(\.id))),
      .init("niap", .optional(niapDemand?.package.rawValue)), .init("pins", pinnedIdentities?.json ?? .null),
    ]
  }
}

extension AppTransportSecurity.PinnedIdentities {
  /// The SHA-256 of the keys in hexadecimal; null for a list that demands nothing.
  fileprivate var json: JSONValue {
    func list(_ hashes: [[UInt8]]?) -> JSONValue { hashes.map { .strings($0.map(Hex.string)) } ?? .null }
    return ["leaf": list(leaf), "authorities": list(authorities), "keys": .strings(keyPaths)]
  }
}
