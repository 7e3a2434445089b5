import URLLoading

extension AppTransportSecurity.Decision {
  /// The decision as JSON, version 1.
  public var json: JSONValue { .object([.init("trustlab", 1)] + members) }

  /// The members of the contract, in order, without the version.
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
      .init("errors", .array(errors.map(\.json))),
    ]
  }
}
