/**
 * Runs something at the moments of a cron expression in UTC, which has no clock changes: never two at once, and late rather
 * than not at all. node-cron keeps the time. Here stands what it does not do: a moment that it noticed too late is only told
 * of, the moments of a sleep are noticed hours after it, a clock that was set back by a day leaves nothing to do for a day,
 * and `noOverlap` drops what comes during a run, and knows nothing of runs that it did not begin.
 */
import { createTask, validateDetailed } from 'node-cron';
import { CalendarError } from '../../../src/calendar/errors.ts';

interface TimetableOptions {
  /** Of day of month and day of week, both have to match where both are given. */
  readonly expression: string;
  /** One run: due by the expression, or only requested. Must not reject; a failed one is tried again at the next moment like any other. */
  readonly run: (why: Why) => Promise<unknown>;
  /** Whether to run once at the start, too. */
  readonly atOnce: boolean;
}

/** A run that is due makes one that was requested superfluous. */
type Why = 'due' | 'requested';

export interface Timetable {
  /** Runs soon, besides the expression's moments: after the run at work, if there is one. */
  readonly request: () => void;
  /** No run begins after this. Resolves when the one at work is done. */
  readonly stop: () => Promise<void>;
}

export const ZONE = { timezone: 'UTC' } as const;

/** Milliseconds between two looks at the clock, which may jump, and whose timers stand still while a machine sleeps. */
const LOOK_MS = 15_000;

/** Clocks are set back by a few seconds all the time; a run then comes that much later. */
const SET_BACK_MS = 60_000;

/** Throws INVALID_SETTING for an expression that cannot be read. */
export function startTimetable({ expression, run, atOnce }: TimetableOptions): Timetable {
  check(expression);
  let isStopped = false;
  let wanted: Why | null = null;
  let wantedAt = 0;
  let working: Promise<void> | null = null;

  /** Whatever was missed meanwhile is made up for with one run. */
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
    // node-cron tells of all that it missed one by one, and runs what is due besides.
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
      // It counts from the clock as it reads now.
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
