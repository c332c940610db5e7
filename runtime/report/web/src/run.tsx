// The program, its devices, the configuration and the coverage.
import type {ComponentChildren} from "preact";
import {grouped, percent, seconds, share, words} from "./format";
import {Bytes, Facts, Position, useReport} from "./parts";
import {Table} from "./table";

/** Options that are shares (docs/summary.md). */
const shares = ["size_difference", "accessed_share", "frequency_variation", "late_share"];

/** A device attribute or an option with its unit. */
function named([name, value]: [string, unknown]): [string, ComponentChildren] {
  const title = words(name).replace(/\bbytes\b/, "memory").replace(/\bsm\b/g, "SM").replace(/\bsms\b/, "SMs").replace(/ optin$/, " (opt-in)");
  if (typeof value === "string")
    return [title, value.replace(/^(\d+)%$/, "$1 %") || "-"];
  if (Array.isArray(value))
    return [title, value.join(", ") || "-"];
  if (typeof value !== "number")
    return [title, JSON.stringify(value)];
  return [title, /bytes/.test(name) ? <Bytes of={value} /> : shares.includes(name) ? percent(value) : grouped(value)];
}

export function RunView() {
  const {summary, texts} = useReport();
  const {run, coverage: c, tool} = summary;
  return (
    <>
      <h2 tabIndex={-1}>Run</h2>
      <div class="columns">
        <section>
          <h3>Program</h3>
          <Facts of={[
            ["command", <code>{run.command.join(" ")}</code>],
            ["start", run.start.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC")],
            ["time", run.wall_seconds === null ? "unknown: the program died" : seconds(run.wall_seconds)],
            ["exit status", run.exit_status ?? "unknown"],
            ["host", `${run.host}, process ${run.pid}${run.rank === null ? "" : `, rank ${run.rank}`}`],
            ["profile", run.complete ? "complete" : "ends where the program died"],
            ["GMProf", tool.version],
          ]} />
          <h3>Devices</h3>
          {summary.devices.map(d => <Facts of={[
            [`device ${d.id}`, `${d.name}, compute capability ${d.compute_capability}`],
            ...Object.entries(d.attributes).filter(([name]) => !["id", "name", "compute_capability"].includes(name)).map(named),
          ]} />)}
        </section>
        <section>
          <h3>Configuration</h3>
          <Facts of={Object.entries(summary.config).map(named)} />
        </section>
      </div>
      <section>
        <h3>Coverage{c.whole ? ": complete" : ""}</h3>
        {texts.missing.length !== 0 && <div class="missing"><ul>{texts.missing.map(item => <li>{item}</li>)}</ul></div>}
        <Table label="Coverage" height={12} rows={[
          ["kernels", c.kernels.seen, c.kernels.instrumented,
           c.kernels.nothing_to_profile ? `${grouped(c.kernels.nothing_to_profile)} have nothing to profile` : ""],
          ["launches", c.launches.seen, c.launches.profiled,
           [[c.launches.not_selected, "not selected"], [c.launches.nothing_to_profile, "have nothing to profile"], [c.launches.refused, "refused"],
            [c.launches.without_counts, "without counts"]]
               .filter(([n]) => n).map(([n, what]) => `${grouped(n as number)} ${what}`).join(", ")],
          ["blocks, summed over profiles", c.blocks.launched, c.blocks.counted, ""],
          ["accesses", c.accesses.counted + c.accesses.lost, c.accesses.counted,
           [[c.accesses.lost, "lost"], [c.accesses.unattributed, "of unknown variables"], [c.accesses.outside, "outside of allocations"]]
               .filter(([n]) => n).map(([n, what]) => `${grouped(n as number)} ${what}`).join(", ")],
        ] as [string, number, number, string][]} columns={[
          {title: "Part", left: true, cell: r => r[0]},
          {title: "Seen", cell: r => grouped(r[1])},
          {title: "Profiled", cell: r => grouped(r[2])},
          {title: "Share", cell: r => share(r[2], r[1])},
          {title: "Others", left: true, wide: true, cell: r => r[3] || "-"},
        ]} />
        {c.kernels.not_instrumented.length !== 0 && <>
          <h4>Kernels not profiled</h4>
          <Table label="Kernels not profiled" rows={c.kernels.not_instrumented} columns={[
            {title: "Kernel", left: true, cell: r => <span class="mono">{r.name}</span>, by: r => r.name},
            {title: "Reason", left: true, wide: true, cell: r => r.reason, by: r => r.reason},
          ]} />
        </>}
        {c.launches.reasons.length !== 0 && <>
          <h4>Launches not profiled</h4>
          <Table label="Launches not profiled" rows={c.launches.reasons} columns={[
            {title: "Launches", cell: r => grouped(r.count), by: r => r.count},
            {title: "Kernel", left: true, cell: r => <span class="mono">{r.kernel}</span>, by: r => r.kernel},
            {title: "Reason", left: true, wide: true, cell: r => r.reason, by: r => r.reason},
          ]} />
        </>}
        {c.accesses.skipped.length !== 0 && <>
          <h4>Accesses not counted</h4>
          <Table label="Accesses not counted" rows={c.accesses.skipped} columns={[
            {title: "At", left: true, cell: r => <Position of={r.source} />},
            {title: "Access", left: true, cell: r => r.access, by: r => r.access},
            {title: "Kernel", left: true, cell: r => <span class="mono">{r.kernel}</span>, by: r => r.kernel},
            {title: "Reason", left: true, wide: true, cell: r => r.reason, by: r => r.reason},
          ]} />
        </>}
        {c.gaps.length !== 0 && <>
          <h4>Gaps</h4>
          <Table label="Gaps" rows={c.gaps} columns={[
            {title: "Count", cell: r => grouped(r.count), by: r => r.count},
            {title: "Missing", left: true, cell: r => r.what, by: r => r.what},
            {title: "Reason", left: true, wide: true, cell: r => r.reason, by: r => r.reason},
          ]} />
        </>}
      </section>
      <section>
        <h3>Files beside the summary</h3>
        <Facts of={summary.files.map(f => [<code>{f.path}</code>, f.description])} />
      </section>
    </>
  );
}
