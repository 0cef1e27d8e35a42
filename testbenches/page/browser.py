"""Chromium, headless, by the WebDriver protocol: for the tests of pages. Needs chromium and chromedriver on the path."""

import json
import subprocess
import sys
import urllib.request
from base64 import b64decode
from pathlib import Path

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """Chromium by the WebDriver protocol."""

    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.url = "http://127.0.0.1:" + line.rstrip(".\n").split()[-1]
                break
        else:
            sys.exit("chromedriver did not start")
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage",
                 "--disable-component-update", "--no-first-run", "--window-size=1280,800"]
        options = {"browserName": "chrome", "goog:chromeOptions": {"args": flags}, "goog:loggingPrefs": {"browser": "ALL"}}
        self.url += "/session/" + self.call("POST", "/session", {"capabilities": {"alwaysMatch": options}})["sessionId"]

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def js(self, script, *args):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def find(self, selector):
        return {ELEMENT: self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]}

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)[ELEMENT]}/click", {})

    def hover(self, selector):
        move = {"type": "pointerMove", "duration": 0, "origin": self.find(selector), "x": 0, "y": 0}
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move]}
        self.call("POST", "/actions", {"actions": [pointer]})

    def click_at(self, x, y):
        """A click at a place of the window."""
        actions = [{"type": "pointerMove", "duration": 0, "origin": "viewport", "x": round(x), "y": round(y)},
                   {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def drag(self, x, y, to_x, to_y):
        """From one place of the window to another with the button down."""
        move = lambda x, y: {"type": "pointerMove", "duration": 50, "origin": "viewport", "x": round(x), "y": round(y)}
        actions = [move(x, y), {"type": "pointerDown", "button": 0}, move((x + to_x) / 2, (y + to_y) / 2), move(to_x, to_y), {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]})

    def wheel(self, x, y, by):
        """Turns the wheel at a place of the window."""
        turn = {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": by, "duration": 0, "origin": "viewport"}
        self.call("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [turn]}]})

    def keys(self, *keys):
        """Keys that are held down together."""
        actions = [{"type": "keyDown", "value": key} for key in keys] + [{"type": "keyUp", "value": key} for key in reversed(keys)]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def write(self, text):
        for key in text:
            self.keys(key)

    def resize(self, width, height):
        """Gives the window a size; what a page has of it is a little less high."""
        self.call("POST", "/window/rect", {"width": width, "height": height})

    def command(self, name, **parameters):
        """A command of the developer tools."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def screenshot(self, path):
        Path(path).write_bytes(b64decode(self.call("GET", "/screenshot")))

    def complaints(self):
        """What the browser has logged."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def choose(self, identifier, value):
        self.js("const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))", identifier, value)

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0]).textContent", selector)

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()


def same(what, found, expected):
    """Ends the test where something is not as expected."""
    if found != expected:
        sys.exit(f"{what}:\n  found    {found}\n  expected {expected}")
    print(f"ok  {what}")
