#!/usr/bin/env python3
"""Makes the wheel of a build, checks what is in it, installs it into a virtual environment, moves
that, and uses the commands and the Python module from there, on the CPU device."""

import argparse
import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
INPUTS = pathlib.Path(__file__).resolve().parent / "Inputs"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
import wheel as maker

COMMANDS = ["gmprof", "gmprof-clang++", "gmprof-instrument", "gmreport"]
MODULE = ["__init__.py", "__main__.py", "_program.py", "_report.py", "py.typed"]
INSTALLATION = sorted([
    *(f"bin/{name}" for name in COMMANDS),
    *(str(path.relative_to(SOURCE)) for path in (SOURCE / "include").rglob("*") if path.is_file()),
    *(f"lib/cmake/GMProf/GMProf{name}.cmake"
      for name in ["Config", "ConfigVersion", "Linker", "Toolchain"]),
    *(f"lib/gmprof/{name}"
      for name in ["NvccCompatibility.h", "cpu/libcudart.so.13", "gmprof-kernel",
                   "gmprof-symbolizer"]),
    "lib/libGMPass.so",
    "lib/libgmprof.so",
    *(f"share/gmprof/architectures/sm_{name}.json" for name in [70, 75, 80, 86, 89, 90]),
    "share/gmprof/python/sitecustomize.py",
])
MOST_BYTES = 70 << 20

o = None


