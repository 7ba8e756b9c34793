/**
 * H12: checks the concerns once a minute. At most once an hour, it mails those that have lasted ten minutes and those that are over. A file
 * beside the key file records what was mailed, so that no mail is repeated after a restart or by another process of the machine. Each process
 * adds the concerns that it sees; a concern is over once no process has seen it for a while.
 */
import { readFile } from 'node:fs/promises';
import { ifMissing, invalidSetting, messageOf } from '../../calendar/errors.ts';
import type { ServeContext } from '../../serve/annex.ts';
import { replaceFile } from '../common/exclusive-file.ts';
import { createMailer, type Failure, type Mailbox } from '../common/mail.ts';
import { norwegianIn } from '../page/menu.ts';
import { type AlertMailOptions, deskOf, mailAll } from './alert-mail.ts';
import {
  type AlertState,
  isAllWell,
  newsIn,
  parseState,
  QUIET_MS,
  withMailed,
  withSeen,
  writeState,
} from './alert-state.ts';
import type { Concern } from './concerns/concern.ts';
import { isOfDesks } from './concerns.ts';
import { type Desks, readDesks } from './desks.ts';
import type { OperatorSettings } from './settings.ts';

const MINUTE = 60_000;
/** After this time, a process that still holds the file must have died: a mail takes half a minute at most. */
const STALE_MS = 5 * MINUTE;

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
  const { smtpUrl, mailFrom: from, alertTo, keys, source } = context.settings;
  if (alertTo.length > 0 && (smtpUrl === null || from === null)) {
    const missing = smtpUrl === null ? 'ALMANAKK_SMTP_URL' : 'ALMANAKK_MAIL_FROM';
    throw invalidSetting(missing, 'a value, because ALMANAKK_ALERT_TO is set', 'none');
  }
  const file = stateFile(keys);
  const snapshot = () => context.keeper.state().current;
  const start = () => {
    // One process of a server sends the mails; several servers of a machine share the file.
    if (smtpUrl === null || context.process.slot !== 0) return;
    const concerns = alertTo.length === 0 ? async () => [] : subject.concerns;
    const mailer = createMailer(smtpUrl);
    const check = createCheck({
      mailer,
      from,
      alertTo,
      desks: () => readDesks(source),
      concerns,
      file,
      calendar: () => snapshot()?.lists.licence.name ?? 'almanakk',
      norwegian: () => norwegianIn(snapshot()),
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
    // Without its state, no mail is sent: it would repeat earlier ones.
    const unreadable = (cause: unknown) => ({
      failing: { since: context.clock(), reason: messageOf(cause) },
    });
    const state = await readState(file).catch(unreadable);
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
  const { mailer, from, file, clock } = options;
  const failures = createFailures(options.log);

  /** Sends the mail that is due, if one is; returns the state after it. */
  const mailed = async (state: AlertState, concerns: readonly Concern[], now: number) => {
    const news = newsIn(state, now);
    if (news.length === 0 && !failures.isServerUnsure()) return state;
    const results =
      news.length === 0 || from === null
        ? [await mailer.check()]
        : await mailAll(options, from, { news, concerns, isAllWell: isAllWell(state, now) });
    const failure = results.find((result) => result !== null) ?? null;
    const failing = failures.noteOutcome(failure, state.failing, now);
    const isMailed = news.length > 0 && results.includes(null);
    const next = isMailed ? withMailed(state, now) : state;
    return { ...next, failing };
  };

  return async () => {
    const now = clock();
    try {
      // Not mailed: it would be resolved before the mail arrives.
      const all = (await options.concerns()).filter(({ name }) => name !== 'mail failing');
      const desks = await options.desks().catch((thrown): Desks => {
        // The operators' own mails do not depend on it.
        failures.logSeldom({ err: thrown }, 'mails for desks left out', now);
        return new Map();
      });
      const concerns = withRecipients(all, desks);
      await replaceFile(file, { now, staleMs: STALE_MS }, async () => {
        const state = withSeen(await readState(file), concerns, now);
        return writeState(await mailed(state, concerns, now));
      });
    } catch (thrown) {
      failures.logSeldom({ err: thrown }, 'alerts failed', now);
    }
  };
}

/** What has failed in the checks of this process, and their log. */
function createFailures(log: Pick<ServeContext['log'], 'error'>) {
  let isUnsure = true;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let tries = 0;

  /** One line of all failures within QUIET_MS. */
  const logSeldom = (fields: Readonly<Record<string, unknown>>, event: string, now: number) => {
    if (now - loggedAt < QUIET_MS) return;
    log.error(fields, event);
    loggedAt = now;
  };

  /** Records and logs whether mails can be sent. Returns the failure for the state; null if there is none. */
  const noteOutcome = (failure: Failure | null, before: AlertState['failing'], now: number) => {
    isUnsure = failure?.isOfServer === true;
    if (failure === null) {
      tries = 0;
      loggedAt = Number.NEGATIVE_INFINITY;
      return null;
    }
    tries++;
    const failing = { since: before?.since ?? now, reason: failure.reason };
    const since = new Date(failing.since).toISOString();
    logSeldom({ ...failing, tries, since }, 'mails cannot be sent', now);
    return failing;
  };

  return {
    /** Whether the mail server has not answered yet, or not since its last failure. */
    isServerUnsure: () => isUnsure,
    logSeldom,
    noteOutcome,
  };
}

/** The concerns to mail. Those that are mailed only to desks keep only the parts that a desk looks after. */
function withRecipients(concerns: readonly Concern[], desks: Desks): readonly Concern[] {
  const feedsOfDesks = new Set([...desks.values()].flatMap((feeds) => [...feeds]));
  return concerns.flatMap((concern) => {
    const { name } = concern;
    if (!isOfDesks(name)) return [concern];
    const parts = concern.parts.filter(({ id }) => feedsOfDesks.has(deskOf(name, id)));
    return parts.length === 0 ? [] : [{ ...concern, parts }];
  });
}

const readState = async (path: string): Promise<AlertState> =>
  parseState(await readFile(path, 'utf8').catch(ifMissing('')));
