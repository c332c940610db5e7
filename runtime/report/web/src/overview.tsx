// What ran and how it ended, the findings to fix first, what the profile covers and what it does not.
import {bytes, grouped, plural, seconds, share, words} from "./format";
import {Empty, Position, Severity, useReport} from "./parts";
import {link} from "./route";
import type {DeviceMemory, Finding, Sync} from "./summary";

const topFindings = 10;

/** A number now, and the number with all fixes. */
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
  const objects = d.peaks[0] ? ` in ${plural(d.peaks[0].objects, "allocation")}` : "";
  const note = after === null ? `${grouped(d.peak_bytes)} bytes${objects} (achievable peak: not analysed)`
      : after < d.peak_bytes ? `${grouped(d.peak_bytes)} bytes${objects}, -${share(d.peak_bytes - after, d.peak_bytes)} with all fixes`
                             : `${grouped(d.peak_bytes)} bytes${objects} (no fix reduces it)`;
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
                       (saved > 0 ? `${seconds(saved)} avoidable` : "none of it is avoidable")}
                 to={link("timeline")} />;
}

function TopFinding({of, title, subject, cost}: {of: Finding; title: string; subject: string; cost: string}) {
  return (
    <li>
      <div class="line">
        <Severity of={of.severity} />
        <a class="subject" href={link("findings", of.id)}>{title}: {subject}</a>
        <Position of={of.source} />
        {cost && <span class={of.bytes_saved || of.seconds_saved ? "saves" : "faint"}>{cost}</span>}
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
  const figures = texts.figures.filter(([name]) => !(sync && name === "Transfers, waits") && !(tiles.length && name === "Peak memory"));
  return (
    <>
      <h2 tabIndex={-1} class="sr">Overview</h2>
      <section class="head">
        {texts.head.slice(1).map(line => <p>{line}</p>)}
        {!summary.run.complete &&
          <p class="warning">The program ended before its profile was complete: the profile ends there.</p>}
      </section>
      {texts.missing.length !== 0 && (
        <section class="missing">
          <h3>Not covered</h3>
          <ul>{texts.missing.slice(0, 5).map(item => <li>{item}</li>)}</ul>
          {texts.missing.length > 5 &&
            <p><a href={link("run")}>{texts.missing.length - 5} more</a></p>}
        </section>
      )}
      {tiles.length !== 0 && <section class="tiles">{tiles}</section>}
      {figures.length !== 0 && (
        <section>
          <h3>Summary</h3>
          <dl class="facts">
            {figures.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}
          </dl>
        </section>
      )}
      <section>
        <h3>Findings, by severity and estimated benefit</h3>
        {findings.length === 0
          ? <Empty>No problem was found by the checks that this profile makes.</Empty>
          : <ol class="findings">
              {findings.slice(0, topFindings).map((f, i) =>
                <TopFinding of={f} title={texts.patterns[f.pattern]?.title ?? words(f.pattern)}
                            subject={texts.findings[i]?.subject ?? f.pattern}
                            cost={texts.findings[i]?.cost ?? ""} />)}
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
