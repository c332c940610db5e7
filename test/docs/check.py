"""check.py SOURCE: whether the documentation agrees with itself and with the programs.

Prints a line for each kind of check, and exits with what is wrong.
"""

import pathlib
import re
import subprocess
import sys

from page import CODE, pages

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import patterns as pattern_table  # noqa: E402

SECTIONS = ["Why it costs", "How it is found", "How to fix it", "Example", "Suppress it"]


def without_code(text):
    """A page without its blocks of code, in which brackets are no links."""
    text = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.M | re.S)
    return re.sub(r"^ {4,}\S.*$", "", text, flags=re.M)


def anchors(page):
    """Of its headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", without_code(page.read_text()), re.M):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        count = 0
        while (name if count == 0 else f"{name}-{count}") in found:
            count += 1
        found.add(name if count == 0 else f"{name}-{count}")
    return found


def links(source):
    """Links lead to files and headings that are there."""
    count, wrong = 0, []
    for page in pages(source):
        for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
            if re.match(r"https?:", target):
                continue
            count += 1
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                wrong.append(f"{page}: {target}: there is no such file")
            elif anchor and anchor not in anchors(file):
                wrong.append(f"{page}: {target}: there is no such heading")
    return f"{count} links", wrong


def files(source):
    """Files of the project that pages name are there; pages beside code also name those of their
    own folder."""
    folders = "|".join(p.name for p in source.iterdir()
                       if p.is_dir() and p.name not in ("build", ".git"))
    count, wrong = 0, []
    for page in pages(source):
        if page.relative_to(source).parts[0] in CODE:
            for name in re.findall(r"`([\w./-]+\.(?:h|cpp|cu|def|inc))`", page.read_text()):
                if not name.startswith(tuple(folders.split("|"))):
                    count += 1
                    if not (page.parent / name).exists():
                        wrong.append(f"{page}: {name}: there is no such file")
        for name in re.findall(rf"(?<![\w/.~-])((?:{folders})/[\w./*+-]+)", page.read_text()):
            name = name.rstrip(".")
            count += 1
            if not list(source.glob(name.rstrip("/"))):
                wrong.append(f"{page}: {name}: there is no such file")
    return f"{count} names of files", wrong


def evidence_in(page, source):
    """Names of evidence in the source that a pattern's page gives for its method."""
    names = set()
    for stem in re.findall(r"`(runtime/analysis/[\w/]+)\.(?:cpp|h)`", page):
        file = source / f"{stem}.cpp"
        code = file.read_text() if file.exists() else ""
        names.update(re.findall(r'Evidence\.emplace_back\(\s*"(\w+)"', code))
        for block in re.findall(r"Evidence = \{(.*?)\};", code, re.S):
            names.update(re.findall(r'\{"(\w+)",', block))
    return names


def found_by(profile):
    """The row of a pattern's page that says how to find it; the overview records three profiles."""
    overview = "`gmprof run`, " if profile in ("objects", "shared", "heat") else ""
    return f"| found by | {overview}`gmprof run --profile {profile}`"


def patterns(source):
    """Each pattern has a page and a line in the overview, and nothing else has."""
    rows = pattern_table.read(source / pattern_table.TABLE)
    known = {each["Name"]: each for each in rows}
    folder = source / "docs/patterns"
    wrong = [f"{name}: the pattern has no page" for name in known
             if not (folder / f"{name}.md").exists()]
    overview = (source / "docs/patterns.md").read_text()
    if pattern_table.with_overview(overview, rows) != overview:
        wrong.append("patterns.md does not say what Patterns.cpp does: "
                     "run scripts/summary-reference.py")
    for page in sorted(folder.glob("*.md")):
        text = page.read_text()
        if page.stem not in known:
            wrong.append(f"{page}: there is no such pattern")
        elif not text.startswith(f"# {page.stem}\n"):
            wrong.append(f"{page}: the title is not the pattern's name")
        elif found_by(known[page.stem]["Profile"]) not in text:
            wrong.append(f"{page}: not found by --profile {known[page.stem]['Profile']}")
        elif f"| method | {known[page.stem]['Method']}" not in text.replace("*", ""):
            wrong.append(f"{page}: the method is not that of Patterns.cpp")
        wrong += [f"{page}: the evidence {name} is not described"
                  for name in sorted(evidence_in(text, source)) if f"`{name}`" not in text]
        if re.findall(r"^## (.*)", text, re.M) != SECTIONS:
            wrong.append(f"{page}: the sections are not {SECTIONS}")
        if not re.search(rf"^    {page.stem}(/\w+)?:\S", text, re.M):
            wrong.append(f"{page}: no suppression as an example")
        if "\n```console\n" not in text:
            wrong.append(f"{page}: no example that is run")
    return f"{len(known)} patterns", wrong


