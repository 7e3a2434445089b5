"""Faults, and unusual but valid forms, of chains: one for each chain.

A mutation has a name, roles (leaf, ca, root) and a function of the chain, the certificate in
that role and the source of random numbers. Names have the form `part.fault`.
"""

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature, encode_dss_signature)

import der
from certificates import (
    AIA, AKI, ANY_EKU, ANY_POLICY, BC, CLIENT_AUTH, CODE_SIGNING, COMMON_NAME, COUNTRY, CP, CRLDP,
    DOMAIN_VALIDATED, ECDSA_SHA1, ECDSA_SHA256, ECDSA_SHA384, ED25519, EKU, HOST, IAP, KEYS, KU,
    MD5_RSA, NC, ORGANIZATION, PC, PM, PSS, SAN, SERVER_AUTH, SHA1_RSA, SHA256_RSA, SKI, Extension,
    algorithm, basic_constraints, dns, general_names, generalized_time, key_identifier, kind_of,
    policies, public_key, purposes, subject, usual_signature, uri, utc_time)

ALL, CAS, LEAF, CA, ROOT = ("leaf", "ca", "root"), ("ca", "root"), ("leaf",), ("ca",), ("root",)
SIGNED = ("leaf", "ca")  # The signature and validity of a root are ignored.
MUTATIONS = []


class Mutation:
    def __init__(self, name, roles, change, keys=None):
        self.name, self.roles, self.change, self.keys = name, roles, change, keys


def add(name, roles, change, keys=None):
    """`keys` are the kinds of key that the certificate's signer must have, if not any."""
    MUTATIONS.append(Mutation(name, roles, change, keys))


def sets(**members):
    """Gives members of the certificate these values."""
    def change(chain, certificate, draw):
        for member, value in members.items():
            setattr(certificate, member, value)
    return change


def puts(kind, value, critical=False):
    return lambda chain, certificate, draw: certificate.put(kind, value, critical)


# Extensions, one after the other.

EXTENSIONS = {
    "basicConstraints": (BC, ALL), "keyUsage": (KU, ALL), "extKeyUsage": (EKU, SIGNED),
    "subjectAltName": (SAN, LEAF), "subjectKeyIdentifier": (SKI, ALL),
    "authorityKeyIdentifier": (AKI, SIGNED), "certificatePolicies": (CP, SIGNED),
    "authorityInfoAccess": (AIA, SIGNED), "cRLDistributionPoints": (CRLDP, SIGNED),
}


def changes_extension(kind, change):
    def changes(chain, certificate, draw):
        found = certificate.find(kind)
        if found is None:
            found = Extension(kind, False, der.sequence())
            certificate.extensions.append(found)
        change(certificate, found)
    return changes


def set_value(value):
    return lambda certificate, item: setattr(item, "value", value(item))


def set_raw(raw):
    return lambda certificate, item: setattr(item, "raw", raw(item))


def raw_with(critical, item):
    return der.sequence(der.oid(item.kind), critical, der.octets(item.value))


FAULTS = {
    "missing": lambda certificate, item: certificate.drop(item.kind),
    "no-value": set_value(lambda item: b""),
    "empty": set_value(lambda item: bytes([item.value[0], 0])),
    "duplicated": lambda certificate, item: certificate.extensions.append(item),
    "critical-flipped": lambda certificate, item: setattr(item, "critical", not item.critical),
    "wrong-tag": set_value(lambda item: b"\x16" + item.value[1:]),
    "null": set_value(lambda item: der.null()),
    "trailing-bytes": set_value(lambda item: item.value + b"\0"),
    "truncated": set_value(lambda item: item.value[:-1]),
    "inner-trailing": set_value(
        lambda item: der.tlv(item.value[0], item.value[2:], der.null())
        if item.value[1] < 0x80 else item.value + der.null()),
    "long-length": set_value(
        lambda item: item.value[:1] + b"\x81" + item.value[1:]
        if item.value[1] < 0x80 else item.value[:1] + b"\x82\0" + item.value[2:]),
    "indefinite": set_value(lambda item: item.value[:1] + b"\x80" + item.value[2:] + b"\0\0"),
    "critical-false-written": set_raw(lambda item: raw_with(der.boolean(False), item)),
    "critical-ber-true": set_raw(lambda item: raw_with(b"\x01\x01\x01", item)),
    "critical-integer": set_raw(lambda item: raw_with(der.integer(1), item)),
    "value-bit-string": set_raw(
        lambda item: der.sequence(der.oid(item.kind), der.tlv(0x03, b"\0" + item.value))),
    "element-after-value": set_raw(
        lambda item: der.sequence(der.oid(item.kind), der.octets(item.value), der.null())),
}

for label, (identifier, roles) in EXTENSIONS.items():
    for fault, function in FAULTS.items():
        add(f"{label}.{fault}", roles, changes_extension(identifier, function))

UNKNOWN = "1.3.6.1.4.1.99999.1"
add("unknown.plain", ALL, puts(UNKNOWN, der.null()))
add("unknown.critical", ALL, puts(UNKNOWN, der.null(), True))
add("unknown.no-value", ALL, puts(UNKNOWN, b""))
add("unknown.no-der", ALL, puts(UNKNOWN, b"\xff\xff\xff"))
add("extensions.absent", ALL, sets(extensions_field=b""))
add("extensions.empty", ALL, sets(extensions_field=der.explicit(3, der.sequence())))
add("extensions.set", ALL, sets(extensions_field=der.explicit(3, der.tlv(0x31))))
add("extensions.reversed", ALL, lambda chain, item, draw: item.extensions.reverse())
add("extensions.twice", ALL, lambda chain, item, draw: setattr(
    item, "extensions_field",
    der.explicit(3, der.sequence(*(each.encoded() for each in item.extensions))) * 2))


# Times. The moment of evaluation is 2025-06-15 12:00:00.

