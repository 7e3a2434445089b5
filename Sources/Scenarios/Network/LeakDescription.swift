import Explanation

/// The content of a leak: a secret, or a quantum computer with its date.
enum LeakDescription: Sendable {
  case secret(ValueName)
  case quantumComputer(from: Instant)

  /// The keys of a leak that is a map.
  struct Parts {
    var quantum: Instant?
  }

  static let section = Section<Parts>(
    "quantum", "A quantum computer that third parties have from a day on.",
    [
      .term(
        "quantum", .date,
        "the day from which third parties break RSA, DH and elliptic curves, but neither ML-KEM nor symmetric keys",
        into: \.quantum)
    ])

  static let example = "write { leak: { quantum: 2035-01-01 } }"

  /// Reads the name of a secret. The word `quantum` needs a date.
  fileprivate static func secret(_ reader: NodeReader) -> LeakDescription? {
    guard let name = Kind<ValueName>.anyValue.read(reader) else { return nil }
    guard name != ValueName("quantum") else {
      reader.fail("'quantum' needs a date", hint: example)
      return nil
    }
    return .secret(name)
  }
}

extension Kind {
  /// The name of a secret, or a map with the date of a quantum computer.
  static var leak: Kind<LeakDescription> {
    let section = LeakDescription.section
    return Kind<LeakDescription>(.either([Kind<ValueName>.anyValue.shape, .section(section.name)])) { reader in
      guard reader.node.entries != nil else { return LeakDescription.secret(reader) }
      let reports = reader.sink.reports
      var parts = LeakDescription.Parts()
      reader.read(section, into: &parts)
      if parts.quantum == nil, reader.sink.reports == reports {
        reader.fail("\(reader.path) needs 'quantum'", hint: LeakDescription.example)
      }
      return parts.quantum.map { .quantumComputer(from: $0) }
    }
  }
}
