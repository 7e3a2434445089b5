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

  /// Whether the first columns share a line and the last stands below them.
  var isStacked = false

  var document: Document { isStacked ? stack : table }

  private var stack: Document {
    let shown = columns.indices.filter { !hidden.contains(columns[$0]) }
    var document = Document()
    for row in rows {
      let texts = shown.filter { row.indices.contains($0) }.map { row[$0] }
      guard let name = texts.first, let last = texts.last else { continue }
      let beside = texts.dropFirst().dropLast().filter { !$0.isEmpty }.joined(separator: "  ")
      document.bullet(RichText([Span(name, .name), Span(" ")]), RichText(beside, .dim))
      if texts.count > 1 { document.paragraph("\(last)", indent: 4) }
    }
    return document
  }

  private var table: Document {
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
