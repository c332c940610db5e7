// The values under the pointer, beside it.
import type {ComponentChildren} from "preact";
import {useLayoutEffect, useRef} from "preact/hooks";

export interface TipAt {
  /** Relative to the positioned ancestor, in CSS pixels. */
  x: number;
  y: number;
}

/** Stays within the ancestor's width. Screen readers get the same values from the selection. */
export function Tip({at, children}: {at: TipAt; children: ComponentChildren}) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const tip = ref.current!, room = (tip.offsetParent as HTMLElement | null)?.clientWidth ?? innerWidth;
    const right = at.x + 14;
    tip.style.left = `${Math.max(0, right + tip.offsetWidth <= room ? right : Math.min(at.x - 14, room) - tip.offsetWidth)}px`;
    tip.style.top = `${at.y + 14}px`;
  });
  return <div class="tip" ref={ref} aria-hidden="true">{children}</div>;
}
