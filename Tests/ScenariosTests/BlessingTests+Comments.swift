import Scenarios
import Testing

extension BlessingTests {
  /// Files with comments near replaced or removed values, and the files after blessing.
  private static let commented: [(old: String, new: String)] = [
    // Below a removed key that is the last one.
    (
      """
      title: x
      expect:
        # about all

        # about it
        verdict: refused
        because:
          - chain.expired # RFC 5280 6.1.3
          # name: see ticket 4711
          - name.mismatch # two

      """,
      """
      title: x
      expect:
        # about all

        unreviewed: true
        # about it
        verdict: accepted
        # RFC 5280 6.1.3
        # name: see ticket 4711
        # two

      """
    ),
    // Below replaced values: one key that stays, and one that is removed above another key.
    (
      """
      title: x # the title
      expect:
        verdict: refused
        # RFC says so
        because: [name.mismatch] # why
        path: # note about the path
          - api # leaf
          # sub
          - Root A
        content: | # the page
          bye
      # below

      """,
      """
      title: x # the title
      expect:
        unreviewed: true
        verdict: accepted
        # RFC says so
        # why
        path:  # note about the path
          - api  # leaf
          - Issuing
          # sub
          - Root A
        # the page
        content: hello
      # below

      """
    ),
    // In brackets.
    (
      """
      title: x
      expect: { # c1
        verdict: refused, # c2
        # c3
        because: [ # c4
          chain.expired, # c5
          name.mismatch # c6
        ] # c7
      } # c8

      """,
      """
      title: x
      expect:  # c8
        unreviewed: true
        # c1
        verdict: accepted  # c2
        # c3
        # c4
        # c5
        # c6
        # c7

      """
    ),
    // A list that keeps one item, in a map whose key order is the author's.
    (
      """
      title: x
      request: http://api.example/
      expect:
        because:
          - chain.expired # RFC 5280 6.1.3: agreed with the backend team
          - ats.insecure-http # ticket 4711
        path: [api] # none
        verdict: refused # at once

      """,
      """
      title: x
      request: http://api.example/
      expect:
        unreviewed: true
        because:
          # RFC 5280 6.1.3: agreed with the backend team
          - ats.insecure-http  # ticket 4711
        path: []  # none
        verdict: refused  # at once

      """
    ),
    // A reordered list that loses one item and gains another in its place.
    (
      """
      title: x
      expect:
        verdict: accepted
        path:
          - "Root A" # r
          # about it
          - api # a
          - api # gone

      """,
      """
      title: x
      expect:
        unreviewed: true
        verdict: accepted
        path:
          # about it
          - api  # a
          # gone
          - Issuing
          - "Root A"  # r

      """
    ),
    // A list that loses its last item.
    (
      """
      title: x
      expect:
        path:
          - api
          - Issuing
          - Root A # last
          - api # more
          # end
        verdict: accepted

      """,
      """
      title: x
      expect:
        unreviewed: true
        path:
          - api
          - Issuing
          - Root A  # last
          # more
          # end
        verdict: accepted

      """
    ),
  ]

  @Test(
    "comments at replaced or removed values are kept, as are key order and line ends",
    arguments: commented, ["\n", "\r\n"])
  func comments(texts: (old: String, new: String), lineBreak: String) throws {
    let blessing = try blessing(texts.old.replacing("\n", with: lineBreak))
    #expect(blessing.refused.isEmpty && blessing.blessed == ["test"], "\(blessing.refused)")
    // Compares bytes, because a comparison of strings ignores the kind of line end.
    let written = texts.new.replacing("\n", with: lineBreak)
    #expect(Array(blessing.text.utf8) == Array(written.utf8), "\(blessing.text)")
  }
}
