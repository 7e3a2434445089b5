import SwiftASN1

/// A curve y² = x³ + ax + b over a prime field (SEC 1 section 2.2.1), used only to verify signatures.
///
/// `EllipticCurve` lists the curves for signing and key agreement. The time of this arithmetic depends on the numbers,
/// which are public.
struct NamedCurve: Sendable {
  /// The name of the curve, such as `secp256k1`.
  let name: String
  /// The object identifier of the curve in a key (RFC 5480 section 2.1.1).
  let oid: ASN1ObjectIdentifier
  let generator: Point
  /// The order n of the base point. The curve has no points outside its multiples (the cofactor is 1).
  let order: Natural
  private let p: Natural
  private let a: Natural
  private let b: Natural

  /// A point in affine coordinates, which cannot be the point at infinity.
  struct Point: Sendable, Hashable {
    let x: Natural
    let y: Natural
  }

  /// A point in Jacobian coordinates (x / z², y / z³). The point at infinity has z = 0.
  private struct Jacobian {
    var x: Natural
    var y: Natural
    var z: Natural

    static let infinity = Jacobian(x: 1, y: 1, z: 0)
  }

  private init(
    _ name: String, _ oid: ASN1ObjectIdentifier, p: String, a: String, b: String, x: String, y: String, n: String
  ) {
    func number(_ digits: String) -> Natural { Natural(digits, radix: 16) ?? 0 }
    self.name = name
    self.oid = oid
    self.p = number(p)
    self.a = number(a)
    self.b = number(b)
    generator = Point(x: number(x), y: number(y))
    order = number(n)
  }

  /// Creates a curve with these parameters; nil if the generator, `04 x y`, is not one of its points.
  init?(
    _ name: String, _ oid: ASN1ObjectIdentifier, p: Natural, a: Natural, b: Natural, generator: ArraySlice<UInt8>,
    order: Natural
  ) {
    (self.name, self.oid, self.p, self.a, self.b, self.order) = (name, oid, p, a, b, order)
    let count = p.byteCount
    self.generator = Point(
      x: Natural(bigEndian: generator.dropFirst().prefix(count)), y: Natural(bigEndian: generator.suffix(count)))
    guard point(generator) != nil else { return nil }
  }

  /// The size of the field in bits.
  var bits: Int { p.bitWidth }

  /// The size of a coordinate in bytes.
  var byteCount: Int { p.byteCount }

  /// Decodes an uncompressed point `04 x y` (SEC 1 section 2.3.4); nil if the bytes are not a point of this curve.
  func point(_ bytes: some Collection<UInt8>) -> Point? {
    guard bytes.count == 1 + 2 * byteCount, bytes.first == 4 else { return nil }
    let point = Point(
      x: Natural(bigEndian: bytes.dropFirst().prefix(byteCount)), y: Natural(bigEndian: bytes.suffix(byteCount)))
    guard point.x < p, point.y < p else { return nil }
    let right = sum(product(sum(product(point.x, point.x), a), point.x), b)
    return product(point.y, point.y) == right ? point : nil
  }

  /// The x coordinate of `u`·G + `v`·`point`; nil for the point at infinity.
  ///
  /// A single loop over the bits computes both products (E. G. Straus, 1964).
  func combination(_ u: Natural, _ v: Natural, _ point: Point) -> Natural? {
    let both = affine(add(jacobian(generator), point))
    var result = Jacobian.infinity
    for bit in (0..<max(u.bitWidth, v.bitWidth)).reversed() {
      result = doubled(result)
      switch (u.hasBit(bit), v.hasBit(bit)) {
      case (true, true): if let both { result = add(result, both) }
      case (true, false): result = add(result, generator)
      case (false, true): result = add(result, point)
      case (false, false): break
      }
    }
    return affine(result)?.x
  }

  private func jacobian(_ point: Point) -> Jacobian { Jacobian(x: point.x, y: point.y, z: 1) }

  private func affine(_ point: Jacobian) -> Point? {
    guard let inverse = point.z.inverse(modulo: p) else { return nil }
    let square = product(inverse, inverse)
    return Point(x: product(point.x, square), y: product(point.y, product(square, inverse)))
  }

