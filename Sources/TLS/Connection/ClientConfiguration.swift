import Cryptography
import Explanation

/// The offers of a client to servers, and its requirements on them.
public struct ClientConfiguration: SideConfiguration {
  /// The host that the client connects to. The client sends it in `server_name`, unless it is an IP address.
  public var host: String
  /// The versions that the client accepts. The state machines support SSL 3.0 to TLS 1.2; a client that accepts only
  /// TLS 1.3 still sends its offer.
  public var versions: ClosedRange<ProtocolVersion>
  /// The cipher suites that the client offers, in order of preference. The list may contain unsupported suites.
  public var cipherSuites: [CipherSuite]
  /// The groups that the client offers, in order of preference.
  public var groups: [NamedGroup]
  /// The minimum size of a server's DHE modulus in bits: 1024, as in most clients since Logjam (2015).
  public var minimumDHSize = 1024
  /// The signature schemes that the client offers, in order of preference.
  public var signatureSchemes: [SignatureScheme]
  /// The application protocols that the client offers, in order of preference. An empty list omits the extension.
  public var applicationProtocols: [ApplicationProtocol]
  /// The order of the extensions, and the other content of the ClientHello that is not negotiated.
  public var layout: ClientHelloTemplate
  /// Whether the client offers extended_master_secret (RFC 7627).
  public var extendedMasterSecret: Bool
  /// Whether the client offers encrypt-then-MAC for CBC suites (RFC 7366).
  public var encryptThenMAC: Bool
  /// The identity that the client presents if the server requests one; nil presents none.
  public var identity: ClientIdentity?
  /// The other identities that the app may choose from.
  public var otherIdentities: [ClientIdentity] = []
  /// Whether the app chooses the identity after the server's request: `Effect.chooseIdentity`.
  public var choosesIdentity = false
  /// Whether the client accepts session tickets (RFC 5077).
  public var offersTickets = false
  /// The groups for which the ClientHello of TLS 1.3 has a key share; nil selects the first group that is implemented.
  public var keyShareGroups: [NamedGroup]?
  /// The modes in psk_key_exchange_modes: 0 is `psk_ke`, 1 is `psk_dhe_ke` (RFC 8446 section 4.2.9).
  public var pskModes: [UInt8] = [1]
  /// The key that the client and the server have agreed on outside TLS; nil if there is none.
  public var externalPSK: ExternalPSK?
  /// The data that the client sends before the handshake is complete (RFC 8446 section 2.3); nil if there is none.
  public var earlyData: [UInt8]?
  /// Whether the client lets the server request a certificate after the handshake (RFC 8446 section 4.2.6).
  public var authenticatesLater = false
  /// Whether a handshake of TLS 1.3 looks like an older one to devices on the path (RFC 8446 appendix D.4).
  public var usesCompatibilityMode = true
  /// The algorithms with which the server may compress its certificate (RFC 8879).
  public var certificateCompression: [CertificateCompression] = []
  /// The maximum size of the server's protected records (RFC 8449); nil keeps the default.
  public var recordSizeLimit: UInt16?
  /// The number of zeros after the content of each protected record in TLS 1.3 (RFC 8446 section 5.4).
  public var recordPadding = 0
  /// Whether the client requests a stapled OCSP response (RFC 6066 section 8). A recorded offer may request one even if
  /// this is false.
  public var asksForStatus = false
  /// The maximum fragment length that the client requests; nil keeps the default of 2^14 bytes.
  public var maximumFragmentLength: MaximumFragmentLength?
  /// The session that the client proposes to resume.
  public var session: Session?
  /// The client's response when the server starts a renegotiation.
  public var renegotiation = Renegotiation.refused
  /// The Finished values that a renegotiation must be bound to; nil in the first handshake.
  var bound: VerifyData?
  /// The rules that the client enforces.
  public var enforcement: Enforcement
  /// The protocol decisions, which a simulated bug may replace.
  var decisions: TLSDecisions { enforcement.decisions() }
  /// The current time, which determines whether a session is too old.
  public var now: Instant
  /// The source of the client's random values.
  public var random: RandomStreams
  /// The party to which the client's generated secrets are attributed.
  public var party: Party
  /// The prefix of all value names, such as `first.`; empty for a single connection.
  public var valueScope: ValueScope
  /// Whether the client records values and satisfied rules. Violations are always recorded. A connection is faster if
  /// this is false.
  public var recordsTrace = true
  /// Whether application data of a CBC cipher in TLS 1.0 begins with a record of one byte. This is the defence against
  /// BEAST (2011).
  public var splitsRecords = true

