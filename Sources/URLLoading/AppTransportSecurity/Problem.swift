extension AppTransportSecurity {
  /// Something in the dictionary that the system passes over, with a line in its log.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      case notADictionary = "App Transport Security exception must be a dictionary"
      case exceptionsNotADictionary = "App Transport Security exceptions must be a dictionary"
      case notABoolean = "App Transport Security value must be a boolean"
      case notAString = "App Transport Security value must be a string"
      case unknownVersion = "The minimum TLS version is none that the system knows, so it stays TLSv1.2"
      case notAnAddressRange = "App Transport Security exception is not a valid CIDR notation"
      case misreadAddressRange = "The system is known to misread this CIDR notation"
    }

    /// The path of the key: `NSExceptionDomains.api.example.NSIncludesSubdomains`.
    public let keyPath: String
    /// What is wrong with it.
    public let kind: Kind

    init(_ keyPath: String, _ kind: Kind) {
      self.keyPath = keyPath
      self.kind = kind
    }

    /// Key path and problem.
    public var description: String { "\(keyPath): \(kind.rawValue)" }
  }

  /// Reads the values of one dictionary by the rules of Apple's open engine, and collects what is wrong with them.
  struct ValueReader {
    let dictionary: PropertyList.Dictionary
    let path: String
    private(set) var problems: [Problem] = []

    init(dictionary: PropertyList.Dictionary, path: String) {
      self.dictionary = dictionary
      self.path = path
    }

    /// True for `<true/>` and the number 1, false for `<false/>` and any other number, nil for what is absent or else.
    mutating func flag(_ key: String) -> Bool? {
      switch dictionary[key] {
      case .boolean(let flag): return flag
      case .integer(let number): return number == 1
      case .real(let number): return number == 1
      case nil: return nil
      case .some:
        add(.notABoolean, key)
        return nil
      }
    }

    /// The text of a string, nil for what is absent or else.
    mutating func text(_ key: String) -> String? {
      guard let value = dictionary[key] else { return nil }
      if value.string == nil { add(.notAString, key) }
      return value.string
    }

    mutating func add(_ kind: Problem.Kind, _ key: String) {
      problems.append(Problem(path.isEmpty ? key : "\(path).\(key)", kind))
    }
  }
}
