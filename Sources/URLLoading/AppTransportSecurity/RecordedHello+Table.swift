import TLS

// The recorded hellos, oldest first. A test compares them with the bytes of their source.
extension RecordedHello {
  /// All recorded hellos.
  public static let all = [
    osx106, ios5, osx108, ios6, ios7, ios8, ios9, ats9, ios10, mail16, macOS1013, ios12, macOS123, ios18, ios26,
  ]

  /// A hello without RFC 5746, but with the export suites of the 1990s.
  static let osx106 = RecordedHello(
    ["Safari 5.1.9 OS X 10.6.8"], version: .tls10, lowest: .sslv3,
    suites: """
      c00a c009 c007 c008 c013 c014 c011 c012 c004 c005 c002 c003 c00e c00f c00c c00d 002f 0005 0004 0035 000a 0009 0003
      0008 0006 0032 0033 0038 0039 0016 0015 0014 0013 0012 0011
      """,
    groups: nist, extensions: "0 10 11")

  /// The first hello with TLS 1.2. It does not have AES-GCM, which was introduced with iOS 9.
  static let ios5 = RecordedHello(
    ["Safari 5 iOS 5.1.1"], record: .tls12, lowest: .sslv3,
    suites: """
      00ff c024 c023 c00a c009 c007 c008 c028 c027 c014 c013 c011 c012 c026 c025 c02a c029 c004 c005 c002 c003 c00e c00f
      c00c c00d 003d 003c 002f 0005 0004 0035 000a 0067 006b 0033 0039 0016
      """,
    groups: nist, signatures: early, extensions: "0 10 11 13")

  static let osx108 = RecordedHello(
    ["Safari 6.0.4 OS X 10.8.4"], version: .tls10, lowest: .sslv3,
    suites: """
      00ff c00a c009 c007 c008 c014 c013 c011 c012 c004 c005 c002 c003 c00e c00f c00c c00d 002f 0005 0004 0035 000a 0033
      0039 0016
      """,
    groups: nist, extensions: "0 10 11")

  /// A hello whose last suites do not encrypt.
  static let ios6 = RecordedHello(
    ["Safari 6 iOS 6.0.1"], record: .tls12, lowest: .sslv3,
    suites: """
      00ff c024 c023 c00a c009 c007 c008 c028 c027 c014 c013 c011 c012 c026 c025 c02a c029 c004 c005 c002 c003 c00e c00f
      c00c c00d 003d 003c 002f 0005 0004 0035 000a 0067 006b 0033 0039 0016 c006 c010 c001 c00b 003b 0002 0001
      """,
    groups: nist, signatures: early, extensions: "0 10 11 13")

  static let ios7 = RecordedHello(
    ["Safari 7 iOS 7.1", "Safari 7 OS X 10.9"], lowest: .sslv3,
    suites: """
      00ff c024 c023 c00a c009 c007 c008 c028 c027 c014 c013 c011 c012 c026 c025 c02a c029 c005 c004 c002 c003 c00f c00e
      c00c c00d 003d 003c 002f 0005 0004 0035 000a 0067 006b 0033 0039 0016
      """,
    groups: nist, signatures: early, extensions: "0 10 11 13")

  static let ios8 = RecordedHello(
    ["Safari 8 iOS 8.4", "Safari 8 iOS 8.0 Beta", "Safari 8 OS X 10.10"], lowest: .sslv3,
    suites: """
      00ff c024 c023 c00a c009 c008 c028 c027 c014 c013 c012 c026 c025 c005 c004 c003 c02a c029 c00f c00e c00d 006b 0067
      0039 0033 0016 003d 003c 0035 002f 000a c007 c011 c002 c00c 0005 0004
      """,
    groups: nist, signatures: early, extensions: "0 10 11 13 13172")

  static let ios9 = RecordedHello(
    ["Safari 9 iOS 9", "Safari 9 OS X 10.11"], lowest: .tls10,
    suites: """
      00ff c02c c02b c024 c023 c00a c009 c008 c030 c02f c028 c027 c014 c013 c012 009d 009c 003d 003c 0035 002f 000a c007
      c011 0005 0004
      """,
    groups: nist, signatures: "0501 0401 0201 0503 0403 0203", protocols: spdy, extensions: "0 10 11 13 13172 16 5 18")

  /// The hello of an app under App Transport Security.
  public static let ats9 = RecordedHello(
    ["Apple ATS 9 iOS 9"], record: .tls12, lowest: .tls12,
    suites: "00ff c02c c02b c024 c00a c023 c009 c030 c02f c028 c027 c013",
    groups: nist, signatures: "0501 0401 0201 0503 0403 0203", protocols: spdy, extensions: "0 10 11 13 13172 16 5 18")

