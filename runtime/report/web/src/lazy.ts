// Sections of the page, unpacked at the first use.
import {useEffect, useState} from "preact/hooks";
import {section} from "./data";

const loaded = new Map<string, Promise<unknown>>();

/** Returns undefined while unpacking, null if the page has no such section. */
export function useSection<T>(name: string, read: (content: ArrayBuffer) => T): T | null | undefined {
  const [value, setValue] = useState<T | null | undefined>(undefined);
  useEffect(() => {
    let wanted = true;
    let promise = loaded.get(name) as Promise<T | null> | undefined;
    if (!promise) {
      promise = section(name).then(content => content && read(content));
      loaded.set(name, promise);
    }
    void promise.then(to => { if (wanted) setValue(() => to); });
    return () => { wanted = false; };
  }, [name]);
  return value;
}
