// Components shared by views.
import type {ComponentChildren} from "preact";
import {useContext} from "preact/hooks";
import {createContext} from "preact";
import type {Report} from "./data";
import {baseName, bytes, exactBytes, position, seconds, shortName} from "./format";
import {nameIn} from "./names";
import {link} from "./route";
import type {Frame, Source} from "./summary";

const ReportContext = createContext<Report>(null as unknown as Report);
export const ReportProvider = ReportContext.Provider;
export const useReport = (): Report => useContext(ReportContext);

export const Bytes = ({of}: {of: number}) => <span title={exactBytes(of)}>{bytes(of)}</span>;
export const Seconds = ({of}: {of: number}) => <span title={`${Number(of.toPrecision(9))} s`}>{seconds(of)}</span>;

/** A source line; a link if the page has its text. */
export function Position({of}: {of: Source | null | undefined}) {
  const {sources} = useReport();
  if (!of?.file)
    return <span class="faint">-</span>;
  const text = position(of);
  if (!sources.has(of.file))
    return <span class="mono" title={of.file}>{text}</span>;
  return <a class="mono" title={of.file} href={sourceLink(of)}>{text}</a>;
}

export const sourceLink = (of: Source): string =>
    link("source", "", {file: of.file, line: String(of.line)});

export const Severity = ({of}: {of: string}) => <span class={`severity ${of}`}>{of}</span>;

/** An allocation, by the kernel's name for it if that is given. */
export function ObjectLink({id, name}: {id: number; name?: string}) {
  const {summary, names} = useReport();
  const object = summary.objects[id];
  const text = (name && nameIn(name, object?.name ?? "")) || names[id] || "?";
  return object && object.kernel === null
      ? <a class="mono" href={link("memory", id)}>{text}</a>
      : <span class="mono">{text}</span>;
}

export function KernelLink({id, name}: {id: number; name?: string}) {
  const {summary} = useReport();
  const kernel = summary.kernels[id];
  const text = name || (kernel ? shortName(kernel.demangled) : "?");
  return <a class="mono" href={link("kernels", id)} title={kernel?.demangled}>{text}</a>;
}

export function CallPath({of}: {of: Frame[]}) {
  return (
    <ol class="callpath">
      {of.map(frame => (
        <li>
          <span class="mono">{frame.function || `0x${frame.address.toString(16)}`}</span>{" "}
          {frame.source ? <Position of={frame.source} />
                        : <span class="faint mono">{frame.image}</span>}
          {frame.inlined && <span class="faint"> inlined</span>}
        </li>
      ))}
    </ol>
  );
}

/** Text with what is between backticks as code; other gives the rest, as it is by default. */
export function Coded({of, other = text => text}: {of: string; other?: (text: string) => ComponentChildren}) {
  return <>{of.split(/`([^`]+)`/).map((part, i) => i % 2 ? <code>{part}</code> : other(part))}</>;
}

/** A message, with names between backticks as code and positions (app.cu:12) as links. */
export function Prose({of}: {of: string}) {
  const {sources} = useReport();
  const positions = (text: string) => text.split(/\b([\w.+-]+\.\w+:\d+)/).map((part, i) => {
    const [name, line] = part.split(":");
    const files = i % 2 ? [...sources.keys()].filter(path => baseName(path) === name) : [];
    return files.length === 1 ? <a href={sourceLink({file: files[0]!, line: Number(line)})}>{part}</a> : part;
  });
  return <Coded of={of} other={positions} />;
}

export interface Metric {
  title: string;
  value: ComponentChildren;
  /** What the value is compared with, or consists of. */
  note?: ComponentChildren;
  /** Between 0 and 1: how near the value is to its ideal. */
  share?: number | undefined;
  help?: string;
  href?: string;
}

/** Metrics as tiles. */
export const Metrics = ({of}: {of: Metric[]}) => (
  <dl class="metrics">
    {of.map(({title, value, note, share, help, href}) => (
      <div title={help}>
        <dt>{href ? <a href={href}>{title}</a> : title}</dt>
        <dd class="value">{value}</dd>
        {share !== undefined && <dd class="meter" aria-hidden="true"><i style={{width: `${100 * Math.min(1, Math.max(0, share))}%`}} /></dd>}
        {note && <dd class="note">{note}</dd>}
      </div>
    ))}
  </dl>
);

/** Names and values, in two columns. */
export const Facts = ({of}: {of: [ComponentChildren, ComponentChildren][]}) => (
  <dl class="facts">
    {of.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}
  </dl>
);

export const Empty = ({children}: {children: ComponentChildren}) =>
    <p class="empty">{children}</p>;
