import Cryptography
import Endpoint
import Explanation
import PKIX
import TLS

/// The attacks on the padding of CBC records.
///
/// S. Vaudenay published the first in 2002. B. Möller, T. Duong and K. Kotowicz published POODLE in 2014.
///
/// An attacker on the path makes a client repeat a request, as a script in a page can, and sees each record. The
/// attacker lays out the request so that one byte of the cookie ends a block and the padding fills a block. If the server
/// ignores the padding, as in SSL 3.0, it replaces the padding block with the block that ends with the byte:
///
/// ```
/// C1 | … | Ci | … | Cn-1 | Cn      Pi ends with the byte; Pn is 15 arbitrary bytes, and their number
/// C1 | … | Ci | … | Cn-1 | Ci      the last byte decrypts to Pi[15] ^ Ci-1[15] ^ Cn-1[15]
/// ```
///
/// Under one key in 256 this byte is 15, and the server accepts the record: Pi[15] = 15 ^ Ci-1[15] ^ Cn-1[15]. Under
/// every other key the server closes the connection, and the client tries again under new keys.
///
/// If the server reveals whether the padding was wrong or the MAC, the attacker guesses the byte, once in a connection:
///
/// ```
/// C1 | … | Ci-1 ^ guess | Ci     the last byte decrypts to Pi[15] ^ guess, which is correct padding if it is 0
/// ```
///
/// The alert that says so is encrypted. Real attackers distinguish it by the time that it takes (B. Canvel and others,
/// CRYPTO 2003); here they learn it.
public struct BlockPaddingAttack: Sendable {
  /// The value of the cookie; nil if the server's responses do not reveal it.
  public private(set) var cookie: [UInt8]?
  /// The reaction of the server that reveals a byte.
  public enum Technique: Sendable, Hashable {
    /// The server accepts a copied block as padding.
    case copying
    /// The server tells wrong padding from a wrong MAC.
    case guessing
  }

  /// The technique of the attack.
  public private(set) var technique = Technique.copying
  /// The number of connections that were made.
  public private(set) var connections = 0
  private let ends: Ends
  private let request: HTTPRequest
  private let host: String

  /// The maximum number of connections for one byte, against a server that ignores padding.
  ///
  /// Nine in ten bytes need fewer than 600 connections, and 999 in 1000 need fewer than 1,766.
  public static let limit = 1_766

  /// Runs the attack. In every try, a client of `client` sends `request` to a new server of `server`.
  public init(_ client: ClientConfiguration, _ server: ServerConfiguration, _ request: HTTPRequest, host: String) {
    ends = Ends(client, server)
    self.request = request
    self.host = host
    cookie = run()
  }

  private mutating func run() -> [UInt8]? {
    let value = request.cookieValue
    guard !value.isEmpty, let shape = ends.shape() else { return nil }
    var found: [UInt8] = []
    while found.count < value.count {
      let layout = Layout(shape, request, host: host, index: found.count)
      if found.isEmpty, ends.tellsPadding(layout) { technique = .guessing }
      guard let byte = byte(layout) else { return nil }
      found.append(byte)
    }
    return found
  }

  private mutating func byte(_ layout: Layout) -> UInt8? {
    technique == .copying ? copied(layout) : guessed(layout)
  }

  /// Tries each value of the byte, which makes the padding correct if it is right.
  ///
  /// Longer padding, such as 01 01, cannot occur, because the byte before is a character.
  private mutating func guessed(_ layout: Layout) -> UInt8? {
    for guess in UInt8.min...UInt8.max {
      connections += 1
      if ends.isPadding(layout, guess: guess, number: connections) { return guess }
    }
    return nil
  }

  /// Copies the block over the padding, each time under other keys.
  private mutating func copied(_ layout: Layout) -> UInt8? {
    for _ in 0..<Self.limit {
      connections += 1
      if let byte = ends.byte(layout, number: connections) { return byte }
    }
    return nil
  }

  /// The visible sizes of blocks and MACs, and the number of records in a request.
  fileprivate struct Shape {
    let blockSize: Int
    let codeSize: Int
    let records: Int
    let hasExplicitIV: Bool
  }

