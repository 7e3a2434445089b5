import Cryptography
import Explanation
import Oracles
import Testing
import Trust

@testable import TLS
@testable import URLLoading

/// A client of `apple-client-hellos.json`: the client simulation of testssl.sh, at commit 9fdf8028.
private struct RecordedClient: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let clientHello: String
  let lowestProtocol: String
  var testDescription: String { name }

  struct File: Decodable { let clients: [RecordedClient] }

  static let file = "apple-client-hellos.json"
  static let all = (try? SharedData.decode(file) as File)?.clients ?? []

  /// The record, its hello, and the host that the hello names.
  func parts() throws -> (record: Record, hello: ClientHello, host: String) {
    let bytes = try #require(Hex.bytes(clientHello))
    let version = ProtocolVersion(rawValue: UInt16(bytes[1]) << 8 | UInt16(bytes[2]))
    let record = Record(type: .handshake, version: version, fragment: Array(bytes.dropFirst(Record.headerLength)))
    #expect(record.bytes == bytes)
    let message = try HandshakeMessage(decoding: record.fragment, under: nil)
    guard case .clientHello(let hello) = message.body else { throw HandshakeFault.otherMessage }
    return (record, hello, hello.extensions?.serverName ?? "")
  }
}

private enum HandshakeFault: Error { case otherMessage }

extension ClientHello {
  /// The hello without the parts that are always new: random, session id, keys, a proposed session, and GREASE values.
  fileprivate var masked: ClientHello {
    let reserved: UInt16 = 0x0a0a
    func plain(_ number: UInt16) -> UInt16 { number.isGrease ? reserved : number }
    var hello = self
    hello.random = [UInt8](repeating: 0, count: 32)
    hello.sessionID = supportsTLS13 ? [UInt8](repeating: 0, count: sessionID.count) : []
    hello.cipherSuites = cipherSuites.map { CipherSuite(rawValue: plain($0.rawValue)) }
    var greased = 0
    hello.extensions = extensions?.compactMap { item in
      switch item {
      case .supportedGroups(let groups):
        return .supportedGroups(groups.map { NamedGroup(rawValue: plain($0.rawValue)) })
      case .supportedVersions(let versions):
        return .supportedVersions(versions.map { ProtocolVersion(rawValue: plain($0.rawValue)) })
      case .other(let type, let data) where type.rawValue.isGrease:
        greased += 1
        return .other(type: ExtensionType(rawValue: greased == 1 ? reserved : 0x1a1a), data: data)
      case .tls13(.keyShares(let shares)):
        return .tls13(
          .keyShares(
            shares.map { share in
              KeyShareEntry(
                group: NamedGroup(rawValue: plain(share.group.rawValue)),
                keyExchange: share.keyExchange.map { _ in 0 })
            }))
      case .tls13(.preSharedKeys): return nil
      default: return item
      }
    }
    return hello
  }

  fileprivate var supportsTLS13: Bool { extensions?.supportedVersions?.contains(.tls13) == true }

  fileprivate func bytes() throws -> [UInt8] { try HandshakeMessage(.clientHello(self)).bytes }
}

@Suite("The recorded hellos, and the clients that send them")
struct RecordedHelloTests {
  /// The first message of a client with this configuration.
  private func sent(_ configuration: ClientConfiguration) throws -> (version: ProtocolVersion, hello: ClientHello) {
    var connection = Connection(configuration)
    for case .send(let message) in connection.start() {
      guard case .handshake(let handshake) = message.content, case .clientHello(let hello) = handshake.body else {
        continue
      }
      let record = try #require(message.records.first)
      #expect(message.records.count == 1 && record.fragment == handshake.bytes)
      return (record.version, hello)
    }
    throw HandshakeFault.otherMessage
  }

  private func configuration(_ host: String, seed: UInt64 = 7) -> ClientConfiguration {
    ClientConfiguration(host: host, random: RandomStreams(seed: .number(seed), party: "client"))
  }

  @Test("there are 23 recordings, each in the table once", .needsData(RecordedClient.file))
  func all() {
    #expect(RecordedClient.all.count == 23)
    let names = RecordedHello.all.flatMap(\.recordings)
    #expect(names.count == 23 && Set(names) == Set(RecordedClient.all.map(\.name)))
  }

