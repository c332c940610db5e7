// All findings, ranked: filters, a table, and the details of the selected finding.
import {useMemo} from "preact/hooks";
import {callPath} from "./callpath";
import {grouped, plural, shortName, words} from "./format";
import {CallPath, Coded, Facts, KernelLink, ObjectLink, Position, Prose, Severity, useReport} from "./parts";
import {usePrinting} from "./printing";
import {link, replaceWith, type Route} from "./route";
import {SourceExcerpt} from "./source";
import type {Texts} from "./pagedata";
import type {Finding, Source} from "./summary";
import {Table, type Column} from "./table";
import {NoFindings, Unchecked} from "./unchecked";

/** A finding with its excerpts of the text report. Processes: those of a merged summary that have it. */
interface Listed extends Omit<Texts["findings"][number], "measured"> {
  finding: Finding;
  title: string;
  measured: [string, string][];
}

/** Findings whose details are printed. */
const printedFindings = 200;

const severities = ["high", "medium", "low", "info"];
export const patternOf = (f: Finding): string => f.kind ? `${f.pattern}/${f.kind}` : f.pattern;

/** Returns whether the finding passes the filters of the URL. */
function matches(item: Listed, query: URLSearchParams): boolean {
  const {finding, subject, title} = item;
  const pattern = query.get("pattern"), object = query.get("object"), kernel = query.get("kernel");
  const severity = query.get("severity"), text = query.get("text")?.toLowerCase();
  return (!pattern || finding.pattern === pattern) && (!severity || finding.severity === severity) &&
         (!object || String(finding.object?.id) === object) &&
         (!kernel || String(finding.kernel?.id) === kernel) &&
         (!text || [title, subject, patternOf(finding), finding.message, finding.suggestion, finding.source?.file ?? ""]
                       .some(each => each.toLowerCase().includes(text)));
}

/** Returns the distinct values, those with the most findings first. */
function choices(items: Listed[], of: (f: Finding) => [string, string] | null): [string, string][] {
  const found = new Map<string, {name: string; count: number}>();
  for (const {finding} of items) {
    const value = of(finding);
    if (!value)
      continue;
    const entry = found.get(value[0]) ?? {name: value[1], count: 0};
    ++entry.count;
    found.set(value[0], entry);
  }
  return [...found].sort((a, b) => b[1].count - a[1].count)
                   .map(([value, {name, count}]) => [value, `${name} (${grouped(count)})`]);
}

function Filters({items, query}: {items: Listed[]; query: URLSearchParams}) {
  const set = (key: string, value: string) => {
    const next = new URLSearchParams(query);
    if (value)
      next.set(key, value);
    else
      next.delete(key);
    replaceWith(link("findings", "", Object.fromEntries(next)));
  };
  const choice = (key: string, title: string, values: [string, string][]) => values.length !== 0 && (
    <label>{title}{" "}
      <select value={query.get(key) ?? ""} onChange={event => set(key, event.currentTarget.value)}>
        <option value="">all</option>
        {values.map(([value, name]) => <option value={value}>{name}</option>)}
      </select>
    </label>
  );
  return (
    <form class="filters" role="search" aria-label="Findings" onSubmit={event => event.preventDefault()}>
      <label>Text{" "}
        <input type="search" value={query.get("text") ?? ""}
               onInput={event => set("text", event.currentTarget.value)} />
      </label>
      {choice("severity", "Severity", choices(items, f => [f.severity, f.severity])
                .sort((a, b) => severities.indexOf(a[0]) - severities.indexOf(b[0])))}
      {choice("pattern", "Pattern", choices(items, f => [f.pattern, items.find(i => i.finding === f)!.title]))}
      {choice("object", "Allocation", choices(items, f => f.object && [String(f.object.id), f.object.name || `allocation ${f.object.id}`]))}
      {choice("kernel", "Kernel", choices(items, f => f.kernel && [String(f.kernel.id), shortName(f.kernel.name)]))}
      {query.size !== 0 && <a href={link("findings")}>Clear</a>}
    </form>
  );
}

const columns: Column<Listed>[] = [
  {title: "#", cell: ({finding}) => finding.id, by: ({finding}) => -finding.id},
  {title: "Severity", left: true, cell: ({finding}) => <Severity of={finding.severity} />},
  {title: "Pattern", left: true, minor: true, cell: ({title}) => title, by: ({title}) => title},
  {title: "In", left: true, wide: true, cell: ({subject, title}) => <span class="pattern" data-pattern={title}><span class="mono" title={subject.replaceAll("`", "")}><Coded of={subject} /></span></span>,
   by: ({subject}) => subject},
  {title: "At", left: true, minor: true, cell: ({finding}) => <Position of={finding.source} />,
   by: ({finding}) => finding.source ? `${finding.source.file}:${String(finding.source.line).padStart(7, "0")}` : ""},
  {title: "Cost", left: true, minor: true, cell: ({cost}) => cost, help: "Time or bytes that the fix saves"},
];

/** A finding in a list: what is wrong, where, the measured value beside the ideal, the cost and the fix. */
export function FindingCard({of}: {of: Finding}) {
  const {summary, texts} = useReport();
  const text = texts.findings[summary.findings.indexOf(of)];
  return (
    <li>
      <div class="line">
        <Severity of={of.severity} />
        <a class="subject" href={link("findings", of.id)}>{texts.patterns[of.pattern]?.title ?? words(of.pattern)}: <Coded of={text?.subject ?? ""} /></a>
        {of.source && <Position of={of.source} />}
      </div>
      <p><Prose of={of.message} /></p>
      <Advice of={of} cost={text?.cost} />
    </li>
  );
}

