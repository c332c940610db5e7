// The colour theme: light, dark, or that of the system.
import {useEffect, useState} from "preact/hooks";
import {isPrinting, whenPrinting} from "./printing";

export type Theme = "system" | "light" | "dark";
const key = "gmprof-theme";
const themes: readonly string[] = ["system", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

// Pages opened from disk can lack storage.
function stored(): Theme {
  try {
    const value = localStorage.getItem(key) ?? "";
    return themes.includes(value) ? value as Theme : "system";
  } catch {
    return "system";
  }
}

let theme = stored();

export const isDark = (): boolean => !isPrinting() && (theme === "dark" || (theme === "system" && system.matches));

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  listeners.forEach(each => each());
}
system.addEventListener("change", apply);
whenPrinting(apply);
apply();

export function setTheme(to: Theme): void {
  theme = to;
  try {
    localStorage.setItem(key, to);
  } catch {
    // The choice holds until the page is closed.
  }
  apply();
}

/** Returns the theme and whether it is dark; renders the component again when the colours change. */
export function useTheme(): [Theme, boolean] {
  const [, again] = useState(0);
  useEffect(() => {
    const changed = () => again(n => n + 1);
    listeners.add(changed);
    return () => { listeners.delete(changed); };
  }, []);
  return [theme, isDark()];
}

/** Returns a colour of page.css, for canvases. */
export const color = (name: string): string =>
    getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
