import Testing

@testable import Site

@Suite struct HTMLTests {
  @Test func interpolatedTextIsEscaped() {
    let name = "<script>alert('1')</script>&\""
    let html: HTML = "<b title=\"\(name)\">\(name)</b>"
    let escaped = "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;"
    #expect(html.text == "<b title=\"\(escaped)\">\(escaped)</b>")
  }
}
