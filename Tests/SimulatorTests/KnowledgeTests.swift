import Endpoint
import Explanation
import Oracles
import Simulator
import Testing

/// Handmade traces, without the engine: only values and their derivations.
@Suite("Knowledge")
struct KnowledgeTests {
  private func trace(_ values: Value...) throws -> Trace {
    var step = Step(.computed(values), at: try #require(Instant("2016-11-01")), from: .client)
    step.values = values
    var trace = Trace(held: [Value("api.key", [1], .generated(by: .server))])
    trace.record(step)
    return trace
  }

  private func rsa() throws -> Trace {
    try trace(
      Value("client_random", [1], .generated(by: .client), .published),
      Value("encrypted_premaster_secret", [2], .published),
      Value(
        "premaster_secret", [3], .generated(by: .client),
        .computed(.rsaDecryption, from: ["encrypted_premaster_secret", "api.key"])),
      Value("master_secret", [4], .computed(.pseudoRandom(.masterSecret), from: ["premaster_secret", "client_random"])))
  }

  private func ecdhe() throws -> Trace {
    try trace(
      Value("server_ecdh_private", [1], .generated(by: .server)),
      Value(
        "server_ecdh_public", [2], .computed(.publicKey(group: "secp256r1"), from: ["server_ecdh_private"]), .published),
      Value("client_ecdh_public", [3], .published),
      Value(
        "premaster_secret", [4],
        .computed(.keyAgreement(group: "secp256r1"), from: ["client_ecdh_private", "server_ecdh_public"]),
        .computed(.keyAgreement(group: "secp256r1"), from: ["server_ecdh_private", "client_ecdh_public"])))
  }

  @Test("with RSA key exchange the key decrypts everything, without it nothing")
  func rsaLeak() throws {
    let before = Knowledge(of: .eavesdropper, in: try rsa())
    #expect(before.values == ["client_random", "encrypted_premaster_secret"])
    let after = Knowledge(of: .eavesdropper, in: try rsa(), disclosed: ["api.key"])
    #expect(after.knows("premaster_secret") && after.knows("master_secret"))
    #expect(Knowledge(of: .client, in: try rsa()).knows("master_secret"))
    #expect(!Knowledge(of: .client, in: try rsa()).knows("api.key"))
  }

  @Test("with ECDHE only the ephemeral key decrypts, not the certificate's")
  func ecdheLeak() throws {
    #expect(!Knowledge(of: .eavesdropper, in: try ecdhe(), disclosed: ["api.key"]).knows("premaster_secret"))
    #expect(Knowledge(of: .eavesdropper, in: try ecdhe(), disclosed: ["server_ecdh_private"]).knows("premaster_secret"))
  }

  @Test("a proof contains every input before the value that needs it")
  func proof() throws {
    let knowledge = Knowledge(of: .eavesdropper, in: try rsa(), disclosed: ["api.key"])
    let proof = try #require(knowledge.proof(of: "master_secret"))
    #expect(
      proof.map(\.value)
        == ["encrypted_premaster_secret", "api.key", "premaster_secret", "client_random", "master_secret"])
    #expect(proof[1].how == nil)
    #expect(proof[0].how == .published)
    #expect(Knowledge(of: .eavesdropper, in: try rsa()).proof(of: "master_secret") == nil)
  }

  @Test("no party knows values that follow from each other in a cycle")
  func circle() throws {
    let trace = try trace(
      Value("a", [], .computed(.expression("f"), from: ["b"])), Value("b", [], .computed(.expression("g"), from: ["a"]))
    )
    #expect(Knowledge(of: .eavesdropper, in: trace).values.isEmpty)
    #expect(Knowledge(of: .eavesdropper, in: trace, disclosed: ["b"]).values.sorted() == ["a", "b"])
    #expect(Knowledge(of: .eavesdropper, in: trace, disclosed: ["b"]).proof(of: "a")?.map(\.value) == ["b", "a"])
  }

  @Test("a later value can complete the inputs of an earlier one")
  func order() throws {
    let trace = try trace(
      Value("sum", [], .computed(.expression("+"), from: ["x", "y"])), Value("x", [], .published),
      Value("y", [], .published))
    #expect(Knowledge(of: .eavesdropper, in: trace).knows("sum"))
  }

  @Test("no party knows a value that does not exist, even if it leaks")
  func absent() throws {
    let knowledge = Knowledge(of: .eavesdropper, in: try rsa(), disclosed: ["nothing"])
    #expect(!knowledge.knows("nothing") && knowledge.proof(of: "nothing") == nil)
  }

  @Test("every derivation of a value is kept once")
  func merging() throws {
    var trace = try rsa()
    var step = Step(.message(from: .client), at: try #require(Instant("2016-11-01")), from: .client)
    step.values = [Value("master_secret", [4], .published), Value("master_secret", [4], .published)]
    trace.record(step)
    #expect(trace.values["master_secret"]?.derivations.count == 2)
    #expect(trace.valueNames.count { $0 == "master_secret" } == 1)
    #expect(trace.steps.map(\.number) == [1, 2])
  }

  /// Checking all unknown values for every record of a large response would take minutes.
  @Test("knowledge grows by new values only, in linear time", .timeLimit(.minutes(1)))
  func growth() throws {
    let day = try #require(Instant("2016-11-01"))
    var trace = Trace(held: [Value("key", [1], .generated(by: .server))])
    var knowledge = Knowledge(of: .eavesdropper, in: trace)
    for number in 1...8000 {
      var step = Step(.message(from: .server), at: day, from: .server, to: .client)
      step.values = [
        Value(
          "data.\(number)", [3], .generated(by: .server),
          .computed(.rsaDecryption, from: ["record.\(number)", "key"])),
        Value("record.\(number)", [2], .published),
      ]
      trace.record(step)
      #expect(knowledge.update(trace) == ["record.\(number)"])
    }
    #expect(knowledge.update(trace, disclosed: ["key"]) == ["key"] + (1...8000).map { "data.\($0)" })
    #expect(knowledge.update(trace, disclosed: ["key"]).isEmpty)
  }

  @Test("values that follow from later ones are learned in another round, with the same result")
  func rounds() throws {
    let values = [
      Value("c", [3], .computed(.rsaDecryption, from: ["b"])), Value("b", [2], .computed(.rsaDecryption, from: ["a"])),
      Value("d", [4], .computed(.rsaDecryption, from: ["b"])), Value("a", [1], .generated(by: .server)),
      Value("e", [5], .computed(.rsaDecryption, from: ["c", "missing"])),
    ]
    var trace = try trace(values[0], values[1], values[2], values[3], values[4])
    var knowledge = Knowledge(of: .eavesdropper, in: trace)
    #expect(knowledge.values.isEmpty)
    #expect(knowledge.update(trace, disclosed: ["a"]) == ["a", "b", "d", "c"])
    var step = Step(.message(from: .server), at: try #require(Instant("2016-11-02")), from: .server)
    step.values = [Value("e", [5], .published)]
    trace.record(step)
    #expect(knowledge.update(trace, disclosed: ["a"]) == ["e"])
  }
}
