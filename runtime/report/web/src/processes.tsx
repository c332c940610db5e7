// Processes of a merged summary: their numbers, spreads and outliers.
import {useMemo, useState} from "preact/hooks";
import {grouped, percent, plural, ratio, seconds, words} from "./format";
import {Bytes, Coded, Empty, Facts, Seconds, useReport} from "./parts";
import {link, replaceWith, type Route} from "./route";
import type {MergedProcess, Processes, Spread} from "./summary";
import {Table, type Column} from "./table";

const namedOutliers = 6;

const processName = (p: MergedProcess | undefined): string =>
    !p ? "?" : p.rank === null ? `${p.host}:${p.pid}` : `rank ${p.rank}`;

/** Returns the name that gmreport check uses. */
const measureName = (m: Spread): string => m.of ? `${m.name}(${m.of})` : m.name;

/** Numbers that are shares (docs/summary.md). */
const shares = ["bytes_used", "l1_hit", "l2_hit"];

function Value({of, in: {name, unit}}: {of: number; in: Spread}) {
  return shares.includes(name) ? <>{percent(of)}</> : unit === "bytes" ? <Bytes of={of} /> : unit === "seconds" ? <Seconds of={of} /> : <>{ratio(of)}</>;
}

function Named({of, all}: {of: number[]; all: Processes}) {
  if (of.length === 0)
    return <>-</>;
  return (
    <>
      {of.slice(0, namedOutliers).map((i, n) => (
        <>{n !== 0 && ", "}<a href={link("processes", i)}>{processName(all.list[i])}</a></>
      ))}
      {of.length > namedOutliers && ` and ${of.length - namedOutliers} more`}
    </>
  );
}

/** Returns the largest difference from the mean, as a share of the mean. */
const spread = (m: Spread): number =>
    m.mean === 0 ? 0 : Math.max(m.max - m.mean, m.mean - m.min) / Math.abs(m.mean);

function measureColumns(all: Processes): Column<Spread>[] {
  return [
    {title: "Number", left: true, wide: true, cell: m => <span class="mono">{measureName(m)}</span>, by: measureName},
    {title: "Least", cell: m => <Value of={m.min} in={m} />},
    {title: "in", left: true, cell: m => <Named of={[m.min_process]} all={all} />},
    {title: "Mean", cell: m => <Value of={m.mean} in={m} />},
    {title: "Greatest", cell: m => <Value of={m.max} in={m} />},
    {title: "in", left: true, cell: m => <Named of={[m.max_process]} all={all} />},
    {title: "Spread", cell: m => percent(spread(m)), by: spread,
     help: "Largest difference from the mean, as a share of the mean"},
    {title: "Outliers", left: true, cell: m => <Named of={m.outliers} all={all} />, by: m => m.outliers.length,
     help: "Modified z-score above 3.5, and more than 1 % from the median"},
  ];
}

function Measures({all}: {all: Processes}) {
  const [same, setSame] = useState(false);
  const differing = all.measures.filter(m => m.min !== m.max);
  const left = all.measures.length - differing.length;
  const rows = same ? all.measures : differing;
  return (
    <section>
      <h3>Numbers by process</h3>
      {left !== 0 && <p>
        <label><input type="checkbox" checked={same} onChange={event => setSame(event.currentTarget.checked)} />{" "}
          Also {plural(left, "number")} that {left === 1 ? "is" : "are"} the same in all processes</label>
      </p>}
      {rows.length === 0 ? <Empty>All numbers are the same in all processes.</Empty>
                         : <Table label="Numbers by process" rows={rows} columns={measureColumns(all)} />}
    </section>
  );
}

/** The outliers and findings of one process. */
function ProcessDetails({index, all}: {index: number; all: Processes}) {
  const {summary, texts} = useReport();
  const process = all.list[index]!;
  const outlying = all.measures.filter(m => m.outliers.includes(index));
  const found = new Set(all.findings.filter(f => f.processes.includes(index)).map(f => f.fingerprint));
  const findings = summary.findings.map((finding, i) => ({finding, subject: texts.findings[i]?.subject ?? ""}))
                       .filter(({finding}) => found.has(finding.fingerprint));
  return (
    <article class="details" aria-label={processName(process)}>
      <h3>{processName(process)}</h3>
      <Facts of={[
        ["process", `${process.pid} on ${process.host}`],
        ["command", <code>{process.command.join(" ")}</code>],
        ["exit status", process.exit_status ?? "unknown"],
        ["summary", <code>{process.path}</code>],
        ["profile", process.complete ? "complete" : "ends where the program died"],
        ["coverage", process.whole ? "complete" : "incomplete: its own summary lists the gaps"],
      ]} />
      <h4>Outlier in</h4>
      {outlying.length === 0 ? <p>No number.</p>
          : <ul>{outlying.map(m => <li><span class="mono">{measureName(m)}</span></li>)}</ul>}
      <h4>Findings</h4>
      {findings.length === 0 ? <p>No findings.</p>
          : <ul>{findings.map(({finding, subject}) => (
              <li><a href={link("findings", finding.id)}>{finding.id}. <Coded of={subject} />: {texts.patterns[finding.pattern]?.title ?? words(finding.pattern)}</a></li>
            ))}</ul>}
    </article>
  );
}

interface Listed {
  process: MergedProcess;
  index: number;
  outlierIn: number;
}

const columns: Column<Listed>[] = [
  {title: "Process", left: true, wide: true, cell: ({process}) => processName(process), by: ({index}) => -index},
  {title: "Host", left: true, cell: ({process}) => process.host, by: ({process}) => process.host},
  {title: "Time", cell: ({process}) => process.wall_seconds === null ? "-" : seconds(process.wall_seconds),
   by: ({process}) => process.wall_seconds ?? 0},
  {title: "Exit status", cell: ({process}) => process.exit_status ?? "-", by: ({process}) => process.exit_status ?? -1},
  {title: "Findings", cell: ({process}) => grouped(process.findings), by: ({process}) => process.findings},
  {title: "Outlier in", cell: ({outlierIn}) => grouped(outlierIn), by: ({outlierIn}) => outlierIn, help: "Numbers in which the process is an outlier"},
];

function listed(all: Processes): Listed[] {
  const outlierIn = all.list.map(() => 0);
  for (const m of all.measures)
    for (const index of m.outliers)
      ++outlierIn[index]!;
  return all.list.map((process, index) => ({process, index, outlierIn: outlierIn[index]!}));
}

export function ProcessesView({route}: {route: Route}) {
  const all = useReport().summary.processes;
  const rows = useMemo(() => all ? listed(all) : [], [all]);
  const selected = rows[Number(route.item)] ?? rows[0];
  return (
    <>
      <h2 tabIndex={-1}>Processes</h2>
      {!all || !selected ? <Empty>The summary has one process. <code>gmreport merge</code> merges summaries of several.</Empty> : (
        <>
          <Measures all={all} />
          <section>
            <h3>{plural(rows.length, "process")}</h3>
            <div class="split">
              <Table label="Processes" rows={rows} columns={columns} selected={selected}
                     onSelect={({index}) => replaceWith(link("processes", index))} />
              <ProcessDetails index={selected.index} all={all} />
            </div>
          </section>
        </>
      )}
    </>
  );
}
