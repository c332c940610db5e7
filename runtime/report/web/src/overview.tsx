// The first screen: what ran and how it ended, the findings, one line for each kind of memory, the
// coverage, and the commands that make the remaining checks.
import {FindingCard} from "./findings";
import {bytes, grouped, plural, seconds, share} from "./format";
import {Facts, Metrics, useReport, type Metric} from "./parts";
import {link} from "./route";
import type {DeviceMemory} from "./summary";
import {atFirstSight, waiting, type Waiting} from "./waits";
import {Unchecked} from "./unchecked";

const topFindings = 10;

/** A value, and the value with all fixes. */
function before(now: number, after: number | null, format: (n: number) => string): Pick<Metric, "value" | "share"> {
  return after !== null && after < now
      ? {value: <>{format(now)} {"\u2192"} <span class="good">{format(after)}</span></>, share: after / now}
      : {value: format(now)};
}

function memoryMetric(d: DeviceMemory, several: boolean): Metric {
  const after = d.peak_bytes_after;
  const allocations = d.peaks[0] ? ` in ${plural(d.peaks[0].objects, "allocation")}` : "";
  return {
    title: several ? `Peak memory, device ${d.device}` : "Peak memory", href: link("memory"),
    help: `${grouped(d.peak_bytes)} bytes${after === null ? "" : `; ${grouped(after)} bytes with all fixes`}`,
    ...before(d.peak_bytes, after, bytes),
    note: `${grouped(d.peak_bytes)} bytes${allocations}` +
          (after === null ? " (achievable peak: not analysed)"
           : after < d.peak_bytes ? `, -${share(d.peak_bytes - after, d.peak_bytes)} with all fixes`
                                  : " (no fix reduces it)"),
  };
}

const timeMetric = ({wall, saved, text}: Waiting, analysed: boolean): Metric => ({
  title: analysed ? "Time without profiling" : "Time", href: link("timeline"),
  ...wall === null ? {value: "unknown"} : before(wall, Math.max(0, wall - saved), seconds),
  note: text,
});

export function OverviewView() {
  const {summary, texts} = useReport();
  const {findings, memory} = summary;
  const waits = waiting(summary);
  const metrics = [...(memory?.devices ?? []).map(d => memoryMetric(d, memory!.devices.length > 1)),
                   ...(waits ? [timeMetric(waits, !atFirstSight(summary))] : [])];
  const inMetrics = ["Not checked", ...(memory?.devices.length ? ["Peak memory"] : [])];
  const figures = texts.figures.filter(([name]) => !inMetrics.includes(name));
  /** Calls patterns by their usual names: 2 late deallocations. */
  const named = (text: string) => text.replace(/([\d,]+) ([a-z_]+)/g, (all, count: string, pattern: string) => {
    const title = texts.patterns[pattern]?.title.toLowerCase();
    return title ? plural(Number(count.replaceAll(",", "")), title) : all;
  });
  const severities = ["high", "medium", "low", "info"].map(severity =>
    [findings.filter(f => f.severity === severity).length, severity] as const).filter(([n]) => n);
  return (
    <>
      <h2 tabIndex={-1} class="sr">Overview</h2>
      <section class="head">
        {texts.head.slice(1).map(line => <p>{line}</p>)}
        {!summary.run.complete &&
          <p class="warning">The program died before its profile was complete: later operations are missing.</p>}
      </section>
      <section>
        <h3>{findings.length === 0 ? "Findings"
             : `${plural(findings.length, "finding")} (${severities.map(([n, name]) => `${n} ${name}`).join(", ")}), by severity and estimated benefit`}</h3>
        {findings.length === 0
          ? <p class="empty">No problem was found by the checks that this profile makes.</p>
          : texts.listed.length !== 0 && <ol class="findings">
              {texts.listed.slice(0, topFindings).map(i => <FindingCard of={findings[i]!} />)}
            </ol>}
        {texts.without_benefit && <p class="others">{named(texts.without_benefit)}</p>}
        {findings.length > Math.min(topFindings, texts.listed.length) &&
          <p><a href={link("findings")}>All {grouped(findings.length)} findings</a></p>}
      </section>
      <section>
        <h3>Summary</h3>
        {metrics.length !== 0 && <Metrics of={metrics} />}
        <Facts of={figures} />
      </section>
      {texts.missing.length !== 0 && (
        <section class="missing">
          <h3>Not covered</h3>
          <ul>{texts.missing.slice(0, 5).map(item => <li>{item}</li>)}</ul>
          {texts.missing.length > 5 &&
            <p><a href={link("run")}>{texts.missing.length - 5} more</a></p>}
        </section>
      )}
      <Unchecked />
      {texts.not_shown.length !== 0 && (
        <section>
          <h3>Not in this page</h3>
          <ul>{texts.not_shown.map(item => <li>{item}</li>)}</ul>
        </section>
      )}
    </>
  );
}
