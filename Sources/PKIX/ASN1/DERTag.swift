/// The identifier octets that certificates use, X.680 section 8.4.
enum DERTag {
  static let boolean: UInt8 = 0x01
  static let integer: UInt8 = 0x02
  static let bitString: UInt8 = 0x03
  static let octetString: UInt8 = 0x04
  static let null: UInt8 = 0x05
  static let objectIdentifier: UInt8 = 0x06
  static let utf8String: UInt8 = 0x0C
  static let printableString: UInt8 = 0x13
  static let teletexString: UInt8 = 0x14
  static let ia5String: UInt8 = 0x16
  static let utcTime: UInt8 = 0x17
  static let generalizedTime: UInt8 = 0x18
  static let universalString: UInt8 = 0x1C
  static let bmpString: UInt8 = 0x1E
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31

  /// The identifier octet of a context-specific tag: `[number]`.
  static func context(_ number: UInt8, constructed: Bool = false) -> UInt8 {
    0x80 | (constructed ? 0x20 : 0) | (number & 0x1F)
  }

  /// What the octet says: `SEQUENCE`, `[3]`.
  static func name(_ tag: UInt8) -> String {
    if tag & 0xC0 == 0x80 { return "[\(tag & 0x1F)]" }
    return names[tag] ?? "tag 0x\(String(tag, radix: 16))"
  }

  private static let names: [UInt8: String] = [
    boolean: "BOOLEAN", integer: "INTEGER", bitString: "BIT STRING", octetString: "OCTET STRING", null: "NULL",
    objectIdentifier: "OBJECT IDENTIFIER", utf8String: "UTF8String", printableString: "PrintableString",
    teletexString: "TeletexString", ia5String: "IA5String", utcTime: "UTCTime", generalizedTime: "GeneralizedTime",
    universalString: "UniversalString", bmpString: "BMPString", sequence: "SEQUENCE", set: "SET",
  ]
}
