/**
 * H12: checks the concerns once a minute, and mails those that have lasted ten minutes and those that are over, at most once an
 * hour. A file beside the key file says what was mailed, so that restarts and further serving processes of the machine repeat none: each
 * process adds the concerns that it sees, and a concern is over once no process has seen it for a while.
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { CalendarError } from '../../calendar/errors.ts';
import { parsedJson } from '../../calendar/json.ts';
import type { ServeContext } from '../../serve/annex.ts';
import { replaceFile } from '../common/exclusive-file.ts';
import { createMailer, type Mailbox } from '../common/mail.ts';
import { type AlertMailOptions, mailAll, type News } from './alert-mail.ts';
import type { Concern } from './concerns.ts';
import type { OperatorSettings } from './settings.ts';

const MINUTE = 60_000;
/** A concern that is resolved within this time is not mailed. */
const LASTING_MS = 10 * MINUTE;
/** Three checks without it: another process of the machine may be the one that sees it. */
const GONE_MS = 3 * MINUTE;
/** Between two mails, and between two lines of the log about mails that cannot be sent. */
const QUIET_MS = 60 * MINUTE;
/** After this time, a process that still holds the file must have died: a mail takes half a minute at most. */
const STALE_MS = 5 * MINUTE;

const KNOWN = z.object({ since: z.number(), seenAt: z.number(), isMailed: z.boolean() });

/** Moments are milliseconds since 1970. An invalid file counts as empty: at worst a mail is sent again. */
const STATE = z
  .object({
    concerns: z.record(z.string(), KNOWN),
    /** When the last mail was sent; null for never. */
    mailedAt: z.number().nullable(),
    /** The reason why mails cannot be sent; null while they can. */
    failing: z.object({ since: z.number(), reason: z.string() }).nullable().catch(null),
  })
  .catch({ concerns: {}, mailedAt: null, failing: null });

type AlertState = z.infer<typeof STATE>;

interface Subject extends Pick<AlertMailOptions, 'statusUrl' | 'server'> {
  readonly concerns: () => Promise<readonly Concern[]>;
}

interface Alerts {
  /** Called once the server listens. */
  readonly start: () => void;
  /** Null while mails can be sent, or if no mail server is set. */
  readonly failing: () => Promise<AlertState['failing']>;
}

/** Throws INVALID_SETTING for recipients without a mail server or a sender. */
export function createAlerts(context: ServeContext<OperatorSettings>, subject: Subject): Alerts {
  const { smtpUrl, mailFrom: from, alertTo, keys } = context.settings;
  if (alertTo.length > 0 && (smtpUrl === null || from === null)) {
    const missing = smtpUrl === null ? 'ALMANAKK_SMTP_URL' : 'ALMANAKK_MAIL_FROM';
    throw new CalendarError('INVALID_SETTING', `${missing}: expected it for ALMANAKK_ALERT_TO, found none`);
  }
  const file = stateFile(keys);
  const calendar = () => context.keeper.state().current?.lists.licence.name ?? 'almanakk';
  const start = () => {
    // One process of a server sends the mails; several servers of a machine share the file.
    if (smtpUrl === null || context.process.slot !== 0) return;
    const concerns = alertTo.length === 0 ? async () => [] : subject.concerns;
    const mailer = createMailer(smtpUrl);
    const check = createCheck({
      mailer,
      from,
      alertTo,
      concerns,
      file,
      calendar,
      statusUrl: subject.statusUrl,
      server: subject.server,
      log: context.log,
      clock: context.clock,
    });
    void check();
    setInterval(() => void check(), MINUTE).unref();
  };
  const failing = async () => {
    if (smtpUrl === null) return null;
    const state = await readState(file);
    return state.failing;
  };
  return { start, failing };
}

/** Beside the key file. */
export const stateFile = (keys: string): string => `${keys}.alerts`;

interface CheckOptions extends AlertMailOptions, Pick<ServeContext, 'log'> {
  readonly concerns: Subject['concerns'];
  /** Path of the state's file. */
  readonly file: string;
  /** The sender; null if mails are only checked. */
  readonly from: Mailbox | null;
}

