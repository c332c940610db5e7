// The fragment of the URL: #/view/item?key=value. Views, selections and zooms are in it, so that the
// history, bookmarks and links of the browser restore them.
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

/** Replaces the current entry of the history: Back does not return to it. */
export function replaceWith(hash: string): void {
  history.replaceState(null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Returns the link to the route with other keys; null removes a key. */
export function changed(route: Route, keys: Record<string, string | null>, item = route.item): string {
  const query = new URLSearchParams(route.query);
  for (const [key, value] of Object.entries(keys))
    if (value === null)
      query.delete(key);
    else
      query.set(key, value);
  return link(route.view, item, Object.fromEntries(query));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parse(location.hash));
  useEffect(() => {
    const update = () => setRoute(parse(location.hash));
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}
