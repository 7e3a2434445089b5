import Oracles
import Testing

@testable import Cryptography

@Suite("PEM")
struct PEMTests {
  @Test("PEM is encoded and decoded without loss, at any length")
  func roundTrip() throws {
    for count in 1...200 {
      let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
      let blocks = try PEM.decode(PEM.encode("X", content))
      #expect(blocks == [PEM.Block(label: "X", bytes: content, line: 1)])
    }
  }

  @Test("text around the blocks, other line ends and white space are ignored")
  func tolerance() throws {
    let text =
      "subject: somebody\r\n\r\n-----BEGIN A-----\r\nAQID\r\n-----END A-----\r\nand\n\n"
      + "   -----BEGIN B C-----\t\n  BAUG\n\n Bw==  \n -----END B C-----"
    let blocks = try PEM.decode(text)
    #expect(
      blocks == [
        PEM.Block(label: "A", bytes: [1, 2, 3], line: 3), PEM.Block(label: "B C", bytes: [4, 5, 6, 7], line: 8),
      ])
  }

  @Test("line ends of every kind, missing ones, and inline boundaries are read (RFC 7468 section 3)")
  func forms() throws {
    let text = PEM.encode("A", [UInt8](0..<100)) + PEM.encode("B", [1, 2, 3])
    let blocks = try PEM.decode(text)
    let forms = [
      text.replacing("\n", with: "\r"), text.replacing("\n", with: "\r\n"), text.replacing("\n", with: " "),
      text.replacing("\n", with: ""), text.replacing("\n", with: "\\n"), text.replacing("\n", with: "\\r\\n"),
      text.replacing("-----\n-----", with: "----------"), "\u{feff}" + text,
      "key: \"" + text.replacing("\n", with: "\\n"),
    ]
    for form in forms {
      let read = try PEM.decode(form)
      #expect(read.map(\.label) == ["A", "B"] && read.map(\.bytes) == blocks.map(\.bytes), "\(form.debugDescription)")
    }
    // A boundary within a line of text is none.
    #expect(throws: PEMError.self) { try PEM.decode("look for -----BEGIN A or so\n") }
  }

  @Test("text files are read as UTF-8 and as UTF-16, with and without byte order mark")
  func encodings() {
    let text = "-----BEGIN A-----\n"
    let little = text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    let forms: [[UInt8]] = [
      Array(text.utf8), [0xef, 0xbb, 0xbf] + text.utf8, little, big, [0xff, 0xfe] + little, [0xfe, 0xff] + big,
    ]
    for form in forms { #expect(TextEncoding.text(of: form) == text) }
    #expect(TextEncoding.text(of: [0xff, 0xfe, 0x2d]) == nil && TextEncoding.text(of: [0xc3, 0x28, 1, 2]) == nil)
  }

  @Test("a label as long as a file is shown shortened")
  func longLabel() throws {
    let label = String(repeating: "x", count: 400)
    let error = try #require(throws: PEMError.self) { try PEM.decode("-----BEGIN \(label)-----\nAQID\n") }
    #expect(error.message.count < 100 && error.hint.count < 100)
  }

  /// A text, and the line, column and message of its error.
  static let broken: [(String, Int, Int, String)] = [
    ("", 1, 1, "PEM"),
    ("just text\n", 1, 1, "PEM"),
    ("-----BEGIN A-----\nAQID\nAQ*D\n-----END A-----\n", 3, 3, "'*'"),
    ("-----BEGIN A-----\n  AQ\u{e9}D\n-----END A-----\n", 2, 5, "byte 0xc3"),
    ("-----BEGIN A-----\nAQID\n", 1, 1, "BEGIN A"),
    ("x\n-----BEGIN A-----\nAQID\n-----BEGIN B-----\n", 2, 1, "BEGIN A"),
    ("-----BEGIN A-----\nAQID\n-----END B-----\n", 3, 1, "END B … BEGIN A … 1"),
    ("\n-----END A-----\n", 2, 1, "END A"),
    ("-----BEGIN A-----\n-----END A-----\n", 1, 1, "empty"),
    ("-----BEGIN A----\nAQID\n-----END A-----\n", 1, 1, "boundary"),
    ("-----BEGIN-----\nAQID\n-----END-----\n", 1, 1, "boundary"),
    (
      "-----BEGIN A-----\nAQIDB\n-----END A-----\n", 3, 1,
      "base64"
    ),
    ("-----BEGIN A-----\nAQ==\nAQID\n-----END A-----\n", 3, 1, "padding"),
    ("-----BEGIN A-----\nA===\n-----END A-----\n", 2, 2, "'='"),
    ("-----BEGIN A-----\nAQ=D\n-----END A-----\n", 2, 4, "'D'"),
    ("-----BEGIN A-----\nAR==\n-----END A-----\n", 2, 4, "padding"),
  ]

  @Test("a malformed block is reported with its position and a hint", arguments: broken)
  func errors(text: String, line: Int, column: Int, message: String) throws {
    let error = try #require(throws: PEMError.self) { try PEM.decode(text) }
    #expect(error.line == line && error.column == column && error.message.shows(message), "\(error)")
    #expect(!error.hint.isEmpty)
    #expect(throws: KeyError.pem(error)) { try PrivateKey(pem: text) }
  }

  @Test("a text truncated at any byte is an error")
  func truncation() throws {
    let text = PEM.encode("PRIVATE KEY", [UInt8](0..<100))
    #expect(throws: Never.self) { try PEM.decode(text) }
    for count in 0..<text.utf8.count - 1 {
      #expect(throws: PEMError.self) { try PEM.decode(String(decoding: text.utf8.prefix(count), as: UTF8.self)) }
    }
  }

  @Test("header lines are ignored (RFC 1421 section 4.6), and an encrypted key is recognized")
  func headers() throws {
    let key = PEM.encode("RSA PRIVATE KEY", [1, 2, 3])
    let sealed = key.replacing("KEY-----\nA", with: "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nA")
    let block = try #require(try PEM.decode(sealed).first)
    #expect(block.bytes == [1, 2, 3] && block.headers.count == 2 && block.isEncrypted)
    #expect(try PEM.decode(key).first?.isEncrypted == false)
    #expect(throws: KeyError.unsupportedAlgorithm("encrypted RSA PRIVATE KEY")) { try PrivateKey(pem: sealed) }
  }

  @Test("the text of an unwanted block is ignored")
  func unwanted() throws {
    let text = "-----BEGIN PGP-----\nVersion: 1\n\n=ab*cd\n-----END PGP-----\n" + PEM.encode("A", [1, 2, 3])
    #expect(try PEM.decode(text) { $0 == "A" }.map(\.bytes) == [[], [1, 2, 3]])
    #expect(throws: PEMError.self) { try PEM.decode(text) }
  }

  @Test("dashes other than five hyphens are named", arguments: ["----", "------", "\u{2013}\u{2013}"])
  func dashes(_ dashes: String) throws {
    let text = "x\n" + PEM.encode("CERTIFICATE", [1, 2, 3]).replacing("-----", with: dashes)
    let error = try #require(throws: PEMError.self) { try PEM.decode(text) }
    #expect(error.line == 2 && error.message.contains("boundary") && error.hint.contains("hyphens"))
  }

  @Test("blocks that are not private keys are named")
  func labels() throws {
    #expect(throws: KeyError.label("CERTIFICATE")) { try PrivateKey(pem: PEM.encode("CERTIFICATE", [1])) }
    for label in ["DSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
      #expect(throws: KeyError.unsupportedAlgorithm(label)) { try PrivateKey(pem: PEM.encode(label, [1])) }
    }
  }
}