/**
 * One check. Never rejects. The first one also asks whether the mail server answers, and so does each one after that until it does, if no
 * mail is due.
 */
export function createCheck(options: CheckOptions): () => Promise<void> {
  const { mailer, from, file, log, clock } = options;
  let isUnsure = true;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let tries = 0;

  const note = (fields: Readonly<Record<string, unknown>>, event: string, now: number) => {
    if (now - loggedAt < QUIET_MS) return;
    log.error(fields, event);
    loggedAt = now;
  };

  /** The state after the mail that is due, if one is. */
  const mailed = async (state: AlertState, concerns: readonly Concern[], now: number) => {
    const news = newsIn(state, now);
    if (news.length === 0 && !isUnsure) return state;
    const results =
      news.length === 0 || from === null
        ? [await mailer.check()]
        : await mailAll(options, from, { news, concerns });
    const failure = results.find((result) => result !== null);
    isUnsure = failure?.isOfServer === true;
    const failing = failure ? { since: state.failing?.since ?? now, reason: failure.reason } : null;
    if (failing === null) {
      tries = 0;
      loggedAt = Number.NEGATIVE_INFINITY;
    } else {
      tries++;
      const since = new Date(failing.since).toISOString();
      note({ ...failing, tries, since }, 'mails cannot be sent', now);
    }
    const isMailed = news.length > 0 && results.includes(null);
    const next = isMailed ? withMailed(state, now) : state;
    return { ...next, failing };
  };

  return async () => {
    const now = clock();
    try {
      // Not mailed: it would be resolved before the mail arrives.
      const concerns = (await options.concerns()).filter(({ name }) => name !== 'mail failing');
      await replaceFile(file, { now, staleMs: STALE_MS }, async () => {
        const state = withSeen(await readState(file), concerns, now);
        return `${JSON.stringify(await mailed(state, concerns, now))}\n`;
      });
    } catch (thrown) {
      note({ err: thrown }, 'alerts failed', now);
    }
  };
}

async function readState(path: string): Promise<AlertState> {
  return STATE.parse(parsedJson(await readFile(path, 'utf8').catch(() => '')));
}

/** Null for what no mail names: it is young, or was over before a mail named it. */
function stageOf({ since, seenAt, isMailed }: z.infer<typeof KNOWN>, now: number): News['stage'] | null {
  if (now - seenAt >= GONE_MS) return isMailed ? 'over' : null;
  if (isMailed) return 'lasting';
  return seenAt - since >= LASTING_MS ? 'begun' : null;
}

/** The state with the concerns that one process sees now. */
function withSeen(
  { concerns, ...state }: AlertState,
  seen: readonly Pick<Concern, 'name'>[],
  now: number,
): AlertState {
  const entries = seen.map(({ name }) => {
    const { since = now, seenAt = now, isMailed = false } = concerns[name] ?? {};
    return [name, { since: now - seenAt < GONE_MS ? since : now, seenAt: now, isMailed }];
  });
  return { ...state, concerns: { ...concerns, ...Object.fromEntries(entries) } };
}

/** For a mail, the longest first; none while no mail is due. */
function newsIn({ concerns, mailedAt }: AlertState, now: number): readonly News[] {
  if (mailedAt !== null && now - mailedAt < QUIET_MS) return [];
  const news = Object.entries(concerns).flatMap(([name, seen]) => {
    const stage = stageOf(seen, now);
    return stage === null ? [] : [{ name, since: seen.since, stage }];
  });
  if (news.every(({ stage }) => stage === 'lasting')) return [];
  return news.toSorted((left, right) => left.since - right.since);
}

/** The state after its news were mailed. */
function withMailed({ concerns, ...state }: AlertState, now: number): AlertState {
  const left = Object.entries(concerns).flatMap(([name, seen]) => {
    const stage = stageOf(seen, now);
    return stage === 'over' ? [] : [[name, { ...seen, isMailed: stage !== null }]];
  });
  return { ...state, concerns: Object.fromEntries(left), mailedAt: now };
}
