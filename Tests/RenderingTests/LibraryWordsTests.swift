import Testing
import Trust

@testable import Rendering
@testable import URLLoading

@Suite("The words for pinning libraries") struct LibraryWordsTests {
  private func words(_ event: LibraryEvent, _ library: String) throws -> EventWords {
    LibraryStep(library: try #require(LibraryVersion(library)), event: event, findings: []).words
  }

  @Test("a title begins with the library and its release")
  func titles() throws {
    let anchors = try words(.setAnchors(["api", "spare"]), "AFNetworking 3.1")
    #expect(anchors.title == "AFNetworking 3.1.0 sets the pinned certificates as anchors")
    #expect(anchors.narration == "SecTrustSetAnchorCertificates gets api, spare. No other root is trusted now.")
  }

  @Test("an evaluation names the path, or the violated rules")
  func evaluation() throws {
    let good = LibraryEvent.evaluated(.unspecified, path: ["api", "Root A"], violated: [])
    #expect(try words(good, "Alamofire 5.9").narration == "The path is api, Root A.")
    let bad = LibraryEvent.evaluated(.recoverableTrustFailure, path: ["api"], violated: [.expired, .noAnchor])
    #expect(try words(bad, "Alamofire 5.9").narration == "Violated: chain.expired, chain.no-anchor.")
    #expect(
      try words(bad, "Alamofire 5.9").title.hasSuffix(
        " evaluates the trust: \(SecTrustResultType.recoverableTrustFailure)"))
  }

  @Test("the same event has the words of its library and release")
  func releases() throws {
    func narrations(_ event: LibraryEvent, _ libraries: String...) throws -> Set<String> {
      Set(try libraries.map { try words(event, $0).narration })
    }
    let libraries = ("AFNetworking 3.1", "Alamofire 5.9", "Alamofire 4.9")
    #expect(try narrations(.comparedPins(byKey: true, matches: true), libraries.0, libraries.1, libraries.2).count == 2)
    #expect(try narrations(.comparedPinsOnly(dates: true), libraries.0, libraries.1, libraries.2).count == 3)
    #expect(try narrations(.foundNoPins(nil), libraries.0, libraries.2).count == 2)
    #expect(try words(.foundNoPins(.noPublicKeysFound), libraries.1).narration == "It throws noPublicKeysFound.")
  }

  @Test("a reason of TrustKit begins its sentence")
  func notPinned() throws {
    let event = LibraryEvent.trustKit(.foundNotPinned(.noEntry("api.example", entries: ["*.example"])))
    #expect(
      try words(event, "TrustKit 3.0").narration
        == "No entry covers api.example; entries: *.example; TrustKit has no wildcards; use TSKIncludeSubdomains. "
        + "Nothing is evaluated or reported.")
  }
}