  /// Without RC4.
  static let ios10 = RecordedHello(
    ["Safari 10 iOS 10", "Safari 10 OS X 10.12"], lowest: .tls10,
    suites: """
      00ff c02c c02b c024 c023 c00a c009 c008 c030 c02f c028 c027 c014 c013 c012 009d 009c 003d 003c 0035 002f 000a
      """,
    groups: nist, signatures: "0401 0201 0501 0601 0403 0203 0503 0603", protocols: spdy,
    extensions: "0 10 11 13 13172 16 5 18 23")

  /// The hello of the TLS stack in Mail, which is not the stack of any system.
  static let mail16 = RecordedHello(
    ["Apple Mail (16.0)"], lowest: .tls10,
    suites: """
      00ff c02c c02b c024 c023 c00a c009 c008 c030 c02f c028 c027 c014 c013 c012 009d 009c 003d 003c 0035 002f 000a
      """,
    groups: nist, signatures: "0401 0201 0501 0601 0403 0203 0503 0603", extensions: "0 10 11 13 5 18 23")

  /// The first hello with x25519 and ChaCha20.
  static let macOS1013 = RecordedHello(
    ["Safari 12.1 (macOS 10.13.6)"], lowest: .tls10,
    suites: "c02c c02b c024 c023 c00a c009 cca9 c030 c02f c028 c027 c014 c013 cca8 009d 009c 003d 003c 0035 002f",
    groups: x25519, signatures: "0403 0804 0401 0503 0805 0501 0806 0601 0201", protocols: spdy,
    extensions: "65281 0 23 13 5 13172 18 16 11 10", isPadded: true)

  /// The first hello with TLS 1.3. On iOS, it also proposes a session, which is omitted here.
  static let ios12 = RecordedHello(
    ["Safari 12.1 (iOS 12.2)", "Safari 13.0 (macOS 10.14.6)"], lowest: .tls10,
    suites: """
      1303 1301 1302 c02c c02b c024 c023 c00a c009 cca9 c030 c02f c028 c027 c014 c013 cca8 009d 009c 003d 003c 0035 002f
      c008 c012 000a
      """,
    groups: x25519, shares: "001d", signatures: "0403 0804 0401 0503 0203 0805 0805 0501 0806 0601 0201",
    versions: [.tls13, .tls12, .tls11, .tls10], protocols: spdy,
    extensions: "65281 0 23 13 5 13172 18 16 11 51 45 43 10", isPadded: true)

  /// The first hello with GREASE, and without CBC suites that use SHA-2.
  static let macOS123 = RecordedHello(
    ["Safari 15.4 (macOS 12.3.1)"], lowest: .tls10, suites: newer, groups: x25519,
    shares: "001d", signatures: "0403 0804 0401 0503 0203 0805 0805 0501 0806 0601 0201", versions: [.tls13, .tls12, .tls11, .tls10],
    protocols: "h2 http/1.1", extensions: greased, isPadded: true)

  static let ios18 = RecordedHello(
    ["Safari 18.4 (iOS 18.4)", "Safari 18.4 (macOS 15.4/iOS 18.4)"], lowest: .tls10, suites: newer, groups: x25519,
    shares: "001d", signatures: "0403 0804 0401 0503 0805 0805 0501 0806 0601 0201", versions: [.tls13, .tls12, .tls11, .tls10],
    protocols: "h2 http/1.1", extensions: greased, isPadded: true)

  /// A hello with ML-KEM, but without TLS 1.0 and 1.1. It is too long to be padded.
  static let ios26 = RecordedHello(
    ["Safari 26.4 (iOS+iPadOS 26.4)", "Safari 26.4 (macOS/iOS/iPadOS 26.4)"], lowest: .tls12,
    suites: """
      1302 1303 1301 c02c c02b cca9 c030 c02f cca8 c00a c009 c014 c013 009d 009c 0035 002f c008 c012 000a
      """,
    groups: "11ec 001d 0017 0018 0019", shares: "11ec 001d",
    signatures: "0403 0804 0401 0503 0805 0805 0501 0806 0601 0201",
    versions: [.tls13, .tls12], protocols: "h2 http/1.1", extensions: greased, isPadded: true)

  // Lists that several hellos share.
  private static let nist = "0017 0018 0019"
  private static let x25519 = "001d 0017 0018 0019"
  private static let early = "0501 0401 0201 0403 0203"
  private static let spdy = "h2 h2-16 h2-15 h2-14 spdy/3.1 spdy/3 http/1.1"
  private static let newer =
    "1301 1302 1303 c02c c02b cca9 c030 c02f cca8 c00a c009 c014 c013 009d 009c 0035 002f c008 c012 000a"
  /// The extensions of hellos with GREASE. The numbers 2570 and 6682 are placeholders for the random GREASE values.
  private static let greased = "2570 0 23 65281 10 11 16 5 13 18 51 45 43 27 6682"
}
