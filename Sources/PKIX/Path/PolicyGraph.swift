/// The state variable valid_policy_tree of RFC 5280 section 6.1.2 (a), as a graph.
///
/// The RFC's tree repeats a node for every path that leads to it, so it grows exponentially with the mappings. In this
/// graph, a policy is one node in each level, with all its parents. The graph is therefore no larger than the
/// certificates. If a node lists no parents, its parent is anyPolicy in the level above.
public struct PolicyGraph: Sendable, Hashable {
  private struct Node: Sendable, Hashable {
    /// The parent policies in the level above; empty for anyPolicy.
    var parents: Set<OID> = []
    /// Whether the certificate maps this policy to other policies.
    var isMapped = false
  }

  private struct Level: Sendable, Hashable {
    var nodes: [OID: Node] = [:]
    var hasAnyPolicy = false

    var isEmpty: Bool { nodes.isEmpty && !hasAnyPolicy }
  }

  /// The complete levels, beginning with the anchor's.
  private var levels: [Level] = []
  private var current = Level(nodes: [:], hasAnyPolicy: true)

  /// Creates a graph of one node, whose valid policy is anyPolicy.
  public init() {}

  /// Whether no policy is valid; the RFC's tree is then NULL.
  public var isEmpty: Bool { current.isEmpty }

  /// The valid policies at the current depth, in the order of their encodings.
  public var policies: [OID] {
    let own = current.nodes.keys.sorted { $0.content.lexicographicallyPrecedes($1.content) }
    return (current.hasAnyPolicy ? [.anyPolicy] : []) + own
  }

  /// Applies the policies of a certificate (section 6.1.3 (d)), or the absence of policies (section 6.1.3 (e)).
  mutating func process(_ policies: [OID]?, anyPolicyCounts: Bool) {
    guard let policies, !isEmpty else {
      // No policy can become valid again, so the levels are no longer needed.
      levels = []
      current = Level()
      return
    }
    let hadAnyPolicy = current.hasAnyPolicy
    let own = Set(policies)
    if !own.contains(.anyPolicy) || !anyPolicyCounts {  // otherwise (d)(2): every policy stays valid
      current.nodes = current.nodes.filter { own.contains($0.key) }  // (d)(1)(i), (d)(3)
      current.hasAnyPolicy = false
    }
    guard hadAnyPolicy else { return }
    for policy in own where policy != .anyPolicy && current.nodes[policy] == nil { current.nodes[policy] = Node() }
  }

  /// Maps policies, or deletes them if mapping is inhibited, and begins the next level (section 6.1.4 (b)).
  mutating func map(_ mappings: [PolicyMappings.Mapping], isAllowed: Bool) {
    guard !isEmpty else { return }
    for mapping in mappings {
      let policy = mapping.issuerDomainPolicy
      if !isAllowed {
        current.nodes[policy] = nil
      } else if current.nodes[policy] != nil || current.hasAnyPolicy {
        current.nodes[policy, default: Node()].isMapped = true
      }
    }
    var next = Level(nodes: [:], hasAnyPolicy: current.hasAnyPolicy)
    for (policy, node) in current.nodes where !node.isMapped { next.nodes[policy] = Node(parents: [policy]) }
    for mapping in mappings where current.nodes[mapping.issuerDomainPolicy]?.isMapped == true {
      next.nodes[mapping.subjectDomainPolicy, default: Node()].parents.insert(mapping.issuerDomainPolicy)
    }
    levels.append(current)
    current = next
  }

  /// The policies under which the last certificate was issued, under their names in the anchor's domain.
  ///
  /// This is the authorities-constrained-policy-set (section 6.1.6).
  public var authoritiesConstrainedPolicies: Set<OID> {
    var found: Set<OID> = current.hasAnyPolicy ? [.anyPolicy] : []
    var reached = Set(current.nodes.keys)
    for level in [current] + levels.reversed() {
      var above: Set<OID> = []
      for policy in reached {
        guard let node = level.nodes[policy] else { continue }
        if node.parents.isEmpty { found.insert(policy) }
        above.formUnion(node.parents)
      }
      reached = above
    }
    return found
  }

  /// Intersects the valid policies with the policies that the user accepts.
  ///
  /// The result is the user-constrained-policy-set (section 6.1.5 (g)).
  public func userConstrainedPolicies(_ initial: Set<OID>) -> Set<OID> {
    let found = authoritiesConstrainedPolicies
    if initial.contains(.anyPolicy) { return found }
    return found.contains(.anyPolicy) ? initial : found.intersection(initial)
  }
}
