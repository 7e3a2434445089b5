import Cryptography
import Explanation

/// What a client offers, and what it insists on.
public struct ClientConfiguration: SideConfiguration {
  /// The host the client means to reach: `server_name`, unless it is an address.
  public var host: String
  /// The versions the client accepts. The machines speak TLS 1.0 to 1.2; a client of TLS 1.3 alone still makes its offer.
  public var versions: ClosedRange<ProtocolVersion>
  /// The suites on offer, the favourite first; they may be ones the machines cannot run.
  public var cipherSuites: [CipherSuite]
  /// The groups on offer, the favourite first.
  public var groups: [NamedGroup]
  /// The fewest bits that the modulus of a server's DHE group may have: 1024, as most clients since Logjam (2015).
  public var minimumDHSize = 1024
  /// How the server may sign, the favourite first.
  public var signatureSchemes: [SignatureScheme]
  /// The protocols the client would speak inside the connection, the favourite first; none sends no extension.
  public var applicationProtocols: [ApplicationProtocol]
  /// In which order, and with what beside, the hello says all that.
  public var layout: HelloLayout
  /// Whether the client binds the master secret to the whole handshake where the peer does: RFC 7627.
  public var extendedMasterSecret: Bool
  /// Whether the client authenticates the ciphertext of CBC suites where the peer does: RFC 7366.
  public var encryptThenMAC: Bool
  /// What the client shows a server that asks who it is; nil shows nothing.
  public var identity: ClientIdentity?
  /// What else it could show, where somebody chooses.
  public var otherIdentities: [ClientIdentity] = []
  /// Whether somebody is asked for the identity when the server has asked: `Effect.chooseIdentity`.
  public var choosesIdentity = false
  /// Whether the client keeps sessions for servers that give it tickets: RFC 5077.
  public var offersTickets = false
  /// Whether the client asks for a stapled OCSP response: RFC 6066 section 8. A recorded offer may ask without it.
  public var asksForStatus = false
  /// How long a fragment the client asks for at most; nil leaves it at 2^14 bytes.
  public var maximumFragmentLength: MaximumFragmentLength?
  /// The session that the client proposes to go on with.
  public var session: Session?
  /// What it does about another handshake on a connection that stands.
  public var renegotiation = Renegotiation.refused
  /// What another handshake on the connection is bound to; nil in a first one.
  var bound: VerifyData?
  /// The rules in force.
  public var enforcement: Enforcement
  /// The decisions that a fault may make differently.
  var decisions: TLSDecisions { enforcement.decisions() }
  /// The time, by which sessions grow old.
  public var now: Instant
  /// Where the client's random values come from.
  public var random: RandomStreams
  /// Who the client is: the one who generates its secrets.
  public var party: Party
  /// What the names of all values begin with, such as `first.`; empty for a single connection.
  public var valueScope: ValueScope
  /// Whether it is told how the connection comes about: values as they come to be, and rules that hold. Who keeps no
  /// trace saves their making; what is broken is told all the same.
  public var narrates = true
  /// Whether application data of a CBC cipher in TLS 1.0 begins with a record of one byte, as clients send it since BEAST
  /// (2011).
  public var splitsRecords = true

  /// A client of `host`.
  public init(
    host: String, versions: ClosedRange<ProtocolVersion> = .tls12 ... .tls12,
    cipherSuites: [CipherSuite] = CipherSuite.defaults, groups: [NamedGroup] = NamedGroup.implemented,
    signatureSchemes: [SignatureScheme] = SignatureScheme.defaults,
    applicationProtocols: [ApplicationProtocol] = [], layout: HelloLayout = .standard,
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

  /// What it shows from here on: the identity whose key has this name, or none.
  mutating func chooseIdentity(_ name: Value.ID?) { identity = identity(named: name) }

  private func identity(named name: Value.ID?) -> ClientIdentity? {
    ([identity].compactMap(\.self) + otherIdentities).first { $0.privateKeyName == name }
  }

  /// The parts of a CertificateRequest that the identity with this key does not fit; nil if it fits, or there is none.
  public func misfit(ofIdentity name: Value.ID?, for request: CertificateRequestMessage) -> IdentityMisfit? {
    identity(named: name)?.misfit(for: request, among: signatureSchemes)
  }
}

/// What a client proves who it is with: its certificates and the key of the first.
public struct ClientIdentity: Sendable {
  /// Certificates in DER, the client's own first. Their bytes mean nothing here.
  public var certificates: [[UInt8]]
  /// The key of the first certificate.
  public var privateKey: PrivateKey
  /// The name of that key among the values: `alice.key`.
  public var privateKeyName: Value.ID
  /// The distinguished names, in DER, of those that issued the certificates: what a server's list is compared with.
  public var issuers: [[UInt8]]

  /// An identity that shows `certificates` and holds the key of the first.
  public init(
    certificates: [[UInt8]], privateKey: PrivateKey, privateKeyName: Value.ID, issuers: [[UInt8]] = []
  ) {
    self.certificates = certificates
    self.privateKey = privateKey
    self.privateKeyName = privateKeyName
    self.issuers = issuers
  }

  /// How the client signs for a server that asks in this way, by the order of `schemes`; nil where it has nothing that
  /// suits: RFC 5246 sections 7.4.4 and 7.4.6.
  func scheme(for request: CertificateRequestMessage, among schemes: [SignatureScheme]) -> SignatureScheme? {
    let key = privateKey.publicKey
    guard let type = key.keyKind?.certificateType, request.certificateTypes.contains(type) else { return nil }
    guard let algorithms = request.supportedSignatureAlgorithms else { return SignatureScheme(unnamedBy: key) }
    return schemes.first { $0.suits(key) && algorithms.contains(SignatureAndHashAlgorithm($0)) }
  }

  /// The parts of the CertificateRequest that the identity does not fit, so that the client may not send it; nil if both
  /// the type and a signature algorithm fit (RFC 5246 section 7.4.4).
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

/// What a server asks of its clients: RFC 5246 section 7.4.4.
public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
  /// It asks for no certificate.
  case none
  /// It asks for one, and goes on without.
  case optional
  /// It asks for one, and gives up without.
  case required
}

extension SignatureScheme.KeyKind {
  /// ClientCertificateType: `rsa_sign` (RFC 5246 section 7.4.4), `dss_sign`; `ecdsa_sign`, which is for EdDSA too (RFC
  /// 8422 section 5.5).
  var certificateType: UInt8 {
    switch self {
    case .rsa: 1
    case .dsa: 2
    case .ecdsa: 64
    case .eddsa: 64
    }
  }
}
