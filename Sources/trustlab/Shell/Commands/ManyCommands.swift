// Many runs at once.
extension ShellCommand {
  static let many: [ShellCommand] = []
}
