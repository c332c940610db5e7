"""manual.py COMMAND...: whether their manuals and completions have all that --help shows."""
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def names(text):
    """Options and commands in a --help."""
    found = []
    for line in re.findall(r"^  (-[^ ]+(?: |,--)?.*)$", text, re.M):
        found += re.findall(r"(?:^|,)(--?[a-z][a-z0-9-]*)", line.split("  ")[0].split(" ")[0])
    commands = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.M)
    return found, re.findall(r"^  ([a-z]+) ", commands.group(1), re.M) if commands else []


for command in sys.argv[1:]:
    options, commands = names(run(command, "--help"))
    for each in commands:
        options += names(run(command, each, "--help"))[0]
    manual = run(command, "--man").replace("\\-", "-")
    for name in options:
        assert f"\\fB{name}\\fR" in manual, (command, name)
    for name in commands:
        assert f".SS {command} {name}\n" in manual, (command, name)
    for shell in ["bash", "zsh", "fish"]:
        text = run(command, "--completion", shell)
        for name in commands + options:
            if shell == "fish" and name.startswith("-"):
                name = ("-l " if name.startswith("--") else "-s ") + name.lstrip("-")
            assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text), (command, shell, name)
    count = len(commands) + len(options)
    assert count > 20, count
    print(f"{command}: {count} commands and options, all in the manual and in 3 completions")
