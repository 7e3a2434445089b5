extension AppError {
  /// What an app sees of a load whose challenge its own delegate cancelled.
  public static let cancelledChallenge = Surfaced(
    errors: [AppError(.url, -999), AppError(.url, -1012)],
    confidence: .likely("-999 is what today's systems show, -1012 what older ones did"))
}
