"""What libgmprof.so interposes, and why it need not interpose the rest."""
import re
import subprocess


def exported(library):
    text = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                          capture_output=True, text=True).stdout
    return set(re.findall(r" [TWi] (\w+)", text))


def report(functions, library, not_interposed):
    """Prints each function without a reason, and each reason {why: pattern} without a function."""
    interposed = exported(library)
    reasons = re.compile("|".join(f"(?:{pattern})" for pattern in not_interposed.values()))
    for name in sorted(functions - interposed):
        if not reasons.fullmatch(name):
            print(f"{name} is neither interposed nor known not to matter")
    for reason, pattern in not_interposed.items():
        if not any(re.fullmatch(pattern, name) for name in functions - interposed):
            print(f"no function {reason}")
    print(f"{len(functions & interposed)} of {len(functions)} functions are interposed")
