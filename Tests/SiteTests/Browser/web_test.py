"""Opens the pages of `trustlab web` in headless Chromium. TRUSTLAB is the program."""

import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.parse

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from browsing import PagesTestCase, browser, violations

TRUSTLAB = os.environ["TRUSTLAB"]
ROOT = pathlib.Path(__file__).resolve().parents[3]
PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict>
<key>NSAllowsArbitraryLoads</key><string>YES</string>
<key>NSExceptionDomains</key><dict><key>old.example</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict></dict>
</dict></dict></plist>
"""


def trustlab(*arguments):
    return subprocess.run([TRUSTLAB, *arguments], capture_output=True, text=True, check=False)


class Server:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([TRUSTLAB, "web", "--port", "0", *arguments], stdout=subprocess.PIPE, text=True)
        self.entry = self.process.stdout.readline().strip()
        url = urllib.parse.urlsplit(self.entry)
        self.origin, self.port = f"http://{url.netloc}", url.port
        self.token = url.query.removeprefix("token=")

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(10)
        self.process.stdout.close()
        return status

    def request(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        fields = {"Authorization": f"Bearer {self.token}"} | {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, fields)
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, content

    def ask(self, name, question):
        status, content = self.request("POST", f"/engine/{name}", json.dumps(question))
        assert status == 200, (status, content)
        return json.loads(content)


class EngineTest(unittest.TestCase):
    """The requests of the pages, without a browser."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.file = (ROOT / "Scenarios/L1/L1-15.yaml").read_text()

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def test_run_is_that_of_the_command(self):
        for name in ["L1-15", "L2-01", "L7-01", "L12-20"]:
            with self.subTest(name):
                file = self.server.ask("source", {"scenario": name})["file"]
                run = self.server.ask("run", {"scenario": name, "file": file})["run"]
                self.assertEqual(run, json.loads(trustlab("run", name, "--format", "json").stdout))

    def test_validator(self):
        file = self.server.ask("source", {"scenario": "L3-09"})["file"]
        verdicts = [
            self.server.ask("run", {
                "scenario": "L3-09", "file": file, "case": "only keyUsage forgot to forbid it", "validator": name,
            })["run"]["verdict"]
            for name in ["", "basic-constraints"]]
        self.assertEqual(verdicts, ["refused", "accepted"])

    def test_errors_have_places(self):
        reply = self.server.ask("run", {"scenario": "L1-15", "file": "client:\n  ox: iOS 10\n"})
        self.assertEqual([(error["line"], error["column"]) for error in reply["diagnostics"]], [(2, 3)])
        self.assertIn("os", reply["diagnostics"][0]["hint"])

    def test_files_of_the_machine_are_not_read(self):
        for path in ["/etc/passwd", "../../../../../../etc/passwd", str(ROOT / "README.md")]:
            with self.subTest(path):
                reply = self.server.ask("run", {"scenario": "L1-15", "file": f"client:\n  infoPlist: {path}\n"})
                self.assertIn("diagnostics", reply)
                self.assertNotIn("root:", json.dumps(reply))
                self.assertEqual(reply["diagnostics"][0]["line"], 2)
        reply = self.server.ask("chain", {"chain": ["x"], "rootsFile": "/etc/passwd"})
        self.assertIn("diagnostics", reply)

    def test_plist(self):
        reply = self.server.ask("plist", {"plist": PLIST, "urls": ["http://old.example/", "http://new.example/"], "systems": ["iOS 10"]})
        with tempfile.NamedTemporaryFile("w", suffix=".plist") as file:
            file.write(PLIST)
            file.flush()
            output = trustlab(
                "ats", "decide", "--plist", file.name, "--url", "http://old.example/", "http://new.example/", "--os", "iOS 10",
                "--format", "json").stdout
        self.assertEqual(reply["decisions"], json.loads(output))
        rules = [finding["rule"] for file in reply["lint"]["files"] for finding in file["findings"]]
        self.assertIn("plist.not-a-boolean", rules)

    def test_hostile_requests(self):
        for body in [b"", b"[]", b"{", b"\xff\xfe", b'{"file": 5}', b'{"bytes": "%%%"}', b"[" * 100_000]:
            for name in ["run", "complete", "plist", "chain", "recording", "source", "choices"]:
                status, content = self.server.request("POST", f"/engine/{name}", body)
                self.assertEqual(status, 200)
                self.assertIsInstance(json.loads(content), dict)
        self.assertEqual(self.server.request("GET", "/engine/run")[0], 405)
        self.assertEqual(self.server.request("GET", "/../../etc/passwd")[0], 400)
        self.assertEqual(self.server.request("GET", "/etc/passwd")[0], 404)
        self.assertEqual(self.server.request("GET", "/", Host="evil.example")[0], 421)
        self.assertEqual(self.server.request("POST", "/engine/choices", "{}", Origin="http://evil.example")[0], 403)
        self.assertEqual(self.server.request("GET", "/", Authorization="Bearer x")[0], 403)

    def test_thirty_visitors(self):
        """Thirty visitors change a scenario at once: all get the right result."""
        def visit(number):
            file = self.file.replace("seed: 15", f"seed: {number}")
            return self.server.ask("run", {"scenario": "L1-15", "file": file})["run"]["seed"]
        with concurrent.futures.ThreadPoolExecutor(30) as pool:
            self.assertEqual(list(pool.map(visit, range(100, 160))), list(range(100, 160)))
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status")
        if status.exists():
            peak = int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1])
            self.assertLess(peak, 300_000)


