import ArgumentParser

/// `trustlab ats`
struct Ats: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask what App Transport Security makes of an app's property list.",
    discussion: """
      Examples:
        trustlab ats decide --plist Info.plist --url http://api.example/
        trustlab ats lint Info.plist
        trustlab ats diagnostics https://api.example/ --scenario L1-15
        trustlab ats minimal --url http://old.example/ --os "iOS 9" "iOS 18.4"
      """,
    subcommands: [AtsDecide.self, AtsLint.self, AtsDiagnostics.self, AtsMinimal.self])
}
