"""What a cell may say, and what is wrong with one that says it otherwise."""

import unittest

from trustlab_kernel.cell import CellError, Command, Run, WriteFile, parse
from trustlab_kernel.kernel import word_at


class Cells(unittest.TestCase):
    def test_every_line_is_a_command_but_comments_and_empty_ones(self):
        self.assertEqual(parse("open L1-01\n\n  # look\n  run \n"), [Command("open L1-01"), Command("run")])

    def test_an_empty_cell_says_nothing(self):
        self.assertEqual(parse(""), [])
        self.assertEqual(parse("# only words\n"), [])

    def test_a_file_keeps_its_lines_as_they_are(self):
        self.assertEqual(
            parse("%%file a.yaml\n# title\n  x: 1\n"), [WriteFile("a.yaml", "# title\n  x: 1\n", replaces=False)])

    def test_a_file_ends_with_a_line(self):
        self.assertEqual(parse("%%file --replace a.yaml\nx: 1"), [WriteFile("a.yaml", "x: 1\n", replaces=True)])

    def test_a_file_lies_beside_the_notebook(self):
        for name in ("../a.yaml", "/etc/passwd", "a/b", ".bashrc", "~x", "a b"):
            with self.subTest(name), self.assertRaises(CellError):
                parse(f"%%file {name}\nx")

    def test_other_magic_is_named(self):
        with self.assertRaisesRegex(CellError, "'%%bash' is not known"):
            parse("%%bash\nls")

    def test_the_program_runs_with_its_arguments(self):
        self.assertEqual(
            parse("!trustlab run L1-01 --case 'iOS 8 has no ATS'"), [Run(["run", "L1-01", "--case", "iOS 8 has no ATS"])])

    def test_no_other_program_runs(self):
        for line in ("!rm -rf x", "!trustlabx", "!", "!trustlab 'open"):
            with self.subTest(line), self.assertRaises(CellError):
                parse(line)


class Words(unittest.TestCase):
    def test_the_word_around_the_cursor_is_a_rule_a_key_or_a_command(self):
        line = "why ats.no-forward-secrecy"
        self.assertEqual(word_at(line, 10), "ats.no-forward-secrecy")
        self.assertEqual(word_at(line, 1), "why")
        self.assertEqual(word_at("why  ", 5), "")


if __name__ == "__main__":
    unittest.main()
