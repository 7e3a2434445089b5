import Cryptography
import Explanation

/// What whoever reads a server's messages holds against them, be it the client or someone with a recording.
extension EffectLog {
  /// RFC 5246 section 7.4.1.3: the server may only choose out of the offer.
  mutating func checkChoice(_ hello: ServerHello, of offer: ClientHello) throws(HandshakeFailure) {
    try check(
      .suiteNotOffered, offer.cipherSuites.contains(hello.cipherSuite) && !hello.cipherSuite.isSignalling,
      .illegalParameter, required: .anyOf(offer.cipherSuites.map(\.name)), found: .word(hello.cipherSuite.name))
    try check(
      .illegalParameter, on: .message("ServerHello"), hello.compressionMethod == 0, .illegalParameter,
      required: .word("compression null"), found: .number(Int(hello.compressionMethod)))
    try checkExtensions(hello.extensions ?? [], offer)
    try checkApplicationProtocol(hello, offer)
  }

  /// RFC 7301 section 3.1: the server names one protocol, out of the offer.
  private mutating func checkApplicationProtocol(
    _ hello: ServerHello, _ offer: ClientHello
  ) throws(HandshakeFailure) {
    guard let chosen = hello.extensions?.applicationProtocols else { return }
    let offered = offer.extensions?.applicationProtocols ?? []
    try check(
      .illegalParameter, on: .message("ServerHello"), chosen.count == 1 && chosen.allSatisfy(offered.contains),
      .illegalParameter, required: .anyOf(offered.map(\.description)), found: .words(chosen.map(\.description)))
  }

  private mutating func checkExtensions(
    _ extensions: [Extension], _ offer: ClientHello
  ) throws(HandshakeFailure) {
    var offered = Set((offer.extensions ?? []).map(\.type))
    if offer.cipherSuites.contains(.emptyRenegotiationInfo) { offered.insert(.renegotiationInfo) }
    let strange = extensions.map(\.type).filter { !offered.contains($0) }
    try check(
      .unsupportedExtension, on: .message("ServerHello"), strange.isEmpty, .unsupportedExtension,
      required: .anyOf(offered.map(\.description).sorted()), found: .words(strange.map(\.description)))
    let info = extensions.renegotiationInfo
    try check(
      .insecureRenegotiation, on: .message("ServerHello"), info != nil, .handshakeFailure,
      required: .word("renegotiation_info"), found: info == nil ? .absent : .word("renegotiation_info"))
    try check(
      .illegalParameter, on: .message("ServerHello"), info ?? [] == [], .handshakeFailure,
      required: .word("renegotiated_connection empty in a first handshake"), found: .bytes(info ?? []))
  }

  /// RFC 5246 section 7.4.3, RFC 8422 section 5.4: the key in the certificate signed the parameters and both randoms.
  mutating func checkSignature(
    of signed: ServerKeyExchange.SignedECDHParameters, by key: PublicKey, clientRandom: [UInt8],
    serverRandom: [UInt8]
  ) throws(HandshakeFailure) {
    let content = try representable { () throws in
      try signed.parameters.signedContent(clientRandom: clientRandom, serverRandom: serverRandom)
    }
    let fault = signed.algorithm.fault(of: signed.signature, over: content, by: key)
    try check(
      .badSignature, on: .message("ServerKeyExchange"), fault == nil, .decryptError,
      required: .word("\(signed.algorithm) by the certificate's key"), found: fault.map(Detail.word) ?? .none)
  }

  /// RFC 5246 section 7.4.9: Finished covers the messages before it.
  mutating func checkFinished(_ finished: Finished, _ expected: [UInt8]) throws(HandshakeFailure) {
    try check(
      .finishedMismatch, on: .message("Finished"), finished.verifyData == expected, .decryptError,
      required: .bytes(expected), found: .bytes(finished.verifyData))
  }
}
