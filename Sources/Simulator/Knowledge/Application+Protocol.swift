import Cryptography
import Endpoint
import Explanation
import TLS

// The functions of the protocol, computed only from their inputs and the data sent unencrypted.
extension Application {
  /// Computes PRF(secret, label, seed) for the version and the suite of the ServerHello (RFC 5246 section 5).
  func pseudoRandom(_ label: Method.PseudoRandomLabel) throws(Obstacle) -> Computation {
    guard inputs.count > 1 else { return try finished(label) }
    let handshake = try ClearHandshake(value.scope, in: run.trace)
    return Computation(
      handshake.negotiated.prf.output(
        secret: try input(0), label: label.rawValue, seed: inputs.dropFirst().flatMap(\.bytes),
        count: label == .keyExpansion ? handshake.negotiated.keyBlockLength : KeySchedule12.masterSecretLength))
  }

  /// Computes verify_data: PRF(master_secret, label, Hash(handshake_messages)), RFC 5246 section 7.4.9.
  ///
  /// The recording contains every handshake message up to this one. The proof decrypts protected messages before it
  /// reaches the secret.
  private func finished(_ label: Method.PseudoRandomLabel) throws(Obstacle) -> Computation {
    guard let transcript = FinishedTranscript(value, in: run) else { throw .notPlayed(method) }
    let result = transcript.prf.output(
      secret: try input(0), label: label.rawValue, seed: transcript.hash, count: 12)
    // If an attacker changed a message in transit, the two endpoints hash different messages.
    guard result == run.trace.values[value]?.bytes else { throw .notPlayed(method) }
    return Computation(result, remark: "over \(transcript.count) bytes of handshake messages")
  }

  /// Extracts a part of the input.
  ///
  /// The part is a key in the key block (RFC 5246 section 6.3), or a value in a handshake message.
  func part(_ range: Range<Int>, of what: String) throws(Obstacle) -> Computation {
    Computation(try slice(try input(0), range, of: what))
  }

