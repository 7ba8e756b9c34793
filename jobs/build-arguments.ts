/** The arguments of commands that build (H2), on top of the settings. */
import { resolve } from 'node:path';
import { CalendarError } from '../src/calendar/errors.ts';
import { parseInputDatetime } from '../src/calendar/input-datetime.ts';
import type { BuildSteps } from './annex.ts';
import { parseArguments } from './arguments.ts';
import type { BuildOptions } from './build-options.ts';

/** The values of the settings. */
export type BuildDefaults = BuildSteps &
  Pick<BuildOptions, 'source' | 'target' | 'horizonMonths' | 'ownUrl' | 'keepDays' | 'isPublic'>;

export interface BuildArguments extends Omit<BuildOptions, 'report'> {
  /** Whether `target` is a folder to try a build in. */
  readonly isTrial: boolean;
}

/** Reads the arguments; null if help was requested. Throws INVALID_SETTING. */
export function readBuildArguments(
  args: readonly string[],
  { defaults, now }: { readonly defaults: BuildDefaults; readonly now: number },
  usage: string,
): BuildArguments | null {
  const { values } = parseArguments({ args: [...args], options: OPTIONS }, usage);
  const { source, target, trial, help, force, local, ...given } = values;
  if (help) return null;
  if (target !== undefined && trial !== undefined)
    throw new CalendarError('INVALID_SETTING', `expected --target or --trial, found both\n${usage}`);
  return {
    ...defaults,
    isTrial: trial !== undefined,
    isLocal: local,
    // The reader of a message may be in another folder.
    source: resolve(source ?? defaults.source),
    target: resolve(trial ?? target ?? defaults.target),
    now: given.now === undefined ? now : instantOf(given.now),
    wait: given.wait === undefined ? 0 : secondsOf(given.wait),
    previousFrom: given.previous,
    requirePrevious: given['require-previous'] || given.previous !== undefined,
    force,
  };
}

const OPTIONS = {
  source: { type: 'string' },
  target: { type: 'string' },
  trial: { type: 'string' },
  now: { type: 'string' },
  wait: { type: 'string' },
  previous: { type: 'string' },
  'require-previous': { type: 'boolean', default: false },
  local: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** The instant of a datetime (A14) that has an offset: the machine may be in any time zone. Throws INVALID_SETTING. */
function instantOf(text: string): number {
  const instant = HAS_OFFSET.test(text) ? parseInputDatetime(text) : null;
  if (instant !== null) return instant;
  const expected = 'a moment with its offset, such as "2026-05-17 12:00:00+02:00" or 2026-05-17T10:00:00Z';
  throw new CalendarError('INVALID_SETTING', `--now: expected ${expected}, found ${JSON.stringify(text)}`);
}

/** A sign or `Z` after the minutes. */
const HAS_OFFSET = /:\d\d.*[Z+-]/;

/** Throws INVALID_SETTING. */
function secondsOf(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new CalendarError('INVALID_SETTING', `--wait: expected whole seconds, found ${JSON.stringify(text)}`);
}
