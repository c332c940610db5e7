// Call paths of a summary, which has each function once.
import type {Frame, Summary} from "./summary";

/** Returns the functions of call_paths[index], innermost first; none if there is no such path. */
export const callPath = ({frames, call_paths}: Summary, index: number | null): Frame[] =>
    index === null ? [] : (call_paths[index] ?? []).map(each => frames[each]!);