class PagesTest(PagesTestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.origin = cls.server.origin + "/"
        cls.driver = browser()
        cls.driver.get(cls.server.entry)

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()
        cls.server.close()

    def open(self, path):
        self.driver.get(f"{self.server.origin}/{path}")

    def wait(self, condition):
        WebDriverWait(self.driver, 30).until(lambda _: condition())

    def rules(self, place):
        """The rules to which an element links. Its text has no address."""
        self.assertNotIn("://", self.text(place))
        links = self.driver.find_elements(By.CSS_SELECTOR, f"#{place} a[href*='/rules/']")
        for link in links:
            self.assertTrue(link.get_property("href").endswith(f"/rules/{link.text}.html"))
        return [link.text for link in links]

    def facts(self, place):
        """The keys and values of the lists of facts in an element."""
        pairs = self.driver.execute_script(
            "return [...document.querySelectorAll(`#${arguments[0]} dt`)].map(key => [key.textContent, key.nextSibling.textContent])",
            place)
        return pairs

    def text(self, identifier):
        return self.driver.execute_script(f"return document.getElementById('{identifier}').textContent")

    def write(self, text):
        self.driver.execute_script(
            "const file = document.getElementById('file'); file.value = arguments[0];"
            "file.dispatchEvent(new Event('input', {bubbles: true}))", text)

    def test_token_leaves_the_address(self):
        self.driver.get(self.server.entry)
        self.assertEqual(self.driver.current_url, self.server.origin + "/")
        self.wait(lambda: self.driver.find_elements(By.ID, "step-title"))

    def test_lists_are_complete_after_a_while(self):
        def is_complete():
            self.open("rules/ats.no-forward-secrecy.html")
            return not self.driver.find_elements(By.CLASS_NAME, "notice")
        end = time.monotonic() + 120
        while not is_complete() and time.monotonic() < end:
            time.sleep(1)
        self.assertTrue(is_complete())
        self.assertIn("L1-15", self.driver.find_element(By.TAG_NAME, "main").text)

    def test_change(self):
        """A changed line gives another run, which the page compares with the original; errors have places."""
        self.open("try/scenario.html?scenario=L1-15")
        self.wait(lambda: "refused" in self.text("status"))
        file = self.driver.find_element(By.ID, "file").get_property("value")
        self.assertEqual(self.rules("status"), ["ats.no-forward-secrecy"])
        changed = file.replace("TLS_RSA_WITH_AES_128_CBC_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
        self.assertNotEqual(file, changed)
        self.write(changed)
        self.wait(lambda: "accepted" in self.text("status"))
        self.assertIn("refused", self.text("before"))
        self.assertEqual(self.rules("before"), ["ats.no-forward-secrecy"])
        run = self.server.ask("run", {"scenario": "L1-15", "file": changed})["run"]
        self.assertEqual(self.text("position"), f"Step 1 of {len(run['steps'])}")
        self.driver.find_element(By.CSS_SELECTOR, "#differences summary").click()
        self.wait(lambda: "differ from step" in self.text("parting"))
        self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, "#differences .diagram")), 2)
        self.write(file + "\nclyent:\n  os: iOS 10\n")
        self.wait(lambda: "client" in self.text("errors"))
        self.driver.find_element(By.CSS_SELECTOR, "#errors button").click()
        line = self.driver.execute_script(
            "const file = document.getElementById('file'); return file.value.slice(file.selectionStart).split('\\n')[0]")
        self.assertEqual(line, "clyent:")
        self.write(file)
        self.wait(lambda: "unchanged" in self.text("status"))

    def test_validator_and_case(self):
        self.open("try/scenario.html?scenario=L3-09")
        self.wait(lambda: "refused" in self.text("status"))
        Select(self.driver.find_element(By.NAME, "case")).select_by_value("only keyUsage forgot to forbid it")
        self.wait(lambda: "chain.key-usage" not in self.text("status"))
        bugs = Select(self.driver.find_element(By.NAME, "validator"))
        self.assertEqual(bugs.first_selected_option.text, "none")
        places = {item["name"]: item["place"] for item in self.server.ask("choices", {})["validators"]}
        self.assertEqual(len(bugs.options), len(places) + 1)
        for option in bugs.options[1:]:
            group = option.find_element(By.XPATH, "..").get_attribute("label")
            self.assertIn(places[option.get_attribute("value")], group)
        bugs.select_by_value("basic-constraints")
        self.wait(lambda: "accepted" in self.text("status"))
        self.open("try/scenario.html?scenario=L1-15")
        self.wait(lambda: "refused" in self.text("status"))
        Select(self.driver.find_element(By.NAME, "case")).select_by_value("iOS 8 has no ATS")
        self.wait(lambda: "accepted" in self.text("status"))

    def test_completion(self):
        """The words that fit at the cursor come from the language, and the keyboard chooses one."""
        self.open("try/scenario.html?scenario=L1-15")
        self.wait(lambda: "refused" in self.text("status"))
        editor = self.driver.find_element(By.ID, "file")
        editor.click()
        keys = ActionChains(self.driver)
        keys.key_down(Keys.CONTROL).send_keys(Keys.END).key_up(Keys.CONTROL).send_keys("\nclient:\n  linked").perform()
        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys(" ").key_up(Keys.CONTROL).perform()
        self.wait(lambda: self.driver.find_elements(By.CSS_SELECTOR, "#words [role=option]"))
        words = [node.text.split()[0] for node in self.driver.find_elements(By.CSS_SELECTOR, "#words [role=option]")]
        self.assertEqual(words, ["linkedSDK"])
        ActionChains(self.driver).send_keys(Keys.ENTER).perform()
        self.wait(lambda: editor.get_property("value").endswith("\n  linkedSDK: "))
        ActionChains(self.driver).send_keys("iOS 8").perform()
        self.wait(lambda: "accepted" in self.text("status") or "client" in self.text("errors"))

    def test_plist(self):
        self.open("try/plist.html")
        self.driver.execute_script("document.querySelector('[name=plist]').value = arguments[0]", PLIST)
        self.driver.execute_script("document.querySelector('[name=urls]').value = 'http://old.example/\\nhttp://new.example/'")
        systems = self.server.ask("choices", {})["systems"]
        self.wait(lambda: ", ".join(systems) in self.driver.find_element(By.NAME, "systems").get_attribute("placeholder"))
        self.driver.find_element(By.CSS_SELECTOR, "#plist-form button").click()
        self.wait(lambda: f"{2 * len(systems)} decisions" in self.text("status"))
        decisions = self.server.ask("plist", {"plist": PLIST, "urls": ["http://old.example/", "http://new.example/"]})["decisions"]
        results = {json.dumps([item[name] for name in ["url", "verdict", "because", "decidedBy", "reason", "fix"]]) for item in decisions}
        cards = [card.text for card in self.driver.find_elements(By.CSS_SELECTOR, "#decisions article")]
        self.assertEqual(len(cards), len(results))
        self.assertLess(len(cards), len(decisions))
        self.assertTrue(all(name in cards[0] for name in ["allowed", *systems]))
        sections = [node.get_attribute("id") for node in self.driver.find_elements(By.CSS_SELECTOR, "#result section")]
        self.assertEqual(sections, ["lint", "decisions"])
        self.assertIn("plist.not-a-boolean", self.rules("lint"))

    def test_chain(self):
        with tempfile.TemporaryDirectory() as folder:
            trustlab("pki", "export", "L3-01", "--output", folder)
            chains = sorted(pathlib.Path(folder).rglob("*chain*.pem")) or sorted(pathlib.Path(folder).rglob("*.pem"))
            self.assertTrue(chains)
            text, roots = chains[0].read_text(), (chains[0].parent / "roots.pem").read_text()
        self.open("try/chain.html")
        self.wait(lambda: Select(self.driver.find_element(By.NAME, "profile")).options)
        self.driver.execute_script("document.querySelector('[name=chain]').value = arguments[0]", text)
        self.driver.find_element(By.NAME, "host").send_keys("wrong.invalid")
        self.driver.find_element(By.CSS_SELECTOR, "#chain-form button").click()
        self.wait(lambda: "refused" in self.text("status"))
        self.assertTrue(any(rule.startswith("name.") for rule in self.rules("status")))
        self.assertTrue(self.driver.find_elements(By.ID, "no-anchors"))
        question = {"chain": [text], "roots": [roots], "host": "www.google.com", "at": "2016-11-01", "os": "iOS 10"}
        reply = self.server.ask("chain", question)
        self.driver.execute_script("document.querySelector('[name=roots]').value = arguments[0]", roots)
        for name in ["host", "at", "os"]:
            field = self.driver.find_element(By.NAME, name)
            field.clear()
            field.send_keys(question[name])
        self.driver.find_element(By.CSS_SELECTOR, "#chain-form button").click()
        self.wait(lambda: "accepted" in self.text("status"))
        self.assertFalse(self.driver.find_elements(By.ID, "no-anchors"))
        settings = dict(self.facts("settings"))
        self.assertEqual(settings["date"], reply["at"])
        self.assertEqual(settings["profile"], f"{reply['profile']}, {reply['os']}")
        self.assertEqual(set(self.rules("unknown")), set(reply["unknown"]))
        self.assertEqual([value for key, value in self.facts("certificates") if key == "key"], [one["key"] for one in reply["certificates"]])
        names = [", ".join(one["names"]) for one in reply["certificates"] if one["names"]]
        self.assertEqual([value for key, value in self.facts("certificates") if key == "names"], names)
        self.driver.execute_script("document.querySelector('[name=chain]').value = 'no certificate'")
        self.driver.find_element(By.CSS_SELECTOR, "#chain-form button").click()
        self.wait(lambda: self.text("errors"))

    def test_recording(self):
        """A capture with its key log opens as a run."""
        with tempfile.TemporaryDirectory() as folder:
            capture, keys = f"{folder}/run.pcap", f"{folder}/run.keys"
            trustlab("run", "L1-01", "--pcap", capture, "--keylog", keys)
            sessions = json.loads(trustlab("replay", capture, "--keylog", keys, "--format", "json").stdout)["sessions"]
            self.open("try/recording.html")
            self.driver.find_element(By.NAME, "capture").send_keys(capture)
            self.driver.find_element(By.NAME, "keylog").send_keys(keys)
            self.driver.find_element(By.CSS_SELECTOR, "#recording-form button").click()
            self.wait(lambda: self.driver.find_elements(By.ID, "position"))
            self.assertEqual(self.text("position"), f"Step 1 of {len(sessions[0]['steps'])}")
            self.assertIn("1 TLS session in", self.text("status"))
            self.driver.find_element(By.ID, "last").click()
            self.assertEqual(self.text("step-title"), sessions[0]["steps"][-1]["title"])

    def test_hostile_scenario(self):
        """Names, contents and titles never become markup."""
        attack = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>"
        self.open("try/scenario.html?scenario=L1-01")
        self.wait(lambda: "accepted" in self.text("status"))
        self.write(f'title: "{attack}"\nbefore: "{attack}"\nserver:\n  content:\n    GET /: "{attack}"\n')
        self.wait(lambda: "L1-01" in self.text("player") or self.driver.find_elements(By.ID, "step-title"))
        self.driver.find_element(By.ID, "last").click()
        self.assertEqual(self.driver.title, "Change a scenario · TrustLab")
        self.assertFalse(self.driver.find_elements(By.CSS_SELECTOR, "main img, main script"))

    def test_two_tabs(self):
        """Two pages with different scenarios do not disturb each other."""
        self.open("try/scenario.html?scenario=L1-15")
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.open("try/scenario.html?scenario=L1-01")
        self.wait(lambda: "accepted" in self.text("status"))
        self.driver.close()
        self.driver.switch_to.window(first)
        self.wait(lambda: "refused" in self.text("status"))

    def test_accessibility(self):
        for scheme in ["light", "dark"]:
            self.driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            for path in ["try/scenario.html?scenario=L1-15", "try/plist.html", "try/chain.html", "try/recording.html"]:
                with self.subTest(path, scheme=scheme):
                    self.open(path)
                    if "scenario" in path:
                        self.wait(lambda: "refused" in self.text("status"))
                        self.write(self.driver.find_element(By.ID, "file").get_property("value") + "\nclient: {os: iOS 8}\n")
                        self.wait(lambda: "accepted" in self.text("status") or self.text("errors"))
                    self.assertEqual(violations(self.driver), [])
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def test_narrow(self):
        for path in ["try/scenario.html?scenario=L1-15", "try/plist.html", "try/chain.html", "try/recording.html"]:
            self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True})
            self.open(path)
            time.sleep(1)
            width = self.driver.execute_script("return document.documentElement.scrollWidth")
            self.assertLessEqual(width, 360, path)
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


if __name__ == "__main__":
    unittest.main()
