import Cryptography
import Explanation
import Wire

/// An extension that only TLS 1.3 defines (RFC 8446 section 4.2), in the form of the message that contains it.
public enum Extension13: Sendable, Hashable {
  /// A client's ephemeral public keys. An empty list requests a HelloRetryRequest (section 4.2.8).
  case keyShares([KeyShareEntry])
  /// The server's ephemeral public key.
  case keyShare(KeyShareEntry)
  /// The group for which a HelloRetryRequest requests a key share.
  case selectedGroup(NamedGroup)
  /// A client's pre-shared keys (section 4.2.11).
  case preSharedKeys(OfferedPSKs)
  /// The index of the pre-shared key that the server selected.
  case selectedIdentity(UInt16)
  /// The bytes that a HelloRetryRequest contains and the next ClientHello repeats (section 4.2.2).
  case cookie([UInt8])
  /// The client's modes: 0 is `psk_ke`, 1 is `psk_dhe_ke` (section 4.2.9).
  case pskKeyExchangeModes([UInt8])
  /// Early data: offered or accepted, or the limit that a ticket permits (section 4.2.10).
  case earlyData(maximum: UInt32?)
  /// The algorithms that certificates may be signed with (section 4.2.3).
  case certificateSignatureAlgorithms([SignatureAndHashAlgorithm])
  /// The names of the accepted CAs in DER (section 4.2.4).
  case certificateAuthorities([[UInt8]])
  /// Requirements on the extensions of a client certificate (section 4.2.5).
  case oidFilters([OIDFilter])
  /// Support for authentication after the handshake (section 4.2.6).
  case postHandshakeAuth
  /// The algorithms with which certificates may be compressed (RFC 8879 section 3).
  case certificateCompression([CertificateCompression])
  /// The maximum size of a protected record's plaintext (RFC 8449 section 4).
  case recordSizeLimit(UInt16)
  /// The OCSP response for the certificate of this entry (section 4.4.2.1).
  case certificateStatus(CertificateStatus)

  /// A required extension of a client certificate, and the values that it must contain.
  public struct OIDFilter: Sendable, Hashable {
    /// The OID of the extension in DER.
    public var oid: [UInt8]
    /// The values in DER; empty for any value.
    public var values: [UInt8]

    /// Creates a filter.
    public init(oid: [UInt8], values: [UInt8]) { (self.oid, self.values) = (oid, values) }
  }

  /// The kind of extension.
  public var type: ExtensionType {
    switch self {
    case .keyShares, .keyShare, .selectedGroup: .keyShare
    case .preSharedKeys, .selectedIdentity: .preSharedKey
    case .cookie: .cookie
    case .pskKeyExchangeModes: .pskKeyExchangeModes
    case .earlyData: .earlyData
    case .certificateSignatureAlgorithms: .certificateSignatureAlgorithms
    case .certificateAuthorities: .certificateAuthorities
    case .oidFilters: .oidFilters
    case .postHandshakeAuth: .postHandshakeAuth
    case .certificateCompression: .compressCertificate
    case .recordSizeLimit: .recordSizeLimit
    case .certificateStatus: .statusRequest
    }
  }
}

/// A group, and an ephemeral public key in it (RFC 8446 section 4.2.8).
///
/// ```
/// struct { NamedGroup group; opaque key_exchange<1..2^16-1>; } KeyShareEntry;
/// ```
public struct KeyShareEntry: Sendable, Hashable {
  /// The group of the key.
  public var group: NamedGroup
  /// The encoded public key.
  public var keyExchange: [UInt8]

  /// Creates an entry.
  public init(group: NamedGroup, keyExchange: [UInt8]) { (self.group, self.keyExchange) = (group, keyExchange) }

  init(_ reader: inout Reader) throws(WireError) {
    self = try reader.structure("KeyShareEntry", meaning: \.group.named) { (reader) throws(WireError) in
      KeyShareEntry(
        group: try NamedGroup(&reader, "group"), keyExchange: try reader.opaque("key_exchange", 1...0xffff))
    }
  }