TIMES = {
    "expired": {"not_after": utc_time("250614000000Z")},
    "not-yet": {"not_before": utc_time("250616000000Z")},
    "last-second": {"not_after": utc_time("250615120000Z")},
    "one-second-late": {"not_after": utc_time("250615115959Z")},
    "first-second": {"not_before": utc_time("250615120000Z")},
    "one-second-early": {"not_before": utc_time("250615120001Z")},
    "swapped": {"not_before": utc_time("320101000000Z"), "not_after": utc_time("220101000000Z")},
    "begins-1950": {"not_before": utc_time("500101000000Z")},
    "ends-1950": {"not_after": utc_time("500101000000Z")},
    "ends-2049": {"not_after": utc_time("491231235959Z")},
    "ends-2050": {"not_after": generalized_time("20500101000000Z")},
    "ends-9999": {"not_after": generalized_time("99991231235959Z")},
    "generalized-2040": {"not_after": generalized_time("20400101000000Z")},
    "no-seconds": {"not_after": utc_time("2507150000Z")},
    "offset": {"not_after": utc_time("250715000000+0000")},
    "no-zone": {"not_after": utc_time("250715000000")},
    "fraction": {"not_after": generalized_time("20500101000000.5Z")},
    "month-13": {"not_after": utc_time("261301000000Z")},
    "february-30": {"not_after": utc_time("260230000000Z")},
    "february-29": {"not_after": utc_time("270229000000Z")},
    "leap-second": {"not_after": utc_time("261231235960Z")},
    "hour-24": {"not_after": utc_time("261231240000Z")},
    "letters": {"not_after": utc_time("2x0715000000Z")},
    "text": {"not_after": der.tlv(0x16, b"260715000000Z")},
    "empty": {"not_after": utc_time("")},
    "year-0000": {"not_before": generalized_time("00000101000000Z")},
    "year-1960": {"not_before": generalized_time("19600101000000Z")},
    "long": {"not_after": utc_time("300101000000Z")},
}
for label, members in TIMES.items():
    add(f"time.{label}", ALL, sets(**members))

# Serial numbers, versions, unique identifiers.

SERIALS = {
    "zero": der.integer(0), "negative": der.integer(-5), "one": der.integer(1),
    "20-octets": der.tlv(2, b"\x7f" + b"\x11" * 19), "21-octets": der.tlv(2, b"\x01" * 21),
    "21-octets-padded": der.tlv(2, b"\0" + b"\xff" * 20), "100-octets": der.tlv(2, b"\x01" * 100),
    "not-minimal": der.tlv(2, b"\0\x01\x02\x03\x04\x05\x06\x07\x08\x09"),
    "negative-not-minimal": der.tlv(2, b"\xff\x81"), "empty": der.tlv(2),
    "enumerated": der.tlv(10, b"\x05"),
}
for label, value in SERIALS.items():
    add(f"serial.{label}", ALL, sets(serial=value))

VERSIONS = {
    "1-written": der.explicit(0, der.integer(0)), "2": der.explicit(0, der.integer(1)),
    "4": der.explicit(0, der.integer(3)), "negative": der.explicit(0, der.integer(-1)),
    "absent": b"", "huge": der.explicit(0, der.integer(1 << 70)),
    "no-explicit": der.integer(2), "padded": der.explicit(0, b"\x02\x02\0\x02"),
}
for label, value in VERSIONS.items():
    add(f"version.{label}", ALL, sets(version=value))
add("version.1-no-extensions", ALL, sets(version=b"", extensions_field=b""))
add("version.2-no-extensions", ALL, sets(
    version=der.explicit(0, der.integer(1)), extensions_field=b""))
add("unique-id.subject", ALL, sets(unique_ids=der.tlv(0x82, b"\0\x01\x02")))
add("unique-id.both", ALL, sets(unique_ids=der.tlv(0x81, b"\0\x01") + der.tlv(0x82, b"\0\x02")))
add("unique-id.swapped", ALL, sets(unique_ids=der.tlv(0x82, b"\0\x02") + der.tlv(0x81, b"\0\x01")))
add("unique-id.version-1", LEAF, sets(
    version=b"", extensions_field=b"", unique_ids=der.tlv(0x82, b"\0\x01\x02")))

# Names.


def names_ca(value):
    """Gives a CA this subject, and its issued certificates this issuer."""
    def change(chain, certificate, draw):
        for item in [chain.leaf, *chain.middle]:
            if item.issuer == certificate.subject:
                item.issuer = value
        if certificate.issuer == certificate.subject:
            certificate.issuer = value
        certificate.subject = value
    return change


def replacing_value(encoding, content, replacement):
    """Replaces the element with this content by another."""
    place = next(place for place in der.elements(encoding) if encoding[place[1]:place[2]] == content)
    return der.replacing(encoding, place, replacement)


def links_by(value):
    """Gives the certificate an issuer that is spelled differently from its CA's subject."""
    return lambda chain, certificate, draw: setattr(certificate, "issuer", value(certificate.issuer))


NAMES = {
    "empty": der.sequence(), "set": der.tlv(0x31),
    "country-of-three": der.name((COUNTRY, der.printable("GBR")), (COMMON_NAME, der.utf8("x"))),
    "empty-rdn": der.sequence(der.tlv(0x31)),
    "empty-value": der.name((COMMON_NAME, der.utf8(""))),
    "t61": der.name((COMMON_NAME, der.tlv(0x14, b"a\xe9b"))),
    "bmp": der.name((COMMON_NAME, der.tlv(0x1E, "Prüf".encode("utf-16-be")))),
    "bmp-odd": der.name((COMMON_NAME, der.tlv(0x1E, b"\0a\0"))),
    "universal": der.name((COMMON_NAME, der.tlv(0x1C, "Prüf".encode("utf-32-be")))),
    "utf8-invalid": der.name((COMMON_NAME, der.tlv(0x0C, b"a\xff\xfeb"))),
    "printable-invalid": der.name((COMMON_NAME, der.tlv(0x13, b"a*b@c"))),
    "long": der.name((COMMON_NAME, der.utf8("x" * 100))),
    "integer": der.name((COMMON_NAME, der.integer(5))),
    "nul": der.name((COMMON_NAME, der.utf8("shop.example.com\0.evil.example"))),
    "two-in-rdn": der.sequence(der.set_of(
        der.sequence(der.oid(COMMON_NAME), der.utf8("x")),
        der.sequence(der.oid(ORGANIZATION), der.utf8("y")))),
    "two-in-rdn-unsorted": der.sequence(der.tlv(
        0x31, der.sequence(der.oid(ORGANIZATION), der.utf8("y")),
        der.sequence(der.oid(COMMON_NAME), der.utf8("x")))),
    "no-value": der.sequence(der.tlv(0x31, der.sequence(der.oid(COMMON_NAME)))),
    "other-cn": der.name((COMMON_NAME, der.utf8("other.example.net"))),
    "cn-upper-case": der.name((COMMON_NAME, der.utf8(HOST.upper()))),
    "two-cns": der.name(
        (COMMON_NAME, der.utf8("example.com")), (COMMON_NAME, der.utf8(HOST))),
    "no-cn": der.name((ORGANIZATION, der.utf8("Shop"))),
}
for label, value in NAMES.items():
    add(f"subject.{label}", LEAF, sets(subject=value))
    if "cn" not in label:
        add(f"name.{label}", CAS, names_ca(value))
        add(f"issuer.{label}", SIGNED, sets(issuer=value))
add("subject.empty-san-critical", LEAF, lambda chain, item, draw: (
    setattr(item, "subject", der.sequence()), setattr(item.find(SAN), "critical", True)))
