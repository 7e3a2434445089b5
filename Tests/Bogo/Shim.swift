#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A program that BoringSSL's test runner (BoGo) starts once for each test.
///
/// The flags state the role, the configuration and the expectations. The status is 0 if the connection went as the
/// flags expect, 89 if a flag is not implemented, and 1 otherwise.
@main
struct Shim {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    do throws(ShimFailure) {
      let options = try ConnectionOptions(arguments)
      if options.initial.isHandshakerQuestion { return print("No") }
      try run(options)
    } catch {
      let line = Array("\(error.line)\n".utf8)
      _ = write(STDERR_FILENO, line, line.count)
      exit(error.status)
    }
  }

  /// The arguments after the program's name, which may have any bytes.
  private static var arguments: [[UInt8]] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { argument in
        UnsafeBufferPointer(start: argument, count: strlen(argument)).map { UInt8(bitPattern: $0) }
      }
    }
  }

  /// Makes all connections of the test. Each one after the first resumes the session of the connection before.
  private static func run(_ options: ConnectionOptions) throws(ShimFailure) {
    var memory = Memory()
    for number in 0...max(0, options.initial.resumeCount) {
      let isResume = number > 0
      let current = isResume ? options.resume : options.initial
      if isResume, !current.isServer, memory.session == nil { throw .failed("no session to offer") }
      var exchange = try Exchange(current, retry: options.retry, memory, isResume: isResume)
      let result = exchange.run()
      memory = exchange.memory
      try result.get()
      memory.delay += Int64(current.resumptionDelay)
    }
  }
}