  private func slice(_ whole: [UInt8], _ range: Range<Int>, of what: String) throws(Obstacle) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= whole.count else {
      throw .failed("\(what) is only \(whole.count) bytes long")
    }
    return Array(whole[range])
  }

  /// Decompresses the certificates in a handshake message, and returns a part of them (RFC 8879 section 4).
  func decompressedPart(_ body: Range<Int>, _ range: Range<Int>) throws(Obstacle) -> Computation {
    guard let whole = CompressedCertificate.decompressing(try slice(try input(0), body, of: "the message")) else {
      throw .failed("the message contains no compressed certificate")
    }
    return Computation(try slice(whole, range, of: "the decompressed message"))
  }

  /// Decrypts a ticket with the server's ticket key (RFC 5077 section 4).
  func ticketOpening() throws(Obstacle) -> Computation {
    guard let key = SessionTicketKey(ValueName(.sessionTicketKey), try input(0)) else {
      throw .failed("the ticket key has the wrong length")
    }
    guard let secret = key.secret(in: try input(1)) else {
      throw .failed("the ticket was not encrypted with this key")
    }
    return Computation(secret)
  }

  /// Performs RSADP and EME-PKCS1-v1_5 decoding with the server's private key (RFC 8017 section 7.2.2).
  func rsaDecryption() throws(Obstacle) -> Computation {
    guard case .rsa(let key)? = try? PrivateKey(der: try input(1)) else {
      throw .failed("the private key cannot be read")
    }
    guard let message = try? key.decryptPKCS1v15(try input(0)) else {
      throw .failed("the padding is wrong after decryption with this key")
    }
    return Computation(message)
  }

  /// Performs ECDH with one side's private key and the other side's public key (RFC 8422 section 5.10).
  func keyAgreement(in group: String) throws(Obstacle) -> Computation {
    let (key, peer) = (try privateKey(in: group), try input(1))
    guard let secret = try? key.sharedSecret(with: peer) else {
      throw .failed("the key agreement fails")
    }
    return Computation(secret)
  }

  /// Computes a public key from its private key.
  func publicKey(of group: String) throws(Obstacle) -> Computation {
    Computation(try privateKey(in: group).publicKey)
  }

  /// Computes g^x mod p (RFC 5246 section 7.4.3).
  func finiteFieldPublicKey() throws(Obstacle) -> Computation {
    let group = DHGroup(prime: Natural(bigEndian: try input(1)), generator: Natural(bigEndian: try input(2)))
    return Computation(try privateKey(in: group).publicKey)
  }

  /// Computes Y^x mod p without leading zeros (RFC 5246 section 8.1.2). The generator is not used.
  func finiteFieldAgreement() throws(Obstacle) -> Computation {
    let key = try privateKey(in: DHGroup(prime: Natural(bigEndian: try input(2)), generator: 2))
    guard let secret = try? key.sharedSecret(with: try input(1)) else { throw .failed("the key agreement fails") }
    // RFC 8446 section 7.4.1 keeps the leading zeros.
    return Computation(value.kind == .sharedSecret ? secret : Array(secret.drop { $0 == 0 }))
  }

  /// Generates the ML-KEM key of a seed (FIPS 203 algorithm 16).
  func decapsulationKey() throws(Obstacle) -> MLKEM768.PrivateKey {
    guard let key = try? MLKEM768.PrivateKey(seed: try input(0)) else { throw .notPlayed(method) }
    return key
  }

  /// Encapsulates a secret for a key with known randomness (FIPS 203 algorithm 17).
  func encapsulation() throws(Obstacle) -> (ciphertext: [UInt8], sharedSecret: [UInt8]) {
    let (key, randomness) = (try input(0), try input(1))
    do throws(MLKEM768.InputError) {
      return try MLKEM768.encapsulate(to: key, randomness: randomness)
    } catch {
      throw .failed(error.description)
    }
  }

  /// Decapsulates the secret in a ciphertext (FIPS 203 algorithm 18).
  func decapsulation() throws(Obstacle) -> Computation {
    let (key, ciphertext) = (try decapsulationKey(), try input(1))
    do throws(MLKEM768.InputError) {
      return Computation(try key.sharedSecret(of: ciphertext))
    } catch {
      throw .failed(error.description)
    }
  }

  private func privateKey(in group: DHGroup) throws(Obstacle) -> DHPrivateKey {
    guard let key = try? DHPrivateKey(group, rawRepresentation: try input(0)) else { throw .notPlayed(method) }
    return key
  }

  private func privateKey(in group: String) throws(Obstacle) -> KeyAgreementPrivateKey {
    guard let curve = NamedGroup(name: group)?.curve,
      let key = try? KeyAgreementPrivateKey(curve, rawRepresentation: try input(0))
    else { throw .notPlayed(method) }
    return key
  }

  /// Decrypts a record with the write key of its sender (RFC 5246 section 6.2.3).
  ///
  /// The sequence number is never sent. A party with the recording counts the records or tries possible numbers.
  func recordOpening(after offset: Int) throws(Obstacle) -> Computation {
    guard let key = inputs.first?.name, let side = key.side else { throw .notPlayed(method) }
    let handshake = try ClearHandshake(key.scope, in: run.trace)
    // In TLS 1.3, each side has several write keys.
    guard key.kind == .writeKey || handshake.negotiated.version == .tls13 else { throw .notPlayed(method) }
    let keys = try recordKeys(key.scope, handshake, side: side)
    guard let bytes = inputs.last?.bytes, let record = Record(bytes) else {
      throw .failed("the record cannot be read")
    }
    for number in 0..<UInt64(run.trace.steps.count) {
      guard let content = keys.opening(record, number: number, after: offset) else { continue }
      return Computation(content, remark: "the record is authentic as record number \(number)")
    }
    throw .failed("this key does not decrypt the record")
  }

  /// Returns the keys of one side's records.
  ///
  /// The key and the IV are inputs. In TLS 1.0, the IV is the last block of the previous record. The MAC key comes from
  /// the same key block.
  private func recordKeys(
    _ scope: ValueScope, _ handshake: ClearHandshake, side: Side
  ) throws(Obstacle) -> RecordKeys {
    let suite = handshake.suite
    let macKey: [UInt8]
    if suite.mac.keyLength == 0 {
      macKey = []
    } else if let block = known[scope.name(.keyBlock)] {
      macKey = KeyBlock(handshake.negotiated, bytes: block).keys(of: side).macKey
    } else {
      throw .missing(scope.name(.writeMACKey, of: side))
    }
    return RecordKeys(
      version: handshake.negotiated.version, cipher: suite.cipher, mac: suite.mac, macKey: macKey,
      key: try input(0),
      iv: suite.cipher.fixedIVLength(in: handshake.negotiated.version) > 0 ? try input(1) : [],
      encryptThenMAC: handshake.encryptsThenMACs)
  }
}

