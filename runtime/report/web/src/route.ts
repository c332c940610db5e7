// The part of the address behind #: /view/item?key=value. Views are links, so that the browser's
// history, bookmarks and keys work.
import {useEffect, useState} from "preact/hooks";

export interface Route {
  view: string;
  item: string;
  query: URLSearchParams;
}

function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", ...rest] = path.split("/");
  return {view: view || "overview", item: rest.join("/"), query: new URLSearchParams(query)};
}

export function link(view: string, item: string | number = "", query: Record<string, string> = {}) {
  const text = new URLSearchParams(query).toString();
  return `#/${view}${item === "" ? "" : `/${item}`}${text ? `?${text}` : ""}`;
}

export const goTo = (hash: string): void => { location.hash = hash; };

/** As goTo, but going back does not come by here. */
export function replaceWith(hash: string): void {
  history.replaceState(null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parse(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parse(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}
