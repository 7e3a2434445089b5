import Cryptography
import Explanation
import PKIX
import Trust
import URLLoading

/// Makes what a client goes by when it is asked whether to trust a server.
struct TrustCasting {
  let scenario: Scenario
  let hierarchy: Hierarchy
  let client: ClientDescription

  /// The system's evaluation of a server for `host`, where the app's property list pins what it does.
  func policy(for host: String, pinned configuration: AppTransportSecurity.Configuration) -> TrustPolicy {
    var policy = Self.policy(os: client.os, scenario, hierarchy)
    policy.revocation = RevocationPolicy(
      client.revocation, revoked: hierarchy.revoked(in: scenario),
      isReachable: !scenario.network.contains(.blockRevocation))
    policy.issuers = client.fetchesIssuers ? IssuerFetching() : nil
    policy.timestamps = hierarchy.timestamps(in: scenario)
    if let identities = configuration.pinnedIdentities(for: host, os: client.os) {
      policy.pins += [
        identities.leaf.map { PublicKeyPins($0.map(pin), at: .leaf) },
        identities.authorities.map { PublicKeyPins($0.map(pin), at: .authorities) },
      ].compactMap(\.self)
    }
    // Without a delegate that evaluates for itself, what the app pins is asked of the system's own path.
    if delegate == nil { policy.pins += pins }
    return policy
  }

  /// What answers the system's question; nil where the system's word stands.
  var delegate: ServerTrustDelegate? {
    let trust = client.serverTrust
    guard trust.changesTrust else { return trust.delegate == .acceptAll ? ServerTrustDelegate(.acceptAll) : nil }
    var settings = ServerTrustDelegate.Settings(
      anchors: trust.anchors?.compactMap(anchor), anchorsOnly: trust.anchorsOnly)
    settings.added = trust.adds?.compactMap(anchor) ?? []
    settings.verifyDate = trust.verifyDate
    settings.exceptions = trust.exceptions.flatMap { exceptions in
      hierarchy[exceptions.certificate]?.certificates.first.map {
        TrustExceptions($0.certificate, rules: Set(exceptions.rules.compactMap(RuleCatalogue.rule)))
      }
    }
    return ServerTrustDelegate(trust.evaluates ? .evaluates(settings) : .readsResult(settings), pins: pins)
  }

  /// A client of this system that was told nothing beyond its store.
  static func policy(os: OSVersion, _ scenario: Scenario, _ hierarchy: Hierarchy) -> TrustPolicy {
    TrustPolicy(
      os: os, date: scenario.clock, store: hierarchy.store(for: scenario), names: hierarchy.names,
      enforcement: .standard)
  }

  private var pins: [PublicKeyPins] {
    client.serverTrust.pins.map { names in
      [
        PublicKeyPins(
          names.compactMap { name in
            hierarchy[name]?.certificates.first.map { PublicKeyPins.Pin(keyOf: $0.certificate, named: name) }
          }, exemptsUserAnchors: client.serverTrust.exemptsUserAnchors)
      ]
    } ?? []
  }

  /// A pinned key, by the name of a certificate that has it.
  private func pin(_ fingerprint: [UInt8]) -> PublicKeyPins.Pin {
    let known = hierarchy.entries.flatMap(\.certificates).first {
      PublicKeyPins.Pin.fingerprint(of: $0.certificate) == fingerprint
    }
    return known.map { PublicKeyPins.Pin(keyOf: $0.certificate, named: $0.name) }
      ?? PublicKeyPins.Pin(name: "sha256/\(Base64.encode(fingerprint))", fingerprint: fingerprint)
  }

  /// An authority from a file with several certificates is its last one, the root; any other is its first.
  private func anchor(_ name: String) -> Certificate? {
    let certificates = hierarchy[name]?.certificates
    let isAuthority = scenario.authorities.contains { $0.name == name }
    return (isAuthority ? certificates?.last : certificates?.first)?.certificate
  }
}