  func write(to writer: inout Writer) throws(WireError) {
    writer.uint16(group.rawValue)
    try writer.opaque("key_exchange", 1...0xffff, keyExchange)
  }
}

/// The pre-shared keys that a client offers, and the proofs that it has them (RFC 8446 section 4.2.11).
///
/// ```
/// struct { PskIdentity identities<7..2^16-1>; PskBinderEntry binders<33..2^16-1>; } OfferedPsks;
/// ```
public struct OfferedPSKs: Sendable, Hashable {
  /// The name of a pre-shared key, such as a ticket.
  public struct Identity: Sendable, Hashable {
    /// The name of the key.
    public var identity: [UInt8]
    /// The age of the ticket in milliseconds, plus `ticket_age_add`; 0 for an external key.
    public var obfuscatedTicketAge: UInt32

    /// Creates the name of a key.
    public init(identity: [UInt8], obfuscatedTicketAge: UInt32) {
      (self.identity, self.obfuscatedTicketAge) = (identity, obfuscatedTicketAge)
    }
  }

  /// The names of the keys in order of preference.
  public var identities: [Identity]
  /// One HMAC for each key, over the messages up to this list.
  public var binders: [[UInt8]]

  /// Creates an offer.
  public init(identities: [Identity], binders: [[UInt8]]) { (self.identities, self.binders) = (identities, binders) }

  /// The number of bytes that the list of binders has at the end of a ClientHello.
  public var bindersLength: Int { binders.reduce(2) { $0 + 1 + $1.count } }

  init(_ reader: inout Reader) throws(WireError) {
    identities = try reader.vector("identities", 7...0xffff) { (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in
        Identity(
          identity: try reader.opaque("identity", 1...0xffff),
          obfuscatedTicketAge: try reader.uint32("obfuscated_ticket_age"))
      }
    }
    binders = try reader.vector("binders", 33...0xffff) { (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in try reader.opaque("PskBinderEntry", 32...0xff) }
    }
  }

  func write(to writer: inout Writer) throws(WireError) {
    try writer.vector("identities", 7...0xffff) { (writer) throws(WireError) in
      for item in identities {
        try writer.opaque("identity", 1...0xffff, item.identity)
        writer.uint32(item.obfuscatedTicketAge)
      }
    }
    try writer.vector("binders", 33...0xffff) { (writer) throws(WireError) in
      for binder in binders { try writer.opaque("PskBinderEntry", 32...0xff, binder) }
    }
  }
}

