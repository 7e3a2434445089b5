import Cryptography
import Explanation
import PKIX

extension HierarchyCasting {
  /// A certificate, or a chain with its leaf first, from a PEM or DER file.
  func read(_ description: CertificateDescription, _ file: FileReference) throws(Diagnostics) -> Hierarchy.Entry {
    let bytes = try bytes(of: file)
    let chain: [Certificate]
    do throws(Certificate.FileError) {
      chain = try Certificate.certificates(inPEMOrDER: bytes)
    } catch {
      throw error.diagnostics(in: file.path, at: file.mark)
    }
    let certificates = chain.enumerated().map { index, certificate in
      (index == 0 ? description.name : "\(description.name)[\(index)]", certificate)
    }
    guard let own = chain.first else {
      throw Diagnostics("there is no certificate in '\(file.path)'", at: file.mark)
    }
    let key = try privateKey(description, beside: bytes, for: own)
    let signingKey: PrivateKey
    if let key { signingKey = key } else { signingKey = try standIn(for: own, description) }
    return .init(
      name: description.name, certificates: certificates, key: key, signingKey: signingKey, keyOwner: description.name)
  }

  /// A key of the same kind as the certificate's, for a server whose own key nobody here has.
  private func standIn(for certificate: Certificate, _ description: CertificateDescription) throws(Diagnostics)
    -> PrivateKey
  {
    let owner = "\(description.name)/stand-in"
    do throws(RSAError) {
      if case .ec(let key) = certificate.publicKey { return .ec(keys.ecKey(owner: owner, curve: key.curve)) }
      return .rsa(try keys.rsaKey(owner: owner, bits: 2048))
    } catch {
      throw Diagnostics("no key can stand in for '\(description.name)': \(error)", at: description.mark)
    }
  }

  private func privateKey(
    _ description: CertificateDescription, beside chain: [UInt8], for certificate: Certificate
  ) throws(Diagnostics) -> PrivateKey? {
    guard let file = description.privateKey else {
      let text = String(decoding: chain, as: UTF8.self)
      return text.contains("PRIVATE KEY-----") ? try? PrivateKey(pem: text) : nil
    }
    let bytes = try bytes(of: file)
    let key: PrivateKey
    do throws(KeyError) {
      key =
        bytes.first == 0x30 ? try PrivateKey(der: bytes) : try PrivateKey(pem: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw Diagnostics(
        "'\(file.path)' holds no private key that can be used: \(error)",
        hint: "write it with: openssl pkey -in KEY -out KEY.pem", at: file.mark)
    }
    guard key.publicKey.subjectPublicKey == certificate.publicKey.subjectPublicKey else {
      throw Diagnostics(
        "the private key in '\(file.path)' is not that of '\(description.name)'",
        hint: "compare: openssl x509 -pubkey -noout -in CERT and openssl pkey -pubout -in KEY", at: file.mark)
    }
    return key
  }

  private func bytes(of file: FileReference) throws(Diagnostics) -> [UInt8] {
    guard let bytes = readFile(file.path) else {
      throw Diagnostics(
        "cannot read the file '\(file.path)'", hint: "paths start from the scenario's folder", at: file.mark)
    }
    return bytes
  }
}
