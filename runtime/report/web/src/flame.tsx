// The flame graph: callers above callees, each box as wide as its share. Boxes zoom, and a search
// highlights them; the URL keeps both.
import {useMemo, useRef} from "preact/hooks";
import {useWidth} from "./canvas";
import {described, flameKinds, type FlameKind, type FlameNode} from "./flamedata";
import {percent, plural} from "./format";
import {Empty, Position, useReport} from "./parts";
import {changed, goTo, link, replaceWith, type Route} from "./route";
import {RunAgain} from "./unchecked";

const boxHeight = 22;
/** Narrower boxes are not drawn, in pixels. */
const narrowest = 2;

interface Box {
  node: FlameNode;
  /** Indexes of children, from the root. */
  path: string;
  depth: number;
  x: number;
  width: number;
}

/** Returns the boxes below a node, and those of its ancestors at full width. */
function boxesOf(kind: FlameKind, zoom: string, width: number): {boxes: Box[]; hidden: number; zoomed: Box} {
  const boxes: Box[] = [];
  let node = kind.root, path = "", depth = 0, hidden = 0;
  boxes.push({node, path, depth, x: 0, width});
  for (const index of zoom === "" ? [] : zoom.split(".")) {
    const child = node.children[Number(index)];
    if (!child)
      break;
    path = path === "" ? index : `${path}.${index}`;
    boxes.push({node: node = child, path, depth: ++depth, x: 0, width});
  }
  const add = (of: FlameNode, at: string, level: number, x: number, scale: number): void => {
    of.children.forEach((child, i) => {
      const wide = child.value * scale, below = at === "" ? String(i) : `${at}.${i}`;
      if (wide >= narrowest) {
        boxes.push({node: child, path: below, depth: level + 1, x, width: wide});
        add(child, below, level + 1, x, scale);
      } else {
        ++hidden;
      }
      x += wide;
    });
  };
  add(node, path, depth, 0, width / node.value);
  return {boxes, hidden, zoomed: boxes[depth]!};
}

/** The value of the topmost nodes whose name contains the text. */
function matching(node: FlameNode, text: string): number {
  return node.name.toLowerCase().includes(text) ? node.value : node.children.reduce((sum, c) => sum + matching(c, text), 0);
}

const colorOf = (node: FlameNode): string =>
    node.leaf ? "leaf" : `c${[...node.name].reduce((sum, c) => (sum * 31 + c.codePointAt(0)!) >>> 0, 7) % 4}`;

function Graph({kind, zoom, text, onZoom}: {kind: FlameKind; zoom: string; text: string; onZoom: (path: string) => void}) {
  const [box, width] = useWidth<HTMLDivElement>();
  const {boxes, hidden, zoomed} = useMemo(() => boxesOf(kind, zoom, width), [kind, zoom, width]);
  const {node} = zoomed;
  const deepest = Math.max(...boxes.map(b => b.depth));
  const tree = useRef<HTMLDivElement>(null);
  const focus = (to: Box | undefined): void =>
    tree.current?.querySelector<HTMLElement>(`[data-path="${to?.path}"]`)?.focus();

  function key(event: KeyboardEvent): void {
    const at = boxes.find(b => b.path === (event.target as HTMLElement).dataset.path);
    if (!at || event.ctrlKey || event.metaKey || event.altKey)
      return;
    const level = boxes.filter(b => b.depth === at.depth), index = level.indexOf(at);
    const parent = at.path.includes(".") ? at.path.slice(0, at.path.lastIndexOf(".")) : "";
    switch (event.key) {
    case "ArrowUp": if (at.depth) focus(boxes.find(b => b.path === parent)); break;
    case "ArrowDown": focus(boxes.find(b => b.depth === at.depth + 1 && (at.path === "" || b.path.startsWith(`${at.path}.`)))); break;
    case "ArrowRight": focus(level[index + 1]); break;
    case "ArrowLeft": focus(level[index - 1]); break;
    case "Enter": case " ": onZoom(at.path); break;
    case "Escape": case "0": onZoom(""); break;
    default: return;
    }
    event.preventDefault();
  }

  return (
    <div class="flame" ref={box}>
      <div role="tree" aria-label={`${kind.title} by call path: arrow keys move, Enter zooms, 0 shows all`} ref={tree}
           style={{height: `${(deepest + 1) * boxHeight}px`}} onKeyDown={key}>
        {boxes.map(({node, path, depth, x, width: wide}) => {
          const label = described(node, kind), found = text !== "" && node.name.toLowerCase().includes(text);
          return (
            <div key={path} role="treeitem" aria-level={depth + 1} aria-label={label} title={label} data-path={path}
                 aria-selected={path === zoomed.path} tabIndex={path === zoomed.path ? 0 : -1}
                 class={`box ${colorOf(node)}${found ? " found" : text !== "" ? " other" : ""}${depth < zoomed.depth ? " above" : ""}`}
                 style={{left: `${x}px`, top: `${depth * boxHeight}px`, width: `${wide}px`}} onClick={() => onZoom(path)}>
              {wide > 24 && `${node.name} ${kind.format(node.value)}`}
            </div>
          );
        })}
      </div>
      {hidden !== 0 && <p>{plural(hidden, "box")} too narrow to draw: zoom in to see {hidden === 1 ? "it" : "them"}.</p>}
      <p class="call" role="status">
        <strong>{described(node, kind)}</strong>{" "}
        {node.source?.line ? <Position of={node.source} /> : null}{" "}
        {node.leaf && <a href={link(node.leaf.view, node.leaf.item)}>details</a>}
      </p>
    </div>
  );
}

export function FlameView({route}: {route: Route}) {
  const {summary} = useReport();
  const kinds = flameKinds(summary);
  const kind = kinds.find(each => each.name === route.query.get("of")) ?? kinds[0];
  const text = route.query.get("text") ?? "", zoom = route.query.get("zoom") ?? "";
  const share = useMemo(() => kind && text ? matching(kind.root, text.toLowerCase()) : 0, [kind, text]);
  return (
    <>
      <h2 tabIndex={-1}>Flame graph</h2>
      {!kind ? <><Empty>The profile has no call paths.</Empty><p>Call paths of allocations are recorded by <RunAgain profile="objects" /></p></> : <>
        <form class="filters" role="search" aria-label="Flame graph" onSubmit={event => event.preventDefault()}>
          <label>Show{" "}
            <select value={kind.name} onChange={event => goTo(changed(route, {of: event.currentTarget.value, zoom: null}))}>
              {kinds.map(each => <option value={each.name}>{each.title}</option>)}
            </select>
          </label>
          <label>Search{" "}
            <input type="search" value={text} onInput={event => replaceWith(changed(route, {text: event.currentTarget.value || null}))} />
          </label>
          {text !== "" && <span role="status">{kind.format(share)} ({percent(share / kind.root.value)}) in matching functions</span>}
          <button type="button" disabled={zoom === ""} onClick={() => goTo(changed(route, {zoom: null}))}>Show all</button>
        </form>
        {summary.memory && summary.memory.objects_omitted > 0 && kind.counted === "allocation" &&
          <p>{plural(summary.memory.objects_omitted, "smaller allocation")} not in the summary.</p>}
        <Graph kind={kind} zoom={zoom} text={text.toLowerCase()} onZoom={path => goTo(changed(route, {zoom: path || null}))} />
      </>}
    </>
  );
}
