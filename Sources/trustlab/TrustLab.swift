import ArgumentParser
import Foundation
import Scenarios

/// The `trustlab` program and its subcommands.
struct TrustLab: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trustlab",
    abstract: "Show and test why a TLS connection is trusted or refused, step by step.",
    discussion: """
      A scenario is a small YAML file. It describes a CA hierarchy, a server, an app and the expected result. Nothing \
      depends on the network or the clock: the same file gives the same output on every machine.

      Examples:
        trustlab run L1-15                       # play a scenario and explain the result
        trustlab run L1-01 --depth fields        # explain every byte
        trustlab test L2                         # check a lesson's expectations
        trustlab repl L1-01                      # step through it, back and forth
        trustlab describe L1-15                  # print the scenario as prose
        trustlab verify chain.pem --roots root.pem --at 2026-12-01   # check a real chain
        trustlab pki export L1-15 --output pki   # write certificates and keys to files
        trustlab explain ats.no-forward-secrecy  # explain a rule, code or term
        trustlab search wildcard                 # find scenarios, rules, codes and terms

      Exit status: 0 as expected, 1 not as expected, 2 wrong usage or unreadable input, 3 internal error.
      """,
    version: "trustlab 1",
    subcommands: [
      Run.self, Test.self, Repl.self, Replay.self, List.self, Explain.self, Search.self, New.self, Check.self,
      Format.self, FixCheckCommand.self, Mutate.self, CoverageCommand.self,
      Describe.self,
      Verify.self, Limbo.self, PKI.self, Ats.self, Matrix.self, Serve.self, Connect.self, Clients.self,
      LessonCommand.self,
      GradeCommand.self,
      SiteCommand.self, WebCommand.self,
      Manual.self,
    ])

  func run() throws {
    Console.out(
      """
      TrustLab plays TLS connections and explains why they are trusted or refused.

      Three ways to start:
        trustlab run L1-15      RSA key exchange with App Transport Security
        trustlab repl L1-01     step through the handshake and its three randoms
        trustlab test           check the whole curriculum

      New to TLS? Start here:
        trustlab repl L0        predict the next step, then see whether you were right

      To list the other lessons: 'trustlab list lessons'. To list all commands: 'trustlab --help'.
      """)
  }
}

@main
enum Main {
  /// Returns the exit status of the program. If output was lost, it is 2, because lost output is never a success.
  private static func finished(with status: Int32) -> Int32 {
    guard Console.hasLostOutput else { return status }
    Console.complain("error: cannot write to standard output\nhint: check whether the disk is full")
    return 2
  }

  /// Parses the arguments and runs the command. Every error results in a message and a documented exit status.
  static func main() {
    do {
      let words = Failure.arranged(Array(CommandLine.arguments.dropFirst()))
      try Failure.checkCommand(words)
      var command = try TrustLab.parseAsRoot(words)
      try command.run()
    } catch {
      Foundation.exit(finished(with: Failure.report(error)))
    }
    Foundation.exit(finished(with: 0))
  }
}
