import Endpoint
import Explanation
import PKIX
import Simulator
import TLS
import Trust
import URLLoading

/// Every rule of every engine: what `list rules` prints and what an expectation may name.
public enum RuleCatalogue {
  /// All rules by layer, each once.
  public static let all: [Rule] = {
    var seen: Set<String> = []
    let engines =
      Rule.urlLoading + Rule.challenges + Rule.tls + Rule.pkix + Rule.trust + Rule.endpoint + Rule.calculation
    let rules = (Rule.propertyLists + engines).filter { seen.insert($0.id).inserted }
    return rules.enumerated().sorted { ($0.element.layer, $0.offset) < ($1.element.layer, $1.offset) }.map(\.element)
  }()

  /// The ids of all rules.
  public static let ids = all.map(\.id)

  /// The ids of the rules that a connection can be held against.
  public static let idsOfConnections = all.filter { Layer.deciding.contains($0.layer) }.map(\.id)

  /// The rule with this id, nil when there is none.
  public static func rule(_ id: String) -> Rule? { all.first { $0.id == id } }
}
