import Scenarios
import Testing

@testable import Rendering

@Suite("The search index")
struct SearchIndexTests {
  private static func index(_ entries: (String, String)...) -> SearchIndex {
    SearchIndex(entries.map { SearchEntry(.term, $0.0, summary: $0.1, command: ["explain", $0.0]) })
  }

  @Test("explain accepts every name of the tables")
  func explained() {
    let unknown = SearchIndex.tables.filter { entry in
      entry.command.first == "explain" && ExplainView.document(for: entry.command[1]) == nil
    }
    #expect(unknown.map(\.name) == [])
  }

  @Test("explain accepts every word that list words prints, and rules without their layer")
  func words() throws {
    let lists = Vocabulary.sections.flatMap { $0.words.map(\.name) } + ListView.nameMeanings.map(\.word)
    #expect(lists.filter { ExplainView.document(for: $0) == nil } == [])
    for rule in RuleCatalogue.ids {
      let bare = try #require(rule.split(separator: ".").last)
      #expect(ExplainView.document(for: String(bare)) != nil, "\(rule)")
    }
    #expect(Glossary.chinese.values.filter { ExplainView.document(for: $0) == nil } == [])
  }

  @Test("a whole name ranks before a part of one, and a name before a text")
  func order() {
    let index = Self.index(
      ("pinned list", "of keys"), ("other", "says pin"), ("pin", "a key"), ("spinning", "wheel"))
    #expect(index.results(for: "pin").map(\.name) == ["pin", "pinned list", "spinning", "other"])
  }

  @Test("an entry with all words ranks before one with some; rare words count more")
  func coverage() {
    let index = Self.index(
      ("a1", "rare and common"), ("a2", "common"), ("a3", "common"), ("a4", "rare"), ("a5", "common"))
    #expect(index.results(for: "common rare").map(\.name).prefix(2) == ["a1", "a4"])
  }

  @Test("letters of other scripts need no word boundary, and case does not count")
  func scripts() {
    let index = Self.index(("root", "自签名的根证书"), ("leaf", "ENDE"))
    #expect(index.results(for: "根证书").map(\.name) == ["root"])
    #expect(index.results(for: "ende").map(\.name) == ["leaf"])
  }

  @Test("signs between the words of a name do not count")
  func signs() {
    let index = Self.index(("a self signed leaf", "signed"), ("self-signed", "x"))
    #expect(index.results(for: "self signed").map(\.name).first == "self-signed")
  }

  @Test("one or two letters match whole words alone")
  func short() {
    #expect(Self.index(("exact", "no x"), ("extra", "xerox")).results(for: "x").map(\.name) == ["exact"])
  }

  @Test("an empty query finds nothing, and the nearest word is named")
  func nothing() {
    let index = Self.index(("premaster_secret", "48 bytes"))
    #expect(index.results(for: " ,. ").isEmpty && index.results(for: "zebra").isEmpty)
    #expect(index.nearest(to: "premaster_secert") == ["premaster_secret"])
    #expect(index.nearest(to: "z").isEmpty)
  }

  @Test("a command is quoted as a shell requires")
  func quoting() {
    #expect(SearchEntry(.term, "x", summary: "", command: ["explain", "a b"]).commandLine == "trustlab explain 'a b'")
    #expect(
      SearchEntry(.term, "x", summary: "", command: ["explain", "it's"]).commandLine
        == "trustlab explain 'it'\\''s'")
  }
}
