"""The kernel as Jupyter sees it: messages in, messages out, with the real program behind it."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from jupyter_client.manager import KernelManager


class Notebook(unittest.TestCase):
    """Each test has a kernel of its own, in an empty folder."""

    environment = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.manager = KernelManager(kernel_name="trustlab", transport="ipc", connection_file=f"{self.folder}/k.json")
        self.manager.start_kernel(cwd=self.folder, env={**os.environ, **self.environment})
        self.addCleanup(self.manager.shutdown_kernel, now=True)
        self.client = self.manager.client()
        self.client.start_channels()
        self.addCleanup(self.client.stop_channels)
        self.client.wait_for_ready(timeout=60)

    def execute(self, code, meanwhile=None):
        """What a cell shows: its text, its pictures by type, and its error."""
        shown, pictures, error = "", [], None

        def note(message):
            nonlocal shown, error
            content = message["content"]
            if message["msg_type"] == "stream":
                shown += content["text"]
            elif message["msg_type"] == "display_data":
                pictures.append(content["data"])
            elif message["msg_type"] == "error":
                error = content

        if meanwhile is not None:
            meanwhile.start()
        reply = self.client.execute_interactive(code, timeout=60, allow_stdin=False, output_hook=note)
        self.assertEqual(reply["content"]["status"], "ok" if error is None else "error")
        return shown, pictures, error


class Kernel(Notebook):
    def test_the_session_goes_on_from_cell_to_cell(self):
        self.execute("open L1-15")
        shown, _, error = self.execute("run")
        self.assertIsNone(error)
        self.assertIn("REFUSED because of ats.no-forward-secrecy", shown)

    def test_of_several_commands_each_answer_stands_below_its_own(self):
        shown, _, _ = self.execute("open L1-15\nrun")
        self.assertLess(shown.index("> open L1-15"), shown.index("> run"))
        self.assertLess(shown.index("> run"), shown.index("REFUSED"))

    def test_a_diagram_is_a_picture_and_a_text(self):
        self.execute("open L1-15\nrun")
        _, pictures, _ = self.execute("diagram")
        self.assertEqual(set(pictures[0]), {"text/plain", "image/svg+xml"})
        self.assertIn("ClientHello", pictures[0]["text/plain"])

    def test_a_table_is_a_table(self):
        self.execute("open L1-15")
        _, pictures, _ = self.execute("matrix os iOS 8, iOS 9")
        self.assertIn("<table", pictures[0]["text/html"])

    def test_a_command_that_fails_ends_the_cell_and_says_why_once(self):
        shown, _, error = self.execute("stpe\nopen L1-15")
        self.assertIn("did you mean 'step'?", shown)
        self.assertNotIn("L1-15", shown)
        self.assertEqual(error["evalue"], "unknown command 'stpe'")
        self.assertEqual(error["traceback"], [])

    def test_words_are_completed_where_the_cursor_stands(self):
        code = "open L1-15\nmatrix o"
        reply = self.client.complete(code, len(code), reply=True, timeout=60)["content"]
        self.assertEqual((reply["matches"], reply["cursor_start"]), (["os"], len(code) - 1))

    def test_words_are_explained_and_the_session_does_not_notice(self):
        self.execute("open L1-15")
        for word, said in (("ats.no-forward-secrecy", "The key exchange must be ECDHE"), ("step", "one step or N steps")):
            reply = self.client.inspect(word, 2, reply=True, timeout=60)["content"]
            self.assertTrue(reply["found"])
            self.assertIn(said, reply["data"]["text/plain"])
        self.execute("save session.txt")
        self.assertNotIn("explain", Path(self.folder, "session.txt").read_text())

    def test_a_word_that_means_nothing_is_not_explained(self):
        self.assertFalse(self.client.inspect("xyzzy", 2, reply=True, timeout=60)["content"]["found"])

    def test_a_file_is_written_and_opened(self):
        self.execute("%%file mine.yaml\ntitle: Mine\nrequest: https://api.example/\nexpect: { verdict: accepted }")
        shown, _, _ = self.execute("open mine.yaml\nrun")
        self.assertIn("ACCEPTED", shown)

    def test_a_file_of_somebody_else_is_not_written_over(self):
        Path(self.folder, "mine.yaml").write_text("precious")
        _, _, error = self.execute("%%file mine.yaml\ntitle: Mine")
        self.assertIn("already", error["evalue"])
        self.assertEqual(Path(self.folder, "mine.yaml").read_text(), "precious")
        self.assertIsNone(self.execute("%%file --replace mine.yaml\ntitle: Mine")[2])
        # What the notebook wrote itself it may write again.
        self.assertIsNone(self.execute("%%file mine.yaml\ntitle: Ours")[2])
        self.assertEqual(Path(self.folder, "mine.yaml").read_text(), "title: Ours\n")

    def test_the_program_runs_and_its_status_is_told(self):
        self.execute("%%file wrong.yaml\ntitle: Mine\nrequest: https://api.example/\nexpect: { verdict: refused }")
        shown, _, error = self.execute("!trustlab test wrong.yaml")
        self.assertIn("0 passed, 1 failed", shown)
        self.assertIn("exit status 1", shown)
        self.assertIsNone(error)
        _, _, error = self.execute("!trustlab nonsense")
        self.assertEqual(error["evalue"], "exit status 2")

    def test_an_interrupt_stops_the_command_and_the_session_goes_on(self):
        self.execute("open L5-02")
        interrupt = threading.Timer(1, lambda: os.kill(self.manager.provisioner.pid, signal.SIGINT))
        self.addCleanup(interrupt.cancel)
        _, pictures, _ = self.execute("sweep certificates.google.days 1..1000", meanwhile=interrupt)
        self.assertRegex(pictures[0]["text/plain"], r"interrupted after \d+ of 1000")
        self.assertIsNone(self.execute("step")[2])

    def test_a_program_that_dies_is_told_of_and_the_next_cell_begins_anew(self):
        self.execute("open L1-15")
        kill_programs(self.folder)
        _, _, error = self.execute("step")
        self.assertIn("has ended by signal 9", error["evalue"])
        self.assertIn("run those above again", error["traceback"][1])
        self.assertIsNone(self.execute("open L1-15")[2])


class WithoutProgram(Notebook):
    environment = {"TRUSTLAB": "/nowhere/trustlab"}

    def test_a_missing_program_is_named(self):
        _, _, error = self.execute("open L1-15")
        self.assertEqual(error["evalue"], "TRUSTLAB names '/nowhere/trustlab', which is no program")


def kill_programs(folder):
    """Ends the sessions that run in `folder`, as a crash would."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], stdout=subprocess.PIPE, encoding="utf-8", check=True)
    for line in listed.stdout.splitlines():
        number, _, command = line.strip().partition(" ")
        if "repl --protocol json" not in command or not sys.platform.startswith("linux"):
            continue
        if os.path.realpath(f"/proc/{number}/cwd") == os.path.realpath(folder):
            os.kill(int(number), signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
