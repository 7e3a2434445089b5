import Cryptography

/// The Merkle tree of a log's entries (RFC 6962 section 2.1).
public struct MerkleTree: Sendable {
  /// The hashes of the leaves, in order.
  public private(set) var leaves: [[UInt8]] = []

  /// An empty tree.
  public init() {}

  /// Creates a tree from leaf hashes.
  public init(leaves: [[UInt8]]) { self.leaves = leaves }

  /// The number of leaves.
  public var size: Int { leaves.count }

  /// Adds a leaf by its hash.
  public mutating func append(_ leafHash: [UInt8]) { leaves.append(leafHash) }

  /// Returns the hash of the leaf of `entry`. Section 2.1 hashes leaves and nodes with different prefixes.
  public static func leafHash(_ entry: [UInt8]) -> [UInt8] { Hash.sha256.digest([0] + entry) }

  private static func node(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { Hash.sha256.digest([1] + left + right) }

  /// The Merkle Tree Hash of all leaves.
  public var root: [UInt8] { MerkleTree.hash(leaves[...]) }

  private static func hash(_ leaves: ArraySlice<[UInt8]>) -> [UInt8] {
    guard leaves.count > 1 else { return leaves.first ?? Hash.sha256.digest([]) }
    let half = leaves.startIndex + split(leaves.count)
    return node(hash(leaves[..<half]), hash(leaves[half...]))
  }

  /// Returns the largest power of two below `count`, which must be at least 2.
  private static func split(_ count: Int) -> Int {
    var half = 1
    while half < count - half { half *= 2 }
    return half
  }

  /// Returns the audit path of a leaf, which contains the other hashes on the way to the root (section 2.1.1). The
  /// result is nil if there is no such leaf.
  public func inclusionProof(of index: Int) -> [[UInt8]]? {
    leaves.indices.contains(index) ? MerkleTree.path(index, leaves[...]) : nil
  }

  private static func path(_ index: Int, _ leaves: ArraySlice<[UInt8]>) -> [[UInt8]] {
    guard leaves.count > 1 else { return [] }
    let half = split(leaves.count)
    let middle = leaves.startIndex + half
    if index < half { return path(index, leaves[..<middle]) + [hash(leaves[middle...])] }
    return path(index - half, leaves[middle...]) + [hash(leaves[..<middle])]
  }

  /// Returns the proof that the first `size` leaves have not changed (section 2.1.2). The result is nil if there are
  /// fewer leaves.
  public func consistencyProof(from size: Int) -> [[UInt8]]? {
    guard size > 0, size <= leaves.count else { return nil }
    return MerkleTree.subproof(size, leaves[...], isWhole: true)
  }

  private static func subproof(_ size: Int, _ leaves: ArraySlice<[UInt8]>, isWhole: Bool) -> [[UInt8]] {
    guard size < leaves.count else { return isWhole ? [] : [hash(leaves)] }
    let half = split(leaves.count)
    let middle = leaves.startIndex + half
    if size <= half {
      return subproof(size, leaves[..<middle], isWhole: isWhole) + [hash(leaves[middle...])]
    }
    return subproof(size - half, leaves[middle...], isWhole: false) + [hash(leaves[..<middle])]
  }
}

extension MerkleTree {
  /// Returns whether `proof` shows that the leaf is at `index` in the tree with this root.
  ///
  /// The tree has `size` leaves (RFC 9162 section 2.1.3.2).
  public static func includes(
    _ leafHash: [UInt8], at index: UInt64, size: UInt64, root: [UInt8], proof: [[UInt8]]
  ) -> Bool {
    guard index < size else { return false }
    var (place, last, hash) = (index, size - 1, leafHash)
    for sibling in proof {
      guard last > 0 else { return false }
      if place & 1 == 1 || place == last {
        hash = node(sibling, hash)
        while place & 1 == 0, place > 0 {
          place >>= 1
          last >>= 1
        }
      } else {
        hash = node(hash, sibling)
      }
      place >>= 1
      last >>= 1
    }
    return last == 0 && hash == root
  }

  /// Returns whether `proof` shows that a tree of `size` leaves with the root `root` extends an older tree.
  ///
  /// See RFC 9162 section 2.1.4.2.
  public static func verifyConsistency(
    from oldSize: UInt64, _ oldRoot: [UInt8], to size: UInt64, _ root: [UInt8], proof: [[UInt8]]
  ) -> Bool {
    guard oldSize > 0, oldSize <= size else { return false }
    if oldSize == size { return proof.isEmpty && oldRoot == root }
    // A complete tree is its own proof.
    let isPower = oldSize & (oldSize - 1) == 0
    let path = isPower ? [oldRoot] + proof : proof
    guard let first = path.first else { return false }
    var (place, last) = (oldSize - 1, size - 1)
    while place & 1 == 1 {
      place >>= 1
      last >>= 1
    }
    var (old, new) = (first, first)
    for sibling in path.dropFirst() {
      guard last > 0 else { return false }
      if place & 1 == 1 || place == last {
        (old, new) = (node(sibling, old), node(sibling, new))
        while place & 1 == 0, place > 0 {
          place >>= 1
          last >>= 1
        }
      } else {
        new = node(new, sibling)
      }
      place >>= 1
      last >>= 1
    }
    return last == 0 && old == oldRoot && new == root
  }
}

/// The signed state of a log's tree: SignedTreeHead (RFC 6962 section 3.5).
public struct SignedTreeHead: Sendable, Hashable {
  /// Milliseconds since 1970.
  public let timestamp: UInt64
  /// The number of entries.
  public let size: UInt64
  /// The root of the tree.
  public let root: [UInt8]
  /// The log's signature.
  public let signature: DigitallySigned

  /// Creates a tree head from its parts.
  public init(timestamp: UInt64, size: UInt64, root: [UInt8], signature: DigitallySigned) {
    self.timestamp = timestamp
    self.size = size
    self.root = root
    self.signature = signature
  }

  package static func signedOctets(timestamp: UInt64, size: UInt64, root: [UInt8]) -> [UInt8] {
    [0, 1] + timestamp.octets + size.octets + root
  }

  /// Returns whether `log` signed the tree head.
  public func isSigned(by log: TransparencyLog) -> Bool {
    guard let scheme = signature.logScheme, let key = log.key else { return false }
    let octets = SignedTreeHead.signedOctets(timestamp: timestamp, size: size, root: root)
    return (try? key.verify(signature.signature, over: octets, scheme)) != nil
  }

  /// Returns whether two tree heads of `log` have equal sizes and different roots, which proves that the log cheats.
  public func contradicts(_ other: SignedTreeHead, of log: TransparencyLog) -> Bool {
    size == other.size && root != other.root && isSigned(by: log) && other.isSigned(by: log)
  }
}
