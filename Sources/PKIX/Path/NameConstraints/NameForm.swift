/// The kinds of names that name constraints are processed for, RFC 5280 section 4.2.1.10.
enum NameForm: Int, CaseIterable {
  case dns, address, mail, uri, directory
}

/// Names, or parts of name spaces, sorted by kind and ready to be compared: text in lower case.
struct NamesByForm<Name: Sendable & Hashable>: Sendable, Hashable {
  private var names = [[Name]](repeating: [], count: NameForm.allCases.count)
  /// The identifier octets of the kinds that are not processed.
  private(set) var unprocessed: Set<UInt8> = []

  subscript(_ form: NameForm) -> [Name] { names[form.rawValue] }

  mutating func append(_ name: Name, _ form: NameForm) { names[form.rawValue].append(name) }

  mutating func append(unprocessed tag: UInt8) { unprocessed.insert(tag) }

  var count: Int { names.reduce(0) { $0 + $1.count } }
}
