// Lines of the program, with what is known of each beside it.
import {useEffect, useMemo, useRef} from "preact/hooks";
import {baseName, bytes, digits, grouped, plural, position, seconds, shortName, words} from "./format";
import {Empty, sourceLink, useReport} from "./parts";
import {goTo, link, type Route} from "./route";
import type {Source, SourceFile, Summary} from "./summary";

/** A line's text, and whether the page has it. */
function linesAround(file: SourceFile | undefined, line: number, around: number): [number, string][] {
  const part = file?.parts.find(([first, lines]) => line >= first && line < first + lines.length);
  if (!part)
    return [];
  const [first, lines] = part;
  const from = Math.max(first, line - around), to = Math.min(first + lines.length, line + around + 1);
  return lines.slice(from - first, to - first).map((text, i) => [from + i, text]);
}

/** A few lines around one. */
export function SourceExcerpt({of, around = 4}: {of: Source; around?: number}) {
  const {sources} = useReport();
  const lines = linesAround(sources.get(of.file), of.line, around);
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

export interface Note {
  text: string;
  href: string;
  kind: "finding" | "access" | "event";
  severity?: string;
}

/** What is known of each line of a file. */
function notesOf(summary: Summary, path: string): Map<number, Note[]> {
  const notes = new Map<number, Note[]>();
  const add = (source: Source | null, note: Note) => {
    if (source?.file !== path)
      return;
    const there = notes.get(source.line) ?? [];
    if (!there.some(each => each.text === note.text && each.href === note.href))
      there.push(note);
    notes.set(source.line, there);
  };
  for (const f of summary.findings)
    add(f.source, {kind: "finding", severity: f.severity, text: `${f.severity}: ${words(f.pattern)}`, href: link("findings", f.id)});
  for (const k of summary.kernels) {
    const href = link("kernels", k.id), name = shortName(k.demangled);
    add(k.source, {kind: "event", text: `${name}: ${plural(k.launch_counts.seen, "launch")}`, href});
    for (const o of k.heat?.objects ?? [])
      for (const l of o.lines)
        if (l.requests)
          add(l.source, {kind: "access", href,
            text: `${l.access} ${o.name}: ${grouped(l.requests)} requests, ${digits(l.sectors / l.requests)} sectors each (ideal ${digits(l.ideal_sectors / l.requests)})`});
    for (const a of k.heat?.arrays ?? [])
      for (const l of a.lines)
        if (l.requests)
          add(l.source, {kind: "access", href,
            text: `${l.access} ${summary.objects[a.object]?.name ?? ""}: ${digits(l.wavefronts / l.requests)} wavefronts per request`});
    for (const use of [...k.objects, ...(k.global_memory?.objects ?? [])])
      for (const s of use.sites) {
        const object = summary.objects[use.object];
        const of = "names" in use ? use.names.join(", ") || object?.name : object?.name;
        add(s.source, {kind: "access", href, text: `${s.access} ${of ?? ""} (${words(s.rule)})`});
      }
  }
  for (const l of summary.cache?.lines ?? [])
    add(l.source, {kind: "access", href: link("kernels"),
      text: `${l.access}: L1 hits ${l.traffic.l1_hit_rate === null ? "-" : `${(100 * l.traffic.l1_hit_rate).toFixed(0)} %`}, ${bytes(l.traffic.l2_bytes)} from L2`});
  for (const o of summary.objects)
    if (o.kernel === null && o.alloc)
      add(o.source, {kind: "event", href: link("memory", o.id), text: `${o.name || "object"}: ${bytes(o.bytes)}`});
  summary.sync?.sites.forEach((s, i) => add(s.source, {
    kind: "event", href: link("timeline", i),
    text: `${s.api}: ${plural(s.calls, "call")}, waits ${seconds(s.wait_seconds)}`}));
  return notes;
}

const notesPerLine = 4;

export function SourceView({route}: {route: Route}) {
  const {summary, sources, texts} = useReport();
  const files = useMemo(() => [...sources.values()], [sources]);
  const wanted = route.query.get("file") ?? "";
  // Where most findings are.
  const busiest = useMemo(() => {
    const counts = new Map<string, number>();
    for (const f of summary.findings)
      if (f.source && sources.has(f.source.file))
        counts.set(f.source.file, (counts.get(f.source.file) ?? 0) + 1);
    for (const k of summary.kernels)
      if (k.source && sources.has(k.source.file) && !counts.has(k.source.file))
        counts.set(k.source.file, 0.5);
    return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
  }, [summary]);
  const file = sources.get(wanted) ?? sources.get(busiest ?? "") ?? files[0];
  const line = Number(route.query.get("line")) || 0;
  const notes = useMemo(() => notesOf(summary, file?.path ?? ""), [summary, file]);
  const here = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    here.current?.scrollIntoView({block: "center"});
    here.current?.focus({preventScroll: true});
  }, [file, line]);
  if (!file)
    return <Empty>The page has no source: it could not be read, or was changed after the run.</Empty>;
  const relative = (path: string) => texts.folder && path.startsWith(texts.folder + "/")
      ? path.slice(texts.folder.length + 1) : path;
  return (
    <>
      <h2 tabIndex={-1}>Source</h2>
      <form class="filters" onSubmit={event => event.preventDefault()}>
        <label>File{" "}
          <select value={file.path} onChange={event => goTo(link("source", "", {file: event.currentTarget.value}))}>
            {files.map(each => <option value={each.path}>{relative(each.path)}</option>)}
          </select>
        </label>
      </form>
      <div class="table source" role="region" tabIndex={0} aria-label={`Source of ${baseName(file.path)}`}>
        <table>
          <thead><tr><th scope="col">Line</th><th scope="col" class="left">Source</th><th scope="col" class="left">Known of it</th></tr></thead>
          {file.parts.map(([first, lines]) => (
            <tbody>
              {lines.map((text, i) => {
                const at = first + i, known = notes.get(at) ?? [];
                return (
                  <tr ref={at === line ? here : undefined} tabIndex={at === line ? -1 : undefined}
                      class={at === line ? "here" : known.some(n => n.kind === "finding") ? "marked" : ""}>
                    <td class="number">{at}</td>
                    <td class="left"><code>{text}</code></td>
                    <td class="left notes">
                      {known.slice(0, notesPerLine).map(n => <a class={`${n.kind} ${n.severity ?? ""}`} href={n.href}>{n.text}</a>)}
                      {known.length > notesPerLine && <span class="faint">{known.length - notesPerLine} more</span>}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          ))}
        </table>
      </div>
    </>
  );
}
