import Explanation

extension DistinguishedName.Attribute: CustomStringConvertible {
  /// The value as text, nil when its type is no string type or its bytes are not of that type.
  public var text: String? {
    switch tag {
    case DERTag.utf8String, DERTag.printableString, DERTag.ia5String: String(validating: value, as: UTF8.self)
    case DERTag.teletexString: String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    case DERTag.bmpString: units(of: 2).flatMap { String(validating: $0.map { UInt16($0) }, as: UTF16.self) }
    case DERTag.universalString: units(of: 4).flatMap { String(validating: $0, as: UTF32.self) }
    default: nil
    }
  }

  /// RFC 4514 section 2.3: `CN=api.example`; a value that is no text is shown in hexadecimal.
  public var description: String {
    guard let text else { return "\(type.name)=#\(Hex.string(DER.element(tag, value)))" }
    return "\(type.name)=\(DistinguishedName.Attribute.escaped(text))"
  }

  var der: [UInt8] { DER.sequence(DER.objectIdentifier(type), DER.element(tag, value)) }

  private func units(of size: Int) -> [UInt32]? {
    guard value.count % size == 0 else { return nil }
    return stride(from: 0, to: value.count, by: size).map { start in
      value[start..<start + size].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  // RFC 4514 section 2.4.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let edge = index == 0 && (scalar == " " || scalar == "#") || index == scalars.count - 1 && scalar == " "
      if scalar.value < 0x20 || scalar.value == 0x7F {
        escaped += "\\" + Hex.string([UInt8(scalar.value)])
      } else {
        if edge || "\"+,;<>\\".unicodeScalars.contains(scalar) { escaped += "\\" }
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
