"""What pictures cost, and whether a real browser shows them: time, size, script errors, and what axe-core finds.

    python tests/bench/bench_pictures.py DIR…           (needs chromium on the PATH)
    AXE=…/node_modules/axe-core/axe.min.js python tests/bench/bench_pictures.py DIR…

For each checkout, with a warm index: the seconds and processor seconds of `avionics report` as a process and of
`avionics contract check` with a proposed contract, both as a multiple of `python -c pass` too; the page's size; the
number of errors its script raises; and the rules of axe-core that it violates.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROBE = """<script>
window.addEventListener("error", () => { document.documentElement.dataset.probe = "script error"; });
window.addEventListener("load", () => {
  const box = document.querySelector(".box"), stage = document.querySelector(".stage");
  const svg = stage.querySelector("svg"), search = document.getElementById("search"), wide = svg.clientWidth;
  box.dispatchEvent(new FocusEvent("focus"));
  const near = document.querySelectorAll(".near,.faded").length;
  stage.dispatchEvent(new KeyboardEvent("keydown", {key: "+"}));
  search.value = box.dataset.name; search.dispatchEvent(new Event("input"));
  const works = near > 0 && svg.clientWidth > wide && document.querySelector(".found");
  document.documentElement.dataset.probe ||= works ? "focus, zoom and search work" : "focus, zoom or search fails";
});</script>"""
RUN_AXE = (
    "<script>axe.run(document,{resultTypes:['violations']}).then(r=>{document.documentElement.dataset.axe="
    "r.violations.map(v=>v.id+' '+v.nodes.length+' '+v.nodes[0].target).join('; ')||'none'});</script>"
)
ROUNDS = 5


def measure(*command: str, cwd: Path | None = None) -> tuple[float, float]:
    """Return the wall seconds and processor seconds of the quickest of several runs."""
    found = []
    for _ in range(ROUNDS):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL)
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append((wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return min(wall for wall, _ in found), min(used for _, used in found)


def load(page: Path, script: str) -> tuple[str, str]:
    """Return whether the page's script works in Chromium, and what axe-core found."""
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text("utf-8"))
    text = text.replace("<head>", f"<head>{PROBE}", 1)
    if script:
        text = text.replace("</body>", f"<script>{Path(script).read_text('utf-8')}</script>{RUN_AXE}</body>")
    probe = page.with_name("probe.html")
    probe.write_text(text, "utf-8")
    browser = shutil.which("chromium") or "chromium"
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=30000", "--dump-dom",
         probe.as_uri()],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    seen = [re.search(rf'data-{name}="([^"]*)"', done.stdout) for name in ("probe", "axe")]
    worked, axe = (match[1] if match else "not run" for match in seen)
    return worked, axe


def main() -> None:
    run = (sys.executable, "-P", "-m", "avionics.cli")
    bare, bare_used = measure(sys.executable, "-c", "pass")
    for root in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as scratch:
            copy, page = Path(scratch) / root.name, Path(scratch) / "report.html"
            shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns("node_modules", ".venv"))
            propose = (*run, "contract", "propose")
            propose = subprocess.run([*run, "contract", "propose"], cwd=copy, check=True, capture_output=True)
            (copy / "avionics.toml").write_bytes(propose.stdout)
            subprocess.run([*run, "contract", "check"], cwd=copy, check=True, stdout=subprocess.DEVNULL)
            check, check_used = measure(*run, "contract", "check", cwd=copy)
            report, report_used = measure(*run, "report", "-o", str(page), cwd=copy)
            probe, axe = load(page, os.environ.get("AXE", ""))
            ratio = check_used / bare_used
            print(f"{root.name}: contract check {check:.2f} s ({check_used:.2f} s CPU, {ratio:.0f} × bare Python)")
            print(f"    report {report:.2f} s ({report_used:.2f} s CPU), {page.stat().st_size / 1e6:.2f} MB")
            print(f"    in Chromium: {probe}; axe-core: {axe}", flush=True)
    print(f"bare Python: {bare:.2f} s ({bare_used:.2f} s CPU)")


if __name__ == "__main__":
    main()
