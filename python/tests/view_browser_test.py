# SPDX-License-Identifier: Apache-2.0
"""The page of Program.view in a browser, as a user has it."""
import json
import pathlib
import tempfile
import unittest

import browser_checks
import numpy as np
import switchyard as sy

HOSTILE = '</script><img src=x onerror="document.title=1">\'\x01\u202e'
# The place in the window of an operation that is drawn.
PLACE = """
  const box = boxOf(itemOf[arguments[0]]);
  const {left, top} = canvas.getBoundingClientRect();
  return [left + camera.x + (box.x + box.width / 2) * camera.zoom,
          top + camera.y + (box.y + box.height / 2) * camera.zoom];
"""


def net(x):
    for _ in range(3):
        x = sy.relu(sy.matmul(x, x)) + x
    return sy.static.cond(sy.sum(x) > 0, lambda: sy.tanh(x), lambda: -x)


def long_chain(x):
    for _ in range(2500):
        x = sy.sin(x) + x
    return x


def kernel_text(call):
    return "{backend} {dtype} ({file}:{line})".format(**call["chosen"])


@unittest.skipUnless(browser_checks.PRESENT, "there is no Chromium here, or no "
                     "driver: ./sy setup --browser installs them")
class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = cls.enterClassContext(browser_checks.browser())
        cls.folder = pathlib.Path(cls.enterClassContext(
            tempfile.TemporaryDirectory()))

    def open(self, program, *arguments):
        path = self.folder / f"{self.id()}.html"
        view = program.view(*arguments)
        view.save(path)
        return self.page.open(path), view

    def tearDown(self):
        self.assertEqual(self.page.messages(), [])

    def test_a_click_shows_the_kernel_that_explain_tells_of(self):
        program = sy.static.trace(net, np.ones((4, 4), np.float32))
        feeds = {"x0": np.ones((4, 4), np.float32)}
        _, view = self.open(program, feeds, True)
        told = iter(json.loads(program.explain(feeds, json=True)))
        for number, operation in enumerate(view.data["operations"]):
            if operation["call"] is None:
                continue
            call = next(told)
            self.page.run("fit(); draw();")
            self.page.click_at(*self.page.run(PLACE, number))
            self.assertEqual(self.page.text("#details h2"), call["op"])
            self.assertEqual(self.page.text("#kernel"), kernel_text(call))
            self.assertIn(call["location"], self.page.text("#details"))
            for candidate in call["candidates"]:
                self.assertIn(f"{candidate['file']}:{candidate['line']}",
                              self.page.text("#details"))
        self.assertIsNone(next(told, None))

    def test_search(self):
        program = sy.static.trace(net, np.ones((4, 4), np.float32))
        self.open(program)
        self.page.type("#search", "tanh")
        self.assertIn("1 operation", self.page.text("#found"))
        self.page.click("#found .row")
        self.page.until("return chosen && chosen.title === 'tanh'")
        self.assertEqual(self.page.text("#details h2"), "tanh")
        self.page.type("#search", " nothing")
        self.assertIn("0 operations", self.page.text("#found"))

    def test_groups_open_and_close(self):
        program = sy.static.trace(net, np.ones((4, 4), np.float32))
        self.open(program)
        count = self.page.run("return scene.boxes.length")
        self.page.click("#close")
        self.page.until("return scene.boxes.length < arguments[0]", count)
        owner = self.page.run(
            "return root.members.find((item) => item.isGroup).operation")
        self.page.click_at(*self.page.run(PLACE, owner), times=2)
        self.page.until("return itemOf[arguments[0]].opened", owner)
        self.page.click("#open")
        self.page.until("return scene.boxes.length === arguments[0]", count)

    def test_stages_run_and_memory(self):
        program = sy.static.trace(net, np.ones((4, 4), np.float32))
        self.open(program, {"x0": np.ones((4, 4), np.float32)}, True)
        self.page.click("button[data-tab=stages]")
        lines = self.page.text("#lines")
        self.assertIn("op.matmul", lines)
        self.assertIn("kernel.matmul", lines)
        self.page.click("button[data-tab=run]")
        self.assertIn("By operator and kernel".upper(),
                      self.page.text("#run").upper())
        self.page.click("button[data-tab=memory]")
        self.assertIn("Planned memory", self.page.text("#memory"))

    def test_differences(self):
        self.open(sy.static.trace(net, np.ones((4, 4), np.float32)))
        before = ["%0 = op.a(%x) {k = 1}", "%1 = op.b(%0)", "%2 = op.c(%1)",
                  "%3 = op.d(%2, %1)"]
        after = ["%0 = op.a(%x) {k = 2}", "%1 = op.c(%0)",
                 "%2 = op.e(%1)", "%3 = op.d(%2, %1)"]
        kinds = self.page.run("return differencesOf(...arguments).map("
                              "([kind]) => kind)", before, after)
        # The second operand of d was b's result and is c's.
        self.assertEqual(kinds, ["changed", "gone", "changed", "new",
                                 "changed"])
        self.assertEqual(self.page.run(
            "return differencesOf(arguments[0], arguments[0])"
            ".every(([kind]) => kind === 'same')", before), True)

    def test_fallbacks_are_red(self):
        view = sy.static.trace(net, np.ones((4, 4), np.float32)).view()
        number = next(number for number, operation in enumerate(
            view.data["operations"]) if operation["name"] == "kernel.matmul")
        view.data["operations"][number]["call"]["fallback"] = True
        path = self.folder / "fallback.html"
        view.save(path)
        self.page.open(path)
        self.assertEqual(self.page.run(
            "return colourOf(itemOf[arguments[0]])", number)[1], "#b3261e")
        self.assertIn("FALLBACKS", self.page.text("#found").upper())
        self.page.click("#found .row")
        self.page.until("return chosen === itemOf[arguments[0]]", number)
        self.assertIn("A fallback: cpu has no kernel",
                      self.page.text("#details .bad:not(.kernel)"))

    def test_five_thousand_operations(self):
        program = sy.static.trace(long_chain, np.ones(3, np.float32))
        spent, view = self.open(program)
        self.assertGreaterEqual(len(view.data["operations"]), 5000)
        self.assertLess(spent, 5000)
        self.page.click("#open")
        self.page.until("return scene.boxes.length > 5000")
        frame = self.page.run("""
          const start = performance.now();
          for (let i = 0; i < 10; ++i) { zoomBy(1.1, 300, 300); draw(); }
          return (performance.now() - start) / 10;""")
        self.assertLess(frame, 250)

    def test_hostile_names_do_nothing(self):
        program = sy.static.trace(lambda x: {HOSTILE: sy.relu(x)},
                                  np.ones(3, np.float32), names=[HOSTILE])
        self.open(program)
        self.assertEqual(self.page.run("return document.images.length"), 0)
        self.assertNotEqual(self.page.run("return document.title"), "1")
        self.assertIn("</script><img src=x", self.page.text("#details"))
        self.assertIn("\\u0001\\u202e", self.page.text("#details"))
        self.page.run("choose(portItems[0])")
        self.assertIn("\\u202e", self.page.text("#details h2"))


if __name__ == "__main__":
    unittest.main()
