import Cryptography

/// A settable part of the options.
typealias OptionPath<Value> = WritableKeyPath<Options, Value> & Sendable

/// One flag of the runner.
enum Flag: Sendable {
  case on(OptionPath<Bool>)
  case number(OptionPath<Int>)
  case optionalNumber(OptionPath<Int?>)
  case numbers(OptionPath<[Int]>)
  case bytes(OptionPath<[UInt8]?>)
  case base64(OptionPath<[UInt8]?>)
  /// A flag without a value that changes more than one bit.
  case change(@Sendable (inout Options) -> Void)
  /// A flag that does not apply to this shim, with or without a value.
  case ignored(hasValue: Bool)
  /// A flag that only a connection of TLS 1.3 notices.
  case tls13(hasValue: Bool)

  var hasValue: Bool {
    switch self {
    case .on, .change: false
    case .number, .optionalNumber, .numbers, .bytes, .base64: true
    case .ignored(let hasValue), .tls13(let hasValue): hasValue
    }
  }

  /// Applies the flag with this name and value.
  func apply(_ name: String, _ value: [UInt8], to options: inout Options) throws(ShimFailure) {
    switch self {
    case .on(let path): options[keyPath: path] = true
    case .number(let path): options[keyPath: path] = try Self.number(name, value)
    case .optionalNumber(let path): options[keyPath: path] = try Self.number(name, value)
    case .numbers(let path): options[keyPath: path].append(try Self.number(name, value))
    case .bytes(let path): options[keyPath: path] = value
    case .base64(let path):
      guard let bytes = try? Base64.decode(String(decoding: value, as: UTF8.self)) else {
        throw .failed("the value of \(name) is not Base64")
      }
      options[keyPath: path] = bytes
    case .change(let change): change(&options)
    case .ignored: break
    case .tls13: options.flagsOfTLS13.append(name)
    }
  }

  private static func number(_ name: String, _ value: [UInt8]) throws(ShimFailure) -> Int {
    guard let number = Int(String(decoding: value, as: UTF8.self)) else {
      throw .failed("the value of \(name) is not a number")
    }
    return number
  }
}

/// The options of the first connection, of resumptions, and of a connection after rejected early data.
struct ConnectionOptions: Sendable {
  private(set) var initial = Options()
  private(set) var resume = Options()
  private(set) var retry = Options()

  /// Parses the arguments after the program's name.
  init(_ arguments: [[UInt8]]) throws(ShimFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      var name = String(decoding: argument, as: UTF8.self)
      let target = Self.removePrefix(from: &name)
      guard let flag = Flag.all[name] else { throw .unimplemented("unknown flag \(name)") }
      guard let value = flag.hasValue ? rest.popFirst() : [] else { throw .failed("\(name) needs a value") }
      for path in target { try flag.apply(name, value, to: &self[keyPath: path]) }
    }
  }

  private typealias Target = WritableKeyPath<ConnectionOptions, Options>

  /// Removes the prefix that limits a flag to some connections, and returns the options of these connections.
  private static func removePrefix(from name: inout String) -> [Target] {
    let prefixes: [(String, [Target])] = [
      ("-on-initial", [\.initial]), ("-on-resume", [\.resume]), ("-on-retry", [\.retry]), ("-on-handshaker", []),
      ("-on-shim", [\.initial, \.resume, \.retry]),
    ]
    for (prefix, target) in prefixes where name.hasPrefix("\(prefix)-") {
      name.removeFirst(prefix.count)
      return target
    }
    return [\.initial, \.resume, \.retry]
  }
}
