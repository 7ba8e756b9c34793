/**
 * The state of the mails, in one file beside the key file, so that restarts and further serving processes of the machine repeat none
 * (H12, alerts). Each process adds the concerns that it sees: a concern is over once no process has seen it for a while.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { parsedJson } from '../../calendar/json.ts';
import { replaceFile } from '../common/exclusive-file.ts';
import type { Failure } from '../common/mail.ts';

/** Moments are milliseconds since 1970. An invalid file counts as empty: at worst a mail is sent again. */
const STATE = z
  .object({
    concerns: z.record(
      z.string(),
      z.object({ since: z.number(), seenAt: z.number(), isMailed: z.boolean() }),
    ),
    /** When the last mail was sent; null for never. */
    mailedAt: z.number().nullable(),
    /** Why mails cannot be sent; null while they can. */
    failing: z
      .object({
        since: z.number(),
        tries: z.number(),
        reason: z.string(),
        isOfServer: z.boolean(),
        loggedAt: z.number(),
      })
      .nullable()
      .catch(null),
  })
  .catch({ concerns: {}, mailedAt: null, failing: null });

type AlertState = z.infer<typeof STATE>;
type Known = AlertState['concerns'][string];

export interface News {
  /** Concerns that were not mailed before, the longest first. */
  readonly begun: readonly Lasting[];
  /** Concerns that were mailed before and persist. */
  readonly lasting: readonly Lasting[];
  /** Concerns that were mailed before and are over. */
  readonly over: readonly Lasting[];
}

export interface Lasting {
  readonly name: string;
  readonly since: number;
}

const MINUTE = 60_000;
/** A concern that ends by itself within this time is not mailed. */
const LASTING_MS = 10 * MINUTE;
/** Three checks without it: another process of the machine may be the one that sees it. */
const GONE_MS = 3 * MINUTE;
/** Between two mails, and between two lines of the log about mails that cannot be sent. */
const QUIET_MS = 60 * MINUTE;

/** The state with the concerns that one process sees now, and the news for a mail; null if no mail is due. */
export function withSeen(
  { concerns, mailedAt, failing }: AlertState,
  names: readonly string[],
  now: number,
): { readonly state: AlertState; readonly news: News | null } {
  const isGone = ({ seenAt }: Known) => now - seenAt >= GONE_MS;
  const seen = names.map((name): readonly [string, Known] => {
    const before = concerns[name];
    const since = before === undefined || isGone(before) ? now : before.since;
    return [name, { since, seenAt: now, isMailed: before?.isMailed ?? false }];
  });
  // A concern that is over stays here until that was mailed.
  const all = Object.entries({ ...concerns, ...Object.fromEntries(seen) }).filter(
    ([, known]) => known.isMailed || !isGone(known),
  );
  const those = (holds: (known: Known) => boolean): readonly Lasting[] =>
    all
      .filter(([, known]) => holds(known))
      .map(([name, { since }]) => ({ name, since }))
      .sort((left, right) => left.since - right.since);
  const news = {
    begun: those((known) => !known.isMailed && known.seenAt - known.since >= LASTING_MS),
    lasting: those((known) => known.isMailed && !isGone(known)),
    over: those(isGone),
  };
  const isDue = news.begun.length + news.over.length > 0;
  const mayMail = mailedAt === null || now - mailedAt >= QUIET_MS;
  const state = { concerns: Object.fromEntries(all), mailedAt, failing };
  return { state, news: isDue && mayMail ? news : null };
}

/** The state after that news was mailed. */
export function withMailed(
  { concerns, failing }: AlertState,
  { begun, over }: News,
  now: number,
): AlertState {
  const [mailed, ended] = [begun, over].map((list) => new Set(list.map(({ name }) => name)));
  const left = Object.entries(concerns)
    .filter(([name]) => !ended?.has(name))
    .map(([name, known]) => [name, { ...known, isMailed: known.isMailed || mailed?.has(name) === true }]);
  return { concerns: Object.fromEntries(left), mailedAt: now, failing };
}

/** The failures in a row after one more attempt; it is to be logged if `loggedAt` is another than before. */
export function failingAfter(
  before: AlertState['failing'],
  failure: Failure | null,
  now: number,
): AlertState['failing'] {
  if (failure === null) return null;
  const { since = now, tries = 0, loggedAt = Number.NEGATIVE_INFINITY } = before ?? {};
  return { ...failure, since, tries: tries + 1, loggedAt: now - loggedAt < QUIET_MS ? loggedAt : now };
}

/** Milliseconds after which a process that still holds the file must have died: a mail takes half a minute at most. */
const STALE_MS = 5 * MINUTE;

/** Replaces the file by the result of `change`; leaves it alone while another process is changing it. */
export async function changeState(
  path: string,
  now: number,
  change: (state: AlertState) => Promise<AlertState>,
): Promise<void> {
  await replaceFile(
    path,
    { now, staleMs: STALE_MS },
    async () => `${JSON.stringify(await change(await readState(path)))}\n`,
  );
}

export async function readState(path: string): Promise<AlertState> {
  return STATE.parse(parsedJson(await readFile(path, 'utf8').catch(() => '')));
}
