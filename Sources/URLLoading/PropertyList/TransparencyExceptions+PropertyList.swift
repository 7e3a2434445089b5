import PKIX
import Trust

extension TransparencyExceptions {
  /// The reason why a property list is not a valid set of exceptions (errSecParam).
  public enum Invalid: Error, Sendable, Hashable {
    /// The value of this key has the wrong type or format.
    case value(String)
    /// The system does not support this key.
    case key(String)
  }

  /// Reads the argument of SecTrustStoreSetCTExceptions (Security, SecTrustStore.c).
  ///
  /// `kSecCTExceptionsDomainsKey` is an array of hosts. `kSecCTExceptionsCAsKey` is an array of dictionaries, each with
  /// the name of a hash and the hash of a key. A host that is a top-level domain is not valid.
  public init(_ list: PropertyList) throws(Invalid) {
    self.init()
    guard let dictionary = list.dictionary else { throw .value("") }
    for entry in dictionary.entries {
      switch entry.key {
      case "kSecCTExceptionsDomainsKey": domains = try TransparencyExceptions.domains(entry.value, entry.key)
      case "kSecCTExceptionsCAsKey": keys = try TransparencyExceptions.keys(entry.value, entry.key)
      default: throw .key(entry.key)
      }
    }
  }

  private static func domains(_ list: PropertyList, _ key: String) throws(Invalid) -> [String] {
    guard let values = list.array else { throw .value(key) }
    var domains: [String] = []
    for value in values {
      guard let domain = value.string, domain.drop(while: { $0 == "." }).contains(".") else { throw .value(key) }
      domains.append(domain)
    }
    return domains
  }

  private static func keys(_ list: PropertyList, _ key: String) throws(Invalid) -> Set<[UInt8]> {
    guard let values = list.array else { throw .value(key) }
    var keys: Set<[UInt8]> = []
    for value in values {
      let members = Dictionary((value.dictionary?.entries ?? []).map { ($0.key, $0.value) }) { first, _ in first }
      guard members.count == 2, members["kSecCTExceptionsHashAlgorithmKey"]?.string == "sha256",
        case .data(let hash)? = members["kSecCTExceptionsSPKIHashKey"], hash.count == 32
      else { throw .value(key) }
      keys.insert(hash)
    }
    return keys
  }
}
