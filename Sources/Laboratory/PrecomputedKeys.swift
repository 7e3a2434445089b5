import Cryptography

/// The positions of the primes of the curriculum's RSA keys.
///
/// A line contains the distances of the primes from the random numbers at which their searches start, and the label of
/// the random stream. Without this table, the searches would take nearly all the time of key generation. A test checks
/// every line. Another test writes the table again: `TRUSTLAB_WRITE_KEYS=1 swift test --filter UsualKeysTests`.
enum PrecomputedKeys {
  static let offsets: [String: PrimeOffsets] = Dictionary(
    lines.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let first = Int(parts[0]), let second = Int(parts[1]) else { return nil }
      return (String(parts[2]), PrimeOffsets(first: first, second: second))
    }, uniquingKeysWith: { first, _ in first })

  static let lines = """
    80 1056 key/*.EGO.GOV.TR/rsa-2048
    0 88 key/AddTrust/rsa-2048
    40 2368 key/Archive/rsa-2048
    1558 12 key/Bank CA/rsa-2048
    960 3006 key/Bank/rsa-2048
    70 844 key/Bar CA/rsa-2048
    290 566 key/Base/rsa-2048
    842 520 key/Board/rsa-2048
    10 614 key/Branch/rsa-2048
    522 798 key/CNNIC/rsa-2048
    342 1012 key/Cafe/rsa-2048
    556 3200 key/Careless/rsa-2048
    584 1034 key/Chess/rsa-2048
    32 1040 key/Club/rsa-2048
    626 12 key/Company/rsa-2048
    130 2278 key/DG Tresor/rsa-2048
    372 298 key/DSDTestProvider/rsa-2048
    202 56 key/DST Root CA X3/rsa-2048
    364 374 key/Desk/rsa-2048
    78 1296 key/Devices/rsa-2048
    1516 396 key/DigiNotar/rsa-2048
    468 138 key/East/rsa-2048
    10 132 key/Equifax/rsa-2048
    3664 246 key/Fake Root/rsa-2048
    602 1114 key/Federation/rsa-2048
    744 492 key/GeoTrust Global CA/rsa-2048
    3108 342 key/GeoTrust SSL CA/rsa-2048
    52 3104 key/Google Internet Authority G2/rsa-2048
    368 256 key/Guild/rsa-2048
    272 320 key/Hall/rsa-3072
    178 272 key/House Root/rsa-2048
    554 902 key/House/rsa-2048
    2742 1286 key/IGC/A/rsa-2048
    70 194 key/ISRG Root X1/rsa-2048
    658 364 key/Inter/rsa-2048
    246 418 key/Issuing J/rsa-2048
    72 116 key/Issuing old/rsa-2048
    204 1542 key/Issuing/rsa-2047
    344 342 key/Issuing/rsa-2048
    1790 1134 key/Issuing/rsa-3072
    6 354 key/Licensing/rsa-2048
    1054 634 key/Lost Root/rsa-2048
    42 4042 key/MCS Holdings/rsa-2048
    1302 1000 key/Mallory CA/rsa-2048
    1062 418 key/Medical CA/rsa-2048
    224 528 key/Members/rsa-2048
    242 488 key/Microsoft/rsa-2048
    918 336 key/New Root/rsa-2048
    1660 94 key/Nobody/rsa-2048
    20 196 key/Office/rsa-2048
    1396 352 key/Old Root/rsa-2048
    282 1078 key/Orchestra/rsa-2048
    728 598 key/Policy/rsa-2048
    388 928 key/Post CA/rsa-2048
    372 600 key/Proxy/rsa-2048
    1972 728 key/Qaznet/rsa-2048
    28 292 key/R3/rsa-2048
    540 1048 key/Rogue CA/rsa-2048
    1712 1134 key/Rogue Root/rsa-2048
    168 416 key/Rogue/rsa-2048
    1164 672 key/Root A/rsa-2048
    236 1700 key/Root B/rsa-2048
    162 264 key/Root C/rsa-2048
    522 378 key/Root D/rsa-2048
    250 1346 key/Root E/rsa-2048
    2 34 key/Root F/rsa-2048
    122 1304 key/Root G/rsa-2048
    494 20 key/Root H/rsa-2048
    378 172 key/Root J/rsa-2048
    1180 1708 key/Root K/rsa-2048
    1144 122 key/SRCA/rsa-2048
    210 18 key/School Root/rsa-2048
    352 3488 key/Scribes/rsa-2047
    3818 878 key/Scribes/rsa-2048
    862 1578 key/Sectigo/rsa-2048
    198 54 key/Shop CA/rsa-2048
    204 2010 key/Small CA/rsa-2048
    2188 354 key/StartCom/rsa-2048
    232 954 key/Status/rsa-2048
    712 218 key/Strings/rsa-2048
    526 144 key/Sub Root/rsa-2048
    1532 214 key/Superfish/rsa-2048
    168 908 key/TURKTRUST/rsa-2048
    148 470 key/USERTrust/rsa-2048
    12 924 key/UTN-USERFirst-Hardware/rsa-2048
    1360 3450 key/VeriSign/rsa-2048
    1604 330 key/West/rsa-2048
    250 2532 key/WoSign G2/rsa-2048
    128 1012 key/Youth Club/rsa-2048
    192 1182 key/alice/rsa-2048
    298 968 key/all/rsa-2048
    1058 964 key/api-rsa/rsa-2048
    1042 2642 key/api/impostor/rsa-2048
    210 1368 key/api/rsa-1024
    2190 1160 key/api/rsa-2047
    44 528 key/api/rsa-2048
    78 78 key/api/rsa-512
    1548 3232 key/backup/rsa-2048
    16 816 key/baidu/rsa-2048
    2230 1792 key/bank/rsa-2048
    180 40 key/bank/rsa-512
    386 708 key/bar/rsa-2048
    316 764 key/bob/rsa-2048
    314 230 key/both/rsa-2048
    278 626 key/by the proxy/rsa-2048
    732 236 key/cafe/rsa-2048
    338 1950 key/camera/rsa-2048
    240 656 key/carol/rsa-2048
    962 472 key/chat/rsa-2048
    66 88 key/desk/rsa-2048
    14 376 key/door/rsa-2048
    760 1650 key/eDellRoot/rsa-2048
    780 48 key/erin/rsa-2048
    36 478 key/evil/impostor/rsa-2048
    1108 232 key/evil/rsa-2048
    328 300 key/forum/rsa-2048
    1286 294 key/game/rsa-2048
    434 1060 key/gate/rsa-2048
    536 408 key/generator of 15 bits/3165/rsa-2048
    578 402 key/gil/rsa-2048
    1560 410 key/google/rsa-2048
    30 100 key/guide/rsa-2048
    526 442 key/hall/rsa-2048
    410 622 key/hotel/rsa-2048
    406 94 key/house/rsa-2048
    32 174 key/hut/rsa-2048
    732 62 key/interceptor/rsa-2048
    1106 194 key/intranet/rsa-2048
    236 110 key/joyseedog/rsa-1024
    966 374 key/joyseedog/rsa-2048
    190 288 key/kiln/rsa-2048
    40 90 key/kyfw/rsa-2048
    252 628 key/lamp/rsa-2048
    330 500 key/land/rsa-2048
    132 270 key/licence/rsa-2048
    990 822 key/login/rsa-2048
    38 330 key/mail/rsa-2048
    114 218 key/mallory/rsa-2048
    958 160 key/mill/rsa-2048
    314 2 key/mis-issued/rsa-2048
    314 514 key/museum/rsa-2048
    194 552 key/news/rsa-2048
    630 190 key/next/rsa-2048
    448 912 key/notes/rsa-2048
    310 132 key/office/rsa-2048
    282 268 key/olga/rsa-2048
    78 2396 key/other/rsa-2048
    840 154 key/page/rsa-2048
    190 620 key/photos/rsa-2048
    202 262 key/portal/rsa-2048
    136 214 key/post/rsa-2048
    268 374 key/printer/rsa-2048
    544 1400 key/private/rsa-2048
    718 1154 key/proxy/rsa-2048
    964 3912 key/radio/rsa-2048
    256 932 key/register/rsa-2048
    350 352 key/renewed/rsa-2048
    1198 100 key/school/rsa-2048
    812 632 key/self/rsa-2048
    760 522 key/shed/rsa-2048
    284 1332 key/shop/rsa-2048
    376 156 key/site/rsa-2048
    700 912 key/store/rsa-2048
    32 414 key/tour/rsa-2048
    1588 74 key/update/rsa-2048
    504 228 key/vault/rsa-2048
    104 570 key/wiki/rsa-2048
    160 1024 key/wild/rsa-2048
    """
}
