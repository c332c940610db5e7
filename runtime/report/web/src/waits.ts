// What a summary says of waits and copies.

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
