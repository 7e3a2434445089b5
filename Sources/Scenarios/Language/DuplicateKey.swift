import Yams

/// Finds where a key stands for the second time: the parser reports only the first.
///
/// The first one is given a name of its own, and the text is read again.
struct DuplicateKey {
  let key: String
  /// Where it stands first, line and column from 1.
  let first: SourceMark

  /// Where the key stands again in `text`, nil when that cannot be told.
  func second(in text: String) -> SourceMark? {
    guard let renamed = renamingFirst(in: text) else { return nil }
    do {
      guard let root = try Parser(yaml: renamed).singleRoot() else { return nil }
      return find(in: root).map(shiftedBack)
    } catch YamlError.duplicatedKeysInMapping(let duplicates, let context) where duplicates.first == key {
      return shiftedBack(context.mark)
    } catch {
      return nil
    }
  }

  private static let sign = "\u{E000}"

  private func renamingFirst(in text: String) -> String? {
    var scalars = Array(text.unicodeScalars)
    var index = 0
    var line = 1
    while line < first.line, index < scalars.count {
      let isBreak = Character(scalars[index]).isNewline
      let isReturn = scalars[index] == "\r" && index + 1 < scalars.count && scalars[index + 1] == "\n"
      if isBreak && !isReturn { line += 1 }
      index += 1
    }
    index += first.column - 1
    guard index >= 0, index < scalars.count else { return nil }
    if scalars[index] == "\"" || scalars[index] == "'" { index += 1 }
    scalars.insert(contentsOf: Self.sign.unicodeScalars, at: index)
    return String(String.UnicodeScalarView(scalars))
  }

  private func find(in node: Yams.Node) -> Mark? {
    switch node {
    case .mapping(let mapping):
      if mapping.contains(where: { $0.key.string == Self.sign + key }) {
        return mapping.first { $0.key.string == key }?.key.mark
      }
      return mapping.lazy.compactMap { find(in: $0.value) }.first
    case .sequence(let sequence): return sequence.lazy.compactMap { find(in: $0) }.first
    case .scalar, .alias: return nil
    }
  }

  private func shiftedBack(_ mark: Mark) -> SourceMark {
    SourceMark(file: first.file, line: mark.line, column: mark.line == first.line ? mark.column - 1 : mark.column)
  }
}
