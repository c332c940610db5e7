// CUDA API calls and GPU operations over time, and their call sites.
import type {JSX} from "preact";
import {useMemo} from "preact/hooks";
import {callPath} from "./callpath";
import {placeOf, problems, readCalls, type CallsData} from "./callsdata";
import {FindingsOf} from "./findings";
import {bytes, grouped, instant, plural, seconds, words} from "./format";
import {Lanes} from "./lanes";
import {useSection} from "./lazy";
import {readMemory} from "./memorydata";
import {rowName} from "./names";
import {CallPath, Empty, Facts, Position, Seconds, useReport} from "./parts";
import {changed, link, replaceWith, type Route} from "./route";
import {SourceExcerpt} from "./source";
import type {Source, Sync, SyncSite} from "./summary";
import {atFirstSight, benefit, waiting} from "./waits";
import {Table, type Column} from "./table";
import {RunAgain} from "./unchecked";
import {useTimeWindow, WindowButtons} from "./window";

const orDash = (n: number) => n ? grouped(n) : "-";

interface Listed {
  site: SyncSite;
  index: number;
  /** The kernels that it launches. */
  kernels: string;
}

function SiteDetails({of: {site, index, kernels}}: {of: Listed}) {
  const {summary} = useReport();
  const path = callPath(summary, site.call_path);
  const saving = (title: string, estimate: number, replay: number | null): [string, string][] =>
      estimate > 0 ? [[title, `${seconds(estimate)} benefit` + (replay === null ? "" : `, ${seconds(replay)} (replay)`)]] : [];
  return (
    <article class="details" aria-label={`Calls of ${site.api}`}>
      <h3 class="mono">{site.api}</h3>
      <Facts of={[
        ["at", <Position of={site.source} />],
        ...(kernels ? [["kernel", <span class="mono">{kernels}</span>] as [string, JSX.Element]] : []),
        ["calls", `${grouped(site.calls)}, ${seconds(site.call_seconds)}`],
        ["waits", `${grouped(site.blocked)} of ${grouped(site.waits)} blocked, ${seconds(site.wait_seconds)}`],
        ...(site.waits ? [["verdicts", [[site.needed, "needed"], [site.assumed_needed, "assumed needed"], [site.unnecessary, "redundant"], [site.misplaced, "misplaced"],
             [site.orders_streams, "order streams"], [site.not_seen, "not seen in all runs"]].filter(([n]) => n).map(([n, what]) => `${grouped(n as number)} ${what}`).join(", ") || "-"] as [string, string]] : []),
        ...(site.first_use ? [["first use", <><Position of={site.first_use} />{site.first_use_seconds !== null && ` ${seconds(site.first_use_seconds)} after the wait`}</>] as [string, JSX.Element]] : []),
        ...(site.copies ? [["copies", `${grouped(site.copies)}, ${bytes(site.copied_bytes)}; ${grouped(site.duplicates)} redundant (${bytes(site.duplicate_bytes)})`] as [string, string]] : []),
        ...(site.first_copy ? [["first copied at", <Position of={site.first_copy} />] as [string, JSX.Element]] : []),
        ...saving("redundant waits", site.unnecessary_benefit_seconds, site.replay_seconds),
        ...saving("misplaced waits", site.misplaced_benefit_seconds, site.replay_seconds),
        ...saving("redundant copies", site.duplicate_benefit_seconds, site.duplicate_replay_seconds),
      ]} />
      <FindingsOf of={f => f.site === index} />
      {site.source && <SourceExcerpt of={site.source} />}
      {path.length !== 0 && <><h4>Call path</h4><CallPath of={path} /></>}
    </article>
  );
}

const objectsNamed = 6;

/** The allocations that a call accesses. */
function Accesses({data, call}: {data: CallsData; call: number}) {
  const {names} = useReport();
  const memory = useSection("memory", readMemory);
  const first = data.firstAccess[call]!, count = data.firstAccess[call + 1]! - first;
  if (!memory || count === 0)
    return null;
  return <>
    {Array.from({length: Math.min(count, objectsNamed)}, (_, i) => {
      const row = data.accessed[first + i]!, kind = data.access[first + i]!, object = memory.object[row]!;
      return <>
        {i > 0 ? ", " : "; "}{["accesses", "reads", "writes", "reads and writes"][kind]}{" "}
        <a class="mono" href={link("memory", object ? object - 1 : `row-${row}`)}>{rowName(memory, names, row)}</a>
      </>;
    })}
    {count > objectsNamed && ` and ${grouped(count - objectsNamed)} more`}
  </>;
}

