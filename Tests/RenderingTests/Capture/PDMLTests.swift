import Captures
import Endpoint
import Explanation
import Foundation
import Oracles
import Rendering
import Simulator
import TLS
import Testing

@Suite("Our fields compared with those of tshark", .needs(.tshark))
struct PDMLTests {
  @Test(
    "every TLS field in tshark is one of ours, with the same bytes and meaning",
    arguments: ["RSA", "ECDHE"])
  func fields(keyExchange: String) throws {
    let result = try #require(
      Curriculum.sample.first { result in
        result.outcome.cipherSuite?.hasPrefix("TLS_\(keyExchange)") == true
          && result.simulation.trace.steps.contains { $0.message == .tls(.applicationData) }
          && result.connections.count == 1
          // The fields of supported_versions and of a CertificateRequest are not paired here.
          && !result.simulation.trace.steps.flatMap(\.fields).contains { !PDML.all($0, named: "versions").isEmpty }
          && !result.simulation.trace.steps.contains { $0.message == .handshake(.certificateRequest) }
      })
    let steps = result.simulation.trace.steps.filter { $0.kind == .message }
    let answer = try Tshark.read(
      try PacketCapture(result.simulation).bytes, keyLog: KeyLog(result.simulation).text,
      ["-T", "pdml", "-Y", "tls.record", "-2"])
    let records = PDML.records(of: answer.output)
    #expect(records.count == steps.count)
    for (record, step) in zip(records, steps) {
      for field in record { try check(field, step) }
    }
    #expect(records.joined().count > 100)
  }

  private func check(_ field: PDML.Field, _ step: Step) throws {
    if PDML.left.keys.contains(field.name) { return }
    let pair = try #require(PDML.pairs[field.name], "\(step.title): \(field.name) is neither paired nor omitted")
    // The record's header is on the wire; the message is there, too, or in the protected content.
    let isPlain = step.plaintextFields.isEmpty
    let (roots, bytes) =
      field.isOfHeader || isPlain ? (step.fields, step.bytes) : (step.plaintextFields, step.plaintext)
    let start = field.isOfHeader || !isPlain ? field.offset : field.offset + Record.headerLength
    let range = start..<(start + field.size)
    let ours = roots.flatMap { PDML.all($0, named: pair.name) }
    let found = ours.first { pair.isWhole ? $0.range == range : PDML.contains($0.range, range) }
    let match = try #require(found, "\(step.title): no \(pair.name) at \(range) for \(field.name)")
    if let value = Hex.bytes(field.value), !value.isEmpty, value.count == field.size {
      #expect(Array(bytes[range]) == value, "\(step.title): \(field.name)")
    }
    if pair.isSaid { #expect(PDML.plain(match.meaning) == PDML.plain(field.meaning), "\(step.title): \(field.name)") }
  }
}

/// tshark's description of packets, and the pairs of its field names and those of the RFCs.
enum PDML {
  struct Field {
    let name: String
    /// The text that tshark shows after the colon.
    let meaning: String
    /// The offset from the start of the record for its header, else from the start of the message.
    let offset: Int
    let size: Int
    let value: String

    var isOfHeader: Bool { name.hasPrefix("tls.record.") }
  }

  struct Pair {
    let name: String
    /// Whether our field has exactly these bytes; otherwise it contains them.
    var isWhole = true
    /// Whether both fields have the same meaning.
    var isSaid = true
  }

