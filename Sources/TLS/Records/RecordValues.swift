import Explanation

/// Application data and its record as values: `application_data.client.1` from `record.client.1` and the keys.
struct RecordValues {
  let dataID: Value.ID
  private let recordID: Value.ID
  private let side: Side
  private let number: Int
  private let names: ValueNames

  /// The values of the `number`th application data record that `side` sends, counted from 1.
  init(_ side: Side, number: Int, _ names: ValueNames) {
    self.side = side
    self.number = number
    self.names = names
    dataID = "\(names.prefix)application_data.\(side).\(number)"
    recordID = "\(names.prefix)record.\(side).\(number)"
  }

  func sent(_ content: [UInt8], _ record: Record, _ keys: RecordKeys?, by party: Party) -> [Value] {
    values(content, record, keys, [.generated(by: party)])
  }

  func received(_ content: [UInt8], _ record: Record, _ keys: RecordKeys?) -> [Value] {
    values(content, record, keys, [])
  }

  private func values(
    _ content: [UInt8], _ record: Record, _ keys: RecordKeys?, _ others: [Value.Derivation]
  ) -> [Value] {
    var data = Value(dataID, content, derivations: others)
    if let keys {
      let parts = ["\(side)_write_key"] + (keys.iv.isEmpty ? [] : ["\(side)_write_IV"]) + ["record.\(side).\(number)"]
      data.add(names.computed("\(keys.cipher.rawValue) decryption", from: parts))
    }
    return [Value(recordID, record.bytes, .published), data]
  }
}
