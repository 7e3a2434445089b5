import Cryptography
import Explanation

/// The offer and the requirements of a client.
public struct ClientConfiguration: SideConfiguration {
  /// The host that the client connects to: `server_name`, unless it is an address.
  public var host: String
  /// The versions that the client accepts. The machines support SSL 3.0 to TLS 1.2; a client with only TLS 1.3 still
  /// sends its offer.
  public var versions: ClosedRange<ProtocolVersion>
  /// The offered suites in order of preference, including unsupported ones.
  public var cipherSuites: [CipherSuite]
  /// The offered groups in order of preference.
  public var groups: [NamedGroup]
  /// The minimum size of a server's DHE modulus in bits: 1024, as in most clients since Logjam (2015).
  public var minimumDHSize = 1024
  /// The offered signature schemes in order of preference.
  public var signatureSchemes: [SignatureScheme]
  /// The offered application protocols in order of preference; empty omits the extension.
  public var applicationProtocols: [ApplicationProtocol]
  /// The order of the extensions, and the other content of the hello.
  public var layout: ClientHelloTemplate
  /// Whether the client offers extended_master_secret: RFC 7627.
  public var extendedMasterSecret: Bool
  /// Whether the client offers encrypt-then-MAC for CBC suites: RFC 7366.
  public var encryptThenMAC: Bool
  /// The identity that the client presents on request; nil presents none.
  public var identity: ClientIdentity?
  /// The identities among which the app may choose.
  public var otherIdentities: [ClientIdentity] = []
  /// Whether the app chooses the identity after the server's request: `Effect.chooseIdentity`.
  public var choosesIdentity = false
  /// Whether the client accepts session tickets: RFC 5077.
  public var offersTickets = false
  /// Whether the client requests a stapled OCSP response: RFC 6066 section 8. A recorded offer may request it without
  /// this.
  public var asksForStatus = false
  /// The maximum fragment length that the client requests; nil leaves it at 2^14 bytes.
  public var maximumFragmentLength: MaximumFragmentLength?
  /// The session that the client proposes to resume.
  public var session: Session?
  /// The client's reaction to a renegotiation.
  public var renegotiation = Renegotiation.refused
  /// The Finished values to which a renegotiation is bound; nil in the first handshake.
  var bound: VerifyData?
  /// The rules in force.
  public var enforcement: Enforcement
  /// The decisions that a fault may change.
  var decisions: TLSDecisions { enforcement.decisions() }
  /// The time, which decides whether a session is too old.
  public var now: Instant
  /// The source of the client's random values.
  public var random: RandomStreams
  /// The party that generates the client's secrets.
  public var party: Party
  /// The prefix of the names of all values, such as `first.`; empty for a single connection.
  public var valueScope: ValueScope
  /// Whether values and satisfied rules are recorded. Violations are always recorded; without the rest, a connection is
  /// faster.
  public var recordsTrace = true
  /// Whether application data of a CBC cipher in TLS 1.0 begins with a record of one byte, the defence against BEAST
  /// (2011).
  public var splitsRecords = true

  /// Creates a client of `host`.
  public init(
    host: String, versions: ClosedRange<ProtocolVersion> = .tls12 ... .tls12,
    cipherSuites: [CipherSuite] = CipherSuite.defaults, groups: [NamedGroup] = NamedGroup.implemented,
    signatureSchemes: [SignatureScheme] = SignatureScheme.defaults,
    applicationProtocols: [ApplicationProtocol] = [], layout: ClientHelloTemplate = .standard,
    extendedMasterSecret: Bool = false, encryptThenMAC: Bool = false,
    identity: ClientIdentity? = nil, session: Session? = nil, enforcement: Enforcement = .standard,
    now: Instant = Instant(secondsSince1970: 0),
    random: RandomStreams, party: Party = .client, valueScope: ValueScope = ValueScope()
  ) {
    self.host = host
    self.versions = versions
    self.cipherSuites = cipherSuites
    self.groups = groups
    self.signatureSchemes = signatureSchemes
    self.applicationProtocols = applicationProtocols
    self.layout = layout
    self.extendedMasterSecret = extendedMasterSecret
    self.encryptThenMAC = encryptThenMAC
    self.identity = identity
    self.session = session
    self.enforcement = enforcement
    self.now = now
    self.random = random
    self.party = party
    self.valueScope = valueScope
  }
}

extension ClientConfiguration {
  var firstRecordVersion: ProtocolVersion { layout.recordVersion }

  /// Presents the identity whose key has this name, or none.
  mutating func chooseIdentity(_ name: Value.ID?) { identity = identity(named: name) }

  private func identity(named name: Value.ID?) -> ClientIdentity? {
    ([identity].compactMap(\.self) + otherIdentities).first { $0.privateKeyName == name }
  }

  /// The parts of a CertificateRequest that the identity with this key does not fit; nil if there are none.
  public func misfit(ofIdentity name: Value.ID?, for request: CertificateRequestMessage) -> IdentityMisfit? {
    identity(named: name)?.misfit(for: request, among: signatureSchemes)
  }
}

