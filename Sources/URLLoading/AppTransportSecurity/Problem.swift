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
      case upperCaseName = "A domain in upper case matches no host: the system looks hosts up in lower case"
      case nameWithPort = "A domain with a port matches no host: the port is not part of it"
      case nameWithScheme = "A domain with a scheme matches no host: write the host alone"
      case nameWithPath = "A domain with a path matches no host, and is no valid CIDR notation either"
      case nameWithWildcard = "Wildcards are not supported: NSIncludesSubdomains covers the subdomains"
      case unexpandedSetting = "A build setting was not expanded: the system takes it as it stands"
      case unknownNIAPVersion = "The NIAP TLS package version is none that documentation names"
      case pinsNotADictionary = "App Transport Security pinned domains must be a dictionary"
      case notAGenuineBoolean = "The value counts for pinned domains only as <true/>"
      case notAnArray = "Pinned identities must be an array; as it is, no chain meets them"
      case notAnIdentity = "A pinned identity must be a dictionary with SPKI-SHA256-BASE64; this one is left out"
      case notASHA256 = "A pinned identity must be the base64 text of a SHA-256, 32 bytes; this one is left out"
      case noIdentities = "A pinned domain without identities pins nothing"
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

    /// A level of NIAP, nil for what is absent or else.
    mutating func niapPackage(_ key: String) -> NIAPPackage? {
      guard let text = text(key) else { return nil }
      let package = NIAPPackage(rawValue: text)
      if package == nil { add(.unknownNIAPVersion, key) }
      return package
    }

    /// True for `<true/>` only, as where pins are read.
    mutating func genuineFlag(_ key: String) -> Bool {
      guard let value = dictionary[key] else { return false }
      if case .boolean(let flag) = value { return flag }
      add(.notAGenuineBoolean, key)
      return false
    }

    /// Notes what is wrong with the dictionary as a whole.
    mutating func addToWhole(_ kind: Problem.Kind) { problems.append(Problem(path, kind)) }

    mutating func add(_ kind: Problem.Kind, _ key: String) {
      problems.append(Problem(path.isEmpty ? key : "\(path).\(key)", kind))
    }
  }
}