LINKS = {
    "upper-case": lambda name: name.replace(b"Example Trust", b"EXAMPLE TRUST"),
    "printable": lambda name: name.replace(b"\x0c\x0dExample Trust", b"\x13\x0dExample Trust"),
    "teletex": lambda name: name.replace(b"\x0c\x0dExample Trust", b"\x14\x0dExample Trust"),
    "other": lambda name: name.replace(b"Example Trust", b"Example Trist"),
    "two-blanks": lambda name: replacing_value(name, b"Example Trust", der.utf8("Example  Trust")),
    "reordered": lambda name: der.sequence(*reversed(top_level(name))),
}


def top_level(encoding):
    parts, at = [], 2
    for start, _, end in der.elements(encoding)[1:]:
        if start >= at:
            parts.append(encoding[start:end])
            at = end
    return parts


for label, value in LINKS.items():
    add(f"link.{label}", SIGNED, links_by(value))

# Key usage, basic constraints, extended key usage.

USAGES = {
    "no-bits": der.bits(b""), "zero-octet": der.bits(b"\0"), "unused-8": der.tlv(3, b"\x08\x80"),
    "trailing-zeros": der.bits(b"\x80"), "padding-set": der.tlv(3, b"\x07\xff"),
    "empty": der.tlv(3), "nine-bits": der.tlv(3, b"\x07\x06\x80"),
    "seven-bits-more": der.tlv(3, b"\x00\x86\xff"),
    "digitalSignature": der.named_bits([0]), "nonRepudiation": der.named_bits([1]),
    "keyEncipherment": der.named_bits([2]), "keyAgreement": der.named_bits([4]),
    "keyCertSign": der.named_bits([5]), "cRLSign": der.named_bits([6]),
    "encipherOnly": der.named_bits([4, 7]), "encipherOnly-alone": der.named_bits([7]),
    "decipherOnly": der.named_bits([4, 8]), "all": der.named_bits(range(9)),
}
for label, value in USAGES.items():
    add(f"keyUsage.{label}", ALL, puts(KU, value, True))

CONSTRAINTS = {
    "not-ca": basic_constraints(False), "ca": basic_constraints(True),
    "false-written": der.sequence(der.boolean(False)),
    "ber-true": der.sequence(b"\x01\x01\x01"), "length-0": basic_constraints(True, 0),
    "length-1": basic_constraints(True, 1), "length-negative": basic_constraints(True, -1),
    "length-128": basic_constraints(True, 128), "length-2^70": basic_constraints(True, 1 << 70),
    "length-padded": der.sequence(der.boolean(True), b"\x02\x02\0\x03"),
    "length-without-ca": basic_constraints(False, 3),
    "length-first": der.sequence(der.integer(3), der.boolean(True)),
    "length-empty": der.sequence(der.boolean(True), der.tlv(2)),
    "more": der.sequence(der.boolean(True), der.integer(3), der.null()),
}
for label, value in CONSTRAINTS.items():
    add(f"basicConstraints.{label}", ALL, puts(BC, value, True))

PURPOSES = {
    "any": purposes(ANY_EKU), "client": purposes(CLIENT_AUTH),
    "server-client": purposes(SERVER_AUTH, CLIENT_AUTH), "code": purposes(CODE_SIGNING),
    "server-any": purposes(SERVER_AUTH, ANY_EKU), "server-twice": purposes(SERVER_AUTH, SERVER_AUTH),
    "unknown": purposes(UNKNOWN), "server-unknown": purposes(SERVER_AUTH, UNKNOWN),
    "sgc": purposes("2.16.840.1.113730.4.1"), "ocsp": purposes("1.3.6.1.5.5.7.3.9"),
}
for label, value in PURPOSES.items():
    add(f"extKeyUsage.{label}", ALL, puts(EKU, value))
    add(f"extKeyUsage.{label}-critical", LEAF, puts(EKU, value, True))

# Subject alternative names of the leaf, for the host shop.example.com.

ALTERNATIVES = {
    "other-host": [dns("www.example.com")], "upper-case": [dns("SHOP.Example.COM")],
    "wildcard": [dns("*.example.com")], "wildcard-tld": [dns("*.com")],
    "wildcard-alone": [dns("*")], "wildcard-deeper": [dns("*.shop.example.com")],
    "wildcard-middle": [dns("shop.*.com")], "wildcard-part": [dns("s*.example.com")],
    "wildcard-tail": [dns("*p.example.com")], "wildcard-two": [dns("*.*.com")],
    "wildcard-idn": [dns("xn--*.example.com")], "parent": [dns("example.com")],
    "child": [dns("a.shop.example.com")], "trailing-dot": [dns("shop.example.com.")],
    "leading-dot": [dns(".example.com")], "underscore": [dns(HOST), dns("a_b.example.com")],
    "empty-dns": [dns(""), dns(HOST)], "blank": [dns(" "), dns(HOST)],
    "trailing-blank": [dns("shop.example.com ")], "nul": [dns(b"shop.example.com\0.evil.example")],
    "nul-after": [dns(b"shop.example.com\0")], "utf8": [dns("prüf.example.com"), dns(HOST)],
    "high-octet": [dns(b"\xffshop.example.com"), dns(HOST)],
    "label-64": [dns("a" * 64 + ".example.com"), dns(HOST)],
    "name-254": [dns("a." * 120 + "example.com.abc"), dns(HOST)],
    "double-dot": [dns("a..example.com"), dns(HOST)], "hyphen": [dns("-a.example.com"), dns(HOST)],
    "address-in-dns": [dns("192.0.2.1"), dns(HOST)], "port": [dns("shop.example.com:443")],
    "url-in-dns": [dns("https://shop.example.com/")],
    "comma": [dns("evil.test, DNS:shop.example.com")],
    "ip": [der.tlv(0x87, bytes([192, 0, 2, 1]))], "ip-too": [dns(HOST), der.tlv(0x87, b"\xc0\0\2\1")],
    "ipv6-too": [dns(HOST), der.tlv(0x87, b"\x20\1\x0d\xb8" + b"\0" * 12)],
    "ip-5-octets": [dns(HOST), der.tlv(0x87, b"\xc0\0\2\1\1")],
    "ip-empty": [dns(HOST), der.tlv(0x87)], "mail": [der.tlv(0x81, b"a@example.com")],
    "mail-too": [dns(HOST), der.tlv(0x81, b"a@example.com")],
    "mail-bad": [dns(HOST), der.tlv(0x81, b"example")],
    "uri": [uri("https://shop.example.com/")], "uri-too": [dns(HOST), uri("https://a.example.com/")],
    "uri-relative": [dns(HOST), uri("/a")], "uri-empty": [dns(HOST), uri("")],
    "directory": [der.explicit(4, der.name((COMMON_NAME, der.utf8(HOST))))],
    "directory-too": [dns(HOST), der.explicit(4, der.name((COMMON_NAME, der.utf8("x"))))],
    "directory-implicit": [dns(HOST), der.tlv(0xA4, der.set_of(
        der.sequence(der.oid(COMMON_NAME), der.utf8("x"))))],
    "other-name": [dns(HOST), der.tlv(0xA0, der.oid(UNKNOWN), der.explicit(0, der.utf8("x")))],
    "other-name-no-value": [dns(HOST), der.tlv(0xA0, der.oid(UNKNOWN))],
    "registered": [dns(HOST), der.tlv(0x88, der.oid(UNKNOWN)[2:])],
    "registered-empty": [dns(HOST), der.tlv(0x88)],
    "edi": [dns(HOST), der.tlv(0xA5, der.explicit(1, der.utf8("x")))],
    "x400": [dns(HOST), der.tlv(0xA3, der.sequence())],
    "tag-9": [dns(HOST), der.tlv(0x89, b"x")], "universal-tag": [dns(HOST), der.utf8(HOST)],
    "constructed-dns": [der.tlv(0xA2, der.tlv(0x16, HOST.encode()))],
    "twice": [dns(HOST), dns(HOST)], "many": [dns(f"a{n}.example.com") for n in range(300)] + [dns(HOST)],
}
for label, value in ALTERNATIVES.items():
    add(f"subjectAltName.{label}", LEAF, puts(SAN, general_names(*value)))
    if label in ("wildcard", "ip", "mail", "ip-too", "directory", "nul"):
        add(f"subjectAltName.{label}-critical", LEAF, puts(SAN, general_names(*value), True))


