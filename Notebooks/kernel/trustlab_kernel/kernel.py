"""The kernel: Jupyter's messages on one side, a session of TrustLab on the other."""

import re
import subprocess

from ipykernel.kernelbase import Kernel

from . import __version__
from .cell import CellError, Run, WriteFile, parse
from .program import Program, ProgramError, find_program

# What a picture replaces: a diagram is shown as SVG, a table as HTML, and the text stays for who reads none.
PICTURES = ("image/svg+xml", "text/html")
# A program that asks or computes without end does not hold the notebook.
LONGEST_RUN = 120


class TrustLabKernel(Kernel):
    """Each line of a cell is a command of the shell; `%%file NAME` writes a file, `!trustlab …` runs the program."""

    implementation = "trustlab_kernel"
    implementation_version = __version__
    language_info = {
        "name": "trustlab", "mimetype": "text/x-trustlab", "file_extension": ".txt", "pygments_lexer": "text",
    }
    banner = "TrustLab: why a TLS connection is trusted or refused. 'help' prints the commands."

    def __init__(self, **arguments):
        super().__init__(**arguments)
        self.conversation = Program()
        # Questions of the notebook about words, which are no part of the session.
        self.reference = Program()
        self.written = {}

    # Cells

    async def do_execute(
        self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, *, cell_id=None, **others
    ):
        try:
            parts = parse(code)
            for part in parts:
                self._do(part, silent, is_alone=len(parts) == 1)
        except (CellError, ProgramError) as error:
            return self._failed(error.message, error.hint, silent, is_told=False)
        except _CommandFailed as failure:
            return self._failed(failure.message, failure.hint, silent, is_told=True)
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    def _do(self, part, silent, is_alone):
        if isinstance(part, WriteFile):
            self._say(self._write(part), silent)
        elif isinstance(part, Run):
            self._run(part, silent)
        else:
            self._command(part, silent, is_alone)

    def _command(self, part, silent, is_alone):
        answer = self.conversation.ask(part.line)
        # Of several commands each answer stands below its own.
        heading = "" if is_alone else f"> {part.line}\n"
        text = answer.get("text", "")
        pictures = answer.get("data", {})
        kind = next((kind for kind in PICTURES if kind in pictures), None)
        if kind is None:
            self._say(heading + text, silent)
        elif not silent:
            self._say(heading, silent)
            data = {"text/plain": text, kind: pictures[kind]}
            self.send_response(self.iopub_socket, "display_data", {"data": data, "metadata": {}})
        if "error" in answer:
            raise _CommandFailed(answer["error"].get("message", ""), answer["error"].get("hint", ""))

    def _run(self, part, silent):
        try:
            done = subprocess.run(
                [find_program(), *part.arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=LONGEST_RUN, encoding="utf-8", errors="replace")
        except subprocess.TimeoutExpired:
            raise CellError(f"not done after {LONGEST_RUN} s", "run it in a terminal") from None
        except OSError as error:
            raise ProgramError(f"trustlab does not start: {error.strerror}", "build it anew") from error
        self._say(done.stdout, silent)
        if done.returncode == 1:
            self._say("(exit status 1: not as expected)\n", silent)
        elif done.returncode != 0:
            raise _CommandFailed(f"exit status {done.returncode}", "")

    def _write(self, part):
        """Writes the file, but over nothing that this notebook did not write."""
        data = part.text.encode()
        try:
            with open(part.name, "rb") as file:
                present = file.read()
        except FileNotFoundError:
            present = None
        except OSError as error:
            raise CellError(f"'{part.name}' cannot be written: {error.strerror}", "take another name") from error
        is_own = present is None or present == data or present == self.written.get(part.name)
        if not is_own and not part.replaces:
            raise CellError(
                f"there is a file '{part.name}' already, with something else in it",
                f"take another name, or write '%%file --replace {part.name}'")
        try:
            with open(part.name, "wb") as file:
                file.write(data)
        except OSError as error:
            raise CellError(f"'{part.name}' cannot be written: {error.strerror}", "take another name") from error
        self.written[part.name] = data
        return f"{part.name}: written\n"

    def _say(self, text, silent):
        if text and not silent:
            self.send_response(self.iopub_socket, "stream", {"name": "stdout", "text": text})

    def _failed(self, message, hint, silent, is_told):
        trace = [] if is_told else [f"error: {message}"] + ([f"hint: {hint}"] if hint else [])
        error = {"ename": "Error", "evalue": message, "traceback": trace}
        if not silent:
            self.send_response(self.iopub_socket, "error", error)
        return {"status": "error", "execution_count": self.execution_count, **error}

    # Words

    async def do_complete(self, code, cursor_pos):
        line = code[:cursor_pos].rpartition("\n")[2]
        start = cursor_pos - len(re.search(r"\S*$", line).group())
        try:
            matches = self.conversation.completions(line.lstrip())
        except ProgramError:
            matches = []
        return {
            "status": "ok", "matches": matches, "cursor_start": start, "cursor_end": cursor_pos, "metadata": {},
        }

    async def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        word = word_at(code, cursor_pos)
        text = self._explanation(word) if word else None
        data = {"text/plain": text} if text else {}
        return {"status": "ok", "found": bool(text), "data": data, "metadata": {}}

    def _explanation(self, word):
        """What a word means: a command's help, or a rule, key, code, suite or term explained."""
        try:
            for line in (f"help {word}", f"explain {word}"):
                answer = self.reference.ask(line)
                if "error" not in answer:
                    return answer.get("text")
        except ProgramError:
            return None
        return None

    # The end

    async def do_is_complete(self, code):
        return {"status": "complete"}

    async def do_shutdown(self, restart):
        self.conversation.close()
        self.reference.close()
        return {"status": "ok", "restart": restart}


class _CommandFailed(Exception):
    """A command that the session has answered with an error, which the cell shows already."""

    def __init__(self, message, hint):
        super().__init__(message)
        self.message = message
        self.hint = hint


def word_at(code, position):
    """The word of rules, keys and commands (letters, digits, '.', '-', '_') around a place in a cell."""
    before = re.search(r"[\w.\-]*$", code[:position]).group()
    after = re.match(r"[\w.\-]*", code[position:]).group()
    return (before + after).strip(".")
