import Cryptography
import Explanation
import PKIX

/// Explains why pins match no key: they are hashes of other data in the chain, or malformed text.
struct PinDiagnosis {
  private let path: [Certificate]
  private let place: PublicKeyPins.Place
  private let name: (Certificate) -> String

  /// Creates a diagnosis for a path, beginning with the server's own certificate.
  init(_ path: [Certificate], at place: PublicKeyPins.Place, named name: @escaping (Certificate) -> String) {
    self.path = path
    self.place = place
    self.name = name
  }

  /// Returns the defect of the pins and its fix; nil if the pins match no data in the chain.
  func fix(for pins: [PublicKeyPins.Pin]) -> String? {
    let sentences = pins.compactMap { sentence($0) }
    return sentences.isEmpty ? nil : (sentences + [keys]).joined(separator: " ")
  }

  /// The pins that would match the chain, which are the hashes of its keys.
  var keys: String {
    let list = path.enumerated().map { index, certificate in
      "\(name(certificate)) (\(index == 0 ? "leaf" : "CA")) \(Base64.encode(PublicKeyPins.Pin.fingerprint(of: certificate)))"
    }
    return "The keys in the chain: \(list.joined(separator: ", "))."
  }

  private func sentence(_ pin: PublicKeyPins.Pin) -> String? {
    for (index, certificate) in path.enumerated() {
      if let sentence = sentence(pin, certificate, isLeaf: index == 0) { return sentence }
    }
    return nil
  }

  private func sentence(_ pin: PublicKeyPins.Pin, _ certificate: Certificate, isLeaf: Bool) -> String? {
    let own = name(certificate)
    let key = PublicKeyPins.Pin.fingerprint(of: certificate)
    let destination = place == .path ? "" : ", in \(list(isLeaf))"
    let right = "Pin \(Base64.encode(key)), the SHA-256 of its SubjectPublicKeyInfo\(destination)."
    if pin.fingerprint == key {
      guard place != .path else { return nil }
      return "\(pin.name) is the key of \(own), which is \(isLeaf ? "the server's own certificate" : "a CA"): "
        + "list it in \(list(isLeaf)) instead."
    }
    if pin.fingerprint == Hash.sha256.digest(certificate.der) {
      return "\(pin.name) is the SHA-256 of the certificate \(own) (its fingerprint), not of its public key. \(right)"
    }
    if let form = Self.forms(of: certificate).first(where: { Hash.sha256.digest($0.bytes) == pin.fingerprint }) {
      return "\(pin.name) is the SHA-256 of \(form.name) of \(own), not of its SubjectPublicKeyInfo in DER. \(right)"
    }
    return pin.fingerprint.isEmpty ? sentence(onText: pin.name, certificate, key, right) : nil
  }

  /// Explains a text that is not the Base64 encoding of 32 bytes, and therefore matches no key.
  private func sentence(onText name: String, _ certificate: Certificate, _ key: [UInt8], _ right: String) -> String? {
    let own = self.name(certificate)
    let text = name.filter { $0 != "\"" && !$0.isWhitespace }
    let bare = text.replacing(/^sha-?256[\/:=-]/.ignoresCase(), with: "").filter { $0 != "=" }
    if bare == Base64.encode(key).filter({ $0 != "=" }) {
      return "\(name) is the right hash, but it is ignored because it has a prefix or no padding. \(right)"
    }
    let digits = text.filter { $0 != ":" }
    guard let bytes = Hex.bytes(digits), bytes.count == 32 else { return nil }
    if bytes == key { return "\(name) is hexadecimal, but must be Base64. \(right)" }
    guard bytes == Hash.sha256.digest(certificate.der) else { return nil }
    return "\(name) is the fingerprint of the certificate \(own) in hexadecimal, not the hash of its key. \(right)"
  }

  private func list(_ isLeaf: Bool) -> String { isLeaf ? "NSPinnedLeafIdentities" : "NSPinnedCAIdentities" }

  /// Returns other encodings of the key, which are often hashed by mistake.
  ///
  /// Commands print these encodings. A pin is the hash of the SubjectPublicKeyInfo in DER.
  private static func forms(of certificate: Certificate) -> [(name: String, bytes: [UInt8])] {
    let info = certificate.subjectPublicKeyInfo
    var forms: [(name: String, bytes: [UInt8])] = []
    let texts = [
      ("the PEM text of the key", PEM.encode("PUBLIC KEY", info)),
      ("the PEM text of the certificate", PEM.encode("CERTIFICATE", certificate.der)),
    ]
    for (name, text) in texts {
      // With and without the line feed at the end.
      forms.append((name, Array(text.utf8)))
      forms.append((name, Array(text.utf8.dropLast())))
    }
    forms.append(("the Base64 text of the key", Array(Base64.encode(info).utf8)))
    if let bare = bareKey(in: info) {
      forms.append(("the bare key (PKCS #1 of an RSA key)", bare))
      forms.append(("the PEM text of the bare key (PKCS #1)", Array(PEM.encode("RSA PUBLIC KEY", bare).utf8)))
    }
    forms.append(("the hexadecimal text of the key's hash", Array(Hex.string(Hash.sha256.digest(info)).utf8)))
    return forms
  }

  /// Returns the content of subjectPublicKey (RFC 5280 section 4.1.2.7). For RSA, it is an RSAPublicKey (RFC 8017
  /// appendix A.1.1).
  private static func bareKey(in info: [UInt8]) -> [UInt8]? {
    guard let outer = element(in: info[...]), let algorithm = element(in: outer.content),
      let key = element(in: algorithm.rest), key.content.first == 0
    else { return nil }
    return Array(key.content.dropFirst())
  }

  /// Returns the content of the first element and the bytes after it; nil if the bytes are truncated.
  private static func element(
    in bytes: ArraySlice<UInt8>
  ) -> (content: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
    var rest = bytes.dropFirst()
    guard let first = rest.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let count = Int(first & 0x7f)
      guard (1...4).contains(count), rest.count >= count else { return nil }
      length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(count)
    }
    guard rest.count >= length else { return nil }
    return (rest.prefix(length), rest.dropFirst(length))
  }
}
