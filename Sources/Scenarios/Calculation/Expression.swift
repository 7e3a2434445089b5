import Cryptography

/// An expression of a calculation: whole numbers, texts, names, and what is done with them.
indirect enum Expression: Sendable, Hashable {
  /// A number, and whether it was written in hexadecimal.
  case number(Natural, isHex: Bool, at: Int)
  case text(String, at: Int)
  case name(String, at: Int)
  case operation(Operator, Expression, Expression, at: Int)
  case call(Function, [Expression], at: Int)

  /// What stands between two expressions.
  enum Operator: String, Sendable, CaseIterable {
    case power = "^"
    case times = "*"
    case over = "/"
    case mod = "mod"
    case plus = "+"
    case minus = "-"
    case equal = "=="
    case unequal = "!="
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case more = ">"

    /// How tightly it binds: comparisons least, powers most.
    var rank: Int {
      switch self {
      case .power: 4
      case .times, .over, .mod: 3
      case .plus, .minus: 2
      default: 1
      }
    }

    var isComparison: Bool { rank == 1 }
  }

  /// What is written before parentheses.
  enum Function: String, Sendable, CaseIterable {
    /// Greatest common divisor.
    case gcd
    /// Least common multiple.
    case lcm
    /// `inverse(a, n)`: what a is multiplied by to give 1 modulo n.
    case inverse
    /// `root(k, x)`: the whole k-th root of x, or none.
    case root
    /// `floorRoot(k, x)`: the greatest number whose k-th power is not above x.
    case floorRoot
    /// SHA-256 of a text, or of a number's bytes, as a number (OS2IP, RFC 8017 section 4.2).
    case hash
    /// A text's bytes as a number (OS2IP, RFC 8017 section 4.2).
    case number

    var parameterCount: Int { self == .hash || self == .number ? 1 : 2 }
  }

  /// Where it stands in its text, in Unicode scalars: an operation where its sign does.
  var offset: Int {
    switch self {
    case .number(_, _, let at), .text(_, let at), .name(_, let at), .operation(_, _, _, let at), .call(_, _, let at): at
    }
  }

  /// The names in it, in order, each once.
  var names: [String] {
    let all: [String] =
      switch self {
      case .number, .text: []
      case .name(let name, _): [name]
      case .operation(_, let left, let right, _): left.names + right.names
      case .call(_, let arguments, _): arguments.flatMap(\.names)
      }
    return all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

/// What is wrong with an expression, where in its text, and what to do about it.
struct ExpressionError: Error, Hashable {
  let message: String
  var hint = ""
  /// In Unicode scalars from the beginning of the text.
  let offset: Int
}
