// Source lines, with findings and metrics below the line that they concern.
import type {ComponentChildren} from "preact";
import {useEffect, useMemo, useRef} from "preact/hooks";
import {baseName, bytes, plural, position, rate, ratio, seconds, shortName, words} from "./format";
import {Empty, Prose, Severity, sourceLink, useReport} from "./parts";
import {goTo, link, type Route} from "./route";
import type {SourceFile} from "./pagedata";
import type {Finding, Source, Summary} from "./summary";

/** Returns numbers and texts of the lines from first to last that the page has. */
function linesBetween(file: SourceFile | undefined, first: number, last: number): [number, string][] {
  return (file?.parts ?? []).flatMap(([begin, lines]) => lines.map((text, i): [number, string] => [begin + i, text]))
                            .filter(([n]) => n >= first && n <= last);
}

/** A few lines around one. */
export function SourceExcerpt({of, around = 4}: {of: Source; around?: number}) {
  const {sources} = useReport();
  const lines = linesBetween(sources.get(of.file), of.line - around, of.line + around);
  if (lines.length === 0)
    return null;
  return (
    <figure class="excerpt">
      <figcaption><a class="mono" href={sourceLink(of)} title={of.file}>{position(of)}</a></figcaption>
      <pre tabIndex={0} aria-label={`Source around ${position(of)}`}>{lines.map(([n, text]) => (
        <span class={n === of.line ? "row here" : "row"}>
          <span class="number">{n}</span>{text}{"\n"}
        </span>
      ))}</pre>
    </figure>
  );
}

interface Note {
  text: string;
  href: string;
  kernel?: number;
}

interface Notes {
  findings: Finding[];
  notes: Note[];
}

/** Returns the findings and metrics of each line of a file. */
function notesOf(summary: Summary, path: string): Map<number, Notes> {
  const all = new Map<number, Notes>();
  const at = (source: Source | null): Notes | null => {
    if (source?.file !== path)
      return null;
    const notes = all.get(source.line) ?? {findings: [], notes: []};
    all.set(source.line, notes);
    return notes;
  };
  const add = (source: Source | null, note: Note) => {
    const to = at(source);
    if (to && !to.notes.some(each => each.text === note.text && each.href === note.href))
      to.notes.push(note);
  };
  for (const f of summary.findings)
    at(f.source)?.findings.push(f);
  for (const k of summary.kernels) {
    const href = link("kernels", k.id), name = shortName(k.demangled), kernel = k.id;
    add(k.source, {text: `${name}: ${plural(k.launch_counts.seen, "launch")}`, href, kernel});
    for (const o of [...k.heat?.objects ?? [], {name: "?", lines: k.heat?.other_lines ?? []}])
      for (const l of o.lines)
        if (l.requests)
          add(l.source, {href, kernel, text: `${l.access} ${o.name}: ${ratio(l.sectors / l.requests)} sectors/request (ideal ${
            ratio(l.ideal_sectors / l.requests)}), ${plural(l.requests, "request")}`});
    for (const a of [...k.heat?.arrays ?? [], {object: -1, lines: k.heat?.other_shared_lines ?? []}])
      for (const l of a.lines)
        if (l.requests)
          add(l.source, {href, kernel, text: `${l.access} ${summary.objects[a.object]?.name ?? "?"}: ${
            ratio(l.wavefronts / l.requests)} wavefronts/request (ideal ${ratio(l.ideal_wavefronts / l.requests)}), ${plural(l.requests, "request")}`});
    for (const use of [...k.objects, ...(k.global_memory?.objects ?? [])])
      for (const s of use.sites) {
        const object = summary.objects[use.object];
        const of = "names" in use ? use.names.join(", ") || object?.name : object?.name;
        add(s.source, {href, kernel, text: `${s.access} ${of ?? ""} (${words(s.rule)})`});
      }
  }
  for (const l of summary.cache?.lines ?? [])
    add(l.source, {href: link("kernels"),
      text: `${l.access}: L1 hit rate ${rate(l.traffic.l1_hit_rate)}, ${bytes(l.traffic.l2_bytes)} between L1 and L2`});
  for (const o of summary.objects)
    if (o.kernel === null && o.alloc)
      add(o.source, {href: link("memory", o.id), text: `allocates ${o.name ? `${o.name}, ` : ""}${bytes(o.bytes)}`});
  summary.sync?.sites.forEach((s, i) => add(s.source, {
    href: link("timeline", i),
    text: `${s.api}: ${plural(s.calls, "call")}, ${seconds(s.wait_seconds)} waiting`}));
  return all;
}

const notesPerLine = 6;

