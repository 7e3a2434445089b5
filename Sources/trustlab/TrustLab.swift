import ArgumentParser




@main
struct TrustLab: ParsableCommand {
  mutating func run() {}
}
