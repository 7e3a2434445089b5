import Endpoint
import Explanation

/// A function that derivations name, and how to carry it out with nothing but its inputs and what travelled in the clear.
struct Method: Sendable {
  /// Whether it is the function that a derivation calls so.
  let isCalled: @Sendable (_ function: String) -> Bool
  /// What comes out.
  let run: @Sendable (Application) throws(Obstacle) -> Computation

  /// Every function that can be carried out.
  static let all: [Method] = [
    pseudoRandom, slice, resumption, privateDecryption, agreement, basePoint, recordOpening, premasterSearch,
    seedSearch, keySearch, sharedPrime, constant, repetition, nextOutput, paddingOracle,
  ]

  /// The one that a derivation calls `function`.
  static func named(_ function: String) -> Method? { all.first { $0.isCalled(function) } }
}

/// What came of carrying a function out.
public struct Computation: Sendable, Hashable {
  /// The value.
  public let result: [UInt8]
  /// How many candidates were tried, or questions asked; nil where nothing was searched.
  public let trials: Int?
  /// What else there is to say; empty when there is nothing.
  public let remark: String

  init(_ result: [UInt8], trials: Int? = nil, remark: String = "") {
    self.result = result
    self.trials = trials
    self.remark = remark
  }
}

/// A function and what it is carried out on.
struct Application {
  /// The name of the value that is to come out. Its bytes are not looked at.
  let value: Value.ID
  /// The function as the derivation calls it.
  let function: String
  /// Its inputs, in order.
  let inputs: [Execution.Input]
  /// Everything that the proof has come by before.
  let known: [Value.ID: [UInt8]]
  /// What travelled.
  let run: any TracedRun
  /// The most bits of a search.
  let limit: Int

  /// The bytes of the input at `index`.
  func input(_ index: Int) throws(Obstacle) -> [UInt8] {
    guard inputs.indices.contains(index) else { throw .notPlayed(function) }
    return inputs[index].bytes
  }

  /// What begins the names of the connection's values, where the value's own name is `name`.
  func prefix(before name: String) -> String {
    guard let range = value.range(of: name) else { return "" }
    return String(value[..<range.lowerBound])
  }

  /// The number behind `2^` in the function's name; throws when it is more than may be searched.
  func searchBits() throws(Obstacle) -> Int {
    let digits = function.split(separator: "^").dropFirst().first?.prefix { $0.isNumber }
    guard let digits, let bits = Int(digits), (0...62).contains(bits) else { throw .notPlayed(function) }
    guard bits <= limit else { throw .tooLarge(bits: bits, limit: limit) }
    return bits
  }
}

extension String {
  /// Where `other` stands for the last time.
  fileprivate func range(of other: String) -> Range<String.Index>? {
    ranges(of: other).last
  }
}
