# Part of the GMProf project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports: summary.json, as docs/summary.md of GMProf describes it."""

import dataclasses
import html
import json
import os
import pathlib
from typing import Any, Dict, List, Optional, Tuple, Union

_SCHEMA = "gmprof.summary/3"
_MOST_ROWS = 20


@dataclasses.dataclass(frozen=True)
class Finding:
    """Something worth a change. The members are those of findings[] in summary.json."""

    id: int
    """Its number in the report, from 1, as `gmreport explain` takes it."""
    pattern: str
    """What it is, such as "strided_access"; docs/patterns.md has a page for each pattern."""
    kind: str
    """The pattern's variety; "": it has none."""
    severity: str
    """"info", "low", "medium" or "high"."""
    message: str
    """The problem, with numbers."""
    suggestion: str
    """The fix."""
    object: Optional[str]
    """The name of the allocation or variable; None: none."""
    kernel: Optional[str]
    """The kernel's demangled name; None: none."""
    file: Optional[str]
    """The source file to look at; None: unknown."""
    line: Optional[int]
    """The line in `file`; None: unknown."""
    bytes_saved: int
    """Bytes that the fix saves."""
    seconds_saved: Optional[float]
    """Seconds that the fix saves; None: not estimated."""
    fingerprint: str
    """Identifies the finding across runs."""
    evidence: Dict[str, Union[float, bool, str]]
    """The numbers that it rests on, by name."""

    @property
    def title(self) -> str:
        """The pattern in words: "Strided access"."""
        return self.pattern.replace("_", " ").capitalize()

    @property
    def where(self) -> str:
        """The object, the kernel and the line, as far as they are known: "x in add  a.py:3"."""
        names = " in ".join(part for part in (self.object, self.kernel) if part)
        line = f"{os.path.basename(self.file)}:{self.line}" if self.file and self.line else ""
        return "  ".join(part for part in (names, line) if part)


def _finding(json_object: Dict[str, Any]) -> Finding:
    source = json_object["source"] or {}
    return Finding(
        object=(json_object["object"] or {}).get("name"),
        kernel=(json_object["kernel"] or {}).get("name"),
        file=source.get("file") or None,
        line=source.get("line") or None,
        **{
            member: json_object[member]
            for member in (
                "id",
                "pattern",
                "kind",
                "severity",
                "message",
                "suggestion",
                "bytes_saved",
                "seconds_saved",
                "fingerprint",
                "evidence",
            )
        },
    )


def _in_unit(value: float, units: Tuple[Tuple[float, str], ...]) -> str:
    """Returns the value in the largest unit of which it is at least one."""
    scale, unit = next((u for u in units if value >= u[0]), units[-1])
    scaled = value / scale
    return f"{scaled:.0f} {unit}" if scaled >= 10 or scaled == int(scaled) else f"{scaled:.1f} {unit}"


def _saving(finding: Finding) -> str:
    savings = []
    if finding.bytes_saved:
        units = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "bytes"))
        savings.append(_in_unit(finding.bytes_saved, units))
    if finding.seconds_saved:
        units = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"))
        savings.append(_in_unit(finding.seconds_saved, units))
    return ", ".join(savings) or "not estimated"


class Report:
    """The summary of a profiled run. Notebooks show its findings as a table."""

    def __init__(self, path: pathlib.Path, summary: Dict[str, Any]) -> None:
        self.path = path
        """The file summary.json."""
        self.summary = summary
        """All of summary.json; docs/summary.md describes it."""
        self.findings: List[Finding] = [_finding(each) for each in summary["findings"]]
        """The findings, by severity, then by what they save."""

    @property
    def command(self) -> str:
        """The profiled command line."""
        return " ".join(self.summary["run"]["command"])

    @property
    def complete(self) -> bool:
        """False if the program died before everything was recorded."""
        return self.summary["run"]["complete"]

    def __repr__(self) -> str:
        count = len(self.findings)
        return f"<gmprof report of '{self.command}': {count} finding{'s' * (count != 1)}>"

    def _repr_html_(self) -> str:
        def row(cell: str, *texts: str) -> str:
            style = "text-align:left;vertical-align:top;white-space:normal"
            cells = (f'<{cell} style="{style}">{html.escape(text)}</{cell}>' for text in texts)
            return f"<tr>{''.join(cells)}</tr>"

        rows = [
            row("td", str(f.id), f.severity, f.title, f.where, f.message, f.suggestion, _saving(f))
            for f in self.findings[:_MOST_ROWS]
        ]
        title = f"{self.command}: " + ("" if self.complete else "incomplete, ")
        title += f"{len(self.findings)} findings" if len(self.findings) != 1 else "1 finding"
        if len(self.findings) > _MOST_ROWS:
            title += f", the first {_MOST_ROWS} of which are shown"
        head = row("th", "", "severity", "finding", "where", "problem", "fix", "saving")
        table = f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
        return f"<div><p>{html.escape(title)}</p>{table if rows else ''}</div>"


def report(path: Union[str, "os.PathLike[str]"]) -> Report:
    """Reads the report of a run: its directory (the -o of gmprof run), or summary.json itself.

    Raises FileNotFoundError if there is none, and ValueError if the file is not a summary or has
    another version's format.
    """
    file = pathlib.Path(path)
    if file.is_dir():
        file /= "summary.json"
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(
            f"there is no '{file}': 'gmprof run -o DIR' writes DIR/summary.json"
        ) from None
    try:
        summary = json.loads(text)
        schema = summary["schema"]
        if schema != _SCHEMA:
            raise ValueError(
                f"'{file}' has the format {schema}; this version of GMProf reads {_SCHEMA}"
            )
        return Report(file, summary)
    except (json.JSONDecodeError, AttributeError, KeyError, TypeError):
        raise ValueError(f"'{file}' is not a summary of GMProf") from None
