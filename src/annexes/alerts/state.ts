/**
 * The state of the mails, in one file beside the key file, so that restarts and further serving processes of the machine repeat none
 * (H12). Each process adds the concerns that it sees: a concern is over once no process has seen it for a while.
 */
import { readFile } from 'node:fs/promises';
import { isObject, parsedJson } from '../../calendar/json.ts';
import { replaceFile } from '../common/exclusive-file.ts';

/** Moments are milliseconds since 1970. */
interface AlertState {
  readonly concerns: Readonly<Record<string, Known>>;
  /** When the last mail was sent; null for never. */
  readonly mailedAt: number | null;
}

interface Known {
  readonly since: number;
  readonly seenAt: number;
  /** When it was mailed; null if it has not been. */
  readonly mailedAt: number | null;
}

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
const BETWEEN_MAILS_MS = 60 * MINUTE;

export const NO_ALERTS: AlertState = { concerns: {}, mailedAt: null };

/** The state with the concerns that one process sees now, and the news for a mail; null if no mail is due. */
export function withSeen(
  state: AlertState,
  names: readonly string[],
  now: number,
): { readonly state: AlertState; readonly news: News | null } {
  const concerns: Record<string, Known> = { ...state.concerns };
  const isGone = ({ seenAt }: Known) => now - seenAt >= GONE_MS;
  for (const name of names) {
    const before = concerns[name];
    const since = before === undefined || isGone(before) ? now : before.since;
    concerns[name] = { since, seenAt: now, mailedAt: before?.mailedAt ?? null };
  }
  const entries = Object.entries(concerns);
  const those = (holds: (known: Known) => boolean): readonly Lasting[] =>
    entries
      .filter(([, known]) => holds(known))
      .map(([name, { since }]) => ({ name, since }))
      .sort((left, right) => left.since - right.since);
  const news = {
    begun: those(
      (known) => !isGone(known) && known.mailedAt === null && known.seenAt - known.since >= LASTING_MS,
    ),
    lasting: those((known) => !isGone(known) && known.mailedAt !== null),
    over: those((known) => isGone(known) && known.mailedAt !== null),
  };
  const isDue = news.begun.length + news.over.length > 0;
  const mayMail = state.mailedAt === null || now - state.mailedAt >= BETWEEN_MAILS_MS;
  // A concern that is over stays here until that was mailed.
  const left = entries.filter(([, known]) => !isGone(known) || known.mailedAt !== null);
  return {
    state: { ...state, concerns: Object.fromEntries(left) },
    news: isDue && mayMail ? news : null,
  };
}

/** The state after that news was mailed. */
export function withMailed({ concerns }: AlertState, { begun, over }: News, now: number): AlertState {
  const ended = new Set(over.map(({ name }) => name));
  const mailed = new Set(begun.map(({ name }) => name));
  const left = Object.entries(concerns).filter(([name]) => !ended.has(name));
  return {
    concerns: Object.fromEntries(
      left.map(([name, known]) => [name, mailed.has(name) ? { ...known, mailedAt: now } : known]),
    ),
    mailedAt: now,
  };
}

/** Milliseconds after which a process that still holds the file must have died: a mail takes half a minute at most. */
const STALE_MS = 5 * MINUTE;

/** Replaces the file by the result of `change`; leaves it alone while another process is changing it. */
export async function changeState(
  path: string,
  now: number,
  change: (state: AlertState) => Promise<AlertState>,
): Promise<void> {
  await replaceFile(path, { now, staleMs: STALE_MS }, async () => {
    const state = await change(readState(await readFile(path, 'utf8').catch(() => '')));
    return `${JSON.stringify(state)}\n`;
  });
}

/** An invalid file counts as empty: at worst a mail is sent again. */
function readState(text: string): AlertState {
  const document = parsedJson(text);
  if (!isObject(document) || !isObject(document.concerns)) return NO_ALERTS;
  const concerns = Object.entries(document.concerns).flatMap(([name, value]): readonly [string, Known][] => {
    if (!isObject(value)) return [];
    const [since, seenAt, mailedAt] = [value.since, value.seenAt, value.mailedAt].map(momentOf);
    return since == null || seenAt == null ? [] : [[name, { since, seenAt, mailedAt: mailedAt ?? null }]];
  });
  return { concerns: Object.fromEntries(concerns), mailedAt: momentOf(document.mailedAt) };
}

function momentOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
