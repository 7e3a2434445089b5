import Wire

/// A chain of certificates, the sender's own first: RFC 5246 section 7.4.2. Their bytes mean nothing here.
///
/// ```
/// struct { ASN.1Cert certificate_list<0..2^24-1>; } Certificate;
/// ```
public struct CertificateMessage: Sendable, Hashable {
  /// The certificates in DER, each certifying the one before.
  public var certificateList: [[UInt8]]

  /// A message with these certificates; a client without one sends none.
  public init(certificateList: [[UInt8]]) { self.certificateList = certificateList }

  init(_ reader: inout Reader) throws(WireError) {
    certificateList = try reader.vector("certificate_list", 0...0xff_ffff, meaning: { "\($0.count) certificates" }) {
      (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in
        try reader.opaque("ASN.1Cert", 1...0xff_ffff)
      }
    }
  }

  func write(to writer: inout Writer) throws(WireError) {
    try writer.vector("certificate_list", 0...0xff_ffff) { (writer) throws(WireError) in
      for certificate in certificateList { try writer.opaque("certificate", 1...0xff_ffff, certificate) }
    }
  }
}