function CallDetails({data, call, route}: {data: CallsData; call: number; route: Route}) {
  const {summary} = useReport();
  const site = summary.sync ? data.site[call]! : -1;
  const gpu = data.gpuOf[call]! - 1;
  return (
    <p class="call">
      <strong class="mono">{data.names[data.name[call]!]}</strong>{" "}
      at {instant(data.begin[call]! / 1e9)}, {data.length[call] ? seconds(data.length[call]! / 1e9) : "duration unknown"}
      {data.wait[call] ? <>, {seconds(data.wait[call]! / 1e9)} of it waiting</> : null}
      {data.problem[call] ? <>, <span class="warning">{problems[data.problem[call]!]}</span></> : null}
      {gpu >= 0 && <>; on the GPU at {instant(data.gpuBegin[gpu]! / 1e9)}, {seconds(data.gpuLength[gpu]! / 1e9)}</>}
      <Accesses data={data} call={call} />
      {" "}<Position of={placeOf(data, call)} />{" "}
      {site >= 0 && summary.sync!.sites[site] && <a href={changed(route, {}, String(site))}>all calls of the call site</a>}
    </p>
  );
}

/** Returns the call that the URL selects; -1: none. */
function selectedCall({query}: Route, data: CallsData): number {
  const call = Number(query.get("call") ?? -1);
  return Number.isInteger(call) && call >= 0 && call < data.count ? call : -1;
}

/** Says why the timeline has no lane of a GPU. */
function GpuTimes() {
  const {summary} = useReport();
  return summary.config.device === "cpu" ? <p>On the CPU device, kernels run in these calls: there are no GPU times.</p>
      : summary.sync && !atFirstSight(summary) ? <p>The run recorded no GPU times.</p>
      : <p>GPU times are recorded by <RunAgain profile="sync" /></p>;
}

function LaneSection({data, site, route}: {data: CallsData; site: number; route: Route}) {
  const window = useTimeWindow(data.end, route);
  const selected = selectedCall(route, data);
  const setSelected = (call: number) => replaceWith(changed(route, {call: String(call)}));
  const next = (): void => {
    for (let i = selected + 1; i <= data.count + selected; ++i) {
      const call = i % data.count;
      if (site >= 0 ? data.site[call] === site : data.problem[call]) {
        const length = Math.max(data.length[call]!, 1000);
        window.show(data.begin[call]! - 2 * length, data.begin[call]! + 3 * length);
        setSelected(call);
        return;
      }
    }
  };
  return (
    <section>
      <div class="filters">
        <WindowButtons of={window} />
        {(site >= 0 || data.problem.some((p: number) => p !== 0)) &&
          <button type="button" onClick={next}>{site >= 0 ? "Next call of the call site" : "Next problem"}</button>}
        <span class="faint">{plural(data.count, "call")}, {instant(window.from / 1e9)} to {instant(window.to / 1e9)}</span>
        <span class="legend faint">
          {["launch", "copy", "memory", "wait", ...(data.problem.length ? ["problem"] : [])].map(name => <><i class={name} /> {name}</>)}
        </span>
      </div>
      <Lanes data={data} window={window} selected={selected} site={site} onSelect={setSelected} />
      {selected >= 0 ? <CallDetails data={data} call={selected} route={route} />
        : <p class="call">Select a call for its values. Drag to move; zoom with + and {"\u2212"}, or with Ctrl and the wheel; double-click to show the whole run.</p>}
      {data.gpuBegin.length === 0 && <GpuTimes />}
    </section>
  );
}

