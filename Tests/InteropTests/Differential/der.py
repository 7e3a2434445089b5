"""Encodes and takes apart DER, also where the result is no DER: for certificates with faults."""


def length(count):
    """Encodes a length in the fewest octets."""
    if count < 0x80:
        return bytes([count])
    octets = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(octets)]) + octets


def tlv(tag, *contents):
    content = b"".join(contents)
    return bytes([tag]) + length(len(content)) + content


def sequence(*contents):
    return tlv(0x30, *contents)


def set_of(*contents):
    return tlv(0x31, *sorted(contents))


def explicit(number, *contents):
    return tlv(0xA0 | number, *contents)


def octets(content):
    return tlv(0x04, content)


def bits(content, unused=0):
    return tlv(0x03, bytes([unused]), content)


def named_bits(numbers):
    """Encodes a named bit list (keyUsage) without trailing zero bits, as DER requires."""
    value = sum(1 << (15 - number) for number in numbers)
    if not value:
        return bits(b"")
    content = value.to_bytes(2, "big").rstrip(b"\0")
    unused = (content[-1] & -content[-1]).bit_length() - 1
    return bits(content, unused)


def integer(value):
    size = (value.bit_length() if value >= 0 else (value + 1).bit_length()) // 8 + 1
    return tlv(0x02, value.to_bytes(size, "big", signed=True))


def boolean(value):
    return tlv(0x01, b"\xff" if value else b"\0")


def null():
    return tlv(0x05)


def oid(text):
    first, second, *rest = (int(part) for part in text.split("."))
    content = b""
    for arc in [40 * first + second, *rest]:
        groups = [arc & 0x7F]
        while arc := arc >> 7:
            groups.append(0x80 | arc & 0x7F)
        content += bytes(reversed(groups))
    return tlv(0x06, content)


def utf8(text):
    return tlv(0x0C, text.encode())


def printable(text):
    return tlv(0x13, text.encode())


def name(*attributes):
    """Encodes a Name with one attribute in each RDN: pairs of an OID and an encoded value."""
    return sequence(*(set_of(sequence(oid(kind), value)) for kind, value in attributes))


def elements(encoding, start=0, end=None):
    """Lists the place of each element in `encoding`, outer ones first: start, content, end."""
    end = len(encoding) if end is None else end
    places = []
    while start < end:
        content = start + 2
        size = encoding[start + 1]
        if size >= 0x80:
            content += size & 0x7F
            size = int.from_bytes(encoding[start + 2:content], "big")
        places.append((start, content, content + size))
        if encoding[start] & 0x20:
            places += elements(encoding, content, content + size)
        start = content + size
    return places


def replacing(encoding, place, replacement):
    """Replaces one element and corrects the lengths of all that contain it."""
    start, _, end = place
    for outer in reversed(elements(encoding)):
        if outer[0] < start and end <= outer[2]:
            content = encoding[outer[1]:start] + replacement + encoding[end:outer[2]]
            replacement = tlv(encoding[outer[0]], content)
            start, end = outer[0], outer[2]
    return encoding[:start] + replacement + encoding[end:]
