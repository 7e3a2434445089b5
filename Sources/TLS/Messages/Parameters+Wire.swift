import Explanation
import Wire

extension ProtocolVersion {
  /// Two bytes: RFC 5246 section 6.2.1.
  init(_ reader: inout Reader, _ name: String) throws(WireError) {
    self.init(rawValue: try reader.uint16(name) { ProtocolVersion(rawValue: $0).named })
  }

  /// `TLSv1.2 (0x0303)`.
  var named: String { Self.known.contains(self) ? "\(description) (\(rawValue.codePoint))" : description }
}

extension CipherSuite {
  /// Two bytes: RFC 5246 section 7.4.1.2.
  init(_ reader: inout Reader) throws(WireError) {
    self.init(rawValue: try reader.uint16("cipher_suite") { CipherSuite(rawValue: $0).named })
  }

  /// `TLS_RSA_WITH_AES_128_GCM_SHA256 (0x009c)`.
  var named: String { registration == nil ? description : "\(description) (\(rawValue.codePoint))" }
}

extension NamedGroup {
  /// Two bytes: RFC 8422 section 5.1.1.
  init(_ reader: inout Reader, _ name: String) throws(WireError) {
    self.init(rawValue: try reader.uint16(name) { NamedGroup(rawValue: $0).description })
  }
}

extension SignatureAndHashAlgorithm {
  /// Two bytes, hash and signature: RFC 5246 section 7.4.1.4.1.
  init(_ reader: inout Reader, _ name: String) throws(WireError) {
    self.init(rawValue: try reader.uint16(name) { SignatureAndHashAlgorithm(rawValue: $0).description })
  }
}