# Name constraints of a CA. Permitted subtrees are [0], excluded ones [1].


def constraints(permitted=(), excluded=(), critical=True):
    parts = [der.explicit(number, *(der.sequence(item) if isinstance(item, bytes) else
                                    der.sequence(*item) for item in trees))
             for number, trees in ((0, permitted), (1, excluded)) if trees]
    return puts(NC, der.sequence(*parts), critical)


def directory(*attributes):
    return der.explicit(4, der.name(*attributes))


NAME_CONSTRAINTS = {
    "fits": constraints([dns("example.com")]), "host": constraints([dns(HOST)]),
    "fits-not-critical": constraints([dns("example.com")], critical=False),
    "other": constraints([dns("example.net")]),
    "other-not-critical": constraints([dns("example.net")], critical=False),
    "dot": constraints([dns(".example.com")]), "trailing-dot": constraints([dns("example.com.")]),
    "everything": constraints([dns("")]), "wildcard": constraints([dns("*.example.com")]),
    "upper-case": constraints([dns("EXAMPLE.COM")]), "suffix": constraints([dns("ample.com")]),
    "excluded": constraints(excluded=[dns(HOST)]),
    "excluded-parent": constraints(excluded=[dns("example.com")]),
    "excluded-dot": constraints(excluded=[dns(".example.com")]),
    "excluded-other": constraints(excluded=[dns("example.net")]),
    "excluded-everything": constraints(excluded=[dns("")]),
    "excluded-child": constraints(excluded=[dns("a.shop.example.com")]),
    "both": constraints([dns("example.com")], [dns("shop.example.com")]),
    "mail": constraints([der.tlv(0x81, b"example.com")]),
    "mail-bad": constraints([der.tlv(0x81, b"a@b@c")]),
    "uri": constraints([uri("example.com")]), "uri-bad": constraints([uri("https://example.com/")]),
    "ip": constraints([der.tlv(0x87, b"\xc0\0\2\0\xff\xff\xff\0")]),
    "ip-4-octets": constraints([der.tlv(0x87, b"\xc0\0\2\0")]),
    "ip-mask": constraints([der.tlv(0x87, b"\xc0\0\2\0\xff\0\xff\0")]),
    "directory-other": constraints([directory((COUNTRY, der.printable("FR")))]),
    "directory-empty": constraints([directory()]),
    "directory-excluded": constraints(excluded=[directory((COMMON_NAME, der.utf8(HOST)))]),
    "directory-excluded-all": constraints(excluded=[directory()]),
    "registered": constraints([der.tlv(0x88, der.oid(UNKNOWN)[2:])]),
    "registered-excluded": constraints(excluded=[der.tlv(0x88, der.oid(UNKNOWN)[2:])]),
    "other-name": constraints([der.tlv(0xA0, der.oid(UNKNOWN), der.explicit(0, der.utf8("x")))]),
    "minimum-0-written": constraints([(dns("example.com"), der.tlv(0x80, b"\0"))]),
    "minimum-1": constraints([(dns("example.com"), der.tlv(0x80, b"\1"))]),
    "maximum": constraints([(dns("example.com"), der.tlv(0x81, b"\5"))]),
    "empty": puts(NC, der.sequence(), True),
    "empty-trees": puts(NC, der.sequence(der.explicit(0)), True),
    "utf8": constraints([dns("exämple.com"), dns("example.com")]),
    "blank": constraints([dns(" "), dns("example.com")]),
}
for label, change in NAME_CONSTRAINTS.items():
    add(f"nameConstraints.{label}", CAS, change)
add("nameConstraints.leaf", LEAF, NAME_CONSTRAINTS["fits"])
add("nameConstraints.leaf-other", LEAF, NAME_CONSTRAINTS["other"])


def constrained_name(tree, name):
    """A name constraint of a CA, and another name of the leaf to which it applies."""
    def change(chain, certificate, draw):
        constraints(*tree)(chain, certificate, draw)
        chain.leaf.put(SAN, general_names(dns(HOST), name))
    return change


