/// A list of words with what they mean, as text and as JSON.
struct ListTable {
  /// The member under which JSON has the rows.
  let name: String
  /// The columns' names, which are JSON's too.
  let columns: [String]
  /// The rows.
  let rows: [[String]]
  /// Columns that only JSON shows.
  var hidden: Set<String> = []

  var document: Document {
    let shown = columns.indices.filter { !hidden.contains(columns[$0]) }
    let texts = rows.map { row in
      shown.map { column in
        let text = row.indices.contains(column) ? row[column] : ""
        return column == shown.first ? RichText(text, .name) : RichText(text)
      }
    }
    return Document([.table(header: shown.map { "\(columns[$0])" }, rows: texts, indent: 0)])
  }

  var json: JSONValue {
    .object([.init("trustlab", 1), .init(name, .array(rows.map(json)))])
  }

  private func json(_ row: [String]) -> JSONValue {
    .object(zip(columns, row).map { .init($0, .string($1)) })
  }
}