/** Calls by name and call site, for profiles other than sync. */
function CallTable({data}: {data: CallsData}) {
  const rows = useMemo(() => {
    const groups = new Map<number, {name: string; kind: string; source: Source | null; calls: number; ns: number}>();
    for (let i = 0; i < data.count; ++i) {
      const key = data.name[i]! * (data.places.length + 1) + data.place[i]!;
      let group = groups.get(key);
      if (!group)
        groups.set(key, group = {name: data.names[data.name[i]!]!, kind: data.kinds[data.kind[i]!]!, source: placeOf(data, i), calls: 0, ns: 0});
      ++group.calls;
      group.ns += data.length[i]!;
    }
    return [...groups.values()].sort((a, b) => b.ns - a.ns || b.calls - a.calls);
  }, [data]);
  return (
    <section>
      <h3>Calls by name and call site</h3>
      <Table label="Calls by name and call site" rows={rows} height={14} columns={[
        {title: "Call", left: true, wide: true, cell: r => <span class="mono">{r.name}</span>, by: r => r.name},
        {title: "Kind", left: true, cell: r => r.kind, by: r => r.kind},
        {title: "At", left: true, cell: r => <Position of={r.source} />, by: r => r.source ? `${r.source.file}:${String(r.source.line).padStart(7, "0")}` : ""},
        {title: "Calls", cell: r => grouped(r.calls), by: r => r.calls},
        {title: "Host time", cell: r => r.ns ? <Seconds of={r.ns / 1e9} /> : "-", by: r => r.ns},
      ]} />
    </section>
  );
}

/** Columns of the table of call sites: what is analysed, and what is known at first sight. */
const columns: Record<"benefit" | "blocked" | "problems" | "copies", Column<Listed>[]> = {
  benefit: [{title: "Benefit", help: "Estimated time that the fixes save", cell: ({site}) => benefit(site) > 0 ? <strong class="good"><Seconds of={benefit(site)} /></strong> : "-", by: ({site}) => benefit(site)}],
  blocked: [{title: "Blocked", cell: ({site}) => orDash(site.blocked), by: ({site}) => site.blocked, help: "Calls in which the host waits"}],
  problems: [
    {title: "Redundant", help: "Waits whose results the host does not read before the next wait", minor: true, cell: ({site}) => orDash(site.unnecessary), by: ({site}) => site.unnecessary},
    {title: "Misplaced", help: "Waits long before the host reads a result", minor: true, cell: ({site}) => orDash(site.misplaced), by: ({site}) => site.misplaced},
    {title: "Redundant copies", help: "Copies of the same data as an earlier copy", minor: true, cell: ({site}) => orDash(site.duplicates), by: ({site}) => site.duplicates},
  ],
  copies: [
    {title: "Copies", cell: ({site}) => orDash(site.copies), by: ({site}) => site.copies},
    {title: "Copied", cell: ({site}) => site.copied_bytes ? bytes(site.copied_bytes) : "-", by: ({site}) => site.copied_bytes},
  ],
};

function Sites({sync, data, selected, onSelect}: {
  sync: Sync;
  data: CallsData | null | undefined;
  selected: number | undefined;
  onSelect: (l: Listed) => void;
}) {
  const rows = useMemo(() => {
    const names = sync.sites.map(() => new Set<string>());
    for (let i = 0; data && i < data.count; ++i)
      if (data.kinds[data.kind[i]!] === "launch")
        names[data.site[i]!]?.add(data.names[data.name[i]!]!);
    return sync.sites.map((site, index): Listed => ({site, index, kernels: [...names[index]!].join(", ")}))
                     .sort((a, b) => benefit(b.site) - benefit(a.site) || a.index - b.index);
  }, [sync, data]);
  const shown = rows.find(r => r.index === selected);
  const {summary} = useReport();
  const analysed = !atFirstSight(summary);
  return (
    <section>
      <h3>{analysed ? "Call sites, by estimated benefit" : "Call sites"}</h3>
      {sync.sites_omitted > 0 && <p>{plural(sync.sites_omitted, "more call site")} that neither wait nor copy.</p>}
      <div class="split">
        <Table label="Call sites" rows={rows} height={16} selected={shown} onSelect={onSelect} columns={[
          {title: "Call", left: true, wide: true, cell: ({site, kernels}) => <span class="mono">{kernels || site.api}</span>, by: ({site, kernels}) => kernels || site.api},
          {title: "At", left: true, cell: ({site}) => <Position of={site.source} />},
          ...(analysed ? columns.benefit : []),
          {title: "Calls", cell: ({site}) => grouped(site.calls), by: ({site}) => site.calls},
          ...(analysed ? columns.blocked : []),
          {title: "Wait time", cell: ({site}) => site.wait_seconds ? <Seconds of={site.wait_seconds} /> : "-", by: ({site}) => site.wait_seconds},
          ...(analysed ? columns.problems : columns.copies),
        ]} />
        {shown && <SiteDetails of={shown} />}
      </div>
    </section>
  );
}

