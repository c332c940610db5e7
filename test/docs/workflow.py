"""workflow.py WORKFLOW PROGRAM...: runs the steps of examples/ci/gmprof.yml as GitHub would, for
each program in turn. The first is what is on the main branch, further ones are pull requests.

Prints the exit status of each step, and what it prints. The steps that are actions of others
(checkout, caches, uploads) are not run: the baseline is kept in the folder.
"""

import os
import pathlib
import subprocess
import sys

import yaml


def main():
    workflow = yaml.safe_load(pathlib.Path(sys.argv[1]).read_text())
    summary = pathlib.Path("step-summary.md").resolve()
    for number, program in enumerate(sys.argv[2:]):
        event = "push" if number == 0 else "pull_request"
        print(f"{event}:", flush=True)
        variables = {**workflow["env"], "SOURCES": program, "ARGUMENTS": "",
                     "GITHUB_STEP_SUMMARY": str(summary)}
        failed = False
        for step in workflow["jobs"]["check"]["steps"]:
            condition = step.get("if", "")
            if "run" not in step or (failed and "always()" not in condition) or \
                    ("event_name" in condition and f"'{event}'" not in condition):
                continue
            done = subprocess.run(["bash", "-e", "-c", step["run"]], text=True,
                                  env={**os.environ, **variables}, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            print(f"{step['name']}: {done.returncode}\n{done.stdout}", flush=True)
            failed = failed or done.returncode != 0
    print(summary.read_text())


if __name__ == "__main__":
    main()