CONSTRAINED = {
    "ip-inside": (([der.tlv(0x87, b"\xc0\0\2\0\xff\xff\xff\0")],), der.tlv(0x87, b"\xc0\0\2\1")),
    "ip-outside": (([der.tlv(0x87, b"\xc0\0\2\0\xff\xff\xff\0")],), der.tlv(0x87, b"\xc0\0\3\1")),
    "ip-excluded": (((), [der.tlv(0x87, b"\0" * 8)]), der.tlv(0x87, b"\xc0\0\3\1")),
    "ipv6-for-ipv4": (([der.tlv(0x87, b"\0" * 32)],), der.tlv(0x87, b"\xc0\0\3\1")),
    "mail-inside": (([der.tlv(0x81, b"example.com")],), der.tlv(0x81, b"a@example.com")),
    "mail-outside": (([der.tlv(0x81, b"example.com")],), der.tlv(0x81, b"a@b.example.com")),
    "mail-domain": (([der.tlv(0x81, b".example.com")],), der.tlv(0x81, b"a@b.example.com")),
    "mail-mailbox": (([der.tlv(0x81, b"a@example.com")],), der.tlv(0x81, b"A@EXAMPLE.com")),
    "mail-excluded": (((), [der.tlv(0x81, b"a@example.com")]), der.tlv(0x81, b"a@EXAMPLE.com")),
    "uri-inside": (([uri("a.example.com")],), uri("https://a.example.com/x")),
    "uri-outside": (([uri("example.com")],), uri("https://a.example.com/x")),
    "uri-domain": (([uri(".example.com")],), uri("https://a.example.com/x")),
    "uri-ip": (([uri("example.com")],), uri("https://192.0.2.1/x")),
    "uri-urn": (([uri("example.com")],), uri("urn:isbn:0")),
    "uri-user": (((), [uri("evil.example")]), uri("https://good.example@evil.example/")),
    "wildcard-excluded": (((), [dns("a.example.com")]), dns("*.example.com")),
    "wildcard-inside": (([dns("example.com")],), dns("*.example.com")),
    "wildcard-outside": (([dns("shop.example.com"), dns("a.example.com")],), dns("*.example.com")),
    "registered-same": (([der.tlv(0x88, b"\x2a\3\4")],), der.tlv(0x88, b"\x2a\3\4")),
    "registered-other": (([der.tlv(0x88, b"\x2a\3\5")],), der.tlv(0x88, b"\x2a\3\4")),
    "registered-excluded": (((), [der.tlv(0x88, b"\x2a\3\4")]), der.tlv(0x88, b"\x2a\3\4")),
    "directory-inside": (([directory((COUNTRY, der.printable("GB"))), directory(
        (COMMON_NAME, der.utf8(HOST)))],), directory((COUNTRY, der.printable("gb")))),
    "directory-outside": (([directory((COUNTRY, der.printable("GB"))), directory(
        (COMMON_NAME, der.utf8(HOST)))],), directory((COUNTRY, der.printable("FR")))),
    "case": (([dns("Example.COM")],), dns("A.eXAMPLE.com")),
}
for label, (tree, value) in CONSTRAINED.items():
    add(f"constrained.{label}", CAS, constrained_name(tree, value))

# Certificate policies.

OTHER_POLICY = "1.3.6.1.4.1.99999.7"
EXPLICIT = der.sequence(der.tlv(0x80, b"\0"))


def required(change):
    """The change, in a path that requires an explicit policy below the root."""
    def changes(chain, certificate, draw):
        target = chain.middle[-1] if chain.middle else chain.leaf
        target.put(PC, EXPLICIT, True)
        change(chain, certificate, draw)
    return changes


def mapping(source, target):
    return puts(PM, der.sequence(der.sequence(der.oid(source), der.oid(target))), True)


POLICIES = {
    "same-twice": puts(CP, policies(DOMAIN_VALIDATED, DOMAIN_VALIDATED)),
    "other": puts(CP, policies(OTHER_POLICY)), "any": puts(CP, policies(ANY_POLICY)),
    "qualifier": puts(CP, der.sequence(der.sequence(der.oid(DOMAIN_VALIDATED), der.sequence(
        der.sequence(der.oid("1.3.6.1.5.5.7.2.1"), der.tlv(0x16, b"http://a.example.com/")))))),
    "qualifier-unknown": puts(CP, der.sequence(der.sequence(
        der.oid(DOMAIN_VALIDATED), der.sequence(der.sequence(der.oid(UNKNOWN), der.null()))))),
    "qualifiers-empty": puts(CP, der.sequence(
        der.sequence(der.oid(DOMAIN_VALIDATED), der.sequence()))),
}
for label, change in POLICIES.items():
    add(f"policies.{label}", SIGNED, change)
    add(f"policies.{label}-critical", SIGNED, lambda chain, item, draw, change=change: (
        change(chain, item, draw), setattr(item.find(CP), "critical", True)))
    add(f"policies.{label}-required", SIGNED, required(change))
add("policies.none-required", SIGNED, required(lambda chain, item, draw: item.drop(CP)))
add("policies.required", SIGNED, required(lambda chain, item, draw: None))
add("policies.mapped", CA, lambda chain, item, draw: (
    mapping(DOMAIN_VALIDATED, OTHER_POLICY)(chain, item, draw), item.put(PC, EXPLICIT, True),
    [each.put(CP, policies(OTHER_POLICY)) for each in below(chain, item)]))
add("policies.mapped-away", CA, lambda chain, item, draw: (
    mapping(DOMAIN_VALIDATED, OTHER_POLICY)(chain, item, draw), item.put(PC, EXPLICIT, True)))
add("policies.mapped-from-any", CA, mapping(ANY_POLICY, OTHER_POLICY))
add("policies.mapped-to-any", CA, mapping(DOMAIN_VALIDATED, ANY_POLICY))
add("policies.mapping-empty", CA, puts(PM, der.sequence(), True))
add("policies.mapping-not-critical", CA, lambda chain, item, draw: (
    mapping(DOMAIN_VALIDATED, OTHER_POLICY)(chain, item, draw),
    setattr(item.find(PM), "critical", False)))
add("policies.mapping-leaf", LEAF, mapping(DOMAIN_VALIDATED, OTHER_POLICY))
add("policies.inhibit-any", CA, lambda chain, item, draw: (
    item.put(PC, EXPLICIT, True), item.put(IAP, der.integer(0), True),
    chain.leaf.put(CP, policies(ANY_POLICY))))
add("policies.inhibit-any-later", CA, lambda chain, item, draw: (
    item.put(PC, EXPLICIT, True), item.put(IAP, der.integer(5), True),
    chain.leaf.put(CP, policies(ANY_POLICY))))
add("policies.inhibit-not-critical", CA, puts(IAP, der.integer(0)))
add("policies.inhibit-negative", CA, puts(IAP, der.integer(-1), True))
add("policies.inhibit-2^70", CA, puts(IAP, der.integer(1 << 70), True))
add("policies.constraints-empty", CA, puts(PC, der.sequence(), True))
add("policies.constraints-not-critical", CA, puts(PC, EXPLICIT))
add("policies.constraints-large", CA, puts(PC, der.sequence(der.tlv(0x80, b"\x7f")), True))
add("policies.constraints-2^70", CA, puts(
    PC, der.sequence(der.tlv(0x80, der.integer(1 << 70)[2:])), True))
add("policies.constraints-negative", CA, puts(PC, der.sequence(der.tlv(0x80, b"\xff")), True))
add("policies.constraints-leaf", LEAF, puts(PC, EXPLICIT, True))
add("policies.inhibit-leaf", LEAF, puts(IAP, der.integer(0), True))


