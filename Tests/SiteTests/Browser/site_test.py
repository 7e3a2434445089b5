"""Opens the site in headless Chromium, as files. SITE is its folder, and TRUSTLAB is the program that wrote it."""

import functools
import gzip
import html
import http.server
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from browsing import PagesTestCase, browser, violations

SITE = pathlib.Path(os.environ["SITE"]).resolve()
TRUSTLAB = os.environ["TRUSTLAB"]
# One page of each kind.
KINDS = [
    "index.html", "scenarios/L1-15/index.html", "scenarios/L0-02/index.html", "rules/ats.no-forward-secrecy.html",
    "lessons/L1.html", "curriculum.html", "words.html", "rules/index.html", "docs/ios.html", "search.html",
    "compare.html", "tables/index.html", "tables/systems.html", "tables/pins.html", "tables/bugs.html",
    "seeds/index.html", "seeds/9.html", "scenarios/L1-15/iOS-8-has-no-ATS.html",
]


def first_scenarios():
    """The first scenario of each lesson."""
    first = {}
    for folder in sorted((SITE / "scenarios").iterdir()):
        first.setdefault(folder.name.split("-")[0], folder.name)
    return list(first.values())


class FilesTest(unittest.TestCase):
    """All files of the site, without a browser."""

    def test_size(self):
        self.assertLessEqual(sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file()), 60_000_000)

    def test_pages(self):
        """Each page is small when compressed, and each link leads to a file, and to an element of it."""
        identifiers = {}
        links = []
        for path in sorted(SITE.rglob("*.html")):
            text = path.read_text()
            self.assertLessEqual(len(gzip.compress(text.encode())), 150_000, path)
            identifiers[path] = set(re.findall(r'\sid="([^"]*)"', text))
            links += [(path, html.unescape(link)) for link in re.findall(r'\s(?:href|src)="([^"]*)"', text)]
        for path, link in links:
            if link.startswith("https://"):
                continue
            place, _, anchor = link.partition("#")
            target = pathlib.Path(os.path.normpath(path.parent / place.partition("?")[0])) if place else path
            self.assertTrue(target.is_file(), f"{path}: {link}")
            if anchor:
                self.assertIn(anchor, identifiers[target], f"{path}: {link}")