extension RecordKeys {
  /// Decrypts `record` as the record with this number under these keys, after so many bytes of a key stream.
  ///
  /// - Returns: the content; nil if the record is not authentic.
  func opening(_ record: Record, number: UInt64, after offset: Int = 0) -> [UInt8]? {
    let random = DeterministicRandom(seed: .number(0), label: "not drawn from")
    var protection = RecordProtection(keys: self, random: random, sequenceNumber: number, streamOffset: offset)
    let opened = protection.open(record)
    return opened.isAuthentic ? opened.plaintext : nil
  }
}

extension Record {
  /// Parses a single complete record; nil for any other bytes.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headerLength, Int(bytes[3]) << 8 | Int(bytes[4]) == bytes.count - Self.headerLength else {
      return nil
    }
    self.init(
      type: ContentType(rawValue: bytes[0]),
      version: ProtocolVersion(rawValue: UInt16(bytes[1]) << 8 | UInt16(bytes[2])),
      fragment: Array(bytes.dropFirst(Self.headerLength)))
  }
}

/// The two hellos, which are the visible or decrypted part of a handshake.
struct ClearHandshake {
  /// The ServerHello of the handshake.
  let serverHello: ServerHello
  /// The version that the client offered, with which an encrypted premaster secret begins.
  let clientVersion: ProtocolVersion
  /// The negotiated version and cipher suite.
  let negotiated: Negotiated
  /// The registry entry of the cipher suite.
  var suite: CipherSuite.Registration { negotiated.suite }

  /// Finds the handshake with the values of `scope`. Throws if the trace does not contain it.
  init(_ scope: ValueScope, in trace: Trace) throws(Obstacle) {
    let randoms = Side.allCases.map { trace.values[scope.name(.random, of: $0)]?.bytes }
    var client: ClientHello?
    var server: ServerHello?
    for step in trace.steps where step.isHello {
      // A renegotiation is decrypted before any party learns its random numbers.
      let message = step.isProtected ? step.plaintext : Array(step.bytes.dropFirst(Record.headerLength))
      switch try? HandshakeMessage(decoding: message, under: nil).body {
      case .clientHello(let hello) where hello.random == randoms[0]: client = client ?? hello
      case .serverHello(let hello) where hello.random == randoms[1]: server = server ?? hello
      default: break
      }
    }
    guard let client, let server, let negotiated = Negotiated(server) else {
      throw .missing(scope.name(.random, of: .server))
    }
    serverHello = server
    clientVersion = client.clientVersion
    self.negotiated = negotiated
  }

  /// Whether the MAC of CBC records covers the ciphertext (RFC 7366).
  var encryptsThenMACs: Bool { serverHello.extensions?.contains { $0.type == .encryptThenMAC } ?? false }

  /// Whether the master secret is bound to the whole handshake (RFC 7627).
  var hasExtendedMasterSecret: Bool { serverHello.extensions?.contains { $0.type == .extendedMasterSecret } ?? false }

  /// The bytes of the offered version, with which a premaster secret begins (RFC 5246 section 7.4.7.1).
  var offeredVersionBytes: [UInt8] {
    [UInt8(truncatingIfNeeded: clientVersion.rawValue >> 8), UInt8(truncatingIfNeeded: clientVersion.rawValue)]
  }
}
