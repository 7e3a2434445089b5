import Peers

/// One thing to measure, by the name of who does it.
struct Contender {
  let name: String
  let run: () throws -> Void
}

/// The CPU times of one contender, in seconds for one run.
struct Times {
  let name: String
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
/// Each of `rounds` turns runs a contender `repetitions` times.
func measure(_ contenders: [Contender], rounds: Int, repetitions: Int) throws -> [Times] {
  var times = contenders.map { Times(name: $0.name) }
  for contender in contenders { try contender.run() }
  for round in 0..<rounds {
    for place in contenders.indices {
      let index = (place + round) % contenders.count
      let start = peer_cpu_time()
      for _ in 0..<repetitions { try contenders[index].run() }
      times[index].samples.append((peer_cpu_time() - start) / Double(repetitions))
    }
  }
  return times
}