def below(chain, certificate):
    line = [chain.leaf, *chain.middle, chain.root]
    return line[:next(n for n, item in enumerate(line) if item is certificate)]


# Algorithm identifiers, signatures and keys.

RSA_KEYS, EC_KEYS, ED_KEYS = ("rsa",), ("p256", "p384"), ("ed25519",)
OID_RSA, OID_EC = "1.2.840.113549.1.1.1", "1.2.840.10045.2.1"


def both_algorithms(value):
    return sets(inner_algorithm=value, outer_algorithm=value)


def signs(value, sign):
    return sets(inner_algorithm=value, outer_algorithm=value, sign=sign)


def rsa_with(digest):
    return lambda key, content: key.sign(content, padding.PKCS1v15(), digest)


def pss_with(digest, mask, salt):
    return lambda key, content: key.sign(
        content, padding.PSS(padding.MGF1(mask), salt_length=salt), digest)


SHA = {"1": "1.3.14.3.2.26", "256": "2.16.840.1.101.3.4.2.1", "384": "2.16.840.1.101.3.4.2.2"}


def pss_algorithm(digest=None, mask=None, salt=None, trailer=None):
    parts = []
    if digest:
        parts.append(der.explicit(0, algorithm(SHA[digest], der.null())))
    if mask:
        parts.append(der.explicit(1, algorithm(
            "1.2.840.113549.1.1.8", algorithm(SHA[mask], der.null()))))
    if salt is not None:
        parts.append(der.explicit(2, der.integer(salt)))
    if trailer is not None:
        parts.append(der.explicit(3, der.integer(trailer)))
    return algorithm(PSS, der.sequence(*parts))


SHA1, SHA256, SHA384 = hashes.SHA1(), hashes.SHA256(), hashes.SHA384()
PSS_256 = pss_with(SHA256, SHA256, 32)
for label, (value, sign) in {
    "sha1": (algorithm(SHA1_RSA, der.null()), rsa_with(SHA1)),
    "md5": (algorithm(MD5_RSA, der.null()), rsa_with(hashes.MD5())),
    "sha384": (algorithm("1.2.840.113549.1.1.12", der.null()), rsa_with(SHA384)),
    "sha512": (algorithm("1.2.840.113549.1.1.13", der.null()), rsa_with(hashes.SHA512())),
    "sha224": (algorithm("1.2.840.113549.1.1.14", der.null()), rsa_with(hashes.SHA224())),
    "no-parameters": (algorithm(SHA256_RSA), rsa_with(SHA256)),
    "octet-parameters": (algorithm(SHA256_RSA, der.octets(b"x")), rsa_with(SHA256)),
    "sequence-parameters": (algorithm(SHA256_RSA, der.sequence()), rsa_with(SHA256)),
    "pss": (pss_algorithm("256", "256", 32), PSS_256),
    "pss-384": (pss_algorithm("384", "384", 48), pss_with(SHA384, SHA384, 48)),
    "pss-mgf1-sha1": (pss_algorithm("256", None, 32), pss_with(SHA256, SHA1, 32)),
    "pss-defaults": (pss_algorithm(), pss_with(SHA1, SHA1, 20)),
    "pss-no-parameters": (algorithm(PSS), PSS_256),
    "pss-null": (algorithm(PSS, der.null()), PSS_256),
    "pss-other-salt": (pss_algorithm("256", "256", 20), PSS_256),
    "pss-negative-salt": (pss_algorithm("256", "256", -1), PSS_256),
    "pss-trailer-1": (pss_algorithm("256", "256", 32, 1), PSS_256),
    "pss-trailer-2": (pss_algorithm("256", "256", 32, 2), PSS_256),
    "unknown": (algorithm(UNKNOWN), rsa_with(SHA256)),
    "as-ecdsa": (algorithm(ECDSA_SHA256), rsa_with(SHA256)),
    "as-rsa-key": (algorithm(OID_RSA, der.null()), rsa_with(SHA256)),
}.items():
    add(f"algorithm.rsa-{label}", SIGNED, signs(value, sign), RSA_KEYS)


def ecdsa_with(digest):
    return lambda key, content: key.sign(content, ec.ECDSA(digest, deterministic_signing=True))


for label, (value, sign) in {
    "sha1": (algorithm(ECDSA_SHA1), ecdsa_with(SHA1)),
    "sha256": (algorithm(ECDSA_SHA256), ecdsa_with(SHA256)),
    "sha384": (algorithm(ECDSA_SHA384), ecdsa_with(SHA384)),
    "sha512": (algorithm("1.2.840.10045.4.3.4"), ecdsa_with(hashes.SHA512())),
    "null-parameters": (algorithm(ECDSA_SHA256, der.null()), ecdsa_with(SHA256)),
    "octet-parameters": (algorithm(ECDSA_SHA256, der.octets(b"x")), ecdsa_with(SHA256)),
    "as-rsa": (algorithm(SHA256_RSA, der.null()), ecdsa_with(SHA256)),
}.items():
    add(f"algorithm.ecdsa-{label}", SIGNED, signs(value, sign), EC_KEYS)
for label, value in {
    "null-parameters": algorithm(ED25519, der.null()),
    "as-ecdsa": algorithm(ECDSA_SHA256), "as-ed448": algorithm("1.3.101.113"),
}.items():
    add(f"algorithm.ed25519-{label}", SIGNED, both_algorithms(value), ED_KEYS)
add("algorithm.differ", ALL, lambda chain, item, draw: setattr(
    item, "outer_algorithm", algorithm("1.2.840.10045.4.3.4")))
add("algorithm.differ-parameters", ALL, sets(
    outer_algorithm=algorithm(SHA256_RSA)), RSA_KEYS)
add("algorithm.differ-inner", ALL, sets(inner_algorithm=algorithm(SHA1_RSA, der.null())), RSA_KEYS)
add("algorithm.empty", ALL, both_algorithms(der.sequence()))
add("algorithm.more", ALL, lambda chain, item, draw: both_algorithms(der.sequence(
    *top_level(item.inner_algorithm), der.null(), der.null()))(chain, item, draw))


def signature(change):
    return lambda chain, item, draw: setattr(
        item, "change_signature", lambda value: change(value, draw))


def flip(value, draw):
    at = draw.below(len(value))
    return value[:at] + bytes([value[at] ^ 1 << draw.below(8)]) + value[at + 1:]


def resigned(name):
    def change(chain, item, draw):
        kind = kind_of(item.signer)
        item.sign = lambda key, content: usual_signature(KEYS(kind, "stranger"), content)
    return change


def with_rs(change):
    return signature(lambda value, draw: change(*decode_dss_signature(value)))