def call(*command, cwd=None, status=0, **variables):
    """Returns what a command printed."""
    done = subprocess.run([str(c) for c in command], cwd=cwd or o.work, text=True,
                          env={**o.environment, **variables}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    assert done.returncode == status, f"{command}: exit status {done.returncode}\n{done.stdout}"
    return done.stdout


def has_pip():
    return subprocess.run([sys.executable, "-m", "pip", "--version"], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def install(wheel, environment):
    """By pip, or, where Python has none, by what pip does with such a wheel."""
    python = environment / "bin/python"
    call(sys.executable, "-m", "venv", "--without-pip", environment)
    if not o.no_pip and has_pip():
        call(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index",
             "--disable-pip-version-check", wheel)
        return
    packages, = environment.glob("lib/python3*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            content = archive.read(entry)
            file = packages / entry.filename
            if data := re.fullmatch(r"[^/]+\.data/(data|scripts)/(.*)", entry.filename):
                file = environment / ("bin" if data[1] == "scripts" else "") / data[2]
                content = content.replace(b"#!python", f"#!{python}".encode(), 1)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(entry.external_attr >> 16 & 0o777)


def prepare():
    shutil.rmtree(o.work, ignore_errors=True)
    o.work.mkdir(parents=True)
    # Neither the build's commands nor its libraries.
    o.environment = {k: v for k, v in os.environ.items()
                     if k not in ("LD_LIBRARY_PATH", "PYTHONPATH", "GMPROF_OPTIONS", "VIRTUAL_ENV")}
    o.environment.update(PYTHONDONTWRITEBYTECODE="1", CUDA_PATH=str(o.cuda),
                         PATH="/usr/bin:/bin", GMPROF_CLANG=str(o.clang))
    o.wheel = maker.make(o.build, o.work)
    install(o.wheel, o.work / "first")
    o.scripts = {name: (o.work / "first/bin" / name).read_text() for name in COMMANDS}
    o.version_by_script = call(o.work / "first/bin/gmprof", "--version")
    call(o.work / "first/bin/gmprof-clang++", "-O2", "-g", "-shared", "-Xcompiler", "-fPIC",
         INPUTS / "scale.cu", "-o", "libscale.so")
    o.moved = o.work / "moved"
    (o.work / "first").rename(o.moved)
    o.python = o.moved / "bin/python"
    shutil.copytree(INPUTS / "programs", o.work / "programs")


def gmprof(*arguments):
    return call(o.python, "-m", "gmprof", *arguments)


class Content(unittest.TestCase):
    def setUp(self):
        self.archive = zipfile.ZipFile(o.wheel)
        self.addCleanup(self.archive.close)

    def info(self, name):
        return self.archive.read(f"gmprof-{o.version}.dist-info/{name}").decode()

    def test_files(self):
        expected = [*(f"gmprof/{name}" for name in MODULE),
                    *(f"gmprof/installation/{name}" for name in INSTALLATION),
                    *(f"gmprof-{o.version}.data/scripts/{name}" for name in COMMANDS),
                    f"gmprof-{o.version}.data/data/share/jupyter/kernels/gmprof/kernel.json",
                    *(f"gmprof-{o.version}.dist-info/{name}"
                      for name in ["LICENSE", "METADATA", "RECORD", "WHEEL", "copyright"])]
        self.assertEqual(sorted(self.archive.namelist()), sorted(expected))

    def test_record(self):
        rows = list(csv.reader(io.StringIO(self.info("RECORD"))))
        self.assertEqual([row[0] for row in rows], self.archive.namelist())
        self.assertEqual(rows.pop()[1:], ["", ""])
        for name, digest, size in rows:
            content = self.archive.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
            self.assertEqual((digest, size), ("sha256=" + expected.rstrip("="), str(len(content))))

    def test_metadata(self):
        self.assertIn(f"\nName: gmprof\nVersion: {o.version}\n", self.info("METADATA"))
        self.assertIn("\nRequires-Python: >=3.9\n", self.info("METADATA"))
        self.assertNotIn("Requires-Dist", self.info("METADATA"))
        tag = re.fullmatch(rf"gmprof-{re.escape(o.version)}-(py3-none-\S+)\.whl", o.wheel.name)[1]
        self.assertIn(f"\nRoot-Is-Purelib: false\nTag: {tag}\n", self.info("WHEEL"))

    def test_needs_only_glibc(self):
        self.assertRegex(o.wheel.name, r"-manylinux_2_\d+_x86_64\.whl$")

    def test_permissions(self):
        for entry in self.archive.infolist():
            content = self.archive.read(entry)[:4]
            runs = content == b"\x7fELF" or content[:2] == b"#!"
            self.assertEqual(entry.external_attr >> 16, 0o100755 if runs else 0o100644,
                             entry.filename)

    def test_size(self):
        self.assertLessEqual(o.wheel.stat().st_size, MOST_BYTES)

    def test_names_no_folder_of_the_build(self):
        for name in self.archive.namelist():
            self.assertNotIn(str(o.build).encode(), self.archive.read(name), name)


class Making(unittest.TestCase):
    """Of the script, on small files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def package(self, name, names):
        for each in names:
            (self.folder / name / each).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name / each).write_text(each)
        return self.folder / name

    def test_same_files_give_the_same_bytes(self):
        names = ["a/b.py", "a/c.py", "a.dist-info/WHEEL"]
        first, second = self.package("1", names), self.package("2", names[::-1])
        for file in [first / "a/b.py", second / "a/c.py"]:
            os.utime(file, (1e9, 1e9))
            file.chmod(0o600)
        wheels = []
        for folder, since in [(first, "1700000000"), (second, "1700000000"), (second, "1600000000")]:
            os.environ["SOURCE_DATE_EPOCH"] = since
            self.addCleanup(os.environ.pop, "SOURCE_DATE_EPOCH", None)
            maker.write(folder, self.folder / "x.whl")
            wheels.append((self.folder / "x.whl").read_bytes())
        self.assertEqual(wheels[0], wheels[1])
        self.assertNotEqual(wheels[1], wheels[2])

    def test_tag_of_a_program_that_needs_a_library_of_the_system(self):
        folder = self.package("1", ["a.txt"])
        shutil.copy(o.build / "lib/libgmprof.so", folder)  # that of the other packages
        tag, reasons = maker.platform_tag(folder, "x86_64")
        self.assertEqual(tag, "linux_x86_64")
        self.assertEqual(reasons, ["libgmprof.so needs libzstd.so.1"])


class Installed(unittest.TestCase):
    maxDiff = None

    def summary(self, folder):
        return json.loads((o.work / folder / "summary.json").read_text())

    def test_commands(self):
        self.assertEqual(o.version_by_script, f"gmprof {o.version}\n")
        for text in o.scripts.values():
            self.assertTrue(text.startswith(f"#!{o.work}/first/bin/python"), text)
        self.assertEqual(gmprof("--version"), f"gmprof {o.version}\n")

    def test_programs_and_libraries_are_the_wheels(self):
        own = [word for word in gmprof("doctor").split()
               if re.search(r"/(libgmprof|libGMPass|libcudart|gmprof-\w+)[.\w]*$", word)]
        self.assertEqual([pathlib.Path(word).name for word in own],
                         ["libgmprof.so", "libcudart.so.13", "gmprof-symbolizer",
                          "gmprof-instrument", "libGMPass.so"])
        for word in own:
            self.assertTrue(word.startswith(f"{o.installation}/"), word)

    def test_module(self):
        call(o.python, INPUTS / "api_test.py")

    def test_names_and_regions(self):
        printed = gmprof("run", "--device", "cpu", "--quiet", "-o", "names", "-m", "programs.names",
                         "--quiet")
        self.assertEqual(printed, "[0, 0, 0] ['--quiet']\n")
        summary = self.summary("names")
        self.assertEqual(summary["run"]["command"],
                         [str(o.python), "-m", "programs.names", "--quiet"])
        sizes = {each["name"]: each["bytes"] for each in summary["objects"]}
        self.assertEqual(sizes, {"tensor": 1024, "array": 2048, "number": 4096, "unused": 400})
        read = "import gmprof; r = gmprof.report('names'); " \
            "print([f.where for f in r.findings if f.pattern == 'unused_allocation']); " \
            "print(r._repr_html_().count('Unused allocation'))"
        self.assertEqual(call(o.python, "-c", read), "['unused  names.py:22']\n1\n")
        call(o.installation / "bin/gmreport", "perfetto", "names", "-o", "names.json")
        slices = json.loads((o.work / "names.json").read_text())["traceEvents"]
        labels = [s["name"] for s in slices if s.get("name") in ("epoch", "scale all")]
        self.assertEqual(sorted(set(labels)), ["epoch", "scale all"])

    def workers(self, start):
        printed = gmprof("run", "--device", "cpu", "--quiet", "--profile", "objects", "-o", start,
                         "-m", "programs.workers", start)
        self.assertEqual(printed, "[(256, 0, 0), (512, 0, 0)]\n")
        files = (o.work / start).rglob("summary.json")
        summaries = [json.loads(file.read_text()) for file in files]
        found = sorted((each["name"], each["bytes"]) for s in summaries for each in s["objects"])
        self.assertEqual(found, [("array of 256", 1024), ("array of 512", 2048)])
        self.assertEqual([s["coverage"]["launches"]["seen"] for s in summaries], [1, 1])
        self.assertIn("of 2 processes", call(o.installation / "bin/gmreport", "merge", start, "-o",
                                             f"{start}-merged"))

    def test_forked_workers(self):
        self.workers("fork")

    def test_spawned_workers(self):
        self.workers("spawn")

    def test_kernel_of_a_notebook(self):
        """Starts a stand-in for Jupyter's kernel by the command of the kernel specification. A signal
        to gmprof's process interrupts a cell, and the kernel continues."""
        specification = json.loads((o.moved / "share/jupyter/kernels/gmprof/kernel.json").read_text())
        self.assertEqual(specification["interrupt_mode"], "message")
        command = [word.format(connection_file="c.json") for word in specification["argv"]]
        self.assertEqual(command[0], "python3")  # Jupyter takes its own Python then
        shutil.copy(o.work / "programs/kernel.py", o.work / "ipykernel_launcher.py")
        with subprocess.Popen([o.python, *command[1:]], cwd=o.work, text=True, bufsize=1,
                              env={**o.environment, "GMPROF_OPTIONS": "device=cpu"},
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              start_new_session=True) as kernel:
            def ask(cell):
                kernel.stdin.write(cell + "\n")
                return kernel.stdout.readline()

            self.assertEqual(ask("sys.argv[1:]"), "['-f', 'c.json']\n")
            self.assertEqual(ask("array.scale(2)"), "0\n")
            for _ in range(2):
                self.assertEqual(ask("wait"), "waits\n")
                kernel.send_signal(signal.SIGINT)
                self.assertEqual(kernel.stdout.readline(), "interrupted\n")
            self.assertEqual(ask("array.scale(3)"), "0\n")
            kernel.stdin.close()
        self.assertEqual(kernel.returncode, 0)
        folder, = o.work.glob("notebook-*")
        summary = self.summary(folder.name)
        self.assertTrue(summary["run"]["complete"])
        self.assertEqual(summary["coverage"]["launches"]["seen"], 2)


def main():
    global o
    parser = argparse.ArgumentParser(description=__doc__)
    for path in ["build", "work", "clang", "cuda"]:
        parser.add_argument(f"--{path}", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--no-pip", action="store_true", help="install without pip")
    o, rest = parser.parse_known_args()
    # A shell that starts the test in the background has it ignore interrupts, as would all programs.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    prepare()
    o.installation, = o.moved.glob("lib/python3*/site-packages/gmprof/installation")
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
