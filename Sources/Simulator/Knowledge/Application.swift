import Endpoint
import Explanation

/// The result of carrying out a method.
public struct Computation: Sendable, Hashable {
  /// The bytes of the computed value.
  public let result: [UInt8]
  /// The number of candidates that were tried, or of queries that were made; nil without a search.
  public let trials: Int?
  /// An additional remark; empty for none.
  public let remark: String

  init(_ result: [UInt8], trials: Int? = nil, remark: String = "") {
    self.result = result
    self.trials = trials
    self.remark = remark
  }
}

/// The reason why a step of a proof was not carried out.
public enum Obstacle: Error, Sendable, Hashable, CustomStringConvertible {
  /// The search has 2^`bits` candidates, which exceeds the limit.
  case tooLarge(bits: Int, limit: Int)
  /// Pollard's kangaroo method finds one of 2^`bits` keys with about 2^`cost` additions. They were not made.
  case kangaroos(bits: Int, cost: Int)
  /// The attack needs about 2^`bits` queries to the server. They were not made.
  case questions(bits: Int)
  /// The attack needs about 2^`bits` connections of the client. They did not take place.
  case connections(bits: Int)
  /// The method needs this amount of work. The work was only estimated and not carried out.
  case workload(Method, SecurityStrength)
  /// The method needs a quantum computer of this size. The work was only counted and not carried out.
  case quantum(Method, LogicalQubits)
  /// The bytes of this value are not known.
  case missing(Value.ID)
  /// TrustLab cannot carry out the method on these inputs.
  case notPlayed(Method)
  /// The method was carried out and gave no result.
  case failed(String)

  /// A description of the obstacle in a few words.
  public var description: String {
    switch self {
    case .tooLarge(let bits, let limit):
      "a search of 2^\(bits) candidates, which exceeds this view's limit of 2^\(limit)"
    case .kangaroos(let bits, let cost):
      "Pollard's kangaroo method on 2^\(bits) keys, about 2^\(cost) additions, not carried out"
    case .questions(let bits): "about 2^\(bits) queries to the server, which were not made"
    case .connections(let bits): "about 2^\(bits) connections of the client, which were not simulated"
    case .workload(let method, let strength): "\(method), \(strength), not carried out"
    case .quantum(let method, let qubits): "\(method), \(qubits), not carried out"
    case .missing(let name): "the bytes of \(name) are not known"
    case .notPlayed(let method): "\(method) is not simulated"
    case .failed(let what): what
    }
  }
}

/// A method to carry out, with its inputs and the data that was sent unencrypted.
struct Application {
  /// The method to carry out.
  let method: Method
  /// The name of the value to compute. The value's known bytes are not used.
  let value: Value.ID
  /// The inputs, in order.
  let inputs: [Execution.Input]
  /// All values that the proof has obtained before this step.
  let known: [Value.ID: [UInt8]]
  /// The run that contains the recorded messages.
  let run: any TracedRun
  /// The maximum number of bits of a search.
  let limit: Int

  /// Carries out the method and returns its result.
  func carriedOut() throws(Obstacle) -> Computation {
    switch method {
    case .pseudoRandom(let label, _): try pseudoRandom(label)
    case .keyBlockPart(let range): try part(range, of: "the key block")
    case .messagePart(let range): try part(range, of: "the message")
    case .certificateDecompression(let body, let part): try decompressedPart(body, part)
    case .resumedSession, .resumingSession, .repetition: Computation(try input(0))
    case .ticketOpening: try ticketOpening()
    case .rsaDecryption: try rsaDecryption()
    case .publicKey(let group): try publicKey(of: group)
    case .keyAgreement(let group): try keyAgreement(in: group)
    case .finiteFieldPublicKey: try finiteFieldPublicKey()
    case .finiteFieldAgreement: try finiteFieldAgreement()
    case .mlkemPublicKey: Computation(try decapsulationKey().encapsulationKey)
    case .mlkemCiphertext: Computation(try encapsulation().ciphertext)
    case .mlkemEncapsulation: Computation(try encapsulation().sharedSecret)
    case .mlkemDecapsulation: try decapsulation()
    case .concatenation: Computation(inputs.flatMap(\.bytes))
    case .recordOpening(_, let offset): try recordOpening(after: offset)
    case .nonceRecovery: try nonceRecovery()
    case .premasterSearch(let bits): try premasterSearch(bits)
    case .seedSearch(let bits): try seedSearch(bits)
    case .keySearch(let bits): try keySearch(bits)
    case .ephemeralKeySearch(let bits): try ephemeralKeySearch(bits)
    case .factoring(let bits): try factoring(bits)
    case .discreteLogarithm(let bits): try discreteLogarithm(bits)
    case .quantumFactoring, .quantumLogarithm, .quantumCurveLogarithm:
      throw LogicalQubits(for: method).map { .quantum(method, $0) } ?? .notPlayed(method)
    case .sharedPrime: try sharedPrime()
    case .unitKey(let curve): try unitKey(on: curve)
    case .constant: try constant()
    case .nextOutput: try nextOutput()
    case .paddingOracle: try paddingOracle()
    case .blockPadding: try blockPadding()
    case .contentDecoding: try contentDecoding()
    case .identityFileOpening: try identityFileOpening()
    case .hkdfExpandLabel(let label): try expandLabel(label)
    case .hkdfExtract: try extract()
    case .transcriptHash: try transcriptHash()
    case .finishedMAC, .signature, .expression: throw .notPlayed(method)
    }
  }

  /// Returns the bytes of the input at `index`.
  func input(_ index: Int) throws(Obstacle) -> [UInt8] {
    guard inputs.indices.contains(index) else { throw .notPlayed(method) }
    return inputs[index].bytes
  }
}
