import Testing

@testable import trustlab

@Suite("Output longer than the terminal")
struct ScreenfulTests {
  private static let ten = (1...10).map { "line \($0)\n" }.joined()

  @Test("a text that fits above a prompt stays whole; others are split at line ends")
  func parts() {
    #expect(Screenfuls(Self.ten, rows: 11, columns: 80).parts == [Self.ten])
    for rows in 3...10 {
      let parts = Screenfuls(Self.ten, rows: rows, columns: 80).parts
      #expect(parts.joined() == Self.ten)
      #expect(parts.allSatisfy { $0.split(separator: "\n").count <= rows - 1 && $0.hasSuffix("\n") })
      #expect(parts.count == (10 + rows - 2) / (rows - 1))
    }
  }

  @Test("a text without a last line end keeps none; an empty text is one part")
  func ends() {
    #expect(Screenfuls("a\nb\nc", rows: 3, columns: 80).parts == ["a\nb\n", "c"])
    #expect(Screenfuls("", rows: 3, columns: 80).parts == [""])
    #expect(Screenfuls("\n\n\n", rows: 3, columns: 80).parts == ["\n\n", "\n"])
  }

  @Test("a wide line counts all its rows, without escape sequences, wide signs as two")
  func width() {
    let wide = String(repeating: "x", count: 41) + "\n"
    #expect(Screenfuls(wide + wide, rows: 4, columns: 20).parts == [wide, wide])
    #expect(Screenfuls(wide + wide, rows: 7, columns: 20).parts == [wide + wide])
    let colored = "\u{1b}[31m" + String(repeating: "x", count: 20) + "\u{1b}[0m\n"
    #expect(Screenfuls(colored + colored, rows: 3, columns: 20).parts == [colored + colored])
    let chinese = String(repeating: "证", count: 11) + "\n"
    #expect(Screenfuls(chinese + chinese, rows: 4, columns: 20).parts == [chinese, chinese])
  }

  @Test("a terminal without a known or sufficient size gets the text unchanged", arguments: [0, 1, 2])
  func unknown(rows: Int) {
    #expect(Screenfuls(Self.ten, rows: rows, columns: 80).parts == [Self.ten])
    #expect(Screenfuls(Self.ten, rows: 24, columns: 0).parts == [Self.ten])
  }
}
