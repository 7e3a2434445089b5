import Peers

/// An implementation to measure, with its name.
struct Contender {
  let name: String
  /// The minimum speed of this library as a multiple of the contender's; nil if there is no target.
  var target: Double?
  let run: () async throws -> Void

  init(_ name: String, target: Double? = nil, run: @escaping () async throws -> Void) {
    self.name = name
    self.target = target
    self.run = run
  }
}

/// The CPU times of one contender, in seconds for one run.
struct Times {
  let name: String
  var target: Double?
  var samples: [Double] = []

  var minimum: Double { samples.min() ?? .nan }
  var mean: Double { samples.reduce(0, +) / Double(samples.count) }
  var median: Double {
    let sorted = samples.sorted()
    return sorted.isEmpty ? .nan : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}

/// Runs the contenders in turn, so that other processes affect all of them alike.
///
/// Each of `rounds` turns runs a contender `repetitions` times; the first contender is this library.
func measure(_ contenders: [Contender], rounds: Int, repetitions: Int) async throws -> [Times] {
  var times = contenders.map { Times(name: $0.name, target: $0.target) }
  for contender in contenders { try await contender.run() }
  for round in 0..<rounds {
    for place in contenders.indices {
      let index = (place + round) % contenders.count
      let start = peer_cpu_time()
      for _ in 0..<repetitions { try await contenders[index].run() }
      times[index].samples.append((peer_cpu_time() - start) / Double(repetitions))
    }
  }
  return times
}

/// An unexpected result of a peer.
struct PeerError: Error, CustomStringConvertible {
  let description: String

  /// Throws unless a peer's C function succeeded.
  static func check(_ result: Int32, _ what: String) throws {
    guard result == 1 else { throw PeerError(description: "\(what) failed") }
  }
}
