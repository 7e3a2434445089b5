import Explanation

/// Finds the word that was probably meant, for those who import this module alone.
public typealias Spelling = Explanation.Spelling
