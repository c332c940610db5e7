// All findings, ranked: filter, select, and read the evidence and the fix.
import {useMemo} from "preact/hooks";
import {bytes, exactBytes, grouped, seconds, shortName, words} from "./format";
import {CallPath, Empty, Facts, KernelLink, ObjectLink, Position, Severity, useReport} from "./parts";
import {usePrinting} from "./printing";
import {link, replaceWith, type Route} from "./route";
import {SourceExcerpt} from "./source";
import type {EvidenceValue, Finding} from "./summary";
import {Table, type Column} from "./table";

interface Listed {
  finding: Finding;
  subject: string;
  cost: string;
  /** Which of them have it, in a merged summary. */
  processes: string;
}

/** Details on paper. */
const printedFindings = 200;

const severities = ["high", "medium", "low", "info"];
export const patternOf = (f: Finding): string => f.kind ? `${f.pattern}/${f.kind}` : f.pattern;

/** What the address asks for. */
function matches(item: Listed, query: URLSearchParams): boolean {
  const {finding, subject} = item;
  const pattern = query.get("pattern"), object = query.get("object"), kernel = query.get("kernel");
  const severity = query.get("severity"), text = query.get("text")?.toLowerCase();
  return (!pattern || finding.pattern === pattern) && (!severity || finding.severity === severity) &&
         (!object || String(finding.object?.id) === object) &&
         (!kernel || String(finding.kernel?.id) === kernel) &&
         (!text || [subject, patternOf(finding), finding.message, finding.suggestion, finding.source?.file ?? ""]
                       .some(each => each.toLowerCase().includes(text)));
}

/** Distinct values, those with most findings first. */
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
      {choice("pattern", "Pattern", choices(items, f => [f.pattern, words(f.pattern)]))}
      {choice("object", "Object", choices(items, f => f.object && [String(f.object.id), f.object.name || `object ${f.object.id}`]))}
      {choice("kernel", "Kernel", choices(items, f => f.kernel && [String(f.kernel.id), shortName(f.kernel.name)]))}
      {query.size !== 0 && <a href={link("findings")}>Clear</a>}
    </form>
  );
}

const columns: Column<Listed>[] = [
  {title: "#", cell: ({finding}) => finding.id, by: ({finding}) => -finding.id},
  {title: "Severity", left: true, cell: ({finding}) => <Severity of={finding.severity} />},
  {title: "Pattern", left: true, cell: ({finding}) => words(finding.pattern),
   by: ({finding}) => patternOf(finding)},
  {title: "Of", left: true, wide: true, cell: ({subject}) => <span class="mono" title={subject}>{subject}</span>,
   by: ({subject}) => subject},
  {title: "At", left: true, cell: ({finding}) => <Position of={finding.source} />,
   by: ({finding}) => finding.source ? `${finding.source.file}:${String(finding.source.line).padStart(7, "0")}` : ""},
  {title: "Memory", cell: ({finding}) => finding.bytes_saved ? bytes(finding.bytes_saved) : "-",
   by: ({finding}) => finding.bytes_saved, help: "Bytes that the fix saves"},
  {title: "Time", cell: ({finding}) => finding.seconds_saved ? seconds(finding.seconds_saved) : "-",
   by: ({finding}) => finding.seconds_saved ?? 0, help: "Time that the fix saves"},
];

function evidence(name: string, value: EvidenceValue): string {
  if (typeof value === "boolean")
    return value ? "yes" : "no";
  if (typeof value === "string")
    return value;
  if (/seconds$/.test(name))
    return seconds(value);
  if (/share|fragmentation/.test(name))
    return `${(100 * value).toFixed(1)} %`;
  if (/bytes/.test(name) && value >= 1024)
    return `${bytes(value)} (${exactBytes(value)})`;
  return Number.isInteger(value) ? grouped(value) : String(Number(value.toPrecision(6)));
}

