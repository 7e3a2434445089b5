"""The program behind a session: `trustlab repl --protocol json`, one request and one answer per line."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path


class ProgramError(Exception):
    """What is wrong with the program itself, and what may be done."""

    def __init__(self, message, hint):
        super().__init__(message)
        self.message = message
        self.hint = hint


def find_program(environment=os.environ):
    """The path of `trustlab`: named by TRUSTLAB, on PATH, or built in a folder above this one."""
    named = environment.get("TRUSTLAB")
    if named:
        if os.access(named, os.X_OK) and not os.path.isdir(named):
            return os.path.abspath(named)
        raise ProgramError(f"TRUSTLAB names '{named}', which is no program", "name the file, or unset TRUSTLAB")
    found = shutil.which("trustlab", path=environment.get("PATH"))
    if found:
        return found
    for folder in Path(__file__).resolve().parents:
        for configuration in ("release", "debug"):
            candidate = folder / ".build" / configuration / "trustlab"
            if os.access(candidate, os.X_OK):
                return str(candidate)
    raise ProgramError(
        "the program 'trustlab' is not found", "'make run' builds it, 'make install' puts it on the path")


class Program:
    """One session. It begins with the first request, and anew after the program has ended."""

    def __init__(self, path=None, folder=None):
        self.path = path
        self.folder = folder
        self.process = None
        self.count = 0

    def ask(self, line):
        """The answer to one line: a dictionary with `text`, and `error` and `data` where there are such."""
        return self._request({"line": line})

    def completions(self, line):
        """The words that may stand in the place of the last one of `line`."""
        return self._request({"complete": line}).get("completions", [])

    def close(self):
        """Ends the session."""
        if self.process is not None:
            self._end(seconds=2)

    def _start(self):
        self.path = self.path or find_program()
        # A session of its own: an interrupt reaches the program once, from here.
        self.process = subprocess.Popen(
            [self.path, "repl", "--protocol", "json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, cwd=self.folder, start_new_session=True, encoding="utf-8")

    def _request(self, request):
        if self.process is None:
            try:
                self._start()
            except OSError as error:
                raise ProgramError(f"'{self.path}' does not start: {error.strerror}", "build it anew") from error
        self.count += 1
        request = {"id": self.count, **request}
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            answer = self._answer()
        except (BrokenPipeError, ValueError) as error:
            raise self._death() from error
        if answer.get("id") != self.count:
            self.close()
            raise ProgramError("the program answers another question", "run the cells above again")
        return answer

    def _answer(self):
        """The next answer; an interrupt meanwhile stops the command, which then says so itself."""
        with self._forwarding_interrupts():
            line = self.process.stdout.readline()
        if not line.endswith("\n"):
            raise BrokenPipeError
        return json.loads(line)

    @contextlib.contextmanager
    def _forwarding_interrupts(self):
        """Sends SIGINT on to the program; the second one ends it. An exception here would lose half an answer."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        process, times = self.process, []

        def forward(number, frame):
            times.append(number)
            process.send_signal(signal.SIGINT if len(times) == 1 else signal.SIGKILL)

        before = signal.signal(signal.SIGINT, forward)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _death(self):
        status = self._end(seconds=5)
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        return ProgramError(
            f"the program has ended {how}", "the next cell begins a new session: run those above again")

    def _end(self, seconds):
        """Lets go of the program, which has so many seconds to end by itself; how it ended."""
        process, self.process = self.process, None
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                stream.close()
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()
