import Cryptography
import Explanation
import PKIX

/// A certificate of the world with what it takes to use it: whoever comes by its key can show it, and sign with it.
public struct Holding: Sendable {
  /// The certificate's name.
  public let name: String
  /// The certificate, and those of its issuers below the root.
  public let chain: [Certificate]
  /// The private key; nil where nobody here has it.
  public let key: PrivateKey?
  /// The name of the key among the values: that of its owner, whichever certificate it stands in.
  public let keyName: Value.ID
  private let signing: Authority.Signing

  /// The certificate `name` with its issuers and its key.
  public init(
    name: String, chain: [Certificate], key: PrivateKey?, keyName: Value.ID,
    signing: @escaping Authority.Signing = Authority.sign
  ) {
    self.name = name
    self.chain = chain
    self.key = key
    self.keyName = keyName
    self.signing = signing
  }

  /// The CA that signs with the key; nil where nobody here has it.
  var signer: Authority? {
    guard let key, let own = chain.first else { return nil }
    return Authority(own, key: key, signing: signing)
  }
}

/// How strong the attackers are that are tried.
public struct Attackers: Sendable, Hashable {
  /// The most that they can do.
  public var capability = Method.Capability.asksServer
  /// The most candidates that they can try, as a power of two: 2^40.
  public var budget = 40

  /// The strongest: on the path, and able to ask the server again.
  public init() {}

  /// Whether they can do what takes `capability`.
  public func can(_ capability: Method.Capability) -> Bool { capability <= self.capability }
}