/** By which calls the line's function was inlined. */
function InlinedAt({of}: {of: Finding}) {
  return of.inlined_at.length !== 0 && (
    <div class="inlined">
      <h4>Inlined by the calls</h4>
      {of.inlined_at.map(path => (
        <ol class="callpath">{path.map(call =>
          <li><span class="mono">{call.function}</span> at <Position of={call.source} /></li>)}</ol>
      ))}
      {of.inlined_omitted !== 0 && <p class="faint">and by {grouped(of.inlined_omitted)} more paths of calls</p>}
    </div>
  );
}

function FindingDetails({of, cost, processes}: {of: Finding; cost: string; processes: string}) {
  const {summary, texts} = useReport();
  const site = of.site === null ? undefined : summary.sync?.sites[of.site];
  const path = site?.call_path === null || !site ? undefined : summary.call_paths[site.call_path];
  return (
    <article class="details" aria-label={`Finding ${of.id}`}>
      <h3>{of.id}. {texts.patterns[of.pattern]?.title ?? words(of.pattern)}{of.kind && <span class="faint"> / {words(of.kind)}</span>} <Severity of={of.severity} /></h3>
      <p class="faint">{texts.patterns[of.pattern]?.means}</p>
      <p>{of.message}</p>
      <p class="suggestion">{of.suggestion}</p>
      <Facts of={[
        ...(of.object ? [["object", <ObjectLink id={of.object.id} name={of.object.name} />] as const] : []),
        ...(of.kernel ? [["kernel", <KernelLink id={of.kernel.id} name={shortName(of.kernel.name)} />] as const] : []),
        ...(site ? [["call", <a class="mono" href={link("timeline", of.site!)}>{site.api}</a>] as const] : []),
        ["at", <Position of={of.source} />],
        ...(cost ? [["cost", cost] as const] : []),
        ...(processes ? [["found", <a href={link("processes")}>{processes}</a>] as const] : []),
      ].map(([a, b]) => [a, b])} />
      {of.source && <SourceExcerpt of={of.source} />}
      <InlinedAt of={of} />
      <h4>Evidence</h4>
      <Facts of={Object.entries(of.evidence).map(([name, value]) => [words(name), evidence(name, value)])} />
      {path ? <><h4>Call path</h4><CallPath of={path} /></> : of.call_path.length !== 0 && (
        <>
          <h4>Call path</h4>
          <ol class="callpath">{of.call_path.map(source => <li><Position of={source} /></li>)}</ol>
        </>
      )}
      <p class="faint">{patternOf(of)}, of {of.origin}; fingerprint <span class="mono">{of.fingerprint}</span></p>
    </article>
  );
}

export function FindingsView({route}: {route: Route}) {
  const {summary, texts} = useReport();
  const items = useMemo(() => summary.findings.map((finding, i): Listed => ({
    finding, subject: texts.findings[i]?.subject ?? "", cost: texts.findings[i]?.cost ?? "",
    processes: texts.findings[i]?.processes ?? "",
  })), [summary]);
  const printing = usePrinting();
  const query = route.query.toString();
  const shown = useMemo(() => items.filter(item => matches(item, route.query)), [items, query]);
  const selected = shown.find(item => String(item.finding.id) === route.item) ?? shown[0];
  return (
    <>
      <h2 tabIndex={-1}>Findings</h2>
      {items.length === 0 ? <Empty>No problem was found by the checks that this profile makes.</Empty> : (
        <>
          <Filters items={items} query={route.query} />
          <p class="faint" role="status">{shown.length === items.length
              ? `${grouped(items.length)} in all, by severity and estimated benefit`
              : `${grouped(shown.length)} of ${grouped(items.length)}`}</p>
          <div class="split">
            <Table label="Findings" columns={columns} rows={shown} height={20} selected={selected}
                   onSelect={item => replaceWith(link("findings", item.finding.id, Object.fromEntries(route.query)))} />
            {(printing ? shown.slice(0, printedFindings) : selected ? [selected] : []).map(({finding, cost, processes}) =>
              <FindingDetails key={finding.id} of={finding} cost={cost} processes={processes} />)}
          </div>
        </>
      )}
    </>
  );
}