extension Extension13 {
  /// Decodes the complete `extension_data`; nil for an extension that this message does not define in TLS 1.3.
  init?(data reader: inout Reader, _ type: ExtensionType, in place: Extension.Place) throws(WireError) {
    switch (type, place) {
    case (.keyShare, .clientHello13):
      self = .keyShares(
        try reader.vector("client_shares", 0...0xffff) { (reader) throws(WireError) in
          try reader.items { (reader) throws(WireError) in try KeyShareEntry(&reader) }
        })
    case (.keyShare, .serverHello): self = .keyShare(try KeyShareEntry(&reader))
    case (.keyShare, .helloRetryRequest): self = .selectedGroup(try NamedGroup(&reader, "selected_group"))
    case (.preSharedKey, .clientHello13): self = .preSharedKeys(try OfferedPSKs(&reader))
    case (.preSharedKey, .serverHello): self = .selectedIdentity(try reader.uint16("selected_identity"))
    case (.cookie, .clientHello13), (.cookie, .helloRetryRequest):
      self = .cookie(try reader.opaque("cookie", 1...0xffff))
    case (.pskKeyExchangeModes, .clientHello13):
      self = .pskKeyExchangeModes(
        try reader.vector("ke_modes", 1...0xff) { (reader) throws(WireError) in
          try reader.items { (reader) throws(WireError) in
            try reader.uint8("PskKeyExchangeMode") { ["psk_ke (0)", "psk_dhe_ke (1)"][safe: Int($0)] ?? String($0) }
          }
        })
    case (.earlyData, .clientHello13), (.earlyData, .encryptedExtensions): self = .earlyData(maximum: nil)
    case (.earlyData, .newSessionTicket):
      self = .earlyData(maximum: try reader.uint32("max_early_data_size"))
    case (.certificateSignatureAlgorithms, .clientHello13), (.certificateSignatureAlgorithms, .certificateRequest):
      self = .certificateSignatureAlgorithms(try Extension.signatureAlgorithms(&reader))
    case (.certificateAuthorities, .clientHello13), (.certificateAuthorities, .certificateRequest):
      self = .certificateAuthorities(
        try reader.vector("authorities", 3...0xffff) { (reader) throws(WireError) in
          try reader.items { (reader) throws(WireError) in try reader.opaque("DistinguishedName", 1...0xffff) }
        })
    case (.oidFilters, .certificateRequest):
      self = .oidFilters(
        try reader.vector("filters", 0...0xffff) { (reader) throws(WireError) in
          try reader.items { (reader) throws(WireError) in
            OIDFilter(
              oid: try reader.opaque("certificate_extension_oid", 1...0xff),
              values: try reader.opaque("certificate_extension_values", 0...0xffff))
          }
        })
    case (.postHandshakeAuth, .clientHello13): self = .postHandshakeAuth
    case (.compressCertificate, .clientHello13), (.compressCertificate, .certificateRequest):
      self = .certificateCompression(
        try reader.vector("algorithms", 2...0xfe) { (reader) throws(WireError) in
          try reader.items { (reader) throws(WireError) in try CertificateCompression(&reader) }
        })
    case (.recordSizeLimit, .clientHello13), (.recordSizeLimit, .encryptedExtensions):
      self = .recordSizeLimit(try reader.uint16("RecordSizeLimit"))
    case (.statusRequest, .certificateEntry): self = .certificateStatus(try CertificateStatus(&reader))
    default: return nil
    }
  }

