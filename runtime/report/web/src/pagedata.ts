// The JSON sections of the page besides summary.json.

/** Excerpts of the text report, so that the page has the same words and numbers. */
export interface Texts {
  head: string[];
  missing: string[];
  figures: [string, string][];
  /** In the order of the summary. Measured: evidence as names and values with units. */
  findings: {subject: string; cost: string; processes: string; measured: [string, string][]}[];
  /** Indices of the findings that the overview lists, and a line about the others. */
  listed: number[];
  without_benefit: string;
  patterns: Record<string, {title: string; means: string; profile: string; compared: string; severity: string; method: string}>;
  /** Checks that the run's profile does not make, with the profile that makes them. */
  unchecked: {profile: string; checks: string}[];
  /** Of the objects of the summary: names that tell them apart. */
  labels: string[];
  not_shown: string[];
  folder: string;
}

/** The included parts of a file: the number of the first line, and the lines. */
export interface SourceFile {
  path: string;
  parts: [number, string[]][];
}
