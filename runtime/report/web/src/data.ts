// The compressed sections that gmreport writes into the page.
import type {SourceFile, Texts} from "./pagedata";
import type {Summary} from "./summary";

async function inflated(base64: string): Promise<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i)
    bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Returns null if the page has no such section. Removes the section from the document. */
export async function section(name: string): Promise<ArrayBuffer | null> {
  const element = document.getElementById("data-" + name);
  if (!element)
    return null;
  const text = element.textContent ?? "";
  element.remove();
  return inflated(text);
}

async function json<T>(name: string): Promise<T | null> {
  const content = await section(name);
  return content ? JSON.parse(new TextDecoder().decode(content)) as T : null;
}

/** The data of all views. */
export interface Report {
  summary: Summary;
  texts: Texts;
  /** Of the objects of the summary. */
  names: string[];
  sources: Map<string, SourceFile>;
}

export async function loadReport(): Promise<Report> {
  const [summary, texts, source] = await Promise.all([
    json<Summary>("summary"),
    json<Texts>("texts"),
    json<{files: SourceFile[]}>("source"),
  ]);
  if (!summary || !texts)
    throw Error("the page holds no report: make it with gmreport html");
  return {summary, texts, names: texts.labels, sources: new Map((source?.files ?? []).map(file => [file.path, file]))};
}
