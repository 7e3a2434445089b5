import ArgumentParser
import Foundation
import Scenarios

/// How the work of a run of tests is divided, among threads and among machines.
struct DivisionOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Play so many cases at once; left out, one for each core.", valueName: "n"))
  var jobs: String?

  @Option(
    help: ArgumentHelp("Play only part K of N, counted from 1; all parts together play everything.", valueName: "k/n"))
  var shard: String?

  /// The most threads that can be asked for.
  private static let maximumJobs = 1024

  var jobCount: Int {
    get throws {
      guard let jobs else { return ProcessInfo.processInfo.activeProcessorCount }
      guard let count = Int(jobs), (1...Self.maximumJobs).contains(count) else {
        throw Complaint(
          message: "--jobs takes a number from 1 to \(Self.maximumJobs), not '\(jobs)'",
          hint: "left out, it is the number of cores")
      }
      return count
    }
  }

  /// The part that is played: that of `--shard`, else that of the variables which test runners set.
  var part: Shard {
    get throws {
      guard let shard else { return try Self.part(ProcessInfo.processInfo.environment) }
      guard let part = Shard(shard) else {
        throw Complaint(
          message: "--shard takes K/N, not '\(shard)'", hint: "--shard 2/3 is the second of three parts")
      }
      return part
    }
  }

  private static func part(_ environment: [String: String]) throws -> Shard {
    let (index, count) = (environment["TEST_SHARD_INDEX"], environment["TEST_TOTAL_SHARDS"])
    if index == nil, count == nil { return .whole }
    guard let index = index.flatMap({ Int($0) }), let count = count.flatMap({ Int($0) }),
      let part = Shard(index: index, count: count)
    else {
      throw Complaint(
        message: "TEST_SHARD_INDEX=\(index ?? "") and TEST_TOTAL_SHARDS=\(count ?? "") name no part",
        hint: "the index counts from 0 and is less than the total; unset both to play everything")
    }
    return part
  }
}
