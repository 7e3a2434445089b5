import URLLoading

extension PropertyList.Dictionary {
  /// The dictionary as it is pasted into an Info.plist, as the value of the key `name`; indented by four columns.
  func xmlLines(asValueOf name: String) -> [String] {
    ["<key>\(XMLText.escaped(name))</key>"] + PropertyList.dictionary(self).xmlLines
  }
}

extension PropertyList {
  /// The elements of Apple's PropertyList-1.0.dtd. Only what a `NSAppTransportSecurity` dictionary is made of has an
  /// element of its own; anything else is written as text.
  fileprivate var xmlLines: [String] {
    switch self {
    case .boolean(let flag): return [flag ? "<true/>" : "<false/>"]
    case .integer(let number): return ["<integer>\(number)</integer>"]
    case .string(let text): return ["<string>\(XMLText.escaped(text))</string>"]
    case .dictionary(let dictionary) where dictionary.isEmpty: return ["<dict/>"]
    case .dictionary(let dictionary):
      let inner = dictionary.entries.flatMap { entry in
        ["<key>\(XMLText.escaped(entry.key))</key>"] + entry.value.xmlLines
      }
      return ["<dict>"] + inner.map { "    " + $0 } + ["</dict>"]
    default: return ["<string>\(XMLText.escaped(words))</string>"]
    }
  }
}
