import Foundation
import URLLoading

/// JSON as a property list, for tests. Booleans and numbers remain distinct.
struct JSONPropertyList: Decodable {
  let value: PropertyList

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Name.self) {
      value = .dictionary(
        PropertyList.Dictionary(
          entries: try container.allKeys.map { key in
            PropertyList.Dictionary.Entry(
              key: key.stringValue, value: try container.decode(JSONPropertyList.self, forKey: key).value)
          }))
    } else if var container = try? decoder.unkeyedContainer() {
      var values: [PropertyList] = []
      while !container.isAtEnd { values.append(try container.decode(JSONPropertyList.self).value) }
      value = .array(values)
    } else {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        value = .boolean(flag)
      } else if let number = try? container.decode(Int.self) {
        value = .integer(Int128(number))
      } else if let number = try? container.decode(Double.self) {
        value = .real(number)
      } else {
        value = .string(try container.decode(String.self))
      }
    }
  }
}
