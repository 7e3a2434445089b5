import Explanation
import TLS

extension Method {
  /// What a generator with a back door gives next.
  static let nextOutput = Method(isCalled: { $0.hasPrefix("the generator's next output") }) {
    (application) throws(Obstacle) in
    let state = try application.input(0)
    guard application.value.hasSuffix("premaster_secret") else {
      return Computation(WeakGenerator.nextOutput(after: state, count: 32))
    }
    return Computation(
      try versioned(WeakGenerator.nextOutput(after: state, count: 46), application))
  }

  /// A value that is zero for ever.
  static let constant = Method(isCalled: { $0 == "the constant that everyone knows" }) {
    (application) throws(Obstacle) in
    guard application.value.hasSuffix("premaster_secret") else {
      return Computation([UInt8](repeating: 0, count: 32))
    }
    return Computation(try versioned([UInt8](repeating: 0, count: 46), application))
  }

  /// A value that comes again.
  static let repetition = Method(isCalled: { $0 == "the same as before" }) { (application) throws(Obstacle) in
    Computation(try application.input(0))
  }

  /// PreMasterSecret, RFC 5246 section 7.4.7.1: the version of the offer, then what was drawn.
  private static func versioned(_ drawn: [UInt8], _ application: Application) throws(Obstacle) -> [UInt8] {
    let handshake = try ClearHandshake(application.prefix(before: "premaster_secret"), in: application.run.trace)
    let version = handshake.clientVersion.rawValue
    return [UInt8(truncatingIfNeeded: version >> 8), UInt8(truncatingIfNeeded: version)] + drawn
  }
}
