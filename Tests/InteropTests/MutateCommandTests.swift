import Foundation
import Oracles
import Rendering
import Testing

@Suite("Mutants of the whole curriculum, by the program")
struct MutationSweep {
  @Test("the verdicts of the curriculum kill most mutants, and few are equivalent", .needs(.jsonschema))
  func curriculum() throws {
    let folder = try Program.folder([:])
    let result = try Program.run("mutate", "--min-score", "90", "--format", "json", in: folder)
    #expect(result.status == 0, "\(result.errors)")
    let report = try JSONValue(reading: Array(result.output.utf8))
    guard case .array(let excluded)? = report["score"]?["equivalent"] else {
      Issue.record("the excluded mutants are missing")
      return
    }
    #expect(excluded.count <= 30)
    let file = folder.appendingPathComponent("mutants.json")
    try Data(result.output.utf8).write(to: file)
    #expect(OtherPrograms.violation(in: file, of: "mutate") == "")
  }
}

@Suite("The commands mutate and coverage")
struct MutateCommandTests {
  /// A certificate for clients only, with the accepted sibling.
  static let purpose = Data(
    """
    certificates: { api: { issuer: Issuing, names: [api.example], break: client-auth-only } }
    expect: { because: [chain.extended-key-usage] }
    cases: [{ name: for servers, with: { certificates.api.break: null }, expect: { verdict: accepted } }]
    """.utf8)

  private static func folder() throws -> URL {
    try Program.folder([
      "purpose.yaml": purpose, "wrong.yaml": Data("expect: { because: [chain.expired] }\n".utf8),
      "slip.yaml": Data("client: { os: iOS 99 }\n".utf8),
      "claim.yaml": Data("kills: [md5-accepted]\n".utf8) + purpose,
    ])
  }

  /// The mutants in the JSON output of a command.
  private static func mutants(_ arguments: String..., in folder: URL? = nil) throws -> [JSONValue] {
    let output = try Program.run(arguments, in: folder).output
    guard case .array(let mutants)? = try JSONValue(reading: Array(output.utf8))["mutants"] else { return [] }
    return mutants
  }

  @Test("it names the case and the expectation that kill a mutant, and counts the score")
  func text() throws {
    let result = try Program.run("mutate", "purpose.yaml", "--mutant", "eku-ignored", in: try Self.folder())
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("✓ eku-ignored"))
    #expect(result.output.contains("purpose, verdict:"))
    #expect(result.output.contains("score 100 %: 1 of 1 mutants killed"))
    #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("mutants that no case reaches are only counted, unless they are asked for")
  func unreached() throws {
    let folder = try Self.folder()
    let summary = try Program.run("mutate", "purpose.yaml", in: folder).output
    #expect(!summary.contains("not reached") && !summary.contains("goto-fail"))
    for options in [["--verbose"], ["--mutant", "goto-fail"]] {
      let list = try Program.run(["mutate", "purpose.yaml"] + options, in: folder).output
      #expect(list.contains("✗ goto-fail  not reached"))
    }
    let all = try Self.mutants("mutate", "purpose.yaml", "--format", "json", in: folder)
    #expect(all.contains { $0["mutant"] == .string("goto-fail") })
  }

  @Test("text is as narrow as COLUMNS")
  func columns() throws {
    for (columns, widest) in [("60", 60), ("200", 80)] {
      let environment = ["COLUMNS": columns]
      let output = try Program.run(["mutate", "purpose.yaml"], in: try Self.folder(), environment: environment).output
      let lines = output.split(separator: "\n").map(\.count)
      #expect(lines.max().map { $0 <= widest && $0 > widest - 15 } == true, "\(columns)")
    }
  }

  @Test("the list of bugs marks the fifteen historical validators")
  func classics() throws {
    let all = try Self.mutants("list", "mutants", "--format", "json")
    #expect(all.count { $0["group"] == .string("validators") } == 15)
  }