  private func doubled(_ point: Jacobian) -> Jacobian {
    guard !point.z.isZero, !point.y.isZero else { return .infinity }
    let square = product(point.y, point.y)
    let s = product(4, product(point.x, square))
    let zz = product(point.z, point.z)
    let m = sum(product(3, product(point.x, point.x)), product(a, product(zz, zz)))
    let x = difference(product(m, m), product(2, s))
    return Jacobian(
      x: x, y: difference(product(m, difference(s, x)), product(8, product(square, square))),
      z: product(2, product(point.y, point.z)))
  }

  private func add(_ left: Jacobian, _ right: Point) -> Jacobian {
    guard !left.z.isZero else { return jacobian(right) }
    let zz = product(left.z, left.z)
    let h = difference(product(right.x, zz), left.x)
    let r = difference(product(right.y, product(zz, left.z)), left.y)
    guard !h.isZero else { return r.isZero ? doubled(left) : .infinity }
    let hh = product(h, h)
    let (hhh, v) = (product(hh, h), product(left.x, hh))
    let x = difference(difference(product(r, r), hhh), product(2, v))
    return Jacobian(
      x: x, y: difference(product(r, difference(v, x)), product(left.y, hhh)), z: product(left.z, h))
  }

  // Arithmetic in the field of the numbers below p.

  private func reduced(_ number: Natural) -> Natural {
    // p is not zero.
    (try? number.remainder(dividingBy: p)) ?? number
  }

  private func sum(_ left: Natural, _ right: Natural) -> Natural { reduced(left + right) }

  private func product(_ left: Natural, _ right: Natural) -> Natural { reduced(left * right) }

  private func difference(_ left: Natural, _ right: Natural) -> Natural {
    // Both numbers are below p, so one of the subtractions succeeds.
    (try? left.subtracting(right)) ?? (try? (left + p).subtracting(right)) ?? 0
  }
}

