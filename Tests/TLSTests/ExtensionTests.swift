import Cryptography
import Explanation
import Testing
import Wire

@testable import TLS

@Suite("Extensions are read strictly")
struct ExtensionTests {
  /// An extension's content, and whether a server or a client may read it.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let type: ExtensionType
    let data: [UInt8]
    let inClientHello: Bool
    let inServerHello: Bool

    init(_ name: String, _ type: ExtensionType, _ data: [UInt8], client: Bool, server: Bool) {
      (testDescription, self.type, self.data, inClientHello, inServerHello) = (name, type, data, client, server)
    }
  }

  static let rows = [
    Row("extended_master_secret says nothing", .extendedMasterSecret, [], client: true, server: true),
    Row("extended_master_secret says something", .extendedMasterSecret, [0], client: false, server: false),
    Row("encrypt_then_mac says nothing", .encryptThenMAC, [], client: true, server: true),
    Row("encrypt_then_mac says something", .encryptThenMAC, [1], client: false, server: false),
    Row("one host_name", .serverName, [0, 4, 0, 0, 1, 97], client: true, server: false),
    Row("two host_names", .serverName, [0, 8, 0, 0, 1, 97, 0, 0, 1, 98], client: false, server: false),
    Row("no host_name", .serverName, [], client: false, server: true),
    Row("an empty list of names", .serverName, [0, 0], client: false, server: false),
    Row("a name of another type", .serverName, [0, 4, 1, 0, 1, 97], client: false, server: false),
    Row("a request for a status of OCSP", .statusRequest, [1, 0, 0, 0, 0], client: true, server: false),
    Row("status_request says nothing", .statusRequest, [], client: true, server: true),
    Row("point formats", .ecPointFormats, [1, 0], client: true, server: true),
    Row("no point format", .ecPointFormats, [0], client: false, server: false),
    Row("a byte after the point formats", .ecPointFormats, [1, 0, 0], client: false, server: false),
  ]

  @Test("the form of each extension is that of its RFC", arguments: rows)
  func form(_ row: Row) throws {
    let list = [UInt8(row.type.rawValue >> 8), UInt8(row.type.rawValue & 255), 0, UInt8(row.data.count)] + row.data
    let block = [0, UInt8(list.count)] + list
    for (place, isGood) in [(Extension.Place.clientHello, row.inClientHello), (.serverHello, row.inServerHello)] {
      var reader = Reader(block)
      let read = try? Extension.list(&reader, in: place)
      #expect((read != nil) == isGood)
      var writer = Writer()
      if let read {
        try Extension.write(read, to: &writer, in: place)
        #expect(writer.bytes == block)
      }
    }
  }

  @Test("every extension that is repeated is an error", arguments: [0, 11, 23, 35, 0x1a1a])
  func twice(_ type: Int) {
    for count in [1, 2] {
      let one: [UInt8] = [UInt8(type >> 8), UInt8(type & 255)] + (Self.data[type] ?? [0, 0])
      let list = Array(repeatElement(one, count: count).joined())
      var reader = Reader([0, UInt8(list.count)] + list)
      #expect(((try? Extension.list(&reader, in: .clientHello)) != nil) == (count == 1))
    }
  }

  private static let data: [Int: [UInt8]] = [0: [0, 6, 0, 4, 0, 0, 1, 97], 11: [0, 2, 1, 0]]

  /// The failure of a client that offers every extension and gets these in the ServerHello.
  private func failure(
    _ answers: [Extension], to more: [Extension] = [], choosing chosen: CipherSuite? = CipherSuite.implemented.first
  ) throws -> HandshakeFailure? {
    let suite = try #require(chosen)
    let offer = ClientHello(
      clientVersion: .tls12, random: [UInt8](repeating: 1, count: 32), cipherSuites: [suite],
      extensions: more + [
        .serverName("api.example"), .ecPointFormats([0]), .signatureAlgorithms([]), .renegotiationInfo([]),
      ])
    let hello = ServerHello(
      serverVersion: .tls12, random: [UInt8](repeating: 2, count: 32), cipherSuite: suite,
      extensions: answers + [.renegotiationInfo([])])
    var log = EffectLog(.standard)
    do throws(HandshakeFailure) { try log.checkChoice(hello, of: offer) } catch { return error }
    return nil
  }

  @Test("a server sends only extensions that the client offered, with permitted content")
  func answers() throws {
    let asked = Extension.extendedMasterSecret
    #expect(try failure([.serverName(nil), .ecPointFormats([1, 0])]) == nil)
    #expect(try failure([asked], to: [asked]) == nil)
    let unasked = try failure([asked])
    #expect(unasked?.alert == .unsupportedExtension && unasked?.finding.rule == .unsupportedExtension)
    let compressed = try failure([.ecPointFormats([1, 2])])
    #expect(compressed?.alert == .illegalParameter && compressed?.finding.rule == .illegalParameter)
    let signing = try failure([.signatureAlgorithms([])])
    #expect(signing?.alert == .illegalParameter && signing?.finding.rule == .illegalParameter)
  }

  @Test("a GREASE extension in a response is refused even if it was offered (RFC 8701 section 3.1)")
  func reserved() throws {
    let reserved = Extension.other(type: ExtensionType(rawValue: 0x1a1a), data: [])
    let other = Extension.other(type: ExtensionType(rawValue: 0x1a1b), data: [])
    #expect(try failure([], to: [reserved]) == nil)
    // A type that is as unknown, but was offered, is accepted in a response.
    #expect(try failure([other], to: [other]) == nil)
    let echoed = try failure([reserved], to: [reserved])
    #expect(echoed?.alert == .illegalParameter && echoed?.finding.rule == .illegalParameter)
    #expect(echoed?.finding.found == .words(["GREASE (0x1a1a)"]))
    let unasked = try failure([reserved])
    #expect(unasked?.alert == .unsupportedExtension && unasked?.finding.rule == .unsupportedExtension)
  }

  @Test("the supported_versions of a server is TLS 1.3, from the offer (RFC 8446 section 4.2.1)")
  func supportedVersions() throws {
    let reserved = ProtocolVersion(rawValue: 0x7a7a)
    let offer = Extension.supportedVersions([reserved, .tls13, .tls12])
    let newest = CipherSuite(rawValue: 0x1301)
    #expect(try failure([], to: [offer]) == nil)
    #expect(try failure([.supportedVersions([.tls13])], to: [offer], choosing: newest) == nil)
    for version in [ProtocolVersion.tls12, .tls11, reserved, ProtocolVersion(rawValue: 0x0305)] {
      let refused = try failure([.supportedVersions([version])], to: [offer])
      #expect(refused?.alert == .illegalParameter && refused?.finding.rule == .illegalParameter, "\(version)")
      #expect(refused?.finding.required == .anyOf(["TLSv1.3"]), "\(version)")
      #expect(refused?.finding.found == .words([version.description]), "\(version)")
    }
    let unasked = try failure([.supportedVersions([.tls12])])
    #expect(unasked?.alert == .unsupportedExtension && unasked?.finding.rule == .unsupportedExtension)
  }

  @Test("a client that cannot read uncompressed points is refused", arguments: [true, false])
  func pointFormats(_ hasUncompressed: Bool) throws {
    let hello = ClientHello(
      clientVersion: .tls12, random: [UInt8](repeating: 7, count: 32), cipherSuites: CipherSuite.implemented,
      extensions: [.ecPointFormats(hasUncompressed ? [1, 0] : [1, 2]), .renegotiationInfo([])])
    var server = Handshake(Conversation.serverConfiguration())
    let failure = server.handle(.received(try HandshakeMessage(.clientHello(hello)))).failure
    #expect(failure?.alert == (hasUncompressed ? nil : .illegalParameter))
    #expect(failure?.finding.rule == (hasUncompressed ? nil : .illegalParameter))
  }
}