/** The findings of a kernel, an allocation or a call site. */
export function FindingsOf({of}: {of: (f: Finding) => boolean}) {
  const found = useReport().summary.findings.filter(of);
  return found.length === 0 ? null : (
    <section>
      <h3>Findings</h3>
      <ul class="findings short">{found.map(f => <FindingCard of={f} />)}</ul>
    </section>
  );
}

const Advice = ({of, cost}: {of: Finding; cost: string | undefined}) => (
  <dl class="advice">
    {cost && <div><dt>Cost</dt><dd>{cost}</dd></div>}
    <div><dt>Fix</dt><dd><Prose of={of.suggestion} /></dd></div>
  </dl>
);

/** The inlined calls that lead to the line. */
function InlinedAt({of}: {of: Finding}) {
  return of.inlined_at.length !== 0 && (
    <div class="inlined">
      <h4>Inlined at</h4>
      {of.inlined_at.map(path => (
        <ol class="callpath">{path.map(call =>
          <li><span class="mono">{call.function}</span> at <Position of={call.source} /></li>)}</ol>
      ))}
      {of.inlined_omitted !== 0 && <p class="faint">and at {grouped(of.inlined_omitted)} more call paths</p>}
    </div>
  );
}

/** The lines of a call path; functions without lines, as those of libraries, are counted. */
function CallLines({of}: {of: Source[]}) {
  const known = of.filter(s => s.line), left = of.length - known.length;
  return (
    <>
      <ol class="callpath">{(known.length ? known : of).map(source => <li><Position of={source} /></li>)}</ol>
      {known.length !== 0 && left !== 0 && <p>{plural(left, "call")} of functions without line information {left === 1 ? "is" : "are"} not listed.</p>}
    </>
  );
}

function FindingDetails({of: {finding: of, title, cost, processes, measured}}: {of: Listed}) {
  const {summary, texts} = useReport();
  const site = of.site === null ? undefined : summary.sync?.sites[of.site];
  const path = callPath(summary, site?.call_path ?? null);
  const pattern = texts.patterns[of.pattern];
  return (
    <article class="details" aria-label={`Finding ${of.id}`}>
      <h3>{of.id}. {title} <Severity of={of.severity} /></h3>
      <p><Prose of={of.message} /></p>
      <Advice of={of} cost={cost} />
      {of.source && <SourceExcerpt of={of.source} />}
      <Facts of={[
        ...(of.object ? [["allocation", <ObjectLink id={of.object.id} name={of.object.name} />] as const] : []),
        ...(of.kernel ? [["kernel", <KernelLink id={of.kernel.id} name={shortName(of.kernel.name)} />] as const] : []),
        ...(site ? [["call site", <a class="mono" href={link("timeline", of.site!)}>{site.api}</a>] as const] : []),
        ["at", <Position of={of.source} />],
        ...(processes ? [["found", <a href={link("processes")}>{processes}</a>] as const] : []),
      ].map(([a, b]) => [a, b])} />
      <InlinedAt of={of} />
      {path.length !== 0 ? <><h4>Call path</h4><CallPath of={path} /></> : of.call_path.length !== 0 && (
        <>
          <h4>Call path</h4>
          <CallLines of={of.call_path} />
        </>
      )}
      <h4>Evidence</h4>
      <Facts of={measured} />
      <h4>Method</h4>
      <Facts of={[
        ...(pattern ? [["pattern", pattern.means], ["compared with", pattern.compared], ["severity", pattern.severity],
                       ["found by", <><code>{patternOf(of)}</code> of <code>gmprof run --profile {pattern.profile}</code></>],
                       ["source", pattern.method]] as const : [["pattern", patternOf(of)]] as const),
        ["fingerprint", <span class="mono">{of.fingerprint}</span>],
      ].map(([a, b]) => [a, b])} />
    </article>
  );
}

export function FindingsView({route}: {route: Route}) {
  const {summary, texts} = useReport();
  const items = useMemo(() => summary.findings.map((finding, i): Listed => ({
    finding, title: texts.patterns[finding.pattern]?.title ?? words(finding.pattern),
    ...texts.findings[i] ?? {subject: "", cost: "", processes: "", measured: []},
  })), [summary]);
  const printing = usePrinting();
  const query = route.query.toString();
  const shown = useMemo(() => items.filter(item => matches(item, route.query)), [items, query]);
  const selected = shown.find(item => String(item.finding.id) === route.item) ?? shown[0];
  return (
    <>
      <h2 tabIndex={-1}>Findings</h2>
      {items.length === 0 ? <><NoFindings /><Unchecked /></> : (
        <>
          <Filters items={items} query={route.query} />
          <p class="faint" role="status">{shown.length === items.length
              ? `${plural(items.length, "finding")}, by severity and estimated benefit`
              : `${grouped(shown.length)} of ${grouped(items.length)}`}</p>
          <div class="split">
            <Table label="Findings" columns={columns} rows={shown} height={20} selected={selected}
                   onSelect={item => replaceWith(link("findings", item.finding.id, Object.fromEntries(route.query)))} />
            {(printing ? shown.slice(0, printedFindings) : selected ? [selected] : []).map(each =>
              <FindingDetails key={each.finding.id} of={each} />)}
          </div>
        </>
      )}
    </>
  );
}