def names_in(help_text):
    """Options, with the values that there are where these are listed, and commands of a --help."""
    options = {}
    for line in re.findall(r"^  +(-.*)$", help_text, re.M):
        values = re.match(r"\S+ (?:[A-Z]+:)?\{([\w,]+)\}", line)
        for name in re.findall(r"(?:^|,)(--?[\w-]+)", re.split(r"[ :={]", line)[0]):
            options[name] = values[1].split(",") if values else None
    commands = re.search(r"^Subcommands:\n((?:  .*\n)+)", help_text, re.M)
    return options, re.findall(r"^  (\w+) ", commands[1], re.M) if commands else []


def options_of(program):
    """By command, the empty one being the program itself."""
    def call(*arguments):
        done = subprocess.run([program, *arguments, "--help"], capture_output=True, text=True,
                              check=True)
        return done.stdout

    found, commands = names_in(call())
    return {"": found, **{each: names_in(call(each))[0] for each in commands}}


def options(source):
    """Options that pages give to commands exist, and each option is on some page."""
    count, wrong = 0, []
    text = {page: page.read_text() for page in pages(source)}
    everything = "\n".join(text.values())
    for program in ["gmprof", "gmreport"]:
        known = options_of(program)
        for page, content in text.items():
            for arguments in re.findall(rf"(?<![\w/-]){program}((?: [^\n`|#]+)+)", content):
                words = arguments.split()
                command = words[0] if words and words[0] in known else ""
                until = words.index("--") if "--" in words else len(words)
                for word, value in zip(words[:until], [*words[1:until], ""]):
                    name = re.match(r"\[?(--[a-z][\w-]*)", word)
                    if name:
                        count += 1
                        values = known[command].get(name[1])
                        if name[1] not in known[command]:
                            wrong.append(f"{page}: {program} {command} has no {name[1]}")
                        elif values and re.match("[a-z]", value) and \
                                value.strip(".,;:)]") not in values:
                            wrong.append(f"{page}: {program} {command} {name[1]} is no {value}")
        for command, names in known.items():
            for name in names.keys() - {"--help", "-h", "--version"}:
                if not re.search(rf"(?<![\w-]){name}(?![\w-])", everything):
                    wrong.append(f"no page has {program} {command} {name}")
    wrapper = options_of("gmprof-clang++")[""]
    for page, content in text.items():
        for name in re.findall(r"--gmprof-[a-z-]+", content):
            count += 1
            if name not in wrapper:
                wrong.append(f"{page}: gmprof-clang++ has no {name}")
    keys = re.findall(r'^    \{"([a-z-]+)",\s+(?:[sS]et|\[\]\(std::string_view)',
                      (source / "runtime/host/core/OptionTable.cpp").read_text(), re.M)
    count += len(keys)
    for key in keys:
        if f"`{key}=" not in (source / "docs/running.md").read_text():
            wrong.append(f"docs/running.md: no {key}= of GMPROF_OPTIONS")
    for name in wrapper:
        if name.startswith("--gmprof") and name not in everything:
            wrong.append(f"no page has gmprof-clang++ {name}")
    return f"{count} uses of options", wrong


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    bad = []
    for check in [links, files, patterns, options]:
        what, wrong = check(source)
        print(f"{what}, {len(wrong)} wrong")
        bad += wrong
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main()
