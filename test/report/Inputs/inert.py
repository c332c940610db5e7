"""inert.py SUMMARY...: whether pages made of summaries with hostile names are inert.

Every text of a summary gets characters that end strings, attributes, elements and scripts. Each
page then has to have the very tags, attributes and scripts that it has with letters in their
place, apart from what is data: names are shown, and make no difference to anything else."""
import html.parser
import json
import pathlib
import subprocess
import sys

HOSTILE = "</script><img src=x onerror=alert(1)>'\"`--><svg/onload=alert(2)>&lt;\u2028]]>"
HARMLESS = "x" * len(HOSTILE)
COMMANDS = {
    "html": ["html", "{}", "-o", "-"],
    "annotate": ["annotate", "{}", "--format", "html", "-o", "-"],
    "flamegraph": ["flamegraph", "{}", "--of", "allocated", "-o", "-"],
}
# Words that mean something to gmreport stay as they are.
FREE = {"name", "demangled", "file", "function", "message", "suggestion", "type", "command", "host",
        "reason", "title", "gpu"}


class Structure(html.parser.HTMLParser):
    """What a browser would act on."""

    def __init__(self, page):
        super().__init__()
        self.parts, self.script = [], None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert not any(name.startswith("on") for name in names), (tag, attributes)
        for name, value in attributes:
            assert name not in ("href", "src") or not value.startswith("javascript:"), value
        self.parts.append((tag, names))
        is_data = dict(attributes).get("type", "").startswith("application/")
        self.script = tag if tag in ("script", "style") and not is_data else None

    def handle_endtag(self, tag):
        self.parts.append(("/" + tag,))
        self.script = None

    def handle_data(self, data):
        if self.script:
            self.parts.append((self.script, data))


def with_names(node, value, where=""):
    if isinstance(node, dict):
        return {key: child if key == "files" else with_names(child, value, key)
                for key, child in node.items()}
    if isinstance(node, list):
        return [with_names(child, value, where) for child in node]
    return node + value if isinstance(node, str) and where in FREE else node


def page(command, folder, summary, value):
    """Beside the event log, which pages are also made of."""
    path = folder / "named.json"
    path.write_text(json.dumps(with_names(summary, value)))
    done = subprocess.run(["gmreport", *(w.format(path) for w in COMMANDS[command])],
                          capture_output=True, check=False)
    return done.returncode, done.stdout.decode()


def main():
    made = dict.fromkeys(COMMANDS, 0)
    for original in map(pathlib.Path, sys.argv[1:]):
        summary = json.loads(original.read_text())
        for command in COMMANDS:
            status, hostile = page(command, original.parent, summary, HOSTILE)
            same, harmless = page(command, original.parent, summary, HARMLESS)
            assert status == same, (original, command, status, same)
            if status != 0:
                continue  # has nothing of that kind
            made[command] += 1
            assert Structure(hostile).parts == Structure(harmless).parts, (original, command)
            assert "<img" not in hostile and "<svg/" not in hostile, (original, command)
    print(made)


main()