/// A client identity: certificates and the private key of the first.
public struct ClientIdentity: Sendable {
  /// The certificates in DER, the client's own first. TLS does not parse them.
  public var certificates: [[UInt8]]
  /// The key of the first certificate.
  public var privateKey: PrivateKey
  /// The name of that key as a value: `alice.key`.
  public var privateKeyName: Value.ID
  /// The distinguished names of the issuers, in DER, for comparison with a CertificateRequest.
  public var issuers: [[UInt8]]

  /// Creates an identity with `certificates` and the key of the first.
  public init(
    certificates: [[UInt8]], privateKey: PrivateKey, privateKeyName: Value.ID, issuers: [[UInt8]] = []
  ) {
    self.certificates = certificates
    self.privateKey = privateKey
    self.privateKeyName = privateKeyName
    self.issuers = issuers
  }

  /// The scheme that the client signs with for this request, in the order of `schemes`; nil if none fits.
  ///
  /// RFC 5246 sections 7.4.4 and 7.4.6.
  func scheme(for request: CertificateRequestMessage, among schemes: [SignatureScheme]) -> SignatureScheme? {
    let key = privateKey.publicKey
    guard let type = key.keyKind?.certificateType, request.certificateTypes.contains(type) else { return nil }
    guard let algorithms = request.supportedSignatureAlgorithms else { return SignatureScheme(unnamedBy: key) }
    return schemes.first { $0.suits(key) && algorithms.contains(SignatureAndHashAlgorithm($0)) }
  }

  /// The parts of the CertificateRequest that the identity does not fit.
  ///
  /// Nil if both the type and a signature algorithm fit, so that the client may send it (RFC 5246 section 7.4.4).
  public func misfit(for request: CertificateRequestMessage, among schemes: [SignatureScheme]) -> IdentityMisfit? {
    guard scheme(for: request, among: schemes) == nil else { return nil }
    let parts = [typeMisfit(request), algorithmMisfit(request, schemes), nameMisfit(request)].compactMap(\.self)
    let key = privateKey.publicKey.algorithmName
    return IdentityMisfit(
      required: parts.map { $0.required }.joined(separator: "; "),
      found: "an identity with a key for \(key): \(parts.map { $0.found }.joined(separator: "; "))",
      fix: "Use an identity that fits the CertificateRequest, or have the server accept certificates and signature "
        + "algorithms for \(key).")
  }

  private typealias Misfit = (required: String, found: String)

  private func typeMisfit(_ request: CertificateRequestMessage) -> Misfit? {
    let type = privateKey.publicKey.keyKind?.certificateType
    if let type, request.certificateTypes.contains(type) { return nil }
    let types = request.certificateTypes.map(ClientIdentity.name).joined(separator: ", ")
    return ("certificate_types \(types)", "type \(type.map(ClientIdentity.name) ?? "unknown")")
  }

  private func algorithmMisfit(_ request: CertificateRequestMessage, _ schemes: [SignatureScheme]) -> Misfit? {
    guard let algorithms = request.supportedSignatureAlgorithms else { return nil }
    let able = schemes.filter { $0.suits(privateKey.publicKey) }
    guard !able.contains(where: { algorithms.contains(SignatureAndHashAlgorithm($0)) }) else { return nil }
    let names = able.map(\.name).joined(separator: ", ")
    return (
      "supported_signature_algorithms \(algorithms.map(\.description).joined(separator: ", "))",
      "signature algorithms \(names.isEmpty ? "none" : names)"
    )
  }

  private func nameMisfit(_ request: CertificateRequestMessage) -> Misfit? {
    let listed = request.certificateAuthorities
    guard !listed.isEmpty, Set(listed).isDisjoint(with: issuers) else { return nil }
    return ("an issuer among \(listed.count) certificate_authorities", "an issuer that is not listed")
  }

  /// The name of a ClientCertificateType.
  private static func name(_ type: UInt8) -> String {
    switch type {
    case 1: "rsa_sign"
    case 2: "dss_sign"
    case 3: "rsa_fixed_dh"
    case 4: "dss_fixed_dh"
    case 64: "ecdsa_sign"
    case 65: "rsa_fixed_ecdh"
    case 66: "ecdsa_fixed_ecdh"
    default: "\(type)"
    }
  }
}

/// The part of a CertificateRequest that an identity does not fit.
public struct IdentityMisfit: Sendable, Hashable {
  /// The values that the request lists, of each part that does not fit.
  public let required: String
  /// The identity's own.
  public let found: String
  /// The fix, as an imperative.
  public let fix: String
}

/// Whether a server requests client certificates: RFC 5246 section 7.4.4.
public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
  /// It does not request a certificate.
  case none
  /// It requests a certificate, and continues without one.
  case optional
  /// It requests a certificate, and refuses a client without one.
  case required
}

extension SignatureScheme.KeyKind {
  /// ClientCertificateType: `rsa_sign` (RFC 5246 section 7.4.4), `dss_sign`; `ecdsa_sign` also for EdDSA (RFC 8422
  /// section 5.5).
  var certificateType: UInt8 {
    switch self {
    case .rsa: 1
    case .dsa: 2
    case .ecdsa: 64
    case .eddsa: 64
    }
  }
}
