import Explanation
import Foundation
import Oracles
import Testing
import Trust

@testable import URLLoading

/// Checks the assertions of Apple's own tests of its engine, as data.
@Suite(.needsData("ats-vectors.json"), .needsData("ats-builtin-domains.json")) struct AppleVectorTests {
  struct Vector: Decodable {
    let test: String
    let ats: JSONPropertyList
    let host: String
    let isAddress: Bool
    let isDirect: Bool
    let atsRequired: Bool
    let minTLS: Version
    let ciphersSet: Bool
    let apple: Bool
    let kind: String

    struct Version: Decodable {
      /// The option's name, or nil for 0, which leaves the option unchanged.
      let name: String?
      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let number = try? container.decode(Int.self)
        name = number == 0 ? nil : try container.decode(String.self)
      }
    }
  }

  @Test("every assertion of Apple's tests is true on iOS 18.4")
  func vectors() throws {
    let vectors = try JSONDecoder().decode([Vector].self, from: Data(SharedData.bytes("ats-vectors.json")))
    #expect(!vectors.isEmpty)
    for vector in vectors {
      let dictionary = try #require(vector.ats.value.dictionary)
      let configuration = AppTransportSecurity.Configuration(dictionary: dictionary)
      let host = vector.isAddress && vector.host.contains(":") ? "[\(vector.host)]" : vector.host
      for scheme in ["https", "http"] {
        let load = AppTransportSecurity.Load(
          try LoadURL("\(scheme)://\(host)/"), os: OSVersion(.iOS, 18, 4),
          isDirect: vector.isAddress ? vector.isDirect : nil, isApplesOwn: vector.apple)
        let decision = AppTransportSecurity.decide(load, by: configuration)
        let message = Comment(rawValue: "\(vector.test) \(scheme) \(vector.host)")
        #expect((load.url.address != nil) == vector.isAddress, message)
        #expect(decision.isRequired == vector.atsRequired, message)
        #expect(decision.requirements?.minimumVersion.description == vector.minTLS.name, message)
        #expect((decision.requirements?.cipherSuites != nil) == vector.ciphersSet, message)
        // "exception" or "global": whether the dictionary has exceptions, or only keys for all domains.
        #expect((vector.kind == "exception") == (dictionary["NSExceptionDomains"] != nil), message)
        #expect(vector.isAddress || decision.load.hasLocalName == vector.isDirect, message)
        let isBlocked = scheme == "http" && vector.atsRequired
        #expect(decision.verdict == (isBlocked ? .blocked : .allowed), message)
        #expect(decision.because == (isBlocked ? [.atsInsecureHTTP] : []), message)
      }
    }
  }

  @Test("the spelling decides which addresses and names are local, as in Apple's tests")
  func direct() throws {
    let vectors = try JSONDecoder().decode([Vector].self, from: Data(SharedData.bytes("ats-vectors.json")))
    for vector in vectors {
      let host = vector.isAddress && vector.host.contains(":") ? "[\(vector.host)]" : vector.host
      let load = AppTransportSecurity.Load(try LoadURL("https://\(host)/"), os: OSVersion(.iOS, 18, 4))
      let isLocal = vector.isAddress ? load.hasDirectAddress : load.hasLocalName
      #expect(isLocal == vector.isDirect, Comment(rawValue: vector.host))
    }
  }

  @Test("the built-in exceptions are those of Apple's data")
  func builtIns() throws {
    let data = try JSONDecoder().decode(
      JSONPropertyList.self, from: Data(SharedData.bytes("ats-builtin-domains.json")))
    let dictionary = try #require(data.value.dictionary)
    let theirs = AppTransportSecurity.Configuration(dictionary: dictionary).domains
    let ours = AppTransportSecurity.builtInDomains
    #expect(Set(theirs.map(\.name)) == Set(ours.map(\.name)))
    for domain in theirs { #expect(ours.first { $0.name == domain.name } == domain) }
  }
}
