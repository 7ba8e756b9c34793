/**
 * Runs a function at the moments of a cron expression in UTC, which has no clock changes: never two runs at once, and late rather than
 * never. node-cron keeps the time. This file adds what it lacks: it only reports a moment that it noticed too late, it notices the
 * moments of a sleep hours later, it does nothing for a day after the clock was set back by a day, and `noOverlap` drops moments during a
 * run, and ignores runs that it did not begin.
 */
import { createTask, validateDetailed } from 'node-cron';
import { CalendarError } from '../../../src/calendar/errors.ts';

interface TimetableOptions {
  /** If day of month and day of week are both given, both must match. */
  readonly expression: string;
  /** One run: due by the expression, or only requested. Must not reject; a failed run is repeated at the next moment like any other. */
  readonly run: (why: Why) => Promise<unknown>;
  /** Whether to run once at the start, too. */
  readonly atOnce: boolean;
}

/** A run that is due also serves a request. */
type Why = 'due' | 'requested';

export interface Timetable {
  /** Runs soon, besides the expression's moments: after a running one. */
  readonly request: () => void;
  /** No run begins after this. Resolves once a running one is done. */
  readonly stop: () => Promise<void>;
}

export const ZONE = { timezone: 'UTC' } as const;

/** Milliseconds between two checks of the clock, which may jump, and whose timers stop while a machine sleeps. */
const LOOK_MS = 15_000;

/** Milliseconds. Clocks are often set back by a few seconds; a run is then that much later. */
const SET_BACK_MS = 60_000;

/** Throws INVALID_SETTING for an invalid expression. */
export function startTimetable({ expression, run, atOnce }: TimetableOptions): Timetable {
  check(expression);
  let isStopped = false;
  let wanted: Why | null = null;
  let wantedAt = 0;
  let working: Promise<void> | null = null;

  /** One run makes up for all missed moments. */
  const begin = () => {
    if (wanted === null || isStopped || working !== null) return;
    const why = wanted;
    wanted = null;
    working = run(why).then(() => {
      working = null;
      begin();
    });
  };
  const want = () => {
    wanted = 'due';
    wantedAt = Date.now();
    // node-cron reports missed moments one by one, and also runs what is due.
    setImmediate(begin);
  };

  const task = createTask(expression, want, ZONE);
  task.on('execution:missed', want);
  void task.start();
  let looked = Date.now();
  let due = task.getNextRun();
  const look = () => {
    const now = Date.now();
    const isSetBack = now < looked - SET_BACK_MS;
    const isMissed = due !== null && now >= due.getTime() && wantedAt < due.getTime();
    if (isMissed) want();
    if (isSetBack || isMissed) {
      // A new task counts from the present clock.
      void task.stop();
      void task.start();
      wantedAt = now;
    }
    if (isSetBack || due === null || now >= due.getTime()) due = task.getNextRun();
    looked = now;
  };
  const looking = setInterval(look, LOOK_MS);
  if (atOnce) want();

  return {
    request: () => {
      wanted ??= 'requested';
      setImmediate(begin);
    },
    stop: async () => {
      isStopped = true;
      clearInterval(looking);
      void task.destroy();
      await working;
    },
  };
}

function check(expression: string): void {
  const { valid, errors } = validateDetailed(expression);
  if (valid) return;
  const why = errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
  const expected = 'expected a cron expression of five fields, such as "*/15 * * * *"';
  const found = JSON.stringify(expression);
  throw new CalendarError('INVALID_SETTING', `ALMANAKK_CRON: ${expected}, found ${found}: ${why}`);
}
