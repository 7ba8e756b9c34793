/**
 * H12, alerts: checks the concerns once a minute, and mails those that have lasted ten minutes and those that are over, at most once an
 * hour. Mail that cannot be sent is a concern itself.
 */
import { createHash } from 'node:crypto';
import { CalendarError } from '../../calendar/errors.ts';
import type { ServeContext } from '../../serve/annex.ts';
import { createMailer, type Failure, type Mailbox, type Mailer } from '../common/mail.ts';
import { type AlertContent, alertText, subjectOf } from './alert-message.ts';
import { changeState, type FailingMail, newsIn, readState, withMailed, withSeen } from './alerts-state.ts';
import type { Concern } from './concerns.ts';
import type { OperatorSettings } from './settings.ts';

interface Alerts {
  readonly start: () => void;
  /** Why mails cannot be sent; null while they can. */
  readonly failing: () => Promise<FailingMail | null>;
}

interface Subject {
  readonly concerns: () => Promise<readonly Concern[]>;
  /** The address of `/status`; null where it is not open to those who get mails. */
  readonly statusUrl: string | null;
}

/** Throws INVALID_SETTING for recipients without a mail server. */
export function createAlerts(context: ServeContext<OperatorSettings>, subject: Subject): Alerts {
  const { smtpUrl, mailFrom: from, alertTo, keys } = context.settings;
  if (alertTo.length > 0 && (smtpUrl === null || from === null)) {
    const missing = smtpUrl === null ? 'ALMANAKK_SMTP_URL' : 'ALMANAKK_MAIL_FROM';
    throw new CalendarError('INVALID_SETTING', `${missing}: expected it for ALMANAKK_ALERT_TO, found none`);
  }
  const file = stateFile(keys);
  const failing = async () => (alertTo.length === 0 ? null : (await readState(file)).failing);
  const calendar = () => context.keeper.state().current?.lists.licence.name ?? 'almanakk';
  const start = () => {
    // One process of a server sends the mails; several servers of a machine share the file.
    if (smtpUrl === null || context.process.slot !== 0) return;
    const mailer = createMailer(smtpUrl);
    if (from === null || alertTo.length === 0) return void checkOnce(mailer, context.log);
    const look = createLook({ ...context, ...subject, mailer, file, from, alertTo, calendar });
    void look();
    setInterval(() => void look(), LOOK_MS).unref();
  };
  return { start, failing };
}

const LOOK_MS = 60_000;

/** Beside the key file. */
export const stateFile = (keys: string): string => `${keys}.alerts`;

async function checkOnce(mailer: Mailer, log: ServeContext['log']): Promise<void> {
  const failure = await mailer.check();
  if (failure !== null) log.error({ reason: failure.reason }, 'the mail server does not take mails');
}

interface LookOptions extends Subject, Pick<ServeContext, 'log' | 'clock'> {
  readonly mailer: Mailer;
  /** Of the state. */
  readonly file: string;
  readonly from: Mailbox;
  readonly alertTo: readonly Mailbox[];
  readonly calendar: () => string;
}

/** Between two lines of the log about mails that cannot be sent. */
const QUIET_MS = 60 * 60_000;

/**
 * One check. Never rejects. The first one also asks whether the mail server answers, and so does each one after that until it does, if no
 * mail is due.
 */
export function createLook(options: LookOptions): () => Promise<void> {
  const { mailer, file, calendar, log, clock, statusUrl } = options;
  let isUnsure = true;
  let isBroken = false;
  /** Failed attempts in a row, and when the log said so last. */
  let tries = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;

  const note = ({ since, reason }: FailingMail, now: number) => {
    tries++;
    if (now - loggedAt < QUIET_MS) return;
    log.error({ reason, tries, since: new Date(since).toISOString() }, 'mails cannot be sent');
    loggedAt = now;
  };

  return async () => {
    const now = clock();
    try {
      // It is not mailed: when the mail arrives, it is over.
      const concerns = (await options.concerns()).filter(({ name }) => name !== 'mail failing');
      await changeState(file, now, async (before) => {
        const state = withSeen(before, concerns, now);
        const news = newsIn(state, now);
        if (news.length === 0 && !isUnsure) return state;
        const results =
          news.length === 0
            ? [await mailer.check()]
            : await mailAll({ calendar: calendar(), news, concerns, statusUrl }, options, now);
        const [failure] = results.filter((result) => result !== null);
        isUnsure = failure?.isOfServer === true;
        const failing = failure ? { since: state.failing?.since ?? now, reason: failure.reason } : null;
        if (failing === null) [tries, loggedAt] = [0, Number.NEGATIVE_INFINITY];
        else note(failing, now);
        const isMailed = news.length > 0 && results.includes(null);
        return { ...(isMailed ? withMailed(state, now) : state), failing };
      });
      isBroken = false;
    } catch (thrown) {
      if (!isBroken) log.error({ err: thrown }, 'alerts failed');
      isBroken = true;
    }
  };
}

/** The result of each recipient's mail. */
async function mailAll(
  content: AlertContent,
  { mailer, from, alertTo }: LookOptions,
  now: number,
): Promise<readonly (Failure | null)[]> {
  const news = JSON.stringify([content.calendar, content.news]);
  const digest = createHash('sha256').update(news).digest('hex').slice(0, 40);
  const mail = {
    from,
    replyTo: from,
    subject: subjectOf(content),
    text: alertText(content),
    // Equal for equal news: mail readers show a mail that was sent twice once.
    messageId: `${digest}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`,
    date: new Date(now),
  };
  const results: (Failure | null)[] = [];
  for (const { address } of alertTo) results.push(await mailer.send({ ...mail, to: address }));
  return results;
}
