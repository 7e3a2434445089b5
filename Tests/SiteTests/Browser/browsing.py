"""Headless Chromium, and the accessibility rules of axe."""

import importlib.resources
import json
import os
import shutil
import unittest

from selenium import webdriver

AXE = importlib.resources.files("axe_core_python").joinpath("axe.min.js").read_text()


def browser():
    options = webdriver.ChromeOptions()
    for argument in ["--headless=new", "--disable-gpu", "--window-size=1280,900"]:
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))


def violations(driver):
    """The rules of WCAG 2.2 A and AA that the open page violates, each with a few elements."""
    driver.execute_script(AXE)
    found = driver.execute_async_script(
        "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})"
        ".then(result => arguments[0](result.violations))")
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:4]]) for one in found]


class PagesTestCase(unittest.TestCase):
    """Tests of pages in `driver`. None may leave an error in the console, or a request beyond `origin`."""

    def setUp(self):
        self.driver.get_log("browser")
        self.driver.get_log("performance")

    def tearDown(self):
        errors = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertEqual(errors, [])
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                self.assertTrue(url.startswith((self.origin, "data:", "about:", "blob:")), url)
