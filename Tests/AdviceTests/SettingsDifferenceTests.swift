import Foundation
import Testing
import Trust

@testable import Advice
@testable import URLLoading

@Suite("Differences of two property lists, and keys that no load needs")
struct SettingsDifferenceTests {
  private typealias Difference = ATS.SettingsDifference
  private static let open: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true]

  private func changes(
    _ old: PropertyList, _ new: PropertyList, _ systems: [OSVersion] = [OSVersion(.iOS, 18, 4)], urls: [String] = []
  ) throws -> [LoadChange] {
    let difference = Difference(
      from: .init(dictionary: try #require(old.dictionary)), to: .init(dictionary: try #require(new.dictionary)),
      urls: try urls.map { try LoadURL($0) }, systems: systems)
    return difference.changes.map(LoadChange.init)
  }

  @Test("equal lists change nothing, and a new exception newly allows only its host")
  func exceptions() throws {
    let listed: PropertyList = ["NSExceptionDomains": ["cdn.example": Self.open]]
    #expect(try changes(listed, listed) == [])
    let key = "NSExceptionDomains.cdn.example.NSExceptionAllowsInsecureHTTPLoads"
    let added = try changes([:], listed)
    #expect(
      added == [
        .init(.newlyAllowed, "http://cdn.example/", by: key), .init(.loosened, "https://cdn.example/", by: key),
      ])
    let removed = try changes(listed, [:])
    #expect(
      removed == [
        .init(.newlyBlocked, "http://cdn.example/", by: key), .init(.tightened, "https://cdn.example/", by: key),
      ])
  }

  @Test("a global switch changes unlisted hosts, and a newer key turns it off")
  func globals() throws {
    let all = try changes([:], ["NSAllowsArbitraryLoads": true])
    #expect(all.contains(.init(.newlyAllowed, "http://any-other-host.example/", by: "NSAllowsArbitraryLoads")))
    let off = try changes(
      ["NSAllowsArbitraryLoads": true], ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true])
    #expect(off.contains(.init(.newlyBlocked, "http://any-other-host.example/", by: "NSAllowsLocalNetworking")))
    #expect(!off.contains { $0.url.contains("printer.local") })
    // iOS 9 knows only the first key.
    #expect(
      try changes(
        ["NSAllowsArbitraryLoads": true], ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true],
        [OSVersion(.iOS, 9)]) == [])
  }

  @Test("the requirements of a server are compared if an HTTPS load is allowed both times")
  func demands() throws {
    func entry(_ keys: PropertyList) -> PropertyList { ["NSExceptionDomains": ["a.example": keys]] }
    func change(_ old: PropertyList, _ new: PropertyList) throws -> Difference.Change {
      let difference = Difference(
        from: .init(dictionary: try #require(old.dictionary)), to: .init(dictionary: try #require(new.dictionary)),
        urls: [], systems: [OSVersion(.iOS, 17)])
      let change = try #require(difference.changes.first)
      #expect(difference.changes.count == 1 && change.demands.count == 1)
      return change
    }
    let lower = try change(entry([:]), entry(["NSExceptionMinimumTLSVersion": "TLSv1.0"]))
    #expect(lower.kind == .loosened && lower.old.minimumVersion == .tls12 && lower.new.minimumVersion == .tls10)
    let waived = try change(entry([:]), entry(["NSExceptionRequiresForwardSecrecy": false]))
    #expect(waived.kind == .loosened && waived.old.requiresForwardSecrecy && !waived.new.requiresForwardSecrecy)
    let higher = try change(entry([:]), entry(["NSExceptionMinimumTLSVersion": "TLSv1.3"]))
    #expect(higher.kind == .tightened && higher.old.minimumVersion == .tls12 && higher.new.minimumVersion == .tls13)
    let pins: PropertyList = [
      "NSPinnedDomains": [
        "a.example": [
          "NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="]]
        ]
      ]
    ]
    let pinned = try change([:], pins)
    #expect(pinned.kind == .tightened && pinned.old.pinnedIdentities == nil && pinned.new.pinnedIdentities != nil)
    let unpinned = try change(pins, [:])
    #expect(unpinned.kind == .loosened && unpinned.old.pinnedIdentities != nil && unpinned.new.pinnedIdentities == nil)
  }

  @Test("fewer keys in a pin list tighten, more keys loosen, and a second list tightens")
  func pins() throws {
    let keys = (UInt8(1)...3).map { PropertyList.string(Data(repeating: $0, count: 32).base64EncodedString()) }
    func list(_ numbers: [Int]) -> PropertyList { .array(numbers.map { ["SPKI-SHA256-BASE64": keys[$0]] }) }
    func pinned(leaf: [Int]? = nil, authorities: [Int]? = nil) -> PropertyList {
      let lists = [("NSPinnedLeafIdentities", leaf), ("NSPinnedCAIdentities", authorities)].compactMap {
        name, numbers in
        numbers.map { PropertyList.Dictionary.Entry(key: name, value: list($0)) }
      }
      return ["NSPinnedDomains": ["a.example": .dictionary(.init(entries: lists))]]
    }
    func step(_ old: PropertyList, _ new: PropertyList) throws -> Difference.Change? {
      let difference = Difference(
        from: .init(dictionary: try #require(old.dictionary)), to: .init(dictionary: try #require(new.dictionary)),
        urls: [], systems: [OSVersion(.iOS, 17)])
      #expect(difference.changes.count <= 1)
      return difference.changes.first
    }
    let fewer = try step(pinned(leaf: [0, 1]), pinned(leaf: [1]))
    #expect(fewer?.kind == .tightened && fewer?.demands == [.pinList(.leaf, .fewer(count: 1, before: 2))])
    let more = try step(pinned(leaf: [1]), pinned(leaf: [0, 1]))
    #expect(more?.kind == .loosened && more?.demands == [.pinList(.leaf, .more(count: 2, before: 1))])
    let other = try step(pinned(leaf: [0]), pinned(leaf: [1]))
    #expect(other?.kind == .loosened && other?.demands == [.pinList(.leaf, .other)])
    let added = try step(pinned(leaf: [0]), pinned(leaf: [0], authorities: [2]))
    #expect(added?.kind == .tightened && added?.demands == [.pinList(.authorities, .added)])
    let removed = try step(pinned(leaf: [0], authorities: [2]), pinned(authorities: [2]))
    #expect(removed?.kind == .loosened && removed?.demands == [.pinList(.leaf, .removed)])
    // Order and repetition make no difference.
    #expect(try step(pinned(leaf: [0, 1]), pinned(leaf: [1, 0, 1])) == nil)
  }

  @Test("a change's keys are the different ones whose restoration undoes it")
  func keys() throws {
    let hash: PropertyList = [["SPKI-SHA256-BASE64": "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="]]
    let entry = "NSExceptionDomains.a.example"
    func list(_ keys: PropertyList) -> PropertyList { ["NSExceptionDomains": ["a.example": keys]] }
    // Plain HTTP is allowed before and after; only the lowered version has been removed.
    let plain: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true]
    let lowered: PropertyList = [
      "NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionMinimumTLSVersion": "TLSv1.0",
    ]
    #expect(
      try changes(list(lowered), list(plain)) == [
        .init(.tightened, "https://a.example/", by: "\(entry).NSExceptionMinimumTLSVersion")
      ])
    // Two keys waive two requirements, and both are named.
    let both: PropertyList = [
      "NSExceptionRequiresForwardSecrecy": false, "NSExceptionMinimumTLSVersion": "TLSv1.0",
    ]
    let keys = "\(entry).NSExceptionRequiresForwardSecrecy, \(entry).NSExceptionMinimumTLSVersion"
    #expect(try changes(list([:]), list(both)) == [.init(.loosened, "https://a.example/", by: keys)])
    let pins: PropertyList = ["NSPinnedDomains": ["e.acme.com": ["NSPinnedLeafIdentities": hash]]]
    #expect(
      try changes([:], pins) == [
        .init(.tightened, "https://e.acme.com/", by: "NSPinnedDomains.e.acme.com.NSPinnedLeafIdentities")
      ])
    // The mere presence of an empty entry restores the requirements.
    let all: PropertyList = ["NSAllowsArbitraryLoads": true]
    let listed: PropertyList = ["NSAllowsArbitraryLoads": true, "NSExceptionDomains": ["a.example": [:]]]
    #expect(
      try changes(all, listed) == [
        .init(.newlyBlocked, "http://a.example/", by: entry), .init(.tightened, "https://a.example/", by: entry),
      ])
  }

  @Test("a pin list without usable identities blocks its host, and a usable one allows it")
  func emptyPins() throws {
    func pins(_ list: PropertyList) -> PropertyList {
      ["NSPinnedDomains": ["a.example": ["NSPinnedLeafIdentities": list]]]
    }
    let (url, key) = ("https://a.example/", "NSPinnedDomains.a.example.NSPinnedLeafIdentities")
    let hash: PropertyList = [["SPKI-SHA256-BASE64": "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="]]
    #expect(try changes([:], pins([])) == [.init(.newlyBlocked, url, by: key)])
    #expect(try changes(pins(hash), pins([])) == [.init(.newlyBlocked, url, by: key)])
    #expect(try changes(pins([]), pins(hash)) == [.init(.newlyAllowed, url, by: key)])
    #expect(try changes(pins([]), pins([])) == [])
    // Before iOS 14 there are no pins.
    #expect(try changes([:], pins([]), [OSVersion(.iOS, 13)]) == [])
  }

  @Test("a load is decided once, whichever entries and addresses lead to it")
  func once() throws {
    let lists: PropertyList = ["NSExceptionDomains": ["printer.local": Self.open, "local": Self.open]]
    let old: PropertyList = ["NSAllowsArbitraryLoads": true]
    let difference = Difference(
      from: .init(dictionary: try #require(old.dictionary)), to: .init(dictionary: try #require(lists.dictionary)),
      urls: [try LoadURL("http://local/"), try LoadURL("http://local/")], systems: [OSVersion(.iOS, 9)])
    // http and https each for any other host, an unlisted local name, an address, printer.local, and local.
    #expect(difference.count == 10)
    let seen = difference.changes.map { $0.new.load.url.description }
    #expect(seen.count == Set(seen).count && !seen.isEmpty)
  }

  @Test("200 entries on each side are compared in under a second, unoptimised")
  func speed() throws {
    func list(_ version: String) -> ATS.Configuration {
      .init(
        dictionary: .init(entries: [
          .init(
            key: "NSExceptionDomains",
            value: .dictionary(
              .init(
                entries: (0..<200).map { index in
                  .init(
                    key: "host\(index).example",
                    value: ["NSExceptionMinimumTLSVersion": .string(index < 20 ? version : "TLSv1.1")])
                })))
        ]))
    }
    let start = ContinuousClock.now
    let difference = Difference(
      from: list("TLSv1.1"), to: list("TLSv1.0"), urls: [], systems: [OSVersion(.iOS, 17), OSVersion(.iOS, 18, 4)])
    #expect(difference.changes.count == 40)
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test("keys that no load needs are dropped together, and a needed one stays")
  func pruning() throws {
    let settings: PropertyList = [
      "NSAllowsLocalNetworking": true,
      "NSExceptionDomains": [
        "old.example": ["NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true],
        "gone.example": Self.open,
      ],
    ]
    func droppable(_ urls: [String]) throws -> [String] {
      ATS.ExceptionPruning(
        of: .init(dictionary: try #require(settings.dictionary)), urls: try urls.map { try LoadURL($0) },
        systems: [OSVersion(.iOS, 17), OSVersion(.iOS, 18, 4)]
      ).droppable
    }
    #expect(
      try droppable(["http://old.example/"]) == [
        "NSAllowsLocalNetworking", "NSExceptionDomains.old.example.NSIncludesSubdomains",
        "NSExceptionDomains.gone.example",
      ])
    #expect(
      try droppable(["http://a.old.example/"]) == ["NSAllowsLocalNetworking", "NSExceptionDomains.gone.example"])
    #expect(try droppable(["https://api.example/"]) == ["NSAllowsLocalNetworking", "NSExceptionDomains"])
  }

  @Test("an entry for 127.0.0.1 is dropped if unread, and kept if its effect is unknown")
  func addressEntry() throws {
    let entry: PropertyList = ["NSExceptionDomains": ["127.0.0.1": ["NSExceptionAllowsInsecureHTTPLoads": true]]]
    func droppable(_ systems: [OSVersion]) throws -> [String] {
      ATS.ExceptionPruning(
        of: .init(dictionary: try #require(entry.dictionary)), urls: [try LoadURL("http://127.0.0.1/")],
        systems: systems
      ).droppable
    }
    #expect(try droppable([OSVersion(.iOS, 15)]) == ["NSExceptionDomains"])
    #expect(try droppable([OSVersion(.iOS, 17)]).isEmpty)
    #expect(try droppable([OSVersion(.iOS, 15), OSVersion(.iOS, 18, 4)]).isEmpty)
  }
}
