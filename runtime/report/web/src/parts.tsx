// What several views are made of.
import type {ComponentChildren} from "preact";
import {useContext} from "preact/hooks";
import {createContext} from "preact";
import type {Report} from "./data";
import {bytes, exactBytes, position, seconds, shortName} from "./format";
import {link} from "./route";
import type {Frame, MemoryObject, Source} from "./summary";

const ReportContext = createContext<Report>(null as unknown as Report);
export const ReportProvider = ReportContext.Provider;
export const useReport = (): Report => useContext(ReportContext);

export const Bytes = ({of}: {of: number}) => <span title={exactBytes(of)}>{bytes(of)}</span>;
export const Seconds = ({of}: {of: number}) => <span title={`${of} s`}>{seconds(of)}</span>;

/** A line of the program; a link where the page has its text. */
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

export const objectName = (o: MemoryObject | undefined): string =>
    !o ? "?" : o.name || (o.source ? position(o.source) : `object ${o.id}`);

/** As a kernel calls it, and its own name where that is another. */
export function ObjectLink({id, name}: {id: number; name?: string}) {
  const {summary} = useReport();
  const object = summary.objects[id];
  const text = name && object?.name && object.name !== name ? `${name} (${object.name})` : name || objectName(object);
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

/** Names and values, in two columns. */
export const Facts = ({of}: {of: [ComponentChildren, ComponentChildren][]}) => (
  <dl class="facts">
    {of.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}
  </dl>
);

export const Empty = ({children}: {children: ComponentChildren}) =>
    <p class="empty">{children}</p>;
