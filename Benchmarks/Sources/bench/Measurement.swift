import Peers

/// One thing to measure, by the name of who does it.
struct Contender {
  let name: String
  /// How fast we shall be at least beside it, as a multiple of its speed; nil where nothing is aimed at.
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

/// Lets the contenders take turns, so that what else the machine does hits all of them alike.
///
/// Each of `rounds` turns runs a contender `repetitions` times; the first contender is we.
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

/// A peer did not do what it should.
struct PeerError: Error, CustomStringConvertible {
  let description: String

  /// Throws unless a peer's C function succeeded.
  static func check(_ result: Int32, _ what: String) throws {
    guard result == 1 else { throw PeerError(description: "\(what) failed") }
  }
}
