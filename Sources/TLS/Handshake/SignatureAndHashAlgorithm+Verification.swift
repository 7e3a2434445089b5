import Cryptography

extension SignatureAndHashAlgorithm {
  /// What is wrong with a signature of this kind over `content` by `key`; nil when nothing is.
  func fault(of signature: [UInt8], over content: [UInt8], by key: PublicKey) -> String? {
    guard let scheme else { return "unknown algorithm \(self)" }
    do {
      guard scheme.suits(key) else {
        throw SignatureError.keyMismatch(key: key.algorithmName, scheme: scheme.name)
      }
      try key.verify(signature, over: content, scheme)
      return nil
    } catch {
      return "\(error)"
    }
  }
}