extension NamedCurve {
  /// All curves in FIPS 186-4 sections D.1.2.1 and D.1.2.2, SEC 2 section 2.4.1 and RFC 5639 sections 3.2 to 3.7.
  static let all: [NamedCurve] = [
    NamedCurve(
      "P-192", [1, 2, 840, 10045, 3, 1, 1],
      p: "fffffffffffffffffffffffffffffffeffffffffffffffff",
      a: "fffffffffffffffffffffffffffffffefffffffffffffffc",
      b: "64210519e59c80e70fa7e9ab72243049feb8deecc146b9b1",
      x: "188da80eb03090f67cbf20eb43a18800f4ff0afd82ff1012",
      y: "7192b95ffc8da78631011ed6b24cdd573f977a11e794811",
      n: "ffffffffffffffffffffffff99def836146bc9b1b4d22831"),
    NamedCurve(
      "P-224", [1, 3, 132, 0, 33],
      p: "ffffffffffffffffffffffffffffffff000000000000000000000001",
      a: "fffffffffffffffffffffffffffffffefffffffffffffffffffffffe",
      b: "b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4",
      x: "b70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21",
      y: "bd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34",
      n: "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d"),
    NamedCurve(
      "secp256k1", [1, 3, 132, 0, 10],
      p: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
      a: "0",
      b: "7",
      x: "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
      y: "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
      n: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),
    NamedCurve(
      "brainpoolP192r1", [1, 3, 36, 3, 3, 2, 8, 1, 1, 3],
      p: "c302f41d932a36cda7a3463093d18db78fce476de1a86297",
      a: "6a91174076b1e0e19c39c031fe8685c1cae040e5c69a28ef",
      b: "469a28ef7c28cca3dc721d044f4496bcca7ef4146fbf25c9",
      x: "c0a0647eaab6a48753b033c56cb0f0900a2f5c4853375fd6",
      y: "14b690866abd5bb88b5f4828c1490002e6773fa2fa299b8f",
      n: "c302f41d932a36cda7a3462f9e9e916b5be8f1029ac4acc1"),
    NamedCurve(
      "brainpoolP224r1", [1, 3, 36, 3, 3, 2, 8, 1, 1, 5],
      p: "d7c134aa264366862a18302575d1d787b09f075797da89f57ec8c0ff",
      a: "68a5e62ca9ce6c1c299803a6c1530b514e182ad8b0042a59cad29f43",
      b: "2580f63ccfe44138870713b1a92369e33e2135d266dbb372386c400b",
      x: "d9029ad2c7e5cf4340823b2a87dc68c9e4ce3174c1e6efdee12c07d",
      y: "58aa56f772c0726f24c6b89e4ecdac24354b9e99caa3f6d3761402cd",
      n: "d7c134aa264366862a18302575d0fb98d116bc4b6ddebca3a5a7939f"),
    NamedCurve(
      "brainpoolP256r1", [1, 3, 36, 3, 3, 2, 8, 1, 1, 7],
      p: "a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377",
      a: "7d5a0975fc2c3057eef67530417affe7fb8055c126dc5c6ce94a4b44f330b5d9",
      b: "26dc5c6ce94a4b44f330b5d9bbd77cbf958416295cf7e1ce6bccdc18ff8c07b6",
      x: "8bd2aeb9cb7e57cb2c4b482ffc81b7afb9de27e1e3bd23c23a4453bd9ace3262",
      y: "547ef835c3dac4fd97f8461a14611dc9c27745132ded8e545c1d54c72f046997",
      n: "a9fb57dba1eea9bc3e660a909d838d718c397aa3b561a6f7901e0e82974856a7"),
    NamedCurve(
      "brainpoolP320r1", [1, 3, 36, 3, 3, 2, 8, 1, 1, 9],
      p: "d35e472036bc4fb7e13c785ed201e065f98fcfa6f6f40def4f92b9ec7893ec28fcd412b1f1b32e27",
      a: "3ee30b568fbab0f883ccebd46d3f3bb8a2a73513f5eb79da66190eb085ffa9f492f375a97d860eb4",
      b: "520883949dfdbc42d3ad198640688a6fe13f41349554b49acc31dccd884539816f5eb4ac8fb1f1a6",
      x: "43bd7e9afb53d8b85289bcc48ee5bfe6f20137d10a087eb6e7871e2a10a599c710af8d0d39e20611",
      y: "14fdd05545ec1cc8ab4093247f77275e0743ffed117182eaa9c77877aaac6ac7d35245d1692e8ee1",
      n: "d35e472036bc4fb7e13c785ed201e065f98fcfa5b68f12a32d482ec7ee8658e98691555b44c59311"),
    NamedCurve(
      "brainpoolP384r1", [1, 3, 36, 3, 3, 2, 8, 1, 1, 11],
      p: "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b412b1da197fb71123acd3a729901d1a71874700133107ec53",
      a: "7bc382c63d8c150c3c72080ace05afa0c2bea28e4fb22787139165efba91f90f8aa5814a503ad4eb04a8c7dd22ce2826",
      b: "4a8c7dd22ce28268b39b55416f0447c2fb77de107dcd2a62e880ea53eeb62d57cb4390295dbc9943ab78696fa504c11",
      x: "1d1c64f068cf45ffa2a63a81b7c13f6b8847a3e77ef14fe3db7fcafe0cbd10e8e826e03436d646aaef87b2e247d4af1e",
      y: "8abe1d7520f9c2a45cb1eb8e95cfd55262b70b29feec5864e19c054ff99129280e4646217791811142820341263c5315",
      n: "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b31f166e6cac0425a7cf3ab6af6b7fc3103b883202e9046565"),
    NamedCurve(
      "brainpoolP512r1", [1, 3, 36, 3, 3, 2, 8, 1, 1, 13],
      p: "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca703308717d4d9b009bc66842aecda12ae6a380e62881"
        + "ff2f2d82c68528aa6056583a48f3",
      a: "7830a3318b603b89e2327145ac234cc594cbdd8d3df91610a83441caea9863bc2ded5d5aa8253aa10a2ef1c98b9ac8b57f11"
        + "17a72bf2c7b9e7c1ac4d77fc94ca",
      b: "3df91610a83441caea9863bc2ded5d5aa8253aa10a2ef1c98b9ac8b57f1117a72bf2c7b9e7c1ac4d77fc94cadc083e679840"
        + "50b75ebae5dd2809bd638016f723",
      x: "81aee4bdd82ed9645a21322e9c4c6a9385ed9f70b5d916c1b43b62eef4d0098eff3b1f78e2d0d48d50d1687b93b97d5f7c6d"
        + "5047406a5e688b352209bcb9f822",
      y: "7dde385d566332ecc0eabfa9cf7822fdf209f70024a57b1aa000c55b881f8111b2dcde494a5f485e5bca4bd88a2763aed1ca"
        + "2b2fa8f0540678cd1e0f3ad80892",
      n: "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca70330870553e5c414ca92619418661197fac10471db1"
        + "d381085ddaddb58796829ca90069"),
  ]
}