  @Test("the picture of the coverage has a legend with both kinds of square")
  func legend() throws {
    let picture = try Program.run("coverage", "purpose.yaml", "--format", "svg", in: try Self.folder()).output
    let legend = picture.components(separatedBy: "</text>").prefix(2)
    #expect(legend.map { $0.contains("fill=\"none\"") } == [false, true])
    #expect(legend.allSatisfy { $0.contains("<rect") && $0.contains("<text") })
  }

  @Test(
    "the exit status compares the score with --min-score",
    arguments: [("50", 0), ("51", 1), ("0", 0), ("100", 1)])
  func minimum(score: String, status: Int32) throws {
    let mutants = ["--mutant", "eku-ignored", "--mutant", "chain.expired"]
    let result = try Program.run(["mutate", "purpose.yaml", "--min-score", score] + mutants, in: try Self.folder())
    #expect(result.status == status, "\(result.output)\(result.errors)")
  }

  @Test("a score over no mutant meets no minimum")
  func nothing() throws {
    let arguments = ["mutate", "purpose.yaml", "--mutant", "chain.self-signed", "--min-score"]
    #expect(try Program.run(arguments + ["1"], in: try Self.folder()).status == 1)
    #expect(try Program.run(arguments + ["0"], in: try Self.folder()).status == 0)
  }

  @Test(
    "a wrong argument is an error with a hint",
    arguments: [
      (["--min-score", "101"], "0 to 100, not '101'"), (["--min-score", "-1"], "--min-score"),
      (["--min-score", "x"], "--min-score 80"), (["--mutant", "eku-ignred"], "did you mean 'eku-ignored'?"),
      (["--mutant", "chain.expire"], "did you mean 'chain.expired'?"), (["--jobs", "0"], "--jobs"),
      (["--format", "pdf"], "markdown"), (["slip.yaml"], "slip.yaml:1"), (["L99-99"], "L99-99"),
      (["wrong.yaml", "--mutant", "eku-ignored"], "wrong fails without a mutant"),
    ])
  func wrong(arguments: [String], message: String) throws {
    let result = try Program.run(["mutate", "purpose.yaml"] + arguments, in: try Self.folder())
    #expect(result.status == 2, "\(result.output)")
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test("JUnit output has a test for each mutant, and Markdown a list")
  func formats() throws {
    let folder = try Self.folder()
    let mutants = ["--mutant", "eku-ignored", "--mutant", "chain.expired", "--mutant", "chain.self-signed"]
    let junit = try Program.run(["mutate", "purpose.yaml", "--format", "junit"] + mutants, in: folder).output
    #expect(junit.contains(#"tests="3" failures="1" errors="0" skipped="1""#), "\(junit)")
    let markdown = try Program.run(["mutate", "purpose.yaml", "--format", "markdown"] + mutants, in: folder).output
    #expect(markdown.contains("## Score") && markdown.contains("`eku-ignored`"), "\(markdown)")
  }

  @Test("test and check report a claim of kills that no verdict supports", arguments: ["test", "check"])
  func claim(command: String) throws {
    let folder = try Self.folder()
    let result = try Program.run(command, "claim.yaml", in: folder)
    #expect(result.status != 0)
    #expect((result.output + result.errors).contains("md5-accepted"))
    #expect(try Program.run(command, "purpose.yaml", in: folder).status == 0)
  }

  @Test("coverage lists the rules that no case exercises, and draws a square for each part")
  func coverage() throws {
    let folder = try Self.folder()
    let text = try Program.run("coverage", "purpose.yaml", in: folder)
    #expect(text.status == 0, "\(text.errors)")
    #expect(text.output.contains("✗ chain.expired"))
    #expect(!text.output.contains("✗ chain.extended-key-usage"))
    #expect(text.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let picture = try Program.run("coverage", "purpose.yaml", "--format", "svg", in: folder).output
    #expect(picture.hasPrefix("<svg") || picture.hasPrefix("<?xml"))
    #expect(picture.contains("<title>chain.extended-key-usage: purpose</title>"))
    #expect(try Program.run("coverage", "slip.yaml", in: folder).status == 2)
    #expect(try Program.run("coverage", "--format", "pdf", in: folder).status == 2)
  }
}
