/// Elements that several pages have.
enum Markup {
  /// Keys with their values; those without a value are left out.
  static func facts(_ facts: [(key: String, value: HTML)]) -> HTML {
    "<dl>\(facts.filter { !$0.value.text.isEmpty }.html { "<dt>\($0.key)</dt><dd>\($0.value)</dd>" })</dl>"
  }

  /// A table that scrolls sideways if it is wider than the page.
  static func table(_ header: [HTML], _ rows: [[HTML]], label: String) -> HTML {
    """
    <div class="wide" role="region" tabindex="0" aria-label="\(label)"><table>
    <thead><tr>\(header.html(separator: "") { "<th scope=\"col\">\($0)</th>" })</tr></thead>
    <tbody>
    \(rows.html { row in "<tr>\(row.html(separator: "") { "<td>\($0)</td>" })</tr>" })
    </tbody></table></div>
    """
  }
}
