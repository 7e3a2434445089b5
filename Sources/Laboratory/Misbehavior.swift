import Cryptography
import Explanation
import TLS

/// A deviation of one side from the protocol. The side computes with it, so only a check of its peer can notice it.
///
/// An attacker on the network cannot cause these deviations: the Finished messages would reveal its change. The raw
/// values are keywords in scenario files.
public enum Misbehavior: String, Sendable, Hashable, CaseIterable {
  /// The server selects its first suite, whatever the client offers.
  case suiteNotOffered = "suite-not-offered"
  /// The server selects a suite that the version does not have.
  case suiteOfOtherVersion = "suite-of-other-version"
  /// The server selects a version before TLS 1.3, although both sides support TLS 1.3.
  case olderVersion = "older-version"
  /// The server selects its first group, whatever the client offers.
  case groupNotOffered = "group-not-offered"
  /// The server signs with its first scheme, whatever the client offers.
  case schemeNotOffered = "scheme-not-offered"
  /// The server responds to an extension that the client did not send.
  case unsolicitedExtension = "unsolicited-extension"
  /// The server responds in ServerHello to an extension that TLS 1.3 permits only in other messages.
  case misplacedExtension = "misplaced-extension"
  /// The server of TLS 1.3 does not repeat the client's session ID.
  case sessionID = "session-id"
  /// The hello message contains a compression method other than null.
  case compression
  /// The Certificate message contains no certificate.
  case noCertificate = "no-certificate"
  /// A bit of verify_data in Finished is wrong.
  case finished
  /// A bit of the proof that the client has its pre-shared key is wrong.
  case binder
  /// A bit of the signature in ServerKeyExchange or CertificateVerify is wrong.
  case signature
  /// The premaster secret begins with another version than the client's offer.
  case premasterVersion = "premaster-version"
  /// The key exchange contains a public key of zeros, which no group has.
  case keyShare = "key-share"
  /// An empty record precedes each handshake message.
  case emptyRecord = "empty-record"
  /// renegotiation_info does not contain the Finished value of the previous handshake.
  case renegotiationInfo = "renegotiation-info"

  /// The sides of a connection that can deviate in this way.
  public var sides: Set<Side> {
    switch self {
    case .suiteNotOffered, .suiteOfOtherVersion, .olderVersion, .groupNotOffered, .schemeNotOffered,
      .unsolicitedExtension, .misplacedExtension, .sessionID, .noCertificate:
      [.server]
    case .premasterVersion, .binder: [.client]
    case .compression, .finished, .signature, .keyShare, .emptyRecord, .renegotiationInfo: [.client, .server]
    }
  }

  /// The changed decisions of a side that deviates in this way.
  public var fault: Fault {
    switch self {
    case .suiteNotOffered:
      .reading { offer, server in offer.cipherSuites = server.cipherSuites + offer.cipherSuites }
    case .suiteOfOtherVersion:
      .tls {
        $0.hasSuite = { _, _ in true }
        $0.sends = { sent($0) }
      }
    case .olderVersion: .reading { offer, _ in offer.extensions?.removeAll { $0.type == .supportedVersions } }
    case .groupNotOffered:
      .reading { offer, server in
        offer.replace(.supportedGroups(server.groups))
        let shares = (offer.extensions?.keyShares ?? []).filter { $0.group == server.groups.first }
        offer.replace(.tls13(.keyShares(shares)))
      }
    case .schemeNotOffered:
      .reading { offer, server in
        offer.replace(.signatureAlgorithms(server.signatureSchemes.map(SignatureAndHashAlgorithm.init)))
      }
    case .unsolicitedExtension, .misplacedExtension, .sessionID, .compression, .noCertificate, .finished, .binder,
      .signature, .keyShare, .renegotiationInfo:
      .tls { $0.sends = { sent($0) } }
    case .premasterVersion: .tls { $0.premasterVersion = { $0 == .tls11 ? .tls10 : .tls11 } }
    case .emptyRecord: .tls { $0.fragments = { [[]] + $0 } }
    }
  }