  /// A request in which one byte of the cookie ends a block, and the padding fills a block.
  fileprivate struct Layout {
    let bytes: [UInt8]
    /// The index of the block that ends with the byte, in the request's last record.
    let block: Int
    let shape: Shape

    /// Computes the request from its text without the cookie's value.
    ///
    /// The attacker knows the length of the value from the lengths of the records. The value itself does not affect the
    /// layout.
    init(_ shape: Shape, _ request: HTTPRequest, host: String, index: Int) {
      func asked(_ path: Int, _ body: Int) -> [UInt8] {
        var asked = HTTPRequest(
          method: "POST", path: "\(request.path)?\(String(repeating: "a", count: path))",
          body: String(repeating: "b", count: body))
        asked.cookie = request.cookie
        return HTTP.bytes(of: asked, host: host)
      }
      let size = shape.blockSize
      // The first record contains one byte of the request.
      func position(_ bytes: [UInt8]) -> Int {
        let head = Array("\r\nCookie: ".utf8)
        let start = bytes.indices.first { bytes[$0...].starts(with: head) } ?? 0
        return start + head.count + request.cookie.utf8.count - request.cookieValue.count + index - (shape.records - 1)
      }
      let path = (2 * size - 1 - position(asked(0, 10)) % size) % size
      let content = asked(path, 10).count - (shape.records - 1) + shape.codeSize
      bytes = asked(path, 10 + (size - content % size) % size)
      block = position(bytes) / size
      self.shape = shape
    }
  }
}

extension BlockPaddingAttack {
  /// The client and the server, which are created again for every try.
  fileprivate struct Ends: Sendable {
    private let client: ClientConfiguration
    private let server: ServerConfiguration
    private let key: PublicKey?

    init(_ client: ClientConfiguration, _ server: ServerConfiguration) {
      (self.client, self.server) = (client, server)
      key = server.certificates.first.flatMap { try? Certificate(der: $0).publicKey }
    }

    /// Returns the shape of a request's records; nil if there is no connection or no block cipher.
    func shape() -> Shape? {
      guard var meeting = Meeting(client, server, key, number: 0), let negotiated = meeting.client.handshake.negotiated,
        let size = negotiated.suite.cipher.blockLength
      else { return nil }
      return Shape(
        blockSize: size, codeSize: negotiated.suite.mac.keyLength, records: meeting.records(of: [1, 2]).count,
        hasExplicitIV: negotiated.version >= .tls11)
    }

    /// Returns the last byte of the block if the server accepts the block as padding; nil otherwise.
    func byte(_ layout: Layout, number: Int) -> UInt8? {
      guard var meeting = Meeting(client, server, key, number: number), let sent = meeting.blocks(of: layout) else {
        return nil
      }
      let isTaken = meeting.answer(to: sent.blocks.dropLast() + [sent.blocks[sent.index]], like: sent.record).contains {
        if case .applicationData = $0 { true } else { false }
      }
      guard isTaken, let before = sent.blocks[sent.index - 1].last,
        let last = sent.blocks[sent.blocks.count - 2].last
      else { return nil }
      return UInt8(truncatingIfNeeded: layout.shape.blockSize - 1) ^ before ^ last
    }

    /// Returns whether the server reveals that the padding of a record is wrong.
    func tellsPadding(_ layout: Layout) -> Bool {
      guard var meeting = Meeting(client, server, key, number: 0), let sent = meeting.blocks(of: layout) else {
        return false
      }
      // The length byte of the padding becomes larger than a block, so that the bytes before it do not fit.
      let padding = sent.blocks.dropLast(2) + [sent.blocks[sent.blocks.count - 2].changingLast(by: 0x10)]
      return meeting.alert(to: padding + sent.blocks.suffix(1), like: sent.record) == .decryptionFailedReserved
    }

    /// Returns whether the padding is correct if the last byte of the block has this value.
    func isPadding(_ layout: Layout, guess: UInt8, number: Int) -> Bool {
      guard var meeting = Meeting(client, server, key, number: number), let sent = meeting.blocks(of: layout) else {
        return false
      }
      let end = [sent.blocks[sent.index - 1].changingLast(by: guess), sent.blocks[sent.index]]
      return meeting.alert(to: sent.blocks.dropLast(2) + end, like: sent.record) == .badRecordMAC
    }
  }

  /// A single connection, beginning with its ClientHello.
  private struct Meeting {
    var client: Connection
    var server: Connection
    private let key: PublicKey?

    /// Creates a connection with its own random values; nil if the handshake fails.
    init?(_ client: ClientConfiguration, _ server: ServerConfiguration, _ key: PublicKey?, number: Int) {
      var (client, server) = (client, server)
      (client.recordsTrace, server.recordsTrace) = (false, false)
      client.random = RandomStreams(seed: client.random.seed, party: "\(client.random.party)/try\(number)")
      server.random = RandomStreams(seed: server.random.seed, party: "\(server.random.party)/try\(number)")
      // The client's secret is already known here. Across thousands of connections, this saves the cost of decryption.
      server.premasterDecryption = { [random = client.random] _, version, _ in
        PKCS1v15Decryption(
          bytes: PremasterSecret.drawn(from: random, version: version), wasWellFormed: true, beganRightly: true)
      }
      self.client = Connection(client)
      self.server = Connection(server)
      self.key = key
      pass(self.client.start(), from: .client)
      guard self.client.handshake.isConnected, self.server.handshake.isConnected else { return nil }
    }