class SiteTest(PagesTestCase):
    origin = "file://"

    @classmethod
    def setUpClass(cls):
        cls.driver = browser()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def open(self, path, folder=SITE):
        place, _, rest = path.partition("#")
        place, _, query = place.partition("?")
        url = (folder / place).as_uri() + ("?" + query if query else "") + ("#" + rest if rest else "")
        self.driver.get("about:blank")
        self.driver.get(url)
        if self.driver.find_elements(By.ID, "player"):
            self.wait(lambda: self.driver.find_elements(By.ID, "step-title"))
            # A diagram is drawn once its place has a size.
            self.wait(lambda: all(
                place.find_elements(By.CLASS_NAME, "diagram")
                for place in self.driver.find_elements(By.CLASS_NAME, "diagram-place") if place.is_displayed()))

    def wait(self, condition):
        WebDriverWait(self.driver, 20).until(lambda _: condition())

    def text(self, identifier):
        return self.driver.execute_script(f"return document.getElementById('{identifier}').textContent")

    def size(self, width, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})

    def key(self, key):
        ActionChains(self.driver).send_keys(key).perform()

    def test_steps(self):
        """Each step shows the title and the narration that `run --format json` has."""
        for name in first_scenarios():
            with self.subTest(name):
                output = subprocess.run([TRUSTLAB, "run", name, "--format", "json"], capture_output=True).stdout
                steps = json.loads(output)["steps"]
                self.open(f"scenarios/{name}/index.html")
                for number, step in enumerate(steps, 1):
                    self.assertEqual(self.text("position"), f"Step {number} of {len(steps)}")
                    self.assertEqual(self.text("step-title"), step["title"])
                    self.assertEqual(self.text("step-narration"), step["narration"])
                    if number < len(steps):
                        self.driver.find_element(By.ID, "next").click()

    def test_keys(self):
        self.open("scenarios/L1-01/index.html#step=4")
        self.assertTrue(self.text("position").startswith("Step 4 "))
        for key, expected in [(Keys.ARROW_RIGHT, 5), (Keys.ARROW_LEFT, 4), (Keys.HOME, 1), (Keys.END, 22)]:
            self.key(key)
            self.assertTrue(self.text("position").startswith(f"Step {expected} "), self.text("position"))
            self.assertTrue(self.driver.current_url.endswith(f"#step={expected}"))

    def test_keyboard_reaches_everything(self):
        """Tab reaches the buttons, the depths, the diagram, the fields and the bytes; arrow keys move in the fields."""
        self.open("scenarios/L1-01/index.html#step=2")
        self.driver.execute_script("document.getElementById('depth-fields').click(); document.activeElement.blur()")
        seen = set()
        for _ in range(60):
            self.key(Keys.TAB)
            seen.add(self.driver.execute_script(
                "const node = document.activeElement; return node.id || node.getAttribute('class') || node.tagName"))
        self.assertLessEqual({"next", "back", "depth-fields", "row current", "field", "hex"}, seen)
        self.driver.execute_script("document.querySelector('.field').focus()")
        self.key(Keys.ARROW_DOWN)
        self.assertTrue(self.driver.switch_to.active_element.text.startswith("type"))

    def test_bytes(self):
        """A click on an arrow shows its step, and a field that has the focus lights its bytes."""
        self.open("scenarios/L1-01/index.html")
        self.driver.find_element(By.CSS_SELECTOR, "#run-verdict button").click()
        self.driver.find_elements(By.CSS_SELECTOR, ".diagram .row")[1].click()
        self.assertEqual(self.text("step-title"), "ClientHello")
        self.assertTrue(self.driver.current_url.endswith("#step=2&depth=fields"))
        field = [node for node in self.driver.find_elements(By.CSS_SELECTOR, ".field") if node.text.startswith("type")][0]
        self.driver.execute_script("arguments[0].focus()", field)
        lit = self.driver.find_elements(By.CSS_SELECTOR, ".hex .lit")
        self.assertEqual([node.text for node in lit], ["16"])
        places = [node.text.split(" ", 1)[1] for node in self.driver.find_elements(By.CSS_SELECTOR, ".field")[1:4]]
        self.assertEqual([re.search(r"bytes? [\d–]+$", place)[0] for place in places], ["byte 0", "bytes 1–2", "bytes 3–4"])

    def test_widths(self):
        """No page scrolls sideways on a phone or on a projector."""
        for width in [360, 1920]:
            self.size(width)
            for path in KINDS:
                with self.subTest(path, width=width):
                    self.open(path)
                    widths = self.driver.execute_script(
                        "const page = document.documentElement; return [page.scrollWidth, page.clientWidth]")
                    self.assertLessEqual(*widths)
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_accessibility(self):
        """axe finds no violation of WCAG 2.2 A and AA, in light and in dark."""
        for scheme in ["light", "dark"]:
            self.driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            for path in KINDS + ["scenarios/L1-01/index.html#step=4"]:
                with self.subTest(path, scheme=scheme):
                    self.open(path)
                    self.driver.execute_script("const fields = document.getElementById('depth-numbers'); if (fields) fields.click()")
                    self.assertEqual(violations(self.driver), [])
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_comparison(self):
        """Two cases are shown side by side, and the first step that differs is marked."""
        left, right = "scenarios/L1-15/index.html", "scenarios/L1-15/iOS-8-has-no-ATS.html"
        self.open(f"compare.html?left={left}&right={right}")
        self.wait(lambda: "differ from step" in self.text("compare-status"))
        self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, "#compare-result .diagram")), 2)
        self.assertTrue(self.driver.find_elements(By.CSS_SELECTOR, ".diagram .hit.differs"))
        for width in [390, 1280, 390]:
            self.size(width)
            self.wait(lambda: all(self.driver.execute_script(
                "return [...document.querySelectorAll('.diagram-place')].map(place => place.scrollWidth <= place.clientWidth)")))
        tops = {node.location["y"] for node in self.driver.find_elements(By.CSS_SELECTOR, "#compare-result .diagram")}
        self.assertEqual(len(tops), 2)
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_comparison_refuses_foreign_places(self):
        self.open("compare.html?left=javascript:alert(1)&right=https://example.com/")
        self.assertEqual(self.driver.find_elements(By.TAG_NAME, "iframe"), [])

    def test_search(self):
        self.open("search.html")
        self.driver.find_element(By.NAME, "words").send_keys("forward secrecy")
        links = self.driver.find_elements(By.CSS_SELECTOR, "#search-result a")
        names = [link.text for link in links]
        self.assertLessEqual({"ats.no-forward-secrecy", "L1-15", "L7-01"}, set(names))
        index = json.loads((SITE / "search-index.js").read_text().removeprefix("const trustlabIndex = ").rstrip(";\n"))
        suites = {name: summary for kind, name, _, summary, _ in index if kind == "cipher suite"}
        self.assertTrue(suites)
        self.assertFalse([name for name in suites if name.endswith("_SCSV")])

    def test_front_page_steps(self):
        """A visitor of the front page steps a run without a click."""
        self.open("index.html")
        self.key(Keys.ARROW_RIGHT)
        self.assertTrue(self.text("position").startswith("Step 2 "))

    def shown(self, *identifiers):
        return [self.driver.find_element(By.ID, identifier).is_displayed() for identifier in identifiers]

    def test_verdict_is_hidden_at_first(self):
        """The verdict and the later steps appear after the answers, at the last step, by the button and on paper."""
        output = subprocess.run([TRUSTLAB, "run", "L1-15", "--format", "json"], capture_output=True).stdout
        verdict = json.loads(output)["verdict"]

        def answer():
            for question in self.driver.find_elements(By.CLASS_NAME, "question"):
                question.find_element(By.TAG_NAME, "input").click()

        ways = [
            answer, lambda: self.key(Keys.END),
            lambda: self.driver.find_element(By.CSS_SELECTOR, "#run-verdict button").click(),
            lambda: self.driver.execute_script("dispatchEvent(new Event('beforeprint'))"),
        ]
        for way in ways:
            self.open("scenarios/L1-15/index.html")
            rows = self.driver.find_elements(By.CSS_SELECTOR, ".diagram .row")
            self.assertEqual(self.shown("prediction", "verdict", "cases"), [True, False, False])
            self.assertEqual([row.is_displayed() for row in rows], [True] + [False] * (len(rows) - 1))
            self.assertNotIn(verdict, self.text("run-verdict"))
            way()
            self.assertEqual(self.shown("verdict", "cases"), [True, True])
            self.assertTrue(all(row.is_displayed() for row in rows))
            self.assertIn(verdict, self.text("run-verdict"))

    def test_verdict_is_not_hidden(self):
        """A link to a step and a run of one step show the verdict, and the questions are folded."""
        for path in ["scenarios/L1-15/index.html#step=2", "scenarios/L0-06/client.os-iOS-9.html"]:
            self.open(path)
            self.assertEqual(self.shown("verdict"), [True])
            self.assertIsNone(self.driver.find_element(By.ID, "prediction").get_attribute("open"))

    def test_advice(self):
        """A violation has the mark and the word of its weight: only one that decides looks like a refusal."""
        self.open("scenarios/L0-04/the-attacker-answers-with-a-certificate-of-her-own-CA.html#step=1")
        data = self.driver.execute_async_script(
            "const text = document.getElementById('run').textContent, done = arguments[0];"
            "const bytes = Uint8Array.from(atob(text), part => part.charCodeAt(0));"
            "new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).json().then(done)")
        run = data["run"]
        marks = {"decides": "✗", "advises": "!", "overridden": "!"}
        seen = set()
        for number, step in enumerate(run["steps"], 1):
            findings = [run["findings"][index] for index in step.get("findings", [])]
            violated = [finding for finding in findings if finding["outcome"] == "violated"]
            self.driver.execute_script(f"location.hash = '#step={number}'")
            self.wait(lambda: self.text("position").startswith(f"Step {number} "))
            shown = self.driver.find_elements(By.CSS_SELECTOR, ".card > .finding")
            self.assertEqual(len(shown), len(violated))
            for finding, node in zip(violated, shown):
                self.assertTrue(node.text.startswith(marks[finding["weight"]]), node.text)
                self.assertIn(finding["weight"], node.text)
                seen.add(finding["weight"])
        self.assertLessEqual({"decides", "advises"}, seen)

    def test_prediction(self):
        """The page grades each option of a question as the engine did, one of them as right."""
        self.open("scenarios/L1-15/index.html")
        question = self.driver.find_element(By.CLASS_NAME, "question")
        grades = []
        for option in question.find_elements(By.TAG_NAME, "input"):
            option.click()
            grades.append(question.find_element(By.CLASS_NAME, "grade").text)
        self.assertEqual(sum("Right." in grade for grade in grades), 1, grades)

    def test_embedding(self):
        """A frame in another page shows only the title and the player."""
        self.open("scenarios/L1-01/index.html?embed#step=3")
        self.assertTrue(self.text("position").startswith("Step 3 "))
        self.assertFalse(self.driver.find_element(By.TAG_NAME, "header").is_displayed())
        self.assertFalse(self.driver.find_element(By.ID, "verdict").is_displayed())

    def test_print(self):
        """Paper shows everything that is folded on the screen."""
        self.open("scenarios/L1-15/index.html")
        self.driver.execute_script("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.driver.find_elements(By.CSS_SELECTOR, "details:not([open])"), [])
        self.assertGreater(len(self.driver.print_page()), 10_000)

    def test_hostile_scenario(self):
        """Markup in names, titles and contents is shown as text, and never runs."""
        hostile = "<img src=x onerror=\"window.hit=1\"></script><script>window.hit=1</script>"
        quoted = json.dumps(hostile)
        scenario = f"title: {quoted}\nbefore: {quoted}\nafter: {quoted}\n" \
            f"server: {{ content: {{ GET /: {quoted} }} }}\n" \
            f"cases: [{{ name: {json.dumps(hostile[:20])}, with: {{ client.os: iOS 9 }} }}]\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "hostile.yaml"
            path.write_text(scenario)
            out = pathlib.Path(folder) / "site"
            subprocess.run([TRUSTLAB, "site", str(path), "--output", str(out)], check=True)
            for page in sorted(out.glob("scenarios/hostile/*.html")) + [out / "index.html"]:
                self.open(str(page.relative_to(out)), out)
                self.key(Keys.END)
                self.assertIsNone(self.driver.execute_script("return window.hit || null"))
                self.assertEqual(self.driver.find_elements(By.CSS_SELECTOR, "img"), [])
            self.open("scenarios/hostile/index.html", out)
            self.assertEqual(self.driver.find_element(By.TAG_NAME, "h1").text, hostile)


class CompressedFiles(http.server.SimpleHTTPRequestHandler):
    """Serves the site as a web host does: compressed."""

    def do_GET(self):
        body = gzip.compress(pathlib.Path(self.translate_path(self.path)).read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(self.path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class SpeedTest(unittest.TestCase):
    """A scenario's page on a slow machine with a slow network: a quarter of the speed, 1.6 Mbit/s and 150 ms."""

    # Ends with the first frame that has a step in it, once the step has answered a click.
    INTERACTIVE = """
        new MutationObserver((_, observer) => {
          if (!document.getElementById('step-title')) return;
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(() => {
            document.getElementById('next').click();
            const isSecond = document.getElementById('position').textContent.startsWith('Step 2 ');
            globalThis.interactive = isSecond ? performance.now() : Infinity;
          }));
        }).observe(document, {childList: true, subtree: true});
        """

    @classmethod
    def setUpClass(cls):
        handler = functools.partial(CompressedFiles, directory=SITE)
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.driver = browser()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()
        cls.server.shutdown()
        cls.server.server_close()

    def load(self, path):
        """Loads a page without a cache. Returns its milliseconds until a step can be taken, and its compressed bytes."""
        self.driver.get("about:blank")
        self.driver.get(f"http://127.0.0.1:{self.server.server_port}/{path}")
        WebDriverWait(self.driver, 30).until(lambda driver: driver.execute_script("return globalThis.interactive"))
        return self.driver.execute_script("""
            const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
            return [globalThis.interactive, entries.reduce((sum, entry) => sum + entry.encodedBodySize, 0)];
            """)

    def test_speed(self):
        for command, parameters in [
            ("Network.enable", {}), ("Network.setCacheDisabled", {"cacheDisabled": True}),
            ("Network.emulateNetworkConditions", {
                "offline": False, "latency": 150, "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 1_600_000 / 8}),
            ("Emulation.setCPUThrottlingRate", {"rate": 4}),
            ("Page.addScriptToEvaluateOnNewDocument", {"source": self.INTERACTIVE}),
        ]:
            self.driver.execute_cdp_cmd(command, parameters)
        largest = max(SITE.glob("scenarios/*/*.html"), key=lambda path: path.stat().st_size)
        for path in ["index.html", "scenarios/L1-01/index.html", "scenarios/L1-15/index.html", str(largest.relative_to(SITE))]:
            with self.subTest(path):
                # Other programs of the machine can only add time.
                time, size = min(self.load(path) for _ in range(5))
                print(f"{path}: interactive after {time:.0f} ms, {size} bytes", flush=True)
                self.assertLessEqual(time, 2000)
                self.assertLessEqual(size, 150_000)


if __name__ == "__main__":
    unittest.main()
