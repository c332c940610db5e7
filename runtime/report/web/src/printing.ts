// Whether the page is being printed. Printed lists have all rows, colours are light, and charts have the
// width of paper.
import {options} from "preact";
import {useEffect, useState} from "preact/hooks";

let printing = false;
const listeners = new Set<() => void>();

function change(to: boolean): void {
  printing = to;
  // The browser prints right after this event: render now.
  const later = options.debounceRendering;
  options.debounceRendering = render => render();
  listeners.forEach(each => each());
  options.debounceRendering = later;
}
addEventListener("beforeprint", () => change(true));
addEventListener("afterprint", () => change(false));

export const isPrinting = (): boolean => printing;

/** Calls the listener when printing begins and ends. */
export const whenPrinting = (listener: () => void): void => { listeners.add(listener); };

export function usePrinting(): boolean {
  const [is, set] = useState(printing);
  useEffect(() => {
    const changed = () => set(printing);
    listeners.add(changed);
    return () => { listeners.delete(changed); };
  }, []);
  return is;
}
