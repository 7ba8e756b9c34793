/** Runs something at the moments of a cron expression: never two at once, and late rather than not at all. */
import type { Cron } from '../cron.ts';
import { type Time, waitFor } from './time.ts';

export interface TimetableOptions {
  readonly cron: Cron;
  /** One run. Must not reject; a failed one is tried again at the next moment like any other. */
  readonly run: () => Promise<unknown>;
  /** Whether to run once at the start, too. */
  readonly atOnce: boolean;
  readonly time: Time;
}

export interface Timetable {
  /** The next moment, in milliseconds since 1970; null where there is none. */
  readonly next: () => number | null;
  /** No run begins after this. Resolves when the one at work is done. */
  readonly stop: () => Promise<void>;
}

/**
 * The clock may jump, and timers stand still while a machine sleeps: so it is looked at again and again, and a moment that
 * went by is made up for as soon as that is noticed, several of them with one run.
 */
const LONGEST_WAIT = 15_000;

/** Clocks are set back by a few seconds all the time; a run then comes that much later. */
const SET_BACK = 60_000;

export function startTimetable({ cron, run, atOnce, time }: TimetableOptions): Timetable {
  const stopping = new AbortController();
  let looked = time.now();
  let due = atOnce ? looked : cron.next(looked);

  const wait = async () => {
    const rest = due === null ? LONGEST_WAIT : due - time.now();
    await waitFor(time, Math.min(Math.max(rest, 0), LONGEST_WAIT), stopping.signal);
  };

  const look = async () => {
    const now = time.now();
    // Otherwise a clock that was a year ahead at the start would leave nothing to do for a year.
    if (now < looked - SET_BACK) due = cron.next(now);
    looked = now;
    if (due === null || now < due) return;
    due = cron.next(now);
    await run();
  };

  const done = (async () => {
    while (!stopping.signal.aborted) {
      await look();
      await wait();
    }
  })();

  return {
    next: () => due,
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}
