// What a summary says of waits and copies.

import {seconds, share} from "./format";
import type {Summary, SyncSite} from "./summary";

/** Whether calls were recorded, but not which waits are avoidable. */
export const atFirstSight = ({config}: Summary): boolean =>
    config.sync_stage === "baseline" && Array.isArray(config.profiles) && config.profiles.includes("sync");

/** Returns the time that the fixes at a call site save: the lower of the estimate and the replay. */
export function benefit(s: SyncSite): number {
  const least = (estimate: number, replay: number | null) => replay === null ? estimate : Math.max(0, Math.min(estimate, replay));
  return least(s.unnecessary_benefit_seconds + s.misplaced_benefit_seconds, s.replay_seconds) +
         least(s.duplicate_benefit_seconds, s.duplicate_replay_seconds);
}

/** The program's time, what the fixes save of it, and a sentence about its waits. */
export interface Waiting {
  wall: number | null;
  saved: number;
  text: string;
}

/** Says what the text report says (runtime/report/text/TextOverview.cpp). */
export function waiting(summary: Summary): Waiting | null {
  const {sync} = summary;
  if (!sync)
    return null;
  const wall = sync.wall_seconds, waits = sync.sites.reduce((sum, s) => sum + s.wait_seconds, 0);
  const saved = sync.sites.reduce((sum, s) => sum + benefit(s), 0);
  if (atFirstSight(summary))
    return {wall, saved, text: `${seconds(waits)} waiting for the GPU (avoidable part: not analysed)`};
  // The run that records the calls takes longer.
  const recorded = Math.max(wall ?? 0, sync.stages.find(s => s.name === "trace")?.seconds ?? 0);
  return {wall, saved, text: `${seconds(waits)} waiting for the GPU${
      wall !== null && recorded > wall ? ` (of ${seconds(recorded)} in the run that records calls)` : ""}, ${
      saved > 0 ? `${seconds(saved)}${wall ? ` (${share(saved, wall)})` : ""} avoidable` : "none of it avoidable"}`};
}