for label, change in {
    "bit": flip, "empty": lambda value, draw: b"", "zero": lambda value, draw: bytes(len(value)),
    "short": lambda value, draw: value[:-1], "long": lambda value, draw: value + b"\0",
    "leading-zero": lambda value, draw: b"\0" + value, "random": lambda value, draw: draw.octets(len(value)),
}.items():
    add(f"signature.{label}", ALL, signature(change))
add("signature.stranger", ALL, resigned("stranger"))
add("signature.unused-bits", ALL, sets(signature_unused_bits=1))
P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
for label, change in {
    "swapped": lambda r, s: encode_dss_signature(s, r),
    "r-zero": lambda r, s: encode_dss_signature(0, s),
    "negated-s": lambda r, s: encode_dss_signature(r, P256_ORDER - s),
    "s-plus-order": lambda r, s: encode_dss_signature(r, P256_ORDER + s),
    "r-negative": lambda r, s: der.sequence(der.integer(-r), der.integer(s)),
    "r-padded": lambda r, s: der.sequence(
        der.tlv(2, b"\0\0", der.integer(r)[2:]), der.integer(s)),
    "more": lambda r, s: der.sequence(der.integer(r), der.integer(s), der.null()),
    "long-length": lambda r, s: b"\x30\x81" + encode_dss_signature(r, s)[1:],
    "raw": lambda r, s: (r % P256_ORDER).to_bytes(32, "big") + (s % P256_ORDER).to_bytes(32, "big"),
}.items():
    add(f"signature.ecdsa-{label}", SIGNED, with_rs(change), ("p256",))


def key_with(make):
    """Gives the certificate this public key; a CA's key is the one that signed below it."""
    def change(chain, item, draw):
        item.spki = make(item)
    return change


def parts_of(spki):
    return top_level(spki)


def other_parameters(*parameters):
    def make(item):
        head, key = parts_of(item.spki)
        return der.sequence(der.sequence(top_level(head)[0], *parameters), key)
    return make


def other_bits(change):
    def make(item):
        head, key = parts_of(item.spki)
        places = der.elements(key)
        return der.sequence(head, der.tlv(3, key[places[0][1]:][:1], change(key[places[0][1] + 1:])))
    return make


def own_kind(kinds, make):
    """Changes a key of these kinds; replaces another kind by one of them if the key signs nothing."""
    def change(chain, item, draw):
        if kind_of(item.key) not in kinds:
            if item is not chain.leaf:
                return False
            item.key = KEYS(kinds[0], "leaf")
            item.spki = public_key(item.key)
            item.put(SKI, der.octets(key_identifier(item.spki)))
        item.spki = make(item)
        return True
    return change


def compressed(point):
    half = len(point) // 2
    return bytes([2 + (point[-1] & 1)]) + point[1:half + 1]


def hybrid(point):
    return bytes([6 + (point[-1] & 1)]) + point[1:]


def rsa_bits(exponent=65537, change=lambda n: n):
    def make(item):
        numbers = item.key.public_key().public_numbers()
        head, _ = parts_of(item.spki)
        return der.sequence(head, der.bits(der.sequence(
            der.integer(change(numbers.n)), der.integer(exponent))))
    return make


for label, make in {
    "no-parameters": other_parameters(), "octet-parameters": other_parameters(der.octets(b"x")),
    "even": rsa_bits(change=lambda n: n - 1), "negative": rsa_bits(change=lambda n: -n),
    "exponent-1": rsa_bits(1), "exponent-2": rsa_bits(2), "exponent-3": rsa_bits(3),
    "exponent-large": rsa_bits((1 << 70) + 1), "trailing-bytes": other_bits(lambda key: key + b"\0"),
    "truncated": other_bits(lambda key: key[:-1]), "empty": other_bits(lambda key: b""),
    "as-pss": lambda item: der.sequence(algorithm(PSS), parts_of(item.spki)[1]),
    "unused-bits": lambda item: der.sequence(parts_of(item.spki)[0], b"\x03" + parts_of(
        item.spki)[1][1:4] + b"\x01" + parts_of(item.spki)[1][5:]),
}.items():
    add(f"key.rsa-{label}", ALL, own_kind(RSA_KEYS, make))
for label, make in {
    "no-parameters": other_parameters(), "null-parameters": other_parameters(der.null()),
    "explicit-parameters": other_parameters(der.sequence(der.integer(1))),
    "unknown-curve": other_parameters(der.oid(UNKNOWN)),
    "compressed": other_bits(compressed), "hybrid": other_bits(hybrid),
    "infinity": other_bits(lambda point: b"\0"), "empty": other_bits(lambda point: b""),
    "off-curve": other_bits(lambda point: point[:-1] + bytes([point[-1] ^ 1])),
    "truncated": other_bits(lambda point: point[:-1]), "more": other_bits(lambda point: point + b"\0"),
    "as-ecdh": lambda item: replacing_value(
        item.spki, der.oid(OID_EC)[2:], der.oid("1.3.132.1.12")),
}.items():
    add(f"key.ec-{label}", ALL, own_kind(EC_KEYS, make))
for label, make in {
    "null-parameters": other_parameters(der.null()),
    "truncated": other_bits(lambda point: point[:-1]), "more": other_bits(lambda point: point + b"\0"),
    "zero": other_bits(lambda point: bytes(32)),
}.items():
    add(f"key.ed25519-{label}", ALL, own_kind(ED_KEYS, make))


def leaf_key(kind):
    def change(chain, item, draw):
        item.key = KEYS(kind, "leaf")
        item.spki = public_key(item.key)
        item.put(SKI, der.octets(key_identifier(item.spki)))
    return change


for kind in ("rsa1024", "rsa3072", "p521"):
    add(f"key.{kind}", LEAF, leaf_key(kind))
add("key.unknown", LEAF, sets(spki=der.sequence(algorithm(UNKNOWN), der.bits(b"abc"))))

# Key identifiers.

FOREIGN = bytes(range(20))
for label, change in {
    "subject-other": lambda chain, item, draw: item.put(SKI, der.octets(FOREIGN)),
    "subject-empty": lambda chain, item, draw: item.put(SKI, der.octets(b"")),
    "subject-long": lambda chain, item, draw: item.put(SKI, der.octets(b"\1" * 100)),
}.items():
    add(f"identifier.{label}", ALL, change)
for label, value in {
    "authority-other": der.sequence(der.tlv(0x80, FOREIGN)),
    "authority-empty-id": der.sequence(der.tlv(0x80)),
    "authority-issuer-only": der.sequence(der.tlv(0xA1, der.explicit(4, subject("Root")))),
    "authority-serial-only": der.sequence(der.tlv(0x82, b"\x05")),
    "authority-serial-other": der.sequence(
        der.tlv(0xA1, der.explicit(4, subject("Root"))), der.tlv(0x82, b"\x05")),
    "authority-serial-negative": der.sequence(
        der.tlv(0xA1, der.explicit(4, subject("Root"))), der.tlv(0x82, b"\x85")),
}.items():
    add(f"identifier.{label}", SIGNED, puts(AKI, value))
