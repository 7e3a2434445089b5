extension AppError {
  /// What an app sees of a load whose challenge its own delegate cancelled.
  public static let cancelledChallenge = Surfaced(.challengeCancelled)
}
