import Cryptography
import Explanation
import PKIX
import TLS

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A certificate chain of the shim with its private key, read from the runner's files.
struct LoadedCredential: Sendable {
  let options: Credential
  /// The position in the runner's list of credentials; -1 for the default credential.
  let number: Int
  let certificates: [[UInt8]]
  let key: PrivateKey

  /// The name of the key as a value.
  var keyName: Value.ID { ValueName(.key, number: number + 2) }

  /// Reads the files of `credential`; nil if it names none.
  init?(_ credential: Credential, number: Int) throws(ShimFailure) {
    guard let chain = credential.certificateFile, let keyFile = credential.keyFile else { return nil }
    options = credential
    self.number = number
    certificates = try PEMFile.certificates(chain)
    do {
      key = try PrivateKey(pem: try PEMFile.text(keyFile))
    } catch {
      throw .failed("the private key is unreadable: \(error)")
    }
  }

  /// The schemes that the key signs with, in order of preference.
  var schemes: [SignatureScheme] {
    let preferences = options.signingPreferences
    return preferences.isEmpty ? SignatureScheme.signing : preferences.compactMap(SignatureScheme.init(numbered:))
  }

  /// The issuers' names in the chain.
  var issuers: [[UInt8]] { certificates.compactMap { try? Certificate(der: $0).issuer.der } }

  var serverCredentials: ServerCredentials {
    var credentials = ServerCredentials(certificates: certificates, privateKey: key, privateKeyName: keyName)
    credentials.ocspResponse = options.ocspResponse
    credentials.sctList = options.sctList
    credentials.signatureSchemes = schemes
    return credentials
  }

  var clientIdentity: ClientIdentity {
    var identity = ClientIdentity(
      certificates: certificates, privateKey: key, privateKeyName: keyName, issuers: issuers)
    identity.signatureSchemes = schemes
    return identity
  }
}

extension Options {
  /// The shim's credentials in order of preference, ending with the default one.
  func loadedCredentials() throws(ShimFailure) -> [LoadedCredential] {
    var loaded: [LoadedCredential] = []
    for (number, credential) in credentials.enumerated() {
      if let one = try LoadedCredential(credential, number: number) { loaded.append(one) }
    }
    if let one = try LoadedCredential(defaultCredential, number: -1) { loaded.append(one) }
    return loaded
  }
}

extension SignatureScheme {
  /// The schemes that BoringSSL signs with by default, in its order.
  static let signing: [SignatureScheme] = [
    .ed25519, .ecdsaSHA256, .rsaPSSSHA256, .rsaPKCS1SHA256, .ecdsaSHA384, .rsaPSSSHA384, .rsaPKCS1SHA384, .ecdsaSHA512,
    .rsaPSSSHA512, .rsaPKCS1SHA512, .ecdsaSHA1, .rsaPKCS1SHA1,
  ]
  /// The schemes that BoringSSL accepts from its peer by default, in its order.
  static let verification: [SignatureScheme] = [
    .ecdsaSHA256, .rsaPSSSHA256, .rsaPKCS1SHA256, .ecdsaSHA384, .rsaPSSSHA384, .rsaPKCS1SHA384, .rsaPSSSHA512,
    .rsaPKCS1SHA512, .rsaPKCS1SHA1,
  ]

  /// The scheme with the runner's number; nil for one that only the runner knows.
  init?(numbered number: Int) {
    guard let codePoint = UInt16(exactly: number) else { return nil }
    self.init(codePoint: codePoint)
  }
}

/// The runner's PEM files.
enum PEMFile {
  /// The text of a file.
  static func text(_ path: [UInt8]) throws(ShimFailure) -> String {
    let name = String(decoding: path, as: UTF8.self)
    guard let file = fopen(name, "r") else { throw .failed("\(name) is not readable") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer.prefix(count) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The certificates in a file, as DER that may be malformed.
  static func certificates(_ path: [UInt8]) throws(ShimFailure) -> [[UInt8]] {
    let text = try text(path)
    do {
      return try PEM.decode(text).filter { $0.label == "CERTIFICATE" }.map(\.bytes)
    } catch {
      throw .failed("\(String(decoding: path, as: UTF8.self)) is not PEM: \(error)")
    }
  }
}