    /// Returns the records in which the client sends `bytes`.
    mutating func records(of bytes: [UInt8]) -> [Record] {
      client.send(bytes).flatMap { effect -> [Record] in
        if case .send(let message) = effect { message.records } else { [] }
      }
    }

    /// Sends the request, and returns the blocks of its last record, which the server does not receive.
    ///
    /// The index is that of the block that ends with the byte.
    mutating func blocks(of layout: Layout) -> (record: Record, blocks: [[UInt8]], index: Int)? {
      let records = records(of: layout.bytes)
      guard let record = records.last else { return nil }
      for record in records.dropLast() { _ = server.receive(record.bytes) }
      let size = layout.shape.blockSize
      let index = layout.block + (layout.shape.hasExplicitIV ? 1 : 0)
      let blocks = stride(from: 0, to: record.fragment.count, by: size).map {
        Array(record.fragment[$0...].prefix(size))
      }
      return index > 0 && index + 1 < blocks.count ? (record, blocks, index) : nil
    }

    /// Returns the server's reaction to a record of these blocks.
    mutating func answer(to blocks: [[UInt8]], like record: Record) -> [ConnectionEffect] {
      server.receive(Record(type: record.type, version: record.version, fragment: Array(blocks.joined())).bytes)
    }

    /// Returns the alert with which the server refuses a record of these blocks.
    mutating func alert(to blocks: [[UInt8]], like record: Record) -> AlertDescription? {
      for case .send(let message) in answer(to: blocks, like: record) {
        if case .alert(let alert) = message.content { return alert.description }
      }
      return nil
    }

    private mutating func pass(_ effects: [ConnectionEffect], from side: Side) {
      for effect in effects {
        switch effect {
        case .send(let message):
          pass(side == .client ? server.receive(message.bytes) : client.receive(message.bytes), from: side.peer)
        case .evaluateCertificate:
          guard side == .client, let key else { return }
          pass(client.certificateEvaluated(.accepted(key)), from: .client)
        default: break
        }
      }
    }
  }
}

extension [UInt8] {
  /// Returns the block with another last byte.
  fileprivate func changingLast(by mask: UInt8) -> [UInt8] { dropLast() + suffix(1).map { $0 ^ mask } }
}

extension ValueKind {
  /// The kind of value for a cookie: `cookie`.
  public static let cookie = ValueKind("cookie")
}

extension HTTPRequest {
  /// The part of the cookie after its name.
  fileprivate var cookieValue: [UInt8] { Array(cookie.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst()) }
}

extension Application {
  /// Returns the result of the attack in the run. Between the same endpoints, a repetition would make the same
  /// connections.
  func blockPadding() throws(Obstacle) -> Computation {
    guard let attack = run.paddingAttack(of: value.scope) else {
      throw .failed("the client and the server no longer exist")
    }
    guard let cookie = attack.cookie else { throw .failed("the server's responses do not reveal the cookie") }
    return Computation(cookie, trials: attack.connections, remark: "\(attack.connections) connections")
  }
}

extension BlockPaddingAttack {
  /// Creates the attack for a planned connection, with the version and settings of the client's last attempt.
  init(_ plan: World.Plan) {
    self.init(plan.client.tls, plan.server.tls, plan.client.request, host: plan.url.authority)
  }
}

extension Simulation {
  /// Runs the attack after the connection. An attacker makes the client repeat its request, and replaces the padding.
  mutating func forgePadding(_ index: Int) {
    let plan = accounts[index].plan
    guard let parameters = accounts[index].client.parameters else { return }
    let attack = BlockPaddingAttack(plan)
    var values: [Value] = []
    if attack.cookie != nil {
      let record = trace.valueNames.last {
        ($0.kind, $0.side) == (.record, .client) && $0.scope == plan.scope
      }
      values = [
        Value(
          plan.scope.name(.cookie), plan.client.request.cookieValue,
          derivations: [
            .generated(by: plan.client.tls.party), .computed(.blockPadding, from: [record].compactMap(\.self)),
          ])
      ]
    }
    var step = Step(
      .paddingForged(attack, parameters.cipherSuite), at: clock, from: .interceptor, to: plan.server.tls.party)
    step.connection = plan.name
    step.values = values
    trace.record(step)
    accounts[index].paddingAttack = attack
  }
}