/** The findings and metrics of a line, below it. */
function LineNotes({of}: {of: Notes}) {
  const {texts} = useReport();
  const [shown, more] = [of.notes.slice(0, notesPerLine), of.notes.slice(notesPerLine)];
  const list = (notes: Note[]): ComponentChildren =>
    <ul class="plain">{notes.map(n => <li><a class="note" href={n.href}>{n.text}</a></li>)}</ul>;
  return (
    <>
      {of.findings.map(f => (
        <div class={`finding ${f.severity}`}>
          <p><Severity of={f.severity} /> <a class="subject" href={link("findings", f.id)}>{texts.patterns[f.pattern]?.title ?? words(f.pattern)}</a></p>
          <p><Prose of={f.message} /></p>
          <p><b>Fix</b> <Prose of={f.suggestion} /></p>
        </div>
      ))}
      {list(shown)}
      {more.length !== 0 && <details><summary>{more.length} more</summary>{list(more)}</details>}
    </>
  );
}

interface LinesProps {
  file: SourceFile;
  first?: number;
  last?: number;
  /** The line to highlight and scroll to. */
  line?: number;
  /** Shows the notes of this kernel only, and all lines without scrolling. */
  kernel?: number;
}

/** Lines of a file with their findings and metrics. */
function SourceLines({file, first = 1, last = Infinity, line = 0, kernel}: LinesProps) {
  const {summary} = useReport();
  const notes = useMemo(() => notesOf(summary, file.path), [summary, file]);
  const here = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    here.current?.scrollIntoView({block: "center"});
    here.current?.focus({preventScroll: true});
  }, [file, line]);
  const of = (n: number): Notes | undefined => {
    const all = notes.get(n);
    if (!all || kernel === undefined)
      return all;
    const own = {findings: all.findings.filter(f => f.kernel?.id === kernel), notes: all.notes.filter(each => each.kernel === kernel)};
    return own.findings.length + own.notes.length ? own : undefined;
  };
  return (
    <div class={`table source ${kernel === undefined ? "" : "whole"}`} role="region" tabIndex={0} aria-label={`Source of ${baseName(file.path)}`}>
      <table>
        <colgroup><col class="number" /><col /></colgroup>
        <thead class="sr"><tr><th scope="col">Line</th><th scope="col">Source</th></tr></thead>
        {file.parts.map(([begin, lines]) => (
          <tbody>
            {lines.map((text, i) => {
              const at = begin + i, known = of(at);
              return at < first || at > last ? null : (
                <>
                  <tr ref={at === line ? here : undefined} tabIndex={at === line ? -1 : undefined}
                      class={at === line ? "here" : known?.findings.length ? "marked" : ""}>
                    <td class="number">{at}</td>
                    <td class="left"><code>{text}</code></td>
                  </tr>
                  {known && <tr class="notes"><td /><td class="left"><LineNotes of={known} /></td></tr>}
                </>
              );
            })}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** The lines of a kernel, from its declaration to its last access. */
export function KernelSource({id, of}: {id: number; of: Source}) {
  const {summary, sources} = useReport();
  const file = sources.get(of.file);
  const last = useMemo(() => {
    let end = of.line + 12;
    for (const [line, {findings, notes}] of notesOf(summary, of.file))
      if (findings.some(f => f.kernel?.id === id) || notes.some(n => n.kernel === id))
        end = Math.max(end, line + 3);
    return end;
  }, [summary, id]);
  return file ? (
    <section>
      <h3>Source</h3>
      <p><a class="mono" href={sourceLink(of)} title={of.file}>{position(of)}</a></p>
      <SourceLines file={file} first={of.line - 2} last={last} kernel={id} />
    </section>
  ) : null;
}

export function SourceView({route}: {route: Route}) {
  const {summary, sources, texts} = useReport();
  const files = useMemo(() => [...sources.values()], [sources]);
  const wanted = route.query.get("file") ?? "";
  /** The line of the first finding, else of a kernel. */
  const first = useMemo(() => [...summary.findings, ...summary.kernels].find(
      ({source}) => source && sources.has(source.file))?.source, [summary]);
  const file = sources.get(wanted) ?? sources.get(first?.file ?? "") ?? files[0];
  const line = Number(route.query.get("line")) || (wanted ? 0 : first?.line ?? 0);
  if (!file)
    return <Empty>The page has no source. Compile with <code>-g</code> or <code>-lineinfo</code>, and run <code>gmreport html</code> where
      the files are readable and unchanged since the run.</Empty>;
  const relative = (path: string) => texts.folder && path.startsWith(texts.folder + "/")
      ? path.slice(texts.folder.length + 1) : path;
  const inFile = summary.findings.filter(f => f.source?.file === file.path);
  return (
    <>
      <h2 tabIndex={-1}>Source</h2>
      <form class="filters" onSubmit={event => event.preventDefault()}>
        <label>File{" "}
          <select value={file.path} onChange={event => goTo(link("source", "", {file: event.currentTarget.value}))}>
            {files.map(each => <option value={each.path}>{relative(each.path)}</option>)}
          </select>
        </label>
        <span class="faint" role="status">{plural(inFile.length, "finding")}{inFile.length !== 0 && <>, at {
          [...new Set(inFile.map(f => f.source!.line))].sort((a, b) => a - b).slice(0, 12).map((n, i) =>
            <>{i > 0 && ", "}<a href={sourceLink({file: file.path, line: n})}>line {n}</a></>)}</>}</span>
      </form>
      <SourceLines file={file} line={line} />
    </>
  );
}
