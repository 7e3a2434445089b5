import Cryptography
import Explanation
import Laboratory
import Testing

@testable import PKIX

@Suite("Certificate Transparency")
struct TransparencyTests {
  private static let moment: UInt64 = 1_477_958_400_000
  private static let log = LogOperator(
    "Alfa", operator: "A", key: .ec(KeyStore.ecKey(owner: "Alfa", curve: .p256)))

  /// A chain whose leaf contains an SCT of the log for its precertificate.
  private func chain() throws -> [Certificate] {
    var hierarchy = Hierarchy()
    hierarchy.leaf.otherExtensions = [.init(.precertificatePoison, critical: true, value: [5, 0])]
    let precertificate = try hierarchy.issue()
    let entry = try #require(LogEntry(of: precertificate[0], chain: Array(precertificate.dropFirst())))
    var random = DeterministicRandom(seed: .number(1), label: "log")
    let timestamp = try Self.log.timestamp(entry, at: Self.moment, random: &random)
    hierarchy.leaf.otherExtensions = [
      .init(.sctList, value: SignedCertificateTimestampList([timestamp]).extensionValue)
    ]
    let chain = try hierarchy.issue()
    #expect(chain[0].corresponds(to: precertificate[0]))
    return chain
  }

  private func status(_ chain: [Certificate], issuer: Int = 1, at now: UInt64 = moment) throws -> SCTStatus {
    let item = try #require(chain[0].embeddedSCTs?.items.first)
    let entry = LogEntry(embeddedIn: chain[0], issuer: chain[issuer])
    return LogList([Self.log.log]).verify(item, over: entry, at: now).status
  }

  @Test("an SCT for the precertificate verifies for its certificate, and for no other")
  func embedded() throws {
    let chain = try chain()
    #expect(try status(chain) == .valid)
    #expect(try status(chain, issuer: 2) == .invalid)
    #expect(try status(chain, at: Self.moment - 1) == .future)
    let item = try #require(chain[0].embeddedSCTs?.items.first)
    let entry = LogEntry(embeddedIn: chain[0], issuer: chain[1])
    #expect(LogList([]).verify(item, over: entry, at: Self.moment).status == .unknownLog)
    #expect(LogList([Self.log.log]).verify(item, over: nil, at: Self.moment).status == .incompleteChain)
    #expect(LogList([Self.log.log]).verify([1] + item.dropFirst(), over: entry, at: 0).status == .unsupportedVersion)
  }

  @Test("an SCT list that is truncated or changed is an error or does not verify")
  func damaged() throws {
    let chain = try chain()
    let list = try #require(chain[0].embeddedSCTs?.bytes)
    let entry = LogEntry(embeddedIn: chain[0], issuer: chain[1])
    for count in 0..<list.count {
      #expect((try? SignedCertificateTimestampList(bytes: Array(list[..<count]))) == nil)
    }
    for place in list.indices {
      var changed = list
      changed[place] ^= 1
      guard let items = try? SignedCertificateTimestampList(bytes: changed).items else { continue }
      for item in items {
        #expect(LogList([Self.log.log]).verify(item, over: entry, at: .max).status != .valid, "byte \(place)")
      }
    }
    #expect(throws: (any Error).self) { try SignedCertificateTimestampList(bytes: [0, 0]) }
  }

  @Test("every leaf of a tree has an inclusion proof, valid for no other", arguments: [1, 2, 3, 5, 8, 13])
  func inclusion(_ size: Int) throws {
    let leaves = (0..<size).map { MerkleTree.leafHash([UInt8($0)]) }
    let tree = MerkleTree(leaves: leaves)
    for index in 0..<size {
      let proof = try #require(tree.inclusionProof(of: index))
      func holds(_ leaf: [UInt8], _ place: Int, _ root: [UInt8]) -> Bool {
        MerkleTree.includes(leaf, at: UInt64(place), size: UInt64(size), root: root, proof: proof)
      }
      #expect(holds(leaves[index], index, tree.root))
      #expect(!holds(MerkleTree.leafHash([99]), index, tree.root))
      #expect(!holds(leaves[index], index, MerkleTree(leaves: leaves + leaves).root))
      #expect(!holds(leaves[index], size, tree.root))
    }
    #expect(tree.inclusionProof(of: size) == nil)
  }

  @Test("a tree has a consistency proof for each of its earlier states, and no other", arguments: [1, 2, 3, 5, 8, 13])
  func consistency(_ size: Int) throws {
    let leaves = (0..<size).map { MerkleTree.leafHash([UInt8($0)]) }
    let tree = MerkleTree(leaves: leaves)
    for old in 1...size {
      let proof = try #require(tree.consistencyProof(from: old))
      let before = MerkleTree(leaves: Array(leaves[..<old])).root
      #expect(MerkleTree.verifyConsistency(from: UInt64(old), before, to: UInt64(size), tree.root, proof: proof))
      let other = MerkleTree(leaves: leaves[..<(old - 1)] + [MerkleTree.leafHash([99])]).root
      #expect(!MerkleTree.verifyConsistency(from: UInt64(old), other, to: UInt64(size), tree.root, proof: proof))
    }
    #expect(tree.consistencyProof(from: 0) == nil)
    #expect(tree.consistencyProof(from: size + 1) == nil)
  }

  @Test("two heads of the same size with different trees prove that the log cheats")
  func cheating() throws {
    var random = DeterministicRandom(seed: .number(1), label: "heads")
    let (one, two) = (MerkleTree(leaves: [MerkleTree.leafHash([1])]), MerkleTree(leaves: [MerkleTree.leafHash([2])]))
    let first = try Self.log.head(of: one, at: Self.moment, random: &random)
    let second = try Self.log.head(of: two, at: Self.moment, random: &random)
    #expect(first.contradicts(second, of: Self.log.log))
    #expect(!first.contradicts(first, of: Self.log.log))
    let forged = SignedTreeHead(timestamp: first.timestamp, size: 1, root: two.root, signature: first.signature)
    #expect(!forged.isSigned(by: Self.log.log))
    #expect(!first.contradicts(forged, of: Self.log.log))
  }
}