  /// The pairs of tshark 4's field names and ours.
  static let pairs: [String: Pair] = [
    "tls.record.content_type": Pair(name: "type"), "tls.record.version": Pair(name: "version"),
    "tls.record.length": Pair(name: "length"),
    "tls.handshake.type": Pair(name: "msg_type"), "tls.handshake.length": Pair(name: "length"),
    "tls.handshake.version": Pair(name: "client_version|server_version"),
    "tls.handshake.random": Pair(name: "random", isSaid: false),
    "tls.handshake.random_time": Pair(name: "gmt_unix_time", isSaid: false),
    "tls.handshake.random_bytes": Pair(name: "random_bytes"),
    "tls.handshake.session_id_length": Pair(name: "length"),
    "tls.handshake.session_id": Pair(name: "opaque", isSaid: false),
    "tls.handshake.cipher_suites_length": Pair(name: "length"),
    "tls.handshake.ciphersuites": Pair(name: "cipher_suites", isWhole: false, isSaid: false),
    "tls.handshake.ciphersuite": Pair(name: "cipher_suite"), "tls.handshake.comp_methods_length": Pair(name: "length"),
    "tls.handshake.comp_methods": Pair(name: "compression_methods", isWhole: false, isSaid: false),
    "tls.handshake.comp_method": Pair(name: "compression_method"),
    "tls.handshake.extensions_length": Pair(name: "length"),
    "tls.handshake.extension.type": Pair(name: "extension_type"),
    "tls.handshake.extension.len": Pair(name: "length"),
    "tls.handshake.extensions_server_name_list_len": Pair(name: "length"),
    "tls.handshake.extensions_server_name_type": Pair(name: "name_type"),
    "tls.handshake.extensions_server_name_len": Pair(name: "length"),
    "tls.handshake.extensions_server_name": Pair(name: "HostName", isWhole: false),
    "tls.handshake.extensions_supported_groups_length": Pair(name: "length"),
    "tls.handshake.extensions_supported_groups": Pair(name: "named_group_list", isWhole: false, isSaid: false),
    "tls.handshake.extensions_supported_group": Pair(name: "named_group"),
    "tls.handshake.extensions_ec_point_formats_length": Pair(name: "length"),
    "tls.handshake.extensions_ec_point_formats": Pair(name: "ec_point_format_list", isWhole: false, isSaid: false),
    "tls.handshake.extensions_ec_point_format": Pair(name: "ec_point_format"),
    "tls.handshake.sig_hash_alg_len": Pair(name: "length"),
    "tls.handshake.sig_hash_algs": Pair(name: "supported_signature_algorithms", isWhole: false, isSaid: false),
    "tls.handshake.sig_hash_alg": Pair(name: "algorithm"),
    "tls.handshake.sig_hash_hash": Pair(name: "hash", isSaid: false),
    "tls.handshake.sig_hash_sig": Pair(name: "signature", isSaid: false),
    "tls.handshake.extensions_reneg_info_len": Pair(name: "length"),
    "tls.handshake.extensions_alpn_len": Pair(name: "length"),
    "tls.handshake.extensions_alpn_list": Pair(name: "protocol_name_list", isWhole: false, isSaid: false),
    "tls.handshake.extensions_alpn_str_len": Pair(name: "length"),
    "tls.handshake.extensions_alpn_str": Pair(name: "ProtocolName", isWhole: false),
    "tls.handshake.certificates_length": Pair(name: "length"),
    "tls.handshake.certificates": Pair(name: "certificate_list", isWhole: false, isSaid: false),
    "tls.handshake.certificate_length": Pair(name: "length"),
    "tls.handshake.certificate": Pair(name: "Certificate", isSaid: false),
    "x509af.signedCertificate_element": Pair(name: "tbsCertificate", isSaid: false),
    "x509af.version": Pair(name: "version", isWhole: false, isSaid: false),
    "x509af.serialNumber": Pair(name: "serialNumber", isWhole: false),
    "x509af.signature_element": Pair(name: "signature", isSaid: false),
    "x509af.issuer": Pair(name: "issuer", isSaid: false), "x509af.subject": Pair(name: "subject", isSaid: false),
    "x509af.validity_element": Pair(name: "validity", isSaid: false),
    "x509af.notBefore": Pair(name: "notBefore", isSaid: false),
    "x509af.notAfter": Pair(name: "notAfter", isSaid: false),
    "x509af.subjectPublicKeyInfo_element": Pair(name: "subjectPublicKeyInfo", isSaid: false),
    "x509af.algorithm_element": Pair(name: "algorithm", isSaid: false),
    "x509af.subjectPublicKey": Pair(name: "subjectPublicKey", isWhole: false, isSaid: false),
    "x509af.extensions": Pair(name: "extensions", isWhole: false, isSaid: false),
    "x509af.algorithmIdentifier_element": Pair(name: "signatureAlgorithm", isSaid: false),
    "x509af.encrypted": Pair(name: "signatureValue", isWhole: false, isSaid: false),
    "x509ce.BasicConstraintsSyntax_element": Pair(name: "basicConstraints", isWhole: false, isSaid: false),
    "x509ce.KeyUsage": Pair(name: "keyUsage", isWhole: false, isSaid: false),
    "x509ce.KeyPurposeIDs": Pair(name: "extKeyUsage", isWhole: false, isSaid: false),
    "x509ce.GeneralNames": Pair(name: "subjectAltName", isWhole: false, isSaid: false),
    "x509ce.SubjectKeyIdentifier": Pair(name: "subjectKeyIdentifier", isWhole: false),
    "x509ce.AuthorityKeyIdentifier_element": Pair(name: "authorityKeyIdentifier", isWhole: false, isSaid: false),
    "x509ce.keyIdentifier": Pair(name: "authorityKeyIdentifier", isWhole: false),
    "tls.handshake.server_curve_type": Pair(name: "curve_type"),
    "tls.handshake.server_named_curve": Pair(name: "namedcurve"),
    "tls.handshake.server_point_len": Pair(name: "length"),
    "tls.handshake.server_point": Pair(name: "opaque", isSaid: false),
    "tls.handshake.sig_len": Pair(name: "length"), "tls.handshake.sig": Pair(name: "opaque", isSaid: false),
    "tls.handshake.client_point_len": Pair(name: "length"),
    "tls.handshake.client_point": Pair(name: "opaque", isSaid: false),
    "tls.handshake.epms_len": Pair(name: "length"), "tls.handshake.epms": Pair(name: "opaque", isSaid: false),
    "tls.handshake.verify_data": Pair(name: "verify_data", isSaid: false),
    "tls.change_cipher_spec": Pair(name: "ChangeCipherSpec", isSaid: false),
    "tls.alert_message.level": Pair(name: "level"),
    "tls.alert_message.desc": Pair(name: "description"),
  ]

