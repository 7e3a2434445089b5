/// Names of files for names of people's own making: safe on every system, and each given once.
public struct FileNames {
  private var taken: Set<String>
  /// What a file system certainly holds, with room for an extension.
  private static let longest = 100

  /// No name is given that is one of `reserved`.
  public init(reserved: [String]) { taken = Set(reserved) }

  /// A name of letters, digits, `.`, `_` and `-` that resembles `text`, and differs from all given before also where
  /// upper and lower case are the same.
  public mutating func name(for text: String) -> String {
    var safe = ""
    for scalar in text.unicodeScalars.prefix(Self.longest) {
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      let keeps = isPlain || "._-".unicodeScalars.contains(scalar)
      if keeps { safe.unicodeScalars.append(scalar) } else if safe.last != "-" { safe.append("-") }
    }
    while let first = safe.first, first == "." || first == "-" { safe.removeFirst() }
    while let last = safe.last, last == "." || last == "-" { safe.removeLast() }
    if safe.isEmpty { safe = "certificate" }
    var unique = safe
    var number = 2
    while !taken.insert(unique.lowercased()).inserted {
      unique = "\(safe)-\(number)"
      number += 1
    }
    return unique
  }
}
