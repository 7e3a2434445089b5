/// A part of a name space as it is compared: what its text means was worked out once.
enum Subtree: Sendable, Hashable {
  /// All hosts that are this one or end with a period and this; in lower case, the empty name is all.
  case dns([UInt8])
  /// Addresses that equal this one under the mask.
  case address([UInt8], mask: [UInt8])
  /// One mailbox.
  case mailbox(Mailbox)
  /// A host, or after a period the hosts below a domain: for mailboxes and URIs.
  case host([UInt8])
  /// A name and those below it, by its comparison key.
  case directory([UInt8])

  /// The form and the part, nil for a kind that is not processed.
  static func reading(_ subtree: GeneralSubtree) -> (form: NameForm, subtree: Subtree)? {
    switch subtree {
    case .dnsName(let name): (.dns, .dns(HostText.folded(name)))
    case .ipAddress(let address, let mask): (.address, .address(address, mask: mask))
    case .rfc822Name(let name):
      (.mail, Mailbox(name).map { .mailbox($0) } ?? .host(HostText.folded(name)))
    case .uniformResourceIdentifier(let name): (.uri, .host(HostText.folded(name)))
    case .directoryName(let name): (.directory, .directory(name.comparisonKey))
    case .other: nil
    }
  }
}

extension NamesByForm<Subtree> {
  /// These parts of name spaces.
  init(_ subtrees: [GeneralSubtree]) {
    self.init()
    for subtree in subtrees {
      if let (form, part) = Subtree.reading(subtree) {
        append(part, form)
      } else if case .other(let tag, _) = subtree {
        append(unprocessed: tag)
      }
    }
  }
}
