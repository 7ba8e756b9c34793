/**
 * H12: what is remembered about concerns between the mails. A concern about several things, such as feeds, is remembered by each of them: on
 * a large calendar, one of them nearly always fails, and the next one must be mailed all the same. Moments are milliseconds since 1970.
 */
import * as z from 'zod';
import { parsedJson } from '../../calendar/json.ts';
import type { News } from './alert-mail.ts';
import type { Concern } from './concerns/concern.ts';
import { isOfDesks } from './concerns.ts';

const MINUTE = 60_000;
/** A concern that is resolved within this time is not mailed. */
const LASTING_MS = 10 * MINUTE;
/** Three checks without it: another process of the machine may be the one that sees it. */
const GONE_MS = 3 * MINUTE;
/** Between two mails, and between two lines of the log about mails that cannot be sent. */
export const QUIET_MS = 60 * MINUTE;
/** Parts that are remembered, of all concerns. Others begin once there is room. */
const MOST_PARTS = 5_000;

const SEEN = z.object({ since: z.number(), seenAt: z.number(), isMailed: z.boolean() });
const SEEN_PART = SEEN.extend({ name: z.string(), part: z.string() });

/** `concerns`: those about one thing, by name. Version 1 has all of them there, and no `parts`. */
const STORED = z
  .object({
    concerns: z.record(z.string(), SEEN),
    parts: z.array(SEEN_PART).catch([]),
    /** When the last mail was sent; null for never. */
    mailedAt: z.number().nullable(),
    /** The reason why mails cannot be sent; null while they can. */
    failing: z.object({ since: z.number(), reason: z.string() }).nullable().catch(null),
  })
  .catch({ concerns: {}, parts: [], mailedAt: null, failing: null });

interface Remembered extends z.infer<typeof SEEN> {
  readonly name: string;
  /** Null for a concern about one thing. */
  readonly part: string | null;
}

export interface AlertState extends Pick<z.infer<typeof STORED>, 'mailedAt' | 'failing'> {
  readonly remembered: readonly Remembered[];
}

/** An invalid text counts as empty: at worst a mail is sent again. */
export function parseState(text: string): AlertState {
  const { concerns, parts, ...state } = STORED.parse(parsedJson(text));
  const whole = Object.entries(concerns).map(([name, seen]) => ({ ...seen, name, part: null }));
  return { ...state, remembered: [...whole, ...parts] };
}

export function writeState({ remembered, ...state }: AlertState): string {
  const concerns = remembered.flatMap(({ name, part, ...seen }) => (part === null ? [[name, seen]] : []));
  const parts = remembered.filter(({ part }) => part !== null);
  return `${JSON.stringify({ ...state, concerns: Object.fromEntries(concerns), parts })}\n`;
}

/** The state with the concerns that one process sees now. */
export function withSeen(state: AlertState, concerns: readonly Concern[], now: number): AlertState {
  const known = new Map(splitOlderWholes(state, concerns).map((one) => [rememberedKey(one), one]));
  for (const { name, part } of concerns.flatMap(remembersOf)) {
    const key = rememberedKey({ name, part });
    const before = known.get(key);
    const since = before === undefined || isGone(before, now) ? now : before.since;
    known.set(key, { name, part, since, seenAt: now, isMailed: before?.isMailed ?? false });
  }
  // The operator still has to be told that a mailed concern is over; the desks are not.
  const isAwaitingMail = ({ name, isMailed }: Remembered) => isMailed && !isOfDesks(name);
  const left = [...known.values()].filter((one) => !isGone(one, now) || isAwaitingMail(one));
  const whole = left.filter(({ part }) => part === null);
  const parts = left.filter(({ part }) => part !== null);
  return { ...state, remembered: [...whole, ...parts.slice(0, MOST_PARTS)] };
}

/** What is remembered of a concern: each of its parts, or the concern itself if it is about one thing. */
function remembersOf({ name, parts }: Concern): readonly Pick<Remembered, 'name' | 'part'>[] {
  return parts.length === 0 ? [{ name, part: null }] : parts.map(({ id }) => ({ name, part: id }));
}

/**
 * What version 1 remembered of a concern as a whole becomes that of its parts. The last mail was also about a part that had begun before it.
 * This can go in version 3, because upgrades to it come from version 2.
 */
function splitOlderWholes(
  { remembered, mailedAt }: AlertState,
  concerns: readonly Concern[],
): readonly Remembered[] {
  const partsByName = new Map(concerns.map(({ name, parts }) => [name, parts]));
  return remembered.flatMap((one) => {
    const parts = partsByName.get(one.name) ?? [];
    if (one.part !== null || parts.length === 0) return [one];
    const earlier = parts.filter(({ since }) => since !== null && Date.parse(since) <= (mailedAt ?? 0));
    return earlier.map(({ id }) => ({ ...one, part: id }));
  });
}

const rememberedKey = ({ name, part }: Pick<Remembered, 'name' | 'part'>): string =>
  JSON.stringify([name, part]);

const isGone = ({ seenAt }: Remembered, now: number): boolean => now - seenAt >= GONE_MS;

/** Whether no process sees a concern of the operator, however young it is. */
export function isAllWell({ remembered }: AlertState, now: number): boolean {
  return remembered.every((one) => isGone(one, now) || isOfDesks(one.name));
}

/** For a mail, the longest first; none while no mail is due. */
export function newsIn({ remembered, mailedAt }: AlertState, now: number): readonly News[] {
  if (mailedAt !== null && now - mailedAt < QUIET_MS) return [];
  const news = remembered.flatMap((one) => {
    const { name, part, since } = one;
    const stage = stageOf(one, now);
    return stage === null ? [] : [{ name, part, since, stage }];
  });
  if (news.every(({ stage }) => stage === 'lasting')) return [];
  return news.toSorted((left, right) => left.since - right.since);
}

/** The state after its news were mailed. */
export function withMailed({ remembered, ...state }: AlertState, now: number): AlertState {
  const left = remembered.flatMap((one) => {
    const stage = stageOf(one, now);
    return stage === 'over' ? [] : [{ ...one, isMailed: stage !== null }];
  });
  return { ...state, remembered: left, mailedAt: now };
}

/** Null for what no mail names: it is young, or was over before a mail named it. */
function stageOf(one: Remembered, now: number): News['stage'] | null {
  if (isGone(one, now)) return one.isMailed ? 'over' : null;
  if (one.isMailed) return 'lasting';
  return one.seenAt - one.since >= LASTING_MS ? 'begun' : null;
}