  /// The content that the side sends in place of the correct content.
  private func sent(_ body: HandshakeMessage.Body) -> HandshakeMessage.Body {
    switch (self, body) {
    case (.unsolicitedExtension, .serverHello(var hello)) where !hello.choosesTLS13:
      hello.extensions = (hello.extensions ?? []) + [Self.unknownExtension]
      return .serverHello(hello)
    case (.unsolicitedExtension, .encryptedExtensions(let message)):
      return .encryptedExtensions(EncryptedExtensions(extensions: message.extensions + [Self.unknownExtension]))
    case (.misplacedExtension, .serverHello(var hello)) where hello.choosesTLS13:
      hello.extensions = (hello.extensions ?? []) + [.serverName(nil)]
      return .serverHello(hello)
    case (.suiteOfOtherVersion, .serverHello(var hello)) where hello.choosesTLS13:
      hello.cipherSuite = Self.suiteOfTLS12
      return .serverHello(hello)
    case (.sessionID, .serverHello(var hello)) where hello.choosesTLS13:
      hello.sessionID = hello.sessionID.isEmpty ? [0] : hello.sessionID.withLastBitFlipped
      return .serverHello(hello)
    case (.compression, .serverHello(var hello)):
      hello.compressionMethod = 1
      return .serverHello(hello)
    case (.compression, .clientHello(var hello)):
      hello.compressionMethods = [1]
      return .clientHello(hello)
    case (.noCertificate, .certificate(let message)):
      return .certificate(
        CertificateMessage(
          certificateList: [], tls13: message.tls13.map { .init(context: $0.context, extensions: []) }))
    case (.finished, .finished(let finished)):
      return .finished(Finished(verifyData: finished.verifyData.withLastBitFlipped))
    case (.signature, .certificateVerify(let proof)):
      return .certificateVerify(CertificateVerify(proof.signed.withLastBitFlipped))
    case (.signature, .serverKeyExchange(.ephemeral(var signed))):
      signed.signature = signed.signature?.withLastBitFlipped
      return .serverKeyExchange(.ephemeral(signed))
    case (.keyShare, .clientKeyExchange(let message)): return .clientKeyExchange(message.withZeros)
    case (.binder, .clientHello(var hello)):
      hello.extensions = hello.extensions?.map(\.withWrongBinders)
      return .clientHello(hello)
    case (.keyShare, .clientHello(var hello)):
      hello.extensions = hello.extensions?.map(\.withZeros)
      return .clientHello(hello)
    case (.keyShare, .serverHello(var hello)):
      hello.extensions = hello.extensions?.map(\.withZeros)
      return .serverHello(hello)
    case (.renegotiationInfo, .clientHello(var hello)):
      hello.extensions = hello.extensions?.map(\.unbound)
      return .clientHello(hello)
    case (.renegotiationInfo, .serverHello(var hello)):
      hello.extensions = hello.extensions?.map(\.unbound)
      return .serverHello(hello)
    default: return body
    }
  }

  /// TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, a suite of TLS 1.2 that clients of TLS 1.3 offer too.
  private static let suiteOfTLS12 = CipherSuite(rawValue: 0xc02f)

  /// An extension that no client sends, with a type for private use.
  private static let unknownExtension = Extension.other(type: ExtensionType(rawValue: 0xff77), data: [])
}

extension Fault {
  /// A fault of a server that changes the client's offer before it selects from it.
  fileprivate static func reading(
    _ change: @escaping @Sendable (_ offer: inout ClientHello, _ server: ServerConfiguration) -> Void
  ) -> Fault {
    .tls { decisions in
      decisions.reads = { offer, server in
        var offer = offer
        change(&offer, server)
        return offer
      }
    }
  }
}

extension ClientHello {
  /// Replaces the extension of the same type, if there is one.
  fileprivate mutating func replace(_ item: Extension) {
    extensions = extensions?.map { $0.type == item.type ? item : $0 }
  }
}

extension Extension {
  /// The same extension; key shares contain only zeros.
  fileprivate var withZeros: Extension {
    switch self {
    case .tls13(.keyShare(let entry)): .tls13(.keyShare(entry.withZeros))
    case .tls13(.keyShares(let entries)): .tls13(.keyShares(entries.map(\.withZeros)))
    default: self
    }
  }

  /// The same extension; the binders of pre-shared keys are wrong.
  fileprivate var withWrongBinders: Extension {
    guard case .tls13(.preSharedKeys(let offer)) = self else { return self }
    return .tls13(
      .preSharedKeys(OfferedPSKs(identities: offer.identities, binders: offer.binders.map(\.withLastBitFlipped))))
  }

  /// The same extension; a renegotiated_connection that is not empty is wrong.
  fileprivate var unbound: Extension {
    guard case .renegotiationInfo(let bytes) = self, !bytes.isEmpty else { return self }
    return .renegotiationInfo(bytes.withLastBitFlipped)
  }
}

extension KeyShareEntry {
  fileprivate var withZeros: KeyShareEntry { KeyShareEntry(group: group, keyExchange: keyExchange.map { _ in 0 }) }
}

extension ClientKeyExchange {
  /// The same key exchange, with a public key of zeros.
  fileprivate var withZeros: ClientKeyExchange {
    switch self {
    case .ecdhe(let key): .ecdhe(publicKey: key.map { _ in 0 })
    case .dhe(let key): .dhe(publicKey: key.map { _ in 0 })
    default: self
    }
  }
}

extension DigitallySigned {
  fileprivate var withLastBitFlipped: DigitallySigned {
    DigitallySigned(algorithm: algorithm, signature: signature.withLastBitFlipped)
  }
}

extension [UInt8] {
  /// These bytes with the last bit flipped.
  fileprivate var withLastBitFlipped: [UInt8] { dropLast() + suffix(1).map { $0 ^ 1 } }
}
