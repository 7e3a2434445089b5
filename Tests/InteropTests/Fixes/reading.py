"""Reads certificates into the parts from which `certificates.Certificate` issues them again."""

import der
from certificates import KEYS, Certificate, Extension, public_key, usual_algorithm

SPKI_KINDS = {"1.2.840.113549.1.1.1": "rsa2048", "1.2.840.113549.1.1.10": "rsa2048", "1.3.101.112": "ed25519"}
CURVES = {"1.2.840.10045.3.1.7": "p256", "1.3.132.0.34": "p384", "1.3.132.0.35": "p521"}


def children(encoding):
    """The encodings of the elements inside one element."""
    start, content, end = place(encoding, 0)
    found = []
    while content < end:
        _, _, last = place(encoding, content)
        found.append(encoding[content:last])
        content = last
    return found


def place(encoding, start):
    content, size = start + 2, encoding[start + 1]
    if size >= 0x80:
        content += size & 0x7F
        size = int.from_bytes(encoding[start + 2:content], "big")
    return start, content, content + size


def content(encoding):
    _, start, end = place(encoding, 0)
    return encoding[start:end]


def dotted(encoding):
    """The text of an OBJECT IDENTIFIER."""
    arcs, number = [], 0
    for octet in content(encoding):
        number = number << 7 | octet & 0x7F
        if octet < 0x80:
            arcs.append(number)
            number = 0
    first = min(arcs[0] // 40, 2)
    return ".".join(map(str, [first, arcs[0] - 40 * first, *arcs[1:]]))


def extension(encoding):
    parts = children(encoding)
    critical = len(parts) == 3 and content(parts[1]) != b"\0"
    return Extension(dotted(parts[0]), critical, content(parts[-1]), raw=encoding)


def kind_of(spki):
    """The kind of key that replaces this one."""
    algorithm = children(children(spki)[0])
    known = SPKI_KINDS.get(dotted(algorithm[0]))
    if known:
        return known
    curve = algorithm[1] if len(algorithm) > 1 and algorithm[1][0] == 6 else None
    return CURVES.get(dotted(curve), "p256") if curve else "p256"


def read(encoding):
    """A certificate that can be changed and issued again. Its key is known if the generator made it."""
    tbs, outer, _ = children(encoding)
    parts = children(tbs)
    version = parts.pop(0) if parts[0][0] == 0xA0 else b""
    serial, inner, issuer, validity, subject, spki, *rest = parts
    not_before, not_after = children(validity)
    listed = [item for item in rest if item[0] == 0xA3]
    known = {public_key(key): key for key in KEYS.known.values()}
    certificate = Certificate(
        subject, known.get(spki), issuer, None, serial, version=version, not_before=not_before, not_after=not_after,
        inner_algorithm=inner, outer_algorithm=outer, spki=spki,
        unique_ids=b"".join(item for item in rest if item[0] in (0x81, 0x82)),
        extensions=[extension(item) for item in children(children(listed[0])[0])] if listed else [],
        extensions_field=None if listed else b"")
    certificate.original, certificate.original_tbs = encoding, tbs
    return certificate


class Path(list):
    """The certificates of a path, the leaf first, with the client's roots and the time of the evaluation."""

    def __init__(self, certificates, roots, at, host):
        super().__init__(certificates)
        self.roots, self.at, self.host = roots, at, host

    def issue(self):
        """Signs each certificate again if it has changed or its issuer has another key.

        An issuer whose private key is not in the input gets another key of its kind.
        """
        signed = []
        for index, certificate in enumerate(self):
            issuer = self[min(index + 1, len(self) - 1)]
            is_new = not hasattr(certificate, "original")
            if not is_new and certificate.tbs() == certificate.original_tbs and certificate.outer_algorithm == \
                    children(certificate.original)[1] and not certificate.sign and not getattr(issuer, "has_other_key", False):
                signed.append(certificate.original)
                continue
            if issuer.key is None:
                set_key(issuer, KEYS(kind_of(issuer.spki), f"issuer {index + 1}"))
            certificate.signer = issuer.key
            if not certificate.sign:
                certificate.inner_algorithm = certificate.outer_algorithm = usual_algorithm(issuer.key)
            signed.append(certificate.encoded())
        return signed


def set_key(certificate, key):
    certificate.key, certificate.spki, certificate.has_other_key = key, public_key(key), True