add("identifier.authority-complete", SIGNED, lambda chain, item, draw: item.put(
    AKI, der.sequence(
        der.tlv(0x80, key_identifier(issuer_of(chain, item).spki)),
        der.tlv(0xA1, der.explicit(4, issuer_of(chain, item).issuer)),
        der.tlv(0x82, issuer_of(chain, item).serial[2:]))))
add("identifier.authority-wrong-serial", SIGNED, lambda chain, item, draw: item.put(
    AKI, der.sequence(
        der.tlv(0x80, key_identifier(issuer_of(chain, item).spki)),
        der.tlv(0xA1, der.explicit(4, issuer_of(chain, item).issuer)), der.tlv(0x82, b"\x05"))))
add("identifier.root-authority", ROOT, lambda chain, item, draw: item.put(
    AKI, der.sequence(der.tlv(0x80, key_identifier(item.spki)))))
add("identifier.root-authority-other", ROOT, lambda chain, item, draw: item.put(
    AKI, der.sequence(der.tlv(0x80, FOREIGN))))


def issuer_of(chain, certificate):
    line = [chain.leaf, *chain.middle, chain.root]
    place = next(n for n, item in enumerate(line) if item is certificate)
    return line[min(place + 1, len(line) - 1)]


# Which certificates are there, and in which order.


def candidates(change):
    return lambda chain, item, draw: setattr(chain, "untrusted", change(chain))


def leaf_is_root(chain, item, draw):
    chain.root, chain.middle, chain.roots, chain.untrusted = chain.leaf, [], [chain.leaf], []


def self_signed(chain, item, draw):
    item.issuer, item.signer = item.subject, item.key
    item.inner_algorithm = item.outer_algorithm = chain.leaf_algorithm
    item.drop(AKI)
    chain.untrusted = []


def prepare_self_signed(chain, item, draw):
    from certificates import usual_algorithm
    chain.leaf_algorithm = usual_algorithm(item.key)
    self_signed(chain, item, draw)


def other_root(same_name):
    def change(chain, item, draw):
        chain.roots = [chain.make_root(kind_of(chain.root.key), "stranger")]
        if same_name:
            chain.roots[0].subject = chain.roots[0].issuer = chain.root.subject
    return change


def two_roots(chain, item, draw):
    other_root(True)(chain, item, draw)
    chain.roots = [chain.roots[0], chain.root]


def expired_twin(role):
    """Adds a certificate of the same CA that has expired, before the good one."""
    def change(chain, item, draw):
        twin = chain.copy_of(chain.target(role))
        twin.not_after, twin.serial = utc_time("250101000000Z"), chain.serial()
        if role == "root":
            chain.roots = [twin, chain.root]
        else:
            chain.untrusted = [twin, *chain.middle]
    return change


for label, (roles, change) in {
    "missing-ca": (CA, candidates(lambda chain: chain.middle[1:])),
    "reversed": (CA, candidates(lambda chain: chain.middle[::-1])),
    "doubled": (CA, candidates(lambda chain: chain.middle * 2)),
    "root-too": (LEAF, candidates(lambda chain: [*chain.middle, chain.root])),
    "leaf-too": (LEAF, candidates(lambda chain: [chain.leaf, *chain.middle])),
    "only-leaf-trusted": (LEAF, leaf_is_root), "self-signed": (LEAF, prepare_self_signed),
    "other-root": (LEAF, other_root(False)), "same-name-root": (LEAF, other_root(True)),
    "two-roots": (LEAF, two_roots), "expired-ca-twin": (CA, expired_twin("ca")),
    "expired-root-twin": (ROOT, expired_twin("root")),
    "ca-trusted": (CA, lambda chain, item, draw: setattr(chain, "roots", [item])),
    "leaf-is-ca": (CA, lambda chain, item, draw: (
        setattr(chain, "leaf", item), setattr(chain, "middle", chain.middle[1:]))),
}.items():
    add(f"chain.{label}", roles, change)

# Octets of DER. `signed` changes the content before it is signed, so that only the change
# itself can lead to a refusal; `raw` changes the finished certificate.


def delete(value, draw):
    at = draw.below(len(value))
    return value[:at] + value[at + 1:]


def duplicate(value, draw):
    at = draw.below(len(value))
    return value[:at] + value[at:at + 1] + value[at:]


def at_element(change, fits=lambda encoding, place: True):
    """Changes one element and corrects the lengths around it."""
    def changes(value, draw):
        places = [place for place in der.elements(value) if fits(value, place)]
        place = draw.pick(places)
        return der.replacing(value, place, change(value[place[0]:place[2]], place[1] - place[0], draw))
    return changes


def long_length(element, header, draw):
    if header == 2:
        return element[:1] + b"\x81" + element[1:]
    return element[:1] + bytes([element[1] + 1]) + b"\0" + element[2:]


def is_constructed(encoding, place):
    return bool(encoding[place[0]] & 0x20)


def is_not_empty(encoding, place):
    return place[1] < place[2]


OCTETS = {
    "flip": flip, "delete": delete, "duplicate": duplicate,
    "element-twice": at_element(lambda element, header, draw: element * 2),
    "element-missing": at_element(lambda element, header, draw: b""),
    "element-empty": at_element(lambda element, header, draw: element[:1] + b"\0"),
    "long-length": at_element(long_length),
    "indefinite": at_element(lambda element, header, draw:
                             element[:1] + b"\x80" + element[header:] + b"\0\0", is_constructed),
    "tag": at_element(lambda element, header, draw: bytes([draw.below(256)]) + element[1:]),
    "content": at_element(lambda element, header, draw:
                          element[:header] + flip(element[header:], draw), is_not_empty),
    "null-after": at_element(lambda element, header, draw: element + der.null()),
    "zero-after-content": at_element(lambda element, header, draw: der.tlv(
        element[0], element[header:], b"\0")),
    "zero-before-content": at_element(lambda element, header, draw: der.tlv(
        element[0], b"\0", element[header:])),
}
for label, change in OCTETS.items():
    add(f"octets.{label}-signed", ALL, lambda chain, item, draw, change=change: setattr(
        item, "change_tbs", lambda value: change(value, draw)))
    add(f"octets.{label}-raw", SIGNED, lambda chain, item, draw, change=change: setattr(
        item, "change_all", lambda value: change(value, draw)))
add("octets.trailing-raw", ALL, sets(change_all=lambda value: value + b"\0"))
add("octets.truncated-raw", ALL, sets(change_all=lambda value: value[:-1]))
