// A table of any number of rows: only rows in sight are in the document. The pointer and the arrow keys
// select rows, headings sort.
import type {ComponentChildren} from "preact";
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
import {usePrinting} from "./printing";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Sort key; columns without one do not sort. */
  by?: (row: Row) => number | string;
  left?: boolean;
  /** Takes the remaining width. */
  wide?: boolean;
  /** Hidden on narrow screens. */
  minor?: boolean;
  help?: string;
}

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  /** Rows in sight without scrolling. */
  height?: number;
  selected?: Row | undefined;
  onSelect?: (row: Row) => void;
}

const classOf = <Row,>({left, minor}: Column<Row>): string => `${left ? "left" : ""}${minor ? " minor" : ""}`;

const rowHeight = 25, headHeight = 27;
const printedRows = 1000;

function compare(a: number | string, b: number | string): number {
  return typeof a === "number" && typeof b === "number" ? b - a : String(a).localeCompare(String(b));
}

/** Scrolls to the details of a table's selected row where they are below the table, as on a phone. */
function revealDetails(table: HTMLElement | null): void {
  requestAnimationFrame(() => {
    const details = table?.parentElement?.querySelector(":scope > .details");
    if (table && details && details.getBoundingClientRect().top >= table.getBoundingClientRect().bottom)
      details.scrollIntoView({block: "nearest"});
  });
}

export function Table<Row>({label, columns, rows, height = 16, selected, onSelect}: Props<Row>) {
  const scroll = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [sort, setSort] = useState<{column: number; back: boolean} | null>(null);
  const printing = usePrinting();
  const sorted = useMemo(() => {
    const by = sort && columns[sort.column]?.by;
    if (!by)
      return rows;
    const copy = rows.map((row, i) => ({row, i, key: by(row)}));
    copy.sort((a, b) => (sort.back ? -1 : 1) * compare(a.key, b.key) || a.i - b.i);
    return copy.map(each => each.row);
  }, [rows, sort, columns.length]);

  const all = sorted.length <= height;
  const [from, to] = printing ? [0, Math.min(sorted.length, printedRows)]
      : all ? [0, sorted.length]
            : [Math.max(0, Math.floor(top / rowHeight) - 8),
               Math.min(sorted.length, Math.ceil(top / rowHeight) + height + 8)];
  const index = selected === undefined ? -1 : sorted.indexOf(selected);
  const focusable = index >= 0 ? index : from;

  // Scrolls to a row that was selected elsewhere.
  useLayoutEffect(() => {
    const box = scroll.current;
    if (index < 0 || !box || all)
      return;
    const at = index * rowHeight, inSight = box.clientHeight - headHeight;
    if (at < box.scrollTop)
      box.scrollTop = at;
    else if (at + rowHeight > box.scrollTop + inSight)
      box.scrollTop = at + rowHeight - inSight;
  }, [index, all]);

  const wantFocus = useRef(false);
  useEffect(() => {
    if (!wantFocus.current)
      return;
    const row = scroll.current?.querySelector<HTMLElement>("tr[aria-selected=true]");
    row?.focus({preventScroll: true});
    wantFocus.current = !row; // it is not in the document yet
  });

  function key(event: KeyboardEvent): void {
    if (!onSelect || event.ctrlKey || event.metaKey || event.altKey ||
        (event.target as HTMLElement).tagName !== "TR")
      return;
    const at = index >= 0 ? index : -1;
    const moves: Record<string, number> = {
      ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + height, PageUp: at - height,
      Home: 0, End: sorted.length - 1, Enter: Math.max(at, 0), " ": Math.max(at, 0),
    };
    const next = moves[event.key];
    if (next === undefined || sorted.length === 0)
      return;
    event.preventDefault();
    wantFocus.current = true;
    onSelect(sorted[Math.min(Math.max(next, 0), sorted.length - 1)]!);
  }

  const heading = (column: Column<Row>, i: number) => {
    const active = sort?.column === i;
    const title = column.title.split("/").map((part, at) => at ? <>/<wbr />{part}</> : part);
    return (
      <th scope="col" class={classOf(column)} title={column.help}
          aria-sort={!active ? undefined : sort.back ? "ascending" : "descending"}>
        {column.by
          ? <button type="button" onClick={() => setSort(
                !active ? {column: i, back: false} : sort.back ? null : {column: i, back: true})}>
              {title}<span aria-hidden="true">{!active ? "" : sort.back ? " \u25b4" : " \u25be"}</span>
            </button>
          : title}
      </th>
    );
  };

  return (
    <div class="table" ref={scroll} tabIndex={all ? undefined : 0} role="region" aria-label={label}
         style={all || printing ? undefined : {height: `${headHeight + height * rowHeight}px`}}
         onScroll={event => setTop(event.currentTarget.scrollTop)}>
      <table role={onSelect ? "grid" : undefined} aria-label={label}
             aria-rowcount={sorted.length + 1} onKeyDown={key}>
        <thead><tr aria-rowindex={1}>{columns.map(heading)}</tr></thead>
        <tbody>
          {from > 0 && <tr class="space" aria-hidden="true">
            <td colSpan={columns.length} style={{height: `${from * rowHeight}px`}} /></tr>}
          {sorted.slice(from, to).map((row, i) => (
            <tr key={from + i} aria-rowindex={from + i + 2}
                tabIndex={onSelect ? (from + i === focusable ? 0 : -1) : undefined}
                aria-selected={onSelect ? from + i === index : undefined}
                onClick={onSelect && (() => {
                  onSelect(row);
                  revealDetails(scroll.current);
                })}>
              {columns.map(column => (
                <td class={`${classOf(column)}${column.wide ? " wide" : ""}`}>{column.cell(row)}</td>
              ))}
            </tr>
          ))}
          {to < sorted.length && !printing && <tr class="space" aria-hidden="true">
            <td colSpan={columns.length} style={{height: `${(sorted.length - to) * rowHeight}px`}} /></tr>}
        </tbody>
      </table>
      {printing && to < sorted.length &&
        <p>{sorted.length - to} more rows are not printed.</p>}
    </div>
  );
}
