/// A line that is typed key by key where no editor is at work: what is typed is shown, the backspace key takes back.
struct TypedBehindPrompt {
  /// The line without its end; nil when it was given up: all taken back, Ctrl-C, or the end of the input.
  let line: String?

  /// Reads on from `first` with `next`, up to Enter, and shows each key with `echo`.
  init(first: UInt8, next: () -> UInt8?, echo: ([UInt8]) -> Void) {
    var bytes = [first]
    echo(bytes)
    while !bytes.isEmpty, let key = next() {
      switch key {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        echo([UInt8(ascii: "\n")])
        line = String(decoding: bytes, as: UTF8.self)
        return
      case 0x7f, 0x08:
        // A character may be several bytes.
        while let last = bytes.popLast(), last & 0xc0 == 0x80 {}
        echo(Array("\u{8} \u{8}".utf8))
      case ..<0x20: continue
      default:
        bytes.append(key)
        echo([key])
      }
    }
    echo([UInt8(ascii: "\n")])
    line = nil
  }
}