  /// Encodes `extension_data` without its length field.
  func writeData(to writer: inout Writer) throws(WireError) {
    switch self {
    case .keyShares(let shares):
      try writer.vector("client_shares", 0...0xffff) { (writer) throws(WireError) in
        for share in shares { try share.write(to: &writer) }
      }
    case .keyShare(let share): try share.write(to: &writer)
    case .selectedGroup(let group): writer.uint16(group.rawValue)
    case .preSharedKeys(let offer): try offer.write(to: &writer)
    case .selectedIdentity(let index): writer.uint16(index)
    case .cookie(let bytes): try writer.opaque("cookie", 1...0xffff, bytes)
    case .pskKeyExchangeModes(let modes): try writer.opaque("ke_modes", 1...0xff, modes)
    case .earlyData(let maximum): if let maximum { writer.uint32(maximum) }
    case .certificateSignatureAlgorithms(let algorithms):
      try writer.vector("supported_signature_algorithms", 2...0xfffe) { writer in
        for algorithm in algorithms { writer.uint16(algorithm.rawValue) }
      }
    case .certificateAuthorities(let names):
      try writer.vector("authorities", 3...0xffff) { (writer) throws(WireError) in
        for name in names { try writer.opaque("DistinguishedName", 1...0xffff, name) }
      }
    case .oidFilters(let filters):
      try writer.vector("filters", 0...0xffff) { (writer) throws(WireError) in
        for filter in filters {
          try writer.opaque("certificate_extension_oid", 1...0xff, filter.oid)
          try writer.opaque("certificate_extension_values", 0...0xffff, filter.values)
        }
      }
    case .postHandshakeAuth: break
    case .certificateCompression(let algorithms):
      try writer.vector("algorithms", 2...0xfe) { writer in
        for algorithm in algorithms { writer.uint16(algorithm.rawValue) }
      }
    case .recordSizeLimit(let limit): writer.uint16(limit)
    case .certificateStatus(let status): try status.write(to: &writer)
    }
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension Extension.Place {
  /// The extensions that TLS 1.3 permits in this message (RFC 8446 section 4.2, RFC 8449, RFC 8879).
  ///
  /// Nil for a ClientHello, whose unknown extensions the server ignores.
  var permitted13: Set<ExtensionType>? {
    switch self {
    case .clientHello, .clientHello13: nil
    case .serverHello: [.supportedVersions, .keyShare, .preSharedKey]
    case .helloRetryRequest: [.supportedVersions, .keyShare, .cookie]
    case .encryptedExtensions:
      [
        .serverName, .maxFragmentLength, .supportedGroups, .useSRTP, .heartbeat, .applicationProtocols,
        .clientCertificateType, .serverCertificateType, .recordSizeLimit, .earlyData,
      ]
    case .certificateRequest:
      [
        .statusRequest, .signatureAlgorithms, .signedCertificateTimestamp, .compressCertificate,
        .certificateAuthorities, .oidFilters, .certificateSignatureAlgorithms,
      ]
    case .certificateEntry: [.statusRequest, .signedCertificateTimestamp]
    case .newSessionTicket: [.earlyData]
    }
  }
}

/// The extensions of TLS 1.3.
extension [Extension] {
  private func first<T>(_ body: (Extension13) -> T?) -> T? {
    compactMap { if case .tls13(let item) = $0 { body(item) } else { nil } }.first
  }

  /// The client's key shares; nil if the extension is absent.
  public var keyShares: [KeyShareEntry]? { first { if case .keyShares(let shares) = $0 { shares } else { nil } } }
  /// The server's key share; nil if the extension is absent.
  public var keyShare: KeyShareEntry? { first { if case .keyShare(let share) = $0 { share } else { nil } } }
  /// The group that a HelloRetryRequest selected; nil if the extension is absent.
  public var selectedGroup: NamedGroup? { first { if case .selectedGroup(let group) = $0 { group } else { nil } } }
  /// The client's pre-shared keys; nil if the extension is absent.
  public var preSharedKeys: OfferedPSKs? { first { if case .preSharedKeys(let offer) = $0 { offer } else { nil } } }
  /// The index of the selected pre-shared key; nil if the extension is absent.
  public var selectedIdentity: UInt16? { first { if case .selectedIdentity(let index) = $0 { index } else { nil } } }
  /// The cookie; nil if the extension is absent.
  public var cookie: [UInt8]? { first { if case .cookie(let bytes) = $0 { bytes } else { nil } } }
  /// The modes in `psk_key_exchange_modes`; nil if the extension is absent.
  public var pskKeyExchangeModes: [UInt8]? {
    first { if case .pskKeyExchangeModes(let modes) = $0 { modes } else { nil } }
  }
  /// The names in `certificate_authorities`; nil if the extension is absent.
  public var certificateAuthorities: [[UInt8]]? {
    first { if case .certificateAuthorities(let names) = $0 { names } else { nil } }
  }
  /// The limit of early data in a ticket; nil if it permits none.
  public var maximumEarlyData: UInt32? { first { if case .earlyData(let maximum) = $0 { maximum } else { nil } } }
  /// The limit in `record_size_limit`; nil if the extension is absent.
  public var recordSizeLimit: UInt16? { first { if case .recordSizeLimit(let limit) = $0 { limit } else { nil } } }
  /// The OCSP response in `status_request`; nil if the extension is absent.
  public var ocspResponse: [UInt8]? {
    first { if case .certificateStatus(let status) = $0 { status.ocspResponse } else { nil } }
  }
  /// The algorithms in `compress_certificate`; nil if the extension is absent.
  public var certificateCompression: [CertificateCompression]? {
    first { if case .certificateCompression(let algorithms) = $0 { algorithms } else { nil } }
  }

  /// Whether there is an extension of this type.
  public func contains(_ type: ExtensionType) -> Bool { contains { $0.type == type } }
}
