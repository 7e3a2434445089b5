import Endpoint
import Explanation

/// What came of carrying a method out.
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

/// Why a step of a proof was not carried out.
public enum Obstacle: Error, Sendable, Hashable, CustomStringConvertible {
  /// A search of 2^`bits` candidates, more than may be tried here.
  case tooLarge(bits: Int, limit: Int)
  /// About 2^`bits` questions to a server that answers them, which were not asked.
  case questions(bits: Int)
  /// About 2^`bits` connections of the client, for which nobody waited.
  case connections(bits: Int)
  /// A method that takes so much work, which is counted and not carried out.
  case workload(Method, SecurityStrength)
  /// The bytes of this value are not at hand.
  case missing(Value.ID)
  /// Nothing here carries the method out on such inputs.
  case notPlayed(Method)
  /// The method, carried out, gives nothing.
  case failed(String)

  /// In a few words.
  public var description: String {
    switch self {
    case .tooLarge(let bits, let limit): "a search of 2^\(bits) candidates, above this view's limit of 2^\(limit)"
    case .questions(let bits): "about 2^\(bits) questions to the server, not asked"
    case .connections(let bits): "about 2^\(bits) connections of the client, not awaited"
    case .workload(let method, let strength): "\(method), \(strength), not carried out"
    case .missing(let name): "the bytes of \(name) are not at hand"
    case .notPlayed(let method): "nothing here carries out \(method)"
    case .failed(let what): what
    }
  }
}

/// A method and what it is carried out on: its inputs, and what travelled in the clear.
struct Application {
  /// The method.
  let method: Method
  /// The name of the value that is to come out. Its bytes are not looked at.
  let value: Value.ID
  /// Its inputs, in order.
  let inputs: [Execution.Input]
  /// Everything that the proof has come by before.
  let known: [Value.ID: [UInt8]]
  /// What travelled.
  let run: any TracedRun
  /// The most bits of a search.
  let limit: Int

  /// What comes out.
  func carriedOut() throws(Obstacle) -> Computation {
    switch method {
    case .pseudoRandom(let label): try pseudoRandom(label)
    case .keyBlockPart(let range): try part(range, of: "the key block")
    case .messagePart(let range): try part(range, of: "the message")
    case .resumedSession, .resumingSession, .repetition: Computation(try input(0))
    case .ticketOpening: try ticketOpening()
    case .rsaDecryption: try rsaDecryption()
    case .publicKey(let group): try publicKey(of: group)
    case .keyAgreement(let group): try keyAgreement(in: group)
    case .finiteFieldPublicKey: try finiteFieldPublicKey()
    case .finiteFieldAgreement: try finiteFieldAgreement()
    case .recordOpening(_, let offset): try recordOpening(after: offset)
    case .nonceRecovery: try nonceRecovery()
    case .premasterSearch(let bits): try premasterSearch(bits)
    case .seedSearch(let bits): try seedSearch(bits)
    case .keySearch(let bits): try keySearch(bits)
    case .ephemeralKeySearch(let bits): try ephemeralKeySearch(bits)
    case .factoring(let bits), .discreteLogarithm(let bits):
      throw .workload(method, SecurityStrength(ofModulus: bits))
    case .sharedPrime: try sharedPrime()
    case .constant: try constant()
    case .nextOutput: try nextOutput()
    case .paddingOracle: try paddingOracle()
    case .blockPadding: try blockPadding()
    case .contentDecoding: try contentDecoding()
    case .identityFileOpening: try identityFileOpening()
    case .signature, .expression: throw .notPlayed(method)
    }
  }

  /// The bytes of the input at `index`.
  func input(_ index: Int) throws(Obstacle) -> [UInt8] {
    guard inputs.indices.contains(index) else { throw .notPlayed(method) }
    return inputs[index].bytes
  }
}