  private static let partOfName = "the name is shown as a whole, as RFC 4514 writes it"
  private static let partOfRequest = "status_request is shown by its name, and its data as bytes"
  private static let partOfExtension = "the extension is shown as a whole, in words"

  /// The fields of tshark that we omit, with the reason.
  static let left: [String: String] = [
    "": "a heading of tshark's own", "tls.record": "the record as a whole", "tls.handshake": "a heading",
    "tls.alert_message": "a heading",
    "tls.handshake.ja3_full": "a fingerprint that is computed, not sent", "tls.handshake.ja3": "as above",
    "tls.handshake.ja3s_full": "as above", "tls.handshake.ja3s": "as above",
    "tls.handshake.extensions_status_request_type": partOfRequest,
    "tls.handshake.extensions_status_request_responder_ids_len": partOfRequest,
    "tls.handshake.extensions_status_request_exts_len": partOfRequest,
    "tls.app_data": "ciphertext: our fragment", "tls.app_data_proto": "tshark's guess about the content",
    "x509af.algorithm.id": "the algorithm is shown by its name", "x509if.rdnSequence": partOfName,
    "x509af.rdnSequence": partOfName, "x509if.RDNSequence_item": partOfName, "x509if.oid": partOfName,
    "x509if.RelativeDistinguishedName_item_element": partOfName, "x509sat.DirectoryString": partOfName,
    "x509sat.uTF8String": partOfName, "x509sat.printableString": partOfName,
    "x509af.utcTime": "the content of the dates",
    "pkcs1.modulus": "the key is shown by its size", "pkcs1.publicExponent": "the key is shown by its size",
    "x509af.Extension_element": "a frame around the extension",
    "x509af.extension.id": "the extension is called by it", "x509af.critical": partOfExtension,
    "ber.bitstring.padding": "an encoding's detail", "x509ce.KeyPurposeId": partOfExtension,
    "x509ce.GeneralName": partOfExtension, "x509ce.dNSName": partOfExtension, "x509ce.cA": partOfExtension,
    "x509ce.pathLenConstraint": partOfExtension,
  ].merging(
    [
      "digitalSignature", "contentCommitment", "keyEncipherment", "dataEncipherment", "keyAgreement", "keyCertSign",
      "cRLSign", "encipherOnly", "decipherOnly",
    ].map { ("x509ce.KeyUsage.\($0)", partOfExtension) }
  ) { first, _ in first }

  /// The fields of every record in order; the fields of HTTP and TCP are omitted.
  static func records(of text: String) -> [[Field]] {
    var records: [[Field]] = []
    var isTLS = false
    var (record, message) = (0, 0)
    for line in text.split(separator: "\n").map({ $0.drop { $0 == " " } }) {
      if line.hasPrefix("<proto ") { isTLS = attribute("name", line) == "tls" }
      guard isTLS, line.hasPrefix("<field "), let start = Int(attribute("pos", line)) else { continue }
      let name = attribute("name", line)
      if name == "tls.record" {
        records.append([])
        record = start
      }
      if ["tls.handshake.type", "tls.alert_message.level", "tls.change_cipher_spec"].contains(name) { message = start }
      let isOfHeader = name.hasPrefix("tls.record")
      let shown = attribute("showname", line).split(separator: ": ", maxSplits: 1).last.map(String.init) ?? ""
      let field = Field(
        name: name, meaning: shown, offset: start - (isOfHeader ? record : message),
        size: Int(attribute("size", line)) ?? 0, value: attribute("value", line))
      if !records.isEmpty { records[records.count - 1].append(field) }
    }
    return records
  }

  private static func attribute(_ name: String, _ line: Substring) -> String {
    guard let start = line.firstRange(of: " \(name)=\"") else { return "" }
    return String(line[start.upperBound...].prefix { $0 != "\"" })
  }

  static func all(_ field: Explanation.Field, named name: String) -> [Explanation.Field] {
    (name.split(separator: "|").contains { $0 == field.name } ? [field] : [])
      + field.children.flatMap { all($0, named: name) }
  }

  static func contains(_ outer: Range<Int>, _ inner: Range<Int>) -> Bool {
    outer.lowerBound <= inner.lowerBound && inner.upperBound <= outer.upperBound
  }

  /// A meaning in canonical spelling: `Client Hello (1)` becomes `client_hello (1)`, and `0x` is removed.
  static func plain(_ text: String) -> String {
    var words = text.lowercased().replacing("tlsv", with: "tls")
    if let number = words.firstMatch(of: /\(0x([0-9a-f]+)\)/), let value = Int(number.1, radix: 16) {
      words = words.replacing(number.0, with: String(value))
    }
    return words.trimmingPrefix("0x").filter { $0.isLetter || $0.isNumber }
  }
}
