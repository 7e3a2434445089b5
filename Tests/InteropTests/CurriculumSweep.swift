import Testing

/// What other suites hold against a part of the curriculum, held against all of it.
@Suite("The whole curriculum, by the program")
struct CurriculumSweep {
  @Test("every case is in exactly one shard, however the shard is named")
  func shards() throws { try TestFormatTests.checkShards(of: []) }
}
