"""What a cell says: commands, a file to write, or the program to run."""

import re
import shlex
from dataclasses import dataclass


class CellError(Exception):
    """What is wrong with a cell, and what was probably meant."""

    def __init__(self, message, hint):
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass
class Command:
    """A line for the shell."""

    line: str


@dataclass
class Run:
    """A line `!trustlab …`: the program itself, as in a terminal."""

    arguments: list


@dataclass
class WriteFile:
    """A cell `%%file NAME`: everything below its first line, as a file beside the notebook."""

    name: str
    text: str
    replaces: bool


def parse(code):
    """The commands of a cell, in order. Lines that are empty or begin with '#' are passed over."""
    first, _, rest = code.lstrip("\n").partition("\n")
    if first.startswith("%%"):
        return [_file(first, rest)]
    parts = []
    for line in code.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        parts.append(_run(line) if line.startswith("!") else Command(line))
    return parts


def _file(first, text):
    words = first[2:].split()
    if not words or words[0] != "file":
        raise CellError(f"'{first.strip()}' is not known", "%%file NAME writes what stands below it into a file")
    replaces = "--replace" in words[1:]
    names = [word for word in words[1:] if word != "--replace"]
    if len(names) != 1:
        raise CellError("%%file takes one name", "%%file gateway.yaml")
    # A notebook from somebody else writes beside itself and nowhere else.
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", names[0]):
        raise CellError(f"'{names[0]}' is no plain name", "letters, digits, '.', '-' and '_': %%file gateway.yaml")
    return WriteFile(names[0], text if text.endswith("\n") else text + "\n", replaces)


def _run(line):
    try:
        words = shlex.split(line[1:])
    except ValueError as error:
        raise CellError(f"'{line}': {str(error).lower()}", "close what you quoted") from error
    if not words or words[0] != "trustlab":
        raise CellError(f"'{line}' is not run here", "'!trustlab' alone runs: !trustlab ats lint Info.plist")
    return Run(words[1:])