function Groups({sync}: {sync: Sync}) {
  return (
    <div class="columns">
      {sync.functions.length !== 0 && <section>
        <h3>By function</h3>
        <Table label="By function" rows={sync.functions} height={10} columns={[
          {title: "Function", left: true, wide: true, cell: f => <span class="mono">{f.function}</span>, by: f => f.function},
          {title: "Call", left: true, cell: f => <span class="mono">{f.api}</span>, by: f => f.api},
          {title: "Call sites", cell: f => f.sites.map((s, i) => <>{i > 0 && ", "}<a href={link("timeline", s)}>{s + 1}</a></>)},
          {title: "Benefit", cell: f => <Seconds of={f.benefit_seconds} />, by: f => f.benefit_seconds},
        ]} />
      </section>}
      {sync.sequences.length !== 0 && <section>
        <h3>Sequences</h3>
        <p class="faint">Consecutive waits and copies without a needed wait between them. Fixing a whole sequence saves more than fixing its parts.</p>
        <ol class="findings">
          {sync.sequences.map(q => (
            <li>
              <span class="good">{seconds(q.benefit_seconds)}</span> in {plural(q.count, "occurrence")}:{" "}
              {q.entries.map((e, i) => {
                const site = sync.sites[e.site];
                return <>{i > 0 && " \u2192 "}<a class="mono" href={link("timeline", e.site)}>{site?.api}</a> <Position of={site?.source} /></>;
              })}
            </li>
          ))}
        </ol>
      </section>}
      {sync.stages.length !== 0 && <section>
        <h3>Runs of the program</h3>
        <Table label="Runs of the program" rows={sync.stages} height={6} columns={[
          {title: "Run", left: true, cell: s => words(s.name)},
          {title: "Time", cell: s => s.seconds === null ? "-" : <Seconds of={s.seconds} />},
          {title: "Calls", cell: s => grouped(s.calls)},
          {title: "Differences", left: true, wide: true, cell: s => s.same_calls ? "none" :
             `${grouped(s.missing_calls)} missing, ${grouped(s.additional_calls)} additional; first ${s.first_difference}`},
        ]} />
      </section>}
    </div>
  );
}

export function TimelineView({route}: {route: Route}) {
  const {summary} = useReport();
  const data = useSection("calls", readCalls);
  const {sync} = summary;
  const index = route.item === "" ? -1 : Number(route.item);
  const site = sync?.sites[index];
  const waits = waiting(summary);
  return (
    <>
      <h2 tabIndex={-1}>Timeline</h2>
      {waits && <p>
        {waits.wall !== null && `${seconds(waits.wall)}${atFirstSight(summary) ? "" : " without profiling"}, `}{waits.text}.
      </p>}
      {data === undefined && <p>Unpacking {"\u2026"}</p>}
      {data && data.count !== 0 && <LaneSection data={data} site={site ? index : -1} route={route} />}
      {data === null && <Empty>The page has no calls, because the event log beside the summary could not be read. Run <code>gmreport html</code> in the results directory of <code>gmprof run</code>.</Empty>}
      {data?.count === 0 && <><Empty>The profile has no CUDA API calls.</Empty><p>They are recorded by <RunAgain profile="sync" /></p></>}
      {sync ? <>
        <Sites sync={sync} data={data} selected={site && index} onSelect={({index: to}) => replaceWith(changed(route, {}, String(to)))} />
        <Groups sync={sync} />
      </> : data && data.count !== 0 && <CallTable data={data} />}
    </>
  );
}
