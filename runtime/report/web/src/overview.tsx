// What the run was, what is missing of it, what could be had, and what to do first.
import {bytes, grouped, plural, seconds, share} from "./format";
import {Empty, Position, Severity, useReport} from "./parts";
import {link} from "./route";
import type {DeviceMemory, Finding, Sync} from "./summary";

const topFindings = 10;

/** What is there now, and what of it would do. */
function Before({title, before, after, note, to}: {
  title: string;
  before: [number, string];
  after: [number, string] | null;
  note: string;
  to: string;
}) {
  const rest = after && before[0] > 0 ? Math.max(0, Math.min(1, after[0] / before[0])) : 1;
  return (
    <a class="before" href={to}>
      <h3>{title}</h3>
      <p><strong>{before[1]}</strong>{after && after[0] < before[0] && <> {"\u2192"} <strong class="good">{after[1]}</strong></>}</p>
      <div class="meter" aria-hidden="true"><i style={{width: `${100 * rest}%`}} /></div>
      <p class="faint">{note}</p>
    </a>
  );
}

function memoryTile(d: DeviceMemory, several: boolean) {
  const after = d.peak_bytes_after;
  const objects = d.peaks[0] ? ` in ${plural(d.peaks[0].objects, "object")}` : "";
  const note = after === null ? `${grouped(d.peak_bytes)} bytes${objects}; --profile objects says what would do`
      : after < d.peak_bytes ? `${share(d.peak_bytes - after, d.peak_bytes)} of ${grouped(d.peak_bytes)} bytes${objects} can be saved`
                             : `${grouped(d.peak_bytes)} bytes${objects}; no finding lowers it`;
  return <Before title={several ? `Peak memory, device ${d.device}` : "Peak memory"}
                 before={[d.peak_bytes, bytes(d.peak_bytes)]}
                 after={after === null ? null : [after, bytes(after)]}
                 note={note} to={link("memory")} />;
}

function timeTile(sync: Sync) {
  const saved = sync.sites.reduce((sum, s) => sum + s.unnecessary_benefit_seconds +
                                       s.misplaced_benefit_seconds + s.duplicate_benefit_seconds, 0);
  const waits = sync.sites.reduce((sum, s) => sum + s.wait_seconds, 0);
  const wall = sync.wall_seconds;
  return <Before title="Time" before={[wall ?? 0, wall === null ? "?" : seconds(wall)]}
                 after={wall === null ? null : [Math.max(0, wall - saved), seconds(Math.max(0, wall - saved))]}
                 note={`${seconds(waits)} waiting for the GPU; ` +
                       (saved > 0 ? `${seconds(saved)} could be saved` : "nothing to save was found")}
                 to={link("timeline")} />;
}

function TopFinding({of, subject, saves}: {of: Finding; subject: string; saves: string}) {
  return (
    <li>
      <div class="line">
        <Severity of={of.severity} />
        <a class="subject" href={link("findings", of.id)}>{subject}</a>
        <Position of={of.source} />
        {saves && <span class={of.bytes_saved || of.seconds_saved ? "saves" : "faint"}>{saves}</span>}
      </div>
      <p>{of.message}</p>
      <p class="faint">{of.suggestion}</p>
    </li>
  );
}

export function OverviewView() {
  const {summary, texts} = useReport();
  const {findings, memory, sync} = summary;
  const tiles = [...(memory?.devices ?? []).map(d => memoryTile(d, memory!.devices.length > 1)),
                 ...(sync ? [timeTile(sync)] : [])];
  const figures = texts.figures.filter(([name]) => !(sync && name === "time") && !(tiles.length && name === "peak memory"));
  return (
    <>
      <h2 tabIndex={-1} class="sr">Overview</h2>
      <section class="head">
        {texts.head.slice(1).map(line => <p>{line}</p>)}
        {!summary.run.complete &&
          <p class="warning">The program died before everything was recorded: what is here is true, but not all.</p>}
      </section>
      {texts.missing.length !== 0 && (
        <section class="missing">
          <h3>Not everything was profiled</h3>
          <ul>{texts.missing.slice(0, 5).map(item => <li>{item}</li>)}</ul>
          {texts.missing.length > 5 &&
            <p><a href={link("run")}>{texts.missing.length - 5} more</a></p>}
        </section>
      )}
      {tiles.length !== 0 && <section class="tiles">{tiles}</section>}
      {figures.length !== 0 && (
        <section>
          <h3>Figures</h3>
          <dl class="facts">
            {figures.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}
          </dl>
        </section>
      )}
      <section>
        <h3>Findings, by what they save</h3>
        {findings.length === 0
          ? <Empty>No finding. What was looked for depends on the profile: gmprof run --profile.</Empty>
          : <ol class="findings">
              {findings.slice(0, topFindings).map((f, i) =>
                <TopFinding of={f} subject={texts.findings[i]?.subject ?? f.pattern}
                            saves={texts.findings[i]?.saves ?? ""} />)}
            </ol>}
        {findings.length > topFindings &&
          <p><a href={link("findings")}>All {grouped(findings.length)} findings</a></p>}
      </section>
      {texts.not_shown.length !== 0 && (
        <section class="faint">
          <h3>Not in this page</h3>
          <ul>{texts.not_shown.map(item => <li>{item}</li>)}</ul>
        </section>
      )}
    </>
  );
}
