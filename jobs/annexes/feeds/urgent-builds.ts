/** F19: limits the builds that urgent correction sheets begin: each sheet has a budget, and repeated builds have pauses. */

/** Milliseconds until a build that has not applied a change is repeated. The pause doubles after each further build of this kind. */
const RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 300_000;

export interface Retries {
  readonly isDue: () => boolean;
  /** Call when a build is requested: no build is repeated before it has ended. */
  readonly begin: () => void;
  /** Call when a build has ended. `isMissed`: whether it should have applied a change, but has not. */
  readonly addBuild: (isMissed: boolean) => void;
}

/** All sheets share it: each build reads every sheet that has a waiting change. */
export function createRetries(clock: () => number): Retries {
  let pauseMs = RETRY_MS;
  let dueAt = Number.POSITIVE_INFINITY;
  return {
    isDue: () => clock() >= dueAt,
    begin: () => {
      dueAt = Number.POSITIVE_INFINITY;
    },
    addBuild: (isMissed) => {
      dueAt = isMissed ? clock() + pauseMs : Number.POSITIVE_INFINITY;
      pauseMs = isMissed ? Math.min(2 * pauseMs, LONGEST_RETRY_MS) : RETRY_MS;
    },
  };
}

/** Builds that a sheet may begin one after the other, and the milliseconds in which it regains one. Some services never send the same bytes twice. */
const MOST_BUILDS = 20;
const REGAIN_MS = 180_000;

/** Creates the function that takes a build from the budget of one sheet. Returns false if none is left. */
export function createBuildBudget(clock: () => number): () => boolean {
  let left = MOST_BUILDS;
  let countedAt = clock();
  return () => {
    const now = clock();
    left = Math.min(MOST_BUILDS, left + Math.max(0, now - countedAt) / REGAIN_MS);
    countedAt = now;
    if (left < 1) return false;
    left--;
    return true;
  };
}
