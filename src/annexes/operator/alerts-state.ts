/**
 * The state of the mails, in one file beside the key file, so that restarts and further serving processes of the machine repeat none
 * (H12, alerts). Each process adds the concerns that it sees: a concern is over once no process has seen it for a while.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { parsedJson } from '../../calendar/json.ts';
import { replaceFile } from '../common/exclusive-file.ts';

const KNOWN = z.object({ since: z.number(), seenAt: z.number(), isMailed: z.boolean() });

const FAILING = z.object({ since: z.number(), reason: z.string() });

/** Moments are milliseconds since 1970. An invalid file counts as empty: at worst a mail is sent again. */
const STATE = z
  .object({
    concerns: z.record(z.string(), KNOWN),
    /** When the last mail was sent; null for never. */
    mailedAt: z.number().nullable(),
    /** Why mails cannot be sent; null while they can. */
    failing: FAILING.nullable().catch(null),
  })
  .catch({ concerns: {}, mailedAt: null, failing: null });

type AlertState = z.infer<typeof STATE>;
export type FailingMail = z.infer<typeof FAILING>;

/** What a mail says of a concern. */
export interface News {
  readonly name: string;
  readonly since: number;
  readonly stage: 'begun' | 'lasting' | 'over';
}

const MINUTE = 60_000;
/** A concern that ends by itself within this time is not mailed. */
const LASTING_MS = 10 * MINUTE;
/** Three checks without it: another process of the machine may be the one that sees it. */
const GONE_MS = 3 * MINUTE;
/** Between two mails. */
const QUIET_MS = 60 * MINUTE;

type Known = z.infer<typeof KNOWN>;

/** `forgotten`: it is over, and no mail has named it. */
function stageOf({ since, seenAt, isMailed }: Known, now: number): News['stage'] | 'young' | 'forgotten' {
  if (now - seenAt >= GONE_MS) return isMailed ? 'over' : 'forgotten';
  if (isMailed) return 'lasting';
  return seenAt - since >= LASTING_MS ? 'begun' : 'young';
}

/** The state with the concerns that one process sees now. */
export function withSeen(
  state: AlertState,
  seen: readonly { readonly name: string }[],
  now: number,
): AlertState {
  const concerns = { ...state.concerns };
  for (const { name } of seen) {
    const { since = now, seenAt = now, isMailed = false } = concerns[name] ?? {};
    concerns[name] = { since: now - seenAt < GONE_MS ? since : now, seenAt: now, isMailed };
  }
  for (const [name, known] of Object.entries(concerns))
    if (stageOf(known, now) === 'forgotten') delete concerns[name];
  return { ...state, concerns };
}

/** For a mail, the longest first; none while no mail is due. */
export function newsIn({ concerns, mailedAt }: AlertState, now: number): readonly News[] {
  if (mailedAt !== null && now - mailedAt < QUIET_MS) return [];
  const news = Object.entries(concerns).flatMap(([name, known]): readonly News[] => {
    const stage = stageOf(known, now);
    return stage === 'young' || stage === 'forgotten' ? [] : [{ name, since: known.since, stage }];
  });
  if (news.every(({ stage }) => stage === 'lasting')) return [];
  return news.toSorted((left, right) => left.since - right.since);
}

/** The state after its news were mailed. */
export function withMailed({ concerns, ...state }: AlertState, now: number): AlertState {
  const left = Object.entries(concerns).flatMap(([name, known]) => {
    const stage = stageOf(known, now);
    return stage === 'over' ? [] : [[name, { ...known, isMailed: known.isMailed || stage === 'begun' }]];
  });
  return { ...state, concerns: Object.fromEntries(left), mailedAt: now };
}

/** Milliseconds after which a process that still holds the file must have died: a mail takes half a minute at most. */
const STALE_MS = 5 * MINUTE;

/** Replaces the file by the result of `change`; leaves it alone while another process is changing it. */
export async function changeState(
  path: string,
  now: number,
  change: (state: AlertState) => Promise<AlertState>,
): Promise<void> {
  const text = async () => `${JSON.stringify(await change(await readState(path)))}\n`;
  await replaceFile(path, { now, staleMs: STALE_MS }, text);
}

export async function readState(path: string): Promise<AlertState> {
  return STATE.parse(parsedJson(await readFile(path, 'utf8').catch(() => '')));
}