  /// Creates the configuration of a client that connects to `host`.
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

  /// Presents the identity whose key has this name; presents none if the name is nil.
  mutating func chooseIdentity(_ name: Value.ID?) { identity = identity(named: name) }

  private func identity(named name: Value.ID?) -> ClientIdentity? {
    ([identity].compactMap(\.self) + otherIdentities).first { $0.privateKeyName == name }
  }

  /// The requirements of a CertificateRequest that the identity with this key does not meet; nil if it meets all.
  public func misfit(ofIdentity name: Value.ID?, for request: CertificateRequestMessage) -> IdentityMisfit? {
    identity(named: name)?.misfit(for: request, among: signatureSchemes)
  }
}

/// A client identity: a certificate chain, and the private key of its first certificate.
public struct ClientIdentity: Sendable {
  /// The certificates in DER, starting with the client's own. TLS does not parse them.
  public var certificates: [[UInt8]]
  /// The key of the first certificate.
  public var privateKey: PrivateKey
  /// The name of the private key as a value, such as `alice.key`.
  public var privateKeyName: Value.ID
  /// The distinguished names of the issuers in DER, which are compared with those in a CertificateRequest.
  public var issuers: [[UInt8]]
  /// The schemes that the key signs with, in order of preference; nil for all schemes that the client offers.
  public var signatureSchemes: [SignatureScheme]?

  /// Creates an identity from `certificates` and the private key of the first one.
  public init(
    certificates: [[UInt8]], privateKey: PrivateKey, privateKeyName: Value.ID, issuers: [[UInt8]] = []
  ) {
    self.certificates = certificates
    self.privateKey = privateKey
    self.privateKeyName = privateKeyName
    self.issuers = issuers
  }

  /// The first scheme in `schemes` that the client can sign with for this request; nil if none is suitable.
  ///
  /// See RFC 5246 sections 7.4.4 and 7.4.6.
  func scheme(for request: CertificateRequestMessage, among schemes: [SignatureScheme]) -> SignatureScheme? {
    let key = privateKey.publicKey
    guard let type = key.keyKind?.certificateType, request.certificateTypes.contains(type) else { return nil }
    guard let algorithms = request.supportedSignatureAlgorithms else { return SignatureScheme(unnamedBy: key) }
    return (signatureSchemes ?? schemes).first { $0.suits(key) && algorithms.contains(SignatureAndHashAlgorithm($0)) }
  }

  /// The requirements of the CertificateRequest that the identity does not meet.
  ///
  /// Nil if both the certificate type and a signature algorithm match, so that the client may send the certificate (RFC
  /// 5246 section 7.4.4).
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
    let able = (signatureSchemes ?? schemes).filter { $0.suits(privateKey.publicKey) }
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

  /// The name of a ClientCertificateType in the RFCs.
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

/// The requirements of a CertificateRequest that an identity does not meet.
public struct IdentityMisfit: Sendable, Hashable {
  /// The values that the request lists for each unmet requirement.
  public let required: String
  /// The identity's values for the same requirements.
  public let found: String
  /// The instruction that fixes the mismatch, in the imperative.
  public let fix: String
}

/// Whether a server requests client certificates (RFC 5246 section 7.4.4).
public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
  /// The server does not request a certificate.
  case none
  /// The server requests a certificate, and continues if the client has none.
  case optional
  /// The server requests a certificate, and refuses a client that has none.
  case required
}

extension SignatureScheme.KeyKind {
  /// The ClientCertificateType: `rsa_sign` or `dss_sign` (RFC 5246 section 7.4.4), or `ecdsa_sign`, which also covers
  /// EdDSA (RFC 8422 section 5.5).
  var certificateType: UInt8 {
    switch self {
    case .rsa: 1
    case .dsa: 2
    case .ecdsa: 64
    case .eddsa: 64
    }
  }
}
