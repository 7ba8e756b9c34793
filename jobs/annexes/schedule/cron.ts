/**
 * Runs a function at the moments of a cron expression in UTC, which has no clock changes: never two runs at once, and late rather than
 * never, whether the process was busy, the machine slept or the clock was set. node-cron reads the expression; its own timers do less.
 */
import { createTask, validateDetailed } from 'node-cron';
import { CalendarError } from '../../../src/calendar/errors.ts';

interface TimetableOptions {
  /** If day of month and day of week are both given, both must match. */
  readonly expression: string;
  /** One run: due by the expression, or only requested. Must not reject; a failed run is repeated at the next moment like any other. */
  readonly run: (reason: Reason) => Promise<unknown>;
  /** Whether to run once at the start, too. */
  readonly atOnce: boolean;
}

/** A run that is due also serves a request. */
type Reason = 'due' | 'requested';

interface Timetable {
  /** Runs soon, in addition to the expression's moments, and after a run that is in progress. */
  readonly request: () => void;
  /** The expression's next moment, in milliseconds since 1970; null for never. */
  readonly nextAt: () => number | null;
  /** No run begins after this. Resolves once a running one is done. */
  readonly stop: () => Promise<void>;
}

/** Milliseconds between two checks of the clock, which may jump, and whose timers stop while a machine sleeps. */
const CHECK_MS = 15_000;

/** Milliseconds. A clock that is set back by less, as often happens, only makes the next run later. */
const SET_BACK_MS = 60_000;

/** Throws INVALID_SETTING for an invalid expression. */
export function startTimetable({ expression, run, atOnce }: TimetableOptions): Timetable {
  const nextMoment = momentsOf(expression);
  let isStopped = false;
  let wanted: Reason | null = null;
  let running: Promise<void> | null = null;
  let checkedAt = Date.now();
  let dueAt = nextMoment();
  let timer: NodeJS.Timeout | undefined;

  /** One run makes up for all missed moments. */
  const begin = () => {
    if (wanted === null || isStopped || running !== null) return;
    const reason = wanted;
    wanted = null;
    running = run(reason).then(() => {
      running = null;
      begin();
    });
  };
  const want = (reason: Reason) => {
    // A run that is due is never reduced to a requested one.
    wanted = wanted === 'due' ? wanted : reason;
    setImmediate(begin);
  };
  const check = () => {
    const now = Date.now();
    const isDue = now >= dueAt;
    const wasSetBack = now < checkedAt - SET_BACK_MS;
    if (isDue || wasSetBack) dueAt = nextMoment();
    if (isDue) want('due');
    checkedAt = now;
    timer = setTimeout(check, Math.min(dueAt - now, CHECK_MS));
  };
  check();
  if (atOnce) want('due');

  return {
    request: () => want('requested'),
    nextAt: () => (Number.isFinite(dueAt) ? dueAt : null),
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Creates the function that returns the expression's next moment, in milliseconds since 1970. Throws INVALID_SETTING. */
function momentsOf(expression: string): () => number {
  const { valid, errors } = validateDetailed(expression);
  if (!valid) {
    const why = errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
    const expected = 'expected a cron expression of five fields, such as "*/15 * * * *"';
    const found = JSON.stringify(expression);
    throw new CalendarError('INVALID_SETTING', `ALMANAKK_CRON: ${expected}, found ${found}: ${why}`);
  }
  return () => {
    const task = createTask(expression, () => undefined, { timezone: 'UTC' });
    const [next] = task.getNextRuns(1);
    void task.destroy();
    return next?.getTime() ?? Number.POSITIVE_INFINITY;
  };
}
