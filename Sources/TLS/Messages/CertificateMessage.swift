import Cryptography
import Explanation
import Wire

/// A certificate chain, starting with the sender's own (RFC 5246 section 7.4.2). TLS does not parse the certificates.
///
/// ```
/// struct { ASN.1Cert certificate_list<0..2^24-1>; } Certificate;
/// ```
///
/// In TLS 1.3, the message also has a context and extensions for each certificate (RFC 8446 section 4.4.2).
public struct CertificateMessage: Sendable, Hashable {
  /// The certificates in DER. Each certificate certifies the one before it.
  public var certificateList: [[UInt8]]
  /// The parts that only TLS 1.3 has; nil before.
  public var tls13: Parts13?

  /// The parts of a Certificate message that only TLS 1.3 has.
  public struct Parts13: Sendable, Hashable {
    /// The context of the request that the message answers; empty from a server.
    public var context: [UInt8]
    /// The extensions of each certificate.
    public var extensions: [[Extension]]

    /// Creates the parts.
    public init(context: [UInt8] = [], extensions: [[Extension]]) {
      (self.context, self.extensions) = (context, extensions)
    }
  }

  /// Creates a message with these certificates. A client without a certificate sends an empty list.
  public init(certificateList: [[UInt8]], tls13: Parts13? = nil) {
    self.certificateList = certificateList
    self.tls13 = tls13
  }

  init(_ reader: inout Reader) throws(WireError) {
    certificateList = try reader.vector("certificate_list", 0...0xff_ffff, meaning: { "\($0.count) certificates" }) {
      (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in
        try reader.opaque("ASN.1Cert", 1...0xff_ffff)
      }
    }
  }

  init(tls13 reader: inout Reader) throws(WireError) {
    let context = try reader.opaque("certificate_request_context", 0...0xff)
    let entries = try reader.vector("certificate_list", 0...0xff_ffff, meaning: { "\($0.count) certificates" }) {
      (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in
        (
          certificate: try reader.opaque("cert_data", 1...0xff_ffff),
          extensions: try Extension.vector(&reader, in: .certificateEntry)
        )
      }
    }
    certificateList = entries.map(\.certificate)
    tls13 = Parts13(context: context, extensions: entries.map(\.extensions))
  }

  func write(to writer: inout Writer) throws(WireError) {
    if let tls13 { try writer.opaque("certificate_request_context", 0...0xff, tls13.context) }
    try writer.vector("certificate_list", 0...0xff_ffff) { (writer) throws(WireError) in
      for (index, certificate) in certificateList.enumerated() {
        try writer.opaque("certificate", 1...0xff_ffff, certificate)
        guard let tls13 else { continue }
        let extensions = tls13.extensions.indices.contains(index) ? tls13.extensions[index] : []
        try Extension.write(extensions, to: &writer, in: .certificateEntry)
      }
    }
  }
}

/// The server's request for a client certificate (RFC 5246 section 7.4.4).
///
/// Before TLS 1.2, the request lists no algorithms (RFC 2246 section 7.4.4).
///
/// ```
/// struct {
///   ClientCertificateType certificate_types<1..2^8-1>;
///   SignatureAndHashAlgorithm supported_signature_algorithms<2..2^16-2>;
///   DistinguishedName certificate_authorities<0..2^16-1>;
/// } CertificateRequest;
/// ```
public struct CertificateRequestMessage: Sendable, Hashable {
  /// The accepted certificate types, such as 1 for `rsa_sign` and 64 for `ecdsa_sign`.
  public var certificateTypes: [UInt8]
  /// The algorithms that the client may sign with. Nil before TLS 1.2, because the type of the client's key determines
  /// them.
  public var supportedSignatureAlgorithms: [SignatureAndHashAlgorithm]?
  /// The names of the accepted CAs in DER. An empty list accepts any CA.
  public var certificateAuthorities: [[UInt8]]

  /// Creates a request with these requirements.
  public init(
    certificateTypes: [UInt8], supportedSignatureAlgorithms: [SignatureAndHashAlgorithm]?,
    certificateAuthorities: [[UInt8]] = []
  ) {
    self.certificateTypes = certificateTypes
    self.supportedSignatureAlgorithms = supportedSignatureAlgorithms
    self.certificateAuthorities = certificateAuthorities
  }

  init(_ reader: inout Reader, _ negotiated: Negotiated?) throws(WireError) {
    certificateTypes = try reader.opaque("certificate_types", 1...0xff)
    if negotiated?.namesSignatureAlgorithms ?? true {
      supportedSignatureAlgorithms = try reader.vector("supported_signature_algorithms", 2...0xfffe) {
        (reader) throws(WireError) in
        try reader.items { (reader) throws(WireError) in try SignatureAndHashAlgorithm(&reader, "algorithm") }
      }
    }
    certificateAuthorities = try reader.vector("certificate_authorities", 0...0xffff) { (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in try reader.opaque("DistinguishedName", 1...0xffff) }
    }
  }

  func write(to writer: inout Writer) throws(WireError) {
    try writer.opaque("certificate_types", 1...0xff, certificateTypes)
    if let supportedSignatureAlgorithms {
      try writer.vector("supported_signature_algorithms", 2...0xfffe) { writer in
        for algorithm in supportedSignatureAlgorithms { writer.uint16(algorithm.rawValue) }
      }
    }
    try writer.vector("certificate_authorities", 0...0xffff) { (writer) throws(WireError) in
      for name in certificateAuthorities { try writer.opaque("DistinguishedName", 1...0xffff, name) }
    }
  }
}

/// The client's proof that it has the private key of its certificate (RFC 5246 section 7.4.8).
public struct CertificateVerify: Sendable, Hashable {
  /// The signature over all handshake messages before this one.
  public var signed: DigitallySigned

  /// Creates a message with this signature.
  public init(_ signed: DigitallySigned) { self.signed = signed }

  init(_ reader: inout Reader, _ negotiated: Negotiated?) throws(WireError) {
    signed = try DigitallySigned(&reader, negotiated)
  }

  func write(to writer: inout Writer) throws(WireError) { try signed.write(to: &writer) }
}
