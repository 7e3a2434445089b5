import Explanation
import PKIX
import Trust
import URLLoading

// What a certificate says beyond the usual, and what systems were told about it.
extension NodeReader {
  /// One list of what is not trusted, or several.
  func distrusts() -> [DistrustDescription] {
    if case .list = node { return list { $0.distrust() } ?? [] }
    return distrust().map { [$0] } ?? []
  }

  private func distrust() -> DistrustDescription? {
    guard let map = map(Vocabulary.distrust) else { return nil }
    let since = map["since"].map { reader in
      if case .list = reader.node { return reader.list { $0.os() } ?? [] }
      return reader.os().map { [$0] } ?? []
    }
    return DistrustDescription(
      from: map["from"]?.date(), since: since ?? [], issuedFrom: map["issuedFrom"]?.date(),
      issuedBefore: map["issuedBefore"]?.date(), except: map["except"]?.list { $0.text() } ?? [])
  }

  /// Subtrees of names that are permitted and excluded.
  func nameConstraints() -> NameConstraints? {
    let reports = sink.reports
    guard let map = map(Vocabulary.nameConstraints) else { return nil }
    let constraints = NameConstraints(
      permitted: map["permitted"]?.list { $0.subtree() } ?? [], excluded: map["excluded"]?.list { $0.subtree() } ?? [])
    if constraints.permitted.isEmpty, constraints.excluded.isEmpty, sink.reports == reports {
      fail("\(path) permits nothing and excludes nothing", hint: "write { permitted: [company.example] }")
    }
    return constraints
  }

  /// The contents of an INTEGER: a number, or its octets as they are.
  func serialNumber() -> [UInt8]? {
    guard let text = text() else { return nil }
    if text.hasPrefix("0x"), let octets = Hex.bytes(String(text.dropFirst(2))), (1...64).contains(octets.count) {
      return octets
    }
    guard let number = Int64(text) else {
      fail("'\(text)' is no serial number", hint: "write 0, -5, or 1 to 64 octets as they shall be: 0x01ff")
      return nil
    }
    var octets = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    while octets.count > 1, octets[0] == (octets[1] >= 0x80 ? 0xFF : 0) { octets.removeFirst() }
    return octets
  }

  /// Where a certificate can be fetched over plain HTTP.
  func issuerLocation() -> String? {
    guard let text = text() else { return nil }
    guard text.utf8.allSatisfy({ $0 < 0x80 }), let url = try? LoadURL(text), url.scheme == "http" else {
      fail("'\(text)' is no place to fetch a certificate from", hint: "write http://ca.example/issuing.cer")
      return nil
    }
    return text
  }
}
