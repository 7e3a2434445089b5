import Endpoint
import Explanation
import Simulator
import TLS
import URLLoading

/// Checks whether an attack can apply to any message, as far as the file determines this. If the run has no such
/// message, the test fails.
struct AttackCheck {
  let scenario: Scenario
  let attack: Attack
  let sink: DiagnosticSink

  func run() {
    guard let problem = wrongSide ?? wrongTransport ?? neverSent ?? wrongWords else { return }
    let network = scenario.tree["network"]
    sink.error(
      problem.message, hint: problem.hint,
      at: network?.place(of: problem.word ?? attack.message.description) ?? network?.mark ?? scenario.tree.mark)
  }

  private struct Problem {
    let message: String
    let hint: String
    var word: String?
  }

  private static let clients: [MessageName] = [
    .handshake(.clientHello), .handshake(.clientKeyExchange), .handshake(.endOfEarlyData), .httpRequest,
  ]
  private static let servers: [MessageName] = [
    .handshake(.helloRequest), .handshake(.serverHello), .handshake(.helloRetryRequest),
    .handshake(.encryptedExtensions), .handshake(.serverKeyExchange), .handshake(.certificateRequest),
    .handshake(.serverHelloDone), .handshake(.newSessionTicket), .httpResponse,
  ]

  /// The problem if the attack names the wrong sender of the message (RFC 5246 section 7.3).
  private var wrongSide: Problem? {
    let proof: [MessageName] = hasTLS13 ? [] : [.handshake(.certificateVerify)]
    guard let side = attack.from, (side == .client ? Self.servers : Self.clients + proof).contains(attack.message)
    else { return nil }
    return Problem(
      message: "the \(side) sends no \(attack.message)", hint: "leave out 'from': only the \(side.peer) sends it")
  }

  /// The problem if the transport does not have the message. Plain HTTP has no TLS messages, and TLS hides HTTP
  /// messages.
  private var wrongTransport: Problem? {
    let own = scenario.connections.filter { $0.isPart(of: attack.connection) && $0.replayed == nil }
    let leadsOn = scenario.servers.contains { !$0.redirects.isEmpty }
    let isIntercepted = scenario.network.contains { if case .intercept = $0 { true } else { false } }
    guard !own.isEmpty, !leadsOn, !isIntercepted else { return nil }
    let urls = own.compactMap { connection in
      (try? LoadURL(connection.url)).map { $0.isSecure || connection.client.strictHosts.contains($0.host) }
    }
    if !attack.message.isTLS, urls.allSatisfy({ $0 }) {
      return Problem(
        message: "no \(attack.message) is sent in the clear: every load is over https", hint: "write ApplicationData")
    }
    if attack.message.isTLS, urls.allSatisfy({ !$0 }) {
      return Problem(
        message: "\(attack.message) is a TLS message, and every load is over http",
        hint: "write HTTP request or HTTP response")
    }
    return nil
  }

  /// Whether a server supports TLS 1.3, in which servers also send CertificateVerify (RFC 8446 section 4.4.3).
  private var hasTLS13: Bool { scenario.servers.contains { $0.versions.contains(.tls13) } }

  /// The problem if these servers never send or request the message (RFC 5246 sections 7.4.3, 7.4.4 and 7.4.6).
  private var neverSent: Problem? {
    let certificate: [MessageName] = [.handshake(.certificate), .handshake(.certificateVerify)]
    let isClients = certificate.contains(attack.message) && attack.from == .client
    let proof: [MessageName] = hasTLS13 ? [] : [.handshake(.certificateVerify)]
    if isClients || ([.handshake(.certificateRequest)] + proof).contains(attack.message),
      scenario.servers.allSatisfy({ $0.clientAuthentication == .none })
    {
      return Problem(
        message:
          "no server requests a client certificate, so there is no \(attack.message)\(isClients ? " of the client" : "")",
        hint: "write server: { clientAuthentication: required }")
    }
    let suites = scenario.servers.flatMap(\.cipherSuites)
    if attack.message == .handshake(.serverKeyExchange), !suites.isEmpty, suites.allSatisfy({ $0.keyExchange == .rsa })
    {
      return Problem(
        message: "RSA key exchange has no ServerKeyExchange, and the servers support no other key exchange",
        hint: "give the server a suite with ECDHE")
    }
    return nil
  }

  /// The problem if a key of the attack does not apply to the message.
  private var wrongWords: Problem? {
    if attack.newest != nil, attack.message != .handshake(.clientHello) {
      return Problem(
        message: "'above' applies to ClientHello, not to \(attack.message)",
        hint: "leave out 'above'")
    }
    guard case .alter(.field(let name, _)) = attack.deed, !Self.fields.contains(name) else { return nil }
    return Problem(
      message: "no message has a field '\(name)'", hint: Spelling.hint(for: name, among: Self.fields), word: name)
  }

  /// The fields of messages, with their names in the TLS, X.509 and HTTP standards.
  static let fields = """
    Alert algorithm algorithms ApplicationData ASN.1Cert authorities authorityKeyIdentifier basicConstraints
    binders body cert_data Certificate certificate certificate_authorities certificate_extension_oid
    certificate_extension_values certificate_list certificate_request_context certificate_types
    CertificateRequest CertificateVerify ChangeCipherSpec cipher_suite cipher_suites client_authentication_type
    client_shares client_version ClientHello ClientKeyExchange compressed_certificate_message
    CompressedCertificate compression_method compression_methods content cookie curve_type data description dh_g
    dh_p dh_Yc dh_Ys DistinguishedName ec_point_format ec_point_format_list ecdh_Yc encrypted_premaster_secret
    encrypted_state EncryptedExtensions EndOfEarlyData exchange_keys extended_master_secret extension
    extension_data extension_type extensions extKeyUsage extnValue field-line filters fragment gmt_unix_time
    group Handshake hash HelloRetryRequest HostName HTTP-message identities identity issuer issuerUniqueID iv
    ke_modes key_exchange key_name KeyShareEntry KeyUpdate keyUsage length level mac master_secret
    max_early_data_size max_fragment_length msg_type name_type named_group named_group_list namedcurve
    NewSessionTicket notAfter notBefore obfuscated_ticket_age OCSPResponse opaque params protocol_name_list
    ProtocolName PskBinderEntry PskKeyExchangeMode public random random_bytes Record RecordSizeLimit
    renegotiated_connection request_update selected_group selected_identity selected_version serialNumber
    server_name server_name_list server_version ServerHello ServerHelloDone ServerKeyExchange session_id
    signature signatureAlgorithm signatureValue start-line status_type subject subjectAltName
    subjectKeyIdentifier subjectPublicKey subjectPublicKeyInfo subjectUniqueID supported_signature_algorithms
    tbsCertificate ticket ticket_age_add ticket_lifetime ticket_lifetime_hint ticket_nonce timestamp type
    uncompressed_length validity verify_data version versions
    """.split { $0 == " " || $0.isNewline }.map(String.init)
}