  @Test(
    "each is decoded and encoded without loss, and all its values have names",
    .needsData(RecordedClient.file), arguments: RecordedClient.all)
  fileprivate func codec(_ client: RecordedClient) throws {
    let (record, hello, _) = try client.parts()
    #expect(try hello.bytes() == record.fragment)
    let nameless =
      hello.cipherSuites.map(\.name) + (hello.extensions ?? []).map(\.type.description)
      + (hello.extensions?.supportedGroups ?? []).map(\.description)
      + (hello.extensions?.signatureAlgorithms ?? []).map(\.description)
    #expect(nameless.filter { $0.hasPrefix("0x") } == [])
  }

  @Test(
    "each hello equals its row of the table, except values that are always new", .needsData(RecordedClient.file),
    arguments: RecordedClient.all)
  fileprivate func table(_ client: RecordedClient) throws {
    let (record, hello, host) = try client.parts()
    let row = try #require(RecordedHello.all.first { $0.recordings.contains(client.name) })
    #expect(UInt16(client.lowestProtocol.dropFirst(2), radix: 16) == row.lowestVersion.rawValue)
    var configuration = configuration(host)
    configuration.versions = row.lowestVersion...row.highestVersion
    configuration.cipherSuites = row.cipherSuites
    configuration.groups = row.groups
    configuration.signatureSchemes = row.signatureSchemes
    configuration.applicationProtocols = row.applicationProtocols
    configuration.keyShareGroups = row.keyShareGroups
    configuration.certificateCompression = row.certificateCompression
    configuration.layout = row.layout
    var (version, own) = try sent(configuration)
    #expect(version == record.version)
    var recorded = hello
    let proposesSession = hello.extensions?.contains { $0.type.rawValue == 41 } == true
    // Before TLS 1.3, non-empty ids named a session; one replaces 32 bytes of the padding.
    #expect([0, 32].contains(hello.sessionID.count))
    #expect(!hello.supportsTLS13 || hello.sessionID.count == 32)
    if !hello.sessionID.isEmpty && !hello.supportsTLS13 || proposesSession {
      for padding in [recorded.extensions, own.extensions].compactMap({ $0?.first { $0.type == .padding } }) {
        if case .padding(let data) = padding { #expect(data.allSatisfy { $0 == 0 }) }
      }
      recorded.extensions?.removeAll { $0.type == .padding }
      own.extensions?.removeAll { $0.type == .padding }
    }
    #expect(try own.masked.bytes() == recorded.masked.bytes())
    if row.isPadded { #expect(!(256..<512).contains(record.fragment.count)) }
  }

  /// The release that sends each recorded hello.
  ///
  /// The recording of macOS 10.14.6 is used from 10.15 on: releases have no third number, and TLS 1.3 came with
  /// 10.14.4.
  static let systems: [(client: String, os: OSVersion)] = [
    ("Safari 5.1.9 OS X 10.6.8", OSVersion(.macOS, 10, 6)), ("Safari 5 iOS 5.1.1", OSVersion(.iOS, 5, 1)),
    ("Safari 6.0.4 OS X 10.8.4", OSVersion(.macOS, 10, 8)), ("Safari 6 iOS 6.0.1", OSVersion(.iOS, 6)),
    ("Safari 7 iOS 7.1", OSVersion(.iOS, 7, 1)), ("Safari 7 OS X 10.9", OSVersion(.macOS, 10, 9)),
    ("Safari 8 iOS 8.0 Beta", OSVersion(.iOS, 8)), ("Safari 8 iOS 8.4", OSVersion(.iOS, 8, 4)),
    ("Safari 8 OS X 10.10", OSVersion(.macOS, 10, 10)), ("Safari 9 iOS 9", OSVersion(.iOS, 9)),
    ("Safari 9 OS X 10.11", OSVersion(.macOS, 10, 11)), ("Safari 10 iOS 10", OSVersion(.iOS, 10)),
    ("Safari 10 OS X 10.12", OSVersion(.macOS, 10, 12)),
    ("Safari 12.1 (macOS 10.13.6)", OSVersion(.macOS, 10, 13)), ("Safari 12.1 (iOS 12.2)", OSVersion(.iOS, 12, 2)),
    ("Safari 13.0 (macOS 10.14.6)", OSVersion(.macOS, 10, 15)),
    ("Safari 15.4 (macOS 12.3.1)", OSVersion(.macOS, 12, 3)), ("Safari 18.4 (iOS 18.4)", OSVersion(.iOS, 18, 4)),
    ("Safari 18.4 (macOS 15.4/iOS 18.4)", OSVersion(.macOS, 15, 4)),
    ("Safari 26.4 (iOS+iPadOS 26.4)", OSVersion(.iOS, 26, 4)),
    ("Safari 26.4 (macOS/iOS/iPadOS 26.4)", OSVersion(.macOS, 26, 4)),
  ]

  @Test("if only TLS 1.3 remains, the hello still has its key shares")
  func onlyNewest() throws {
    let url = try LoadURL("https://api.example/")
    let settings: PropertyList = [
      "NSExceptionDomains": ["api.example": ["NSExceptionMinimumTLSVersion": "TLSv1.3"]]
    ]
    for (name, isLeft) in [("iOS 17", true), ("iOS 18.4", true), ("iOS 11", false)] {
      let decision = AppTransportSecurity.decide(
        .init(url, os: try #require(OSVersion(name))), by: .init(dictionary: try #require(settings.dictionary)))
      var configuration = configuration("api.example")
      configuration.offer(ClientOffer(for: decision))
      #expect((configuration.versions.lowerBound == .tls13) == isLeft, "\(name): \(configuration.versions)")
      let hello = try sent(configuration).hello
      let groups = hello.extensions?.keyShares?.map(\.group).filter { !$0.rawValue.isGrease }
      #expect(groups == (isLeft ? [.x25519] : nil), "\(name)")
      if isLeft { #expect(hello.offeredVersions.filter { !$0.rawValue.isGrease } == [.tls13], "\(name)") }
    }
  }

  @Test(
    "each system sends its recorded hello", .needsData(RecordedClient.file),
    arguments: 0..<21)
  func offered(_ index: Int) throws {
    let (name, os) = Self.systems[index]
    let (record, hello, host) = try #require(RecordedClient.all.first { $0.name == name }).parts()
    let offer = ClientOffer.systemDefault(os: os)
    // Since iOS 18.4 Apple's source has a shorter list for some apps; the browser's bytes still have the longer one.
    let isBrowsers = os.isAtLeast(iOS: (18, 4), macOS: (15, 4))
    #expect((offer.confidence == .certain) == (os != OSVersion(.macOS, 10, 15) && !isBrowsers), "\(offer.confidence)")
    #expect((offer.basis == .recorded) == (os != OSVersion(.macOS, 10, 15)))
    var configuration = configuration(host)
    configuration.offer(offer)
    let (version, own) = try sent(configuration)
    #expect(version == record.version)
    if hello.extensions?.contains(where: { $0.type.rawValue == 41 }) == true {
      // The proposed session replaces a part of the padding.
      #expect(try own.masked.bytes().count == 512)
    } else if hello.supportsTLS13 || hello.sessionID.isEmpty {
      #expect(try own.bytes().count == record.fragment.count)
      #expect(try own.masked.bytes() == hello.masked.bytes(), "\(os)")
    }
    #expect(own.random != (try sent(self.configuration(host, seed: 8))).hello.random)
    if hello.cipherSuites.first?.rawValue.isGrease == true {
      var drawn: Set<UInt16> = []
      for seed: UInt64 in 0..<32 {
        var other = self.configuration(host, seed: seed)
        other.offer(offer)
        drawn.insert(try #require(try sent(other).hello.cipherSuites.first).rawValue)
      }
      #expect(drawn.count > 4 && drawn.allSatisfy(\.isGrease))
    }
  }

  @Test(
    "an app of iOS 9 under App Transport Security sends its recorded hello",
    .needsData(RecordedClient.file))
  func appTransportSecurity() throws {
    let client = try #require(RecordedClient.all.first { $0.name == "Apple ATS 9 iOS 9" })
    let (record, hello, host) = try client.parts()
    for os in ["iOS 9", "macOS 10.11"] {
      let offer = ClientOffer(for: try decide("https://\(host)/", os))
      var configuration = configuration(host)
      configuration.offer(offer)
      let (version, own) = try sent(configuration)
      #expect(version == record.version && offer.confidence == .certain)
      #expect(try own.masked.bytes() == hello.masked.bytes())
    }
    // An exception for the version leaves the system's own hello, narrowed.
    let low = ClientOffer(
      for: try decide("https://\(host)/", "iOS 9", entry(host, ["NSExceptionMinimumTLSVersion": "TLSv1.0"])))
    #expect(low.hello == .ios9 && low.minimumVersion == .tls10)
  }

  @Test("between recordings, the nearest older one is used, and is only likely")
  func between() throws {
    let cases: [(String, RecordedHello)] = [
      ("iOS 6.1", .ios6), ("iOS 8.2", .ios8), ("iOS 9.3", .ios9), ("iOS 11.4", .macOS1013), ("iOS 12.1", .macOS1013),
      ("iOS 13", .ios12), ("iOS 15.3", .ios12), ("iOS 15.4", .macOS123), ("iOS 17", .macOS123),
      ("macOS 10.7", .osx106), ("macOS 10.14", .macOS1013), ("macOS 11", .ios12), ("macOS 14", .macOS123),
    ]
    for (os, hello) in cases {
      let offer = ClientOffer.systemDefault(os: try #require(OSVersion(os)))
      #expect(offer.hello == hello, "\(os)")
      #expect(offer.confidence.isLikely("ClientHello of \(os)"), "\(os) \(offer.confidence)")
    }
  }

  @Test("a client without TLS 1.3 sends none of its parts; a client of TLS 1.3 alone is unchanged")
  func withoutTLS13() throws {
    for os in ["iOS 12.2", "iOS 18.4", "iOS 26.4", "macOS 15.4"] {
      var configuration = configuration("api.example")
      let offer = ClientOffer.systemDefault(os: try #require(OSVersion(os)))
      configuration.offer(offer)
      #expect(configuration.versions.upperBound == .tls13)
      for client in [configuration.fallingBack(to: .tls12, signalling: true), configuration.withoutTLS13] {
        let hello = try sent(client).hello
        #expect(hello.offeredVersions.max() == .tls12 && hello.sessionID.isEmpty)
        #expect(!hello.cipherSuites.contains { $0.keyExchange == .tls13 })
        #expect(hello.extensions?.supportedGroups?.contains(.x25519MLKEM768) == false)
        let types = (hello.extensions ?? []).map(\.type)
        let absent: [ExtensionType] = [
          .keyShare, .pskKeyExchangeModes, .supportedVersions, .compressCertificate,
        ]
        #expect(!types.contains(where: absent.contains), "\(types)")
      }
    }
    let ats = entry("api.example", ["NSExceptionMinimumTLSVersion": "TLSv1.3"])
    var configuration = configuration("api.example")
    configuration.offer(ClientOffer(for: try decide("https://api.example/", "iOS 18.4", ats)))
    #expect(try sent(configuration).hello == sent(configuration.withoutTLS13).hello)
  }

  @Test("since iOS 26, a hello has the hybrid share, and no TLS 1.0 and 1.1")
  func iOS26() throws {
    for (os, basis) in [("iOS 26", RecordedHello.Basis.later(OSVersion(.iOS, 26, 4))), ("iOS 26.4", .recorded)] {
      var configuration = configuration("www.example.org")
      let offer = ClientOffer.systemDefault(os: try #require(OSVersion(os)))
      #expect(offer.basis == basis && offer.minimumVersion == .tls12)
      configuration.offer(offer)
      let shares = try #require(try sent(configuration).hello.extensions?.keyShares)
      #expect(shares.map(\.group).dropFirst() == [.x25519MLKEM768, .x25519])
      #expect(shares.map(\.keyExchange.count) == [1, 1216, 32])
    }
  }

  @Test("a hello of 256 to 511 bytes is padded to 512, or by one byte (RFC 7685)", arguments: 1...250)
  func padding(length: Int) throws {
    var configuration = configuration(String(repeating: "a", count: length))
    configuration.offer(.systemDefault(os: OSVersion(.iOS, 18, 4)))
    let padded = try sent(configuration).hello
    configuration.layout.isPadded = false
    let plain = try sent(configuration).hello.bytes().count
    let count = try padded.bytes().count
    if (256..<512).contains(plain) {
      #expect(count == max(512, plain + 5) && padded.extensions?.last?.type == .padding)
    } else {
      #expect(count == plain && padded.extensions?.contains { $0.type == .padding } == false)
    }
  }
}

extension ClientConfiguration {
  fileprivate var withoutTLS13: ClientConfiguration {
    var client = self
    client.leaveOutTLS13()
    return client
  }
}
