/**
 * H12, alerts: checks the concerns once a minute, and mails those that have lasted ten minutes and those that are over, at most once an
 * hour. Mail that cannot be sent is a concern itself.
 */
import { createHash } from 'node:crypto';
import { CalendarError } from '../../calendar/errors.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { createMailer, type Failure, type Mailer } from '../common/mail.ts';
import { concernOf, concernsOf, plainly } from '../facts/concerns.ts';
import { type AlertContent, alertText, subjectOf } from './message.ts';
import type { AlertSettings } from './settings.ts';
import { changeState, failingAfter, type News, readState, withMailed, withSeen } from './state.ts';

const LOOK_MS = 60_000;

/** Throws INVALID_SETTING for recipients without a mail server. */
export function create(context: ServeContext<AlertSettings>): ServePart {
  const { settings, log, process } = context;
  const { smtpUrl, mailFrom, alertTo, keys } = settings;
  if (alertTo.length > 0 && (smtpUrl === null || mailFrom === null)) {
    const missing = smtpUrl === null ? 'ALMANAKK_SMTP_URL' : 'ALMANAKK_MAIL_FROM';
    throw new CalendarError('INVALID_SETTING', `${missing}: expected it for ALMANAKK_ALERT_TO, found none`);
  }
  if (smtpUrl === null) return {};
  const mailer = createMailer(smtpUrl);
  // One process of a server sends the mails; several servers of a machine share the file.
  const isSender = process.slot === 0;
  if (alertTo.length === 0) {
    const check = async () => {
      const failure = await mailer.check();
      if (failure !== null) log.error({ reason: failure.reason }, 'the mail server does not take mails');
    };
    return isSender ? { onListen: () => void check() } : {};
  }
  const calendar = () => context.keeper.state().current?.lists.licence.name ?? 'almanakk';
  const look = createLook({ ...context, calendar }, mailer);
  const begin = () => {
    void look();
    setInterval(() => void look(), LOOK_MS).unref();
  };
  return {
    ...(isSender && { onListen: begin }),
    concerns: async () => {
      const { failing } = await readState(stateFile(keys));
      if (failing === null) return [];
      return [
        concernOf(OWN, { since: new Date(failing.since).toISOString(), details: [plainly(failing.reason)] }),
      ];
    },
  };
}

/** It is not mailed: when the mail arrives, it is over. */
const OWN = 'mail failing';

const stateFile = (keys: string): string => `${keys}.alerts`;

interface LookOptions extends Pick<ServeContext, 'log' | 'clock' | 'parts'> {
  readonly settings: Pick<
    ServeContext<AlertSettings>['settings'],
    'keys' | 'publicUrl' | 'mailFrom' | 'alertTo'
  >;
  readonly calendar: () => string;
}

/**
 * One check. Never rejects. The first one also asks whether the mail server answers, and so does each one after that until it does, if no
 * mail is due.
 */
export function createLook(
  { settings, calendar, log, clock, parts }: LookOptions,
  mailer: Mailer,
): () => Promise<void> {
  const { keys, publicUrl, mailFrom, alertTo } = settings;
  let isFirst = true;
  let isBroken = false;

  const mail = async (news: News, concerns: AlertContent['concerns'], now: number): Promise<Attempt> => {
    if (mailFrom === null) return { isMailed: false, failure: null };
    const isOffered = parts().some(({ offers }) => offers?.includes('status'));
    const statusUrl = publicUrl === null || !isOffered ? null : new URL('status', publicUrl).href;
    const content = { calendar: calendar(), news, concerns, statusUrl };
    const digest = createHash('sha256')
      .update(JSON.stringify([content.calendar, news]))
      .digest('hex')
      .slice(0, 40);
    const failures: Failure[] = [];
    for (const { address } of alertTo) {
      const failure = await mailer.send({
        from: mailFrom,
        replyTo: mailFrom,
        to: address,
        subject: subjectOf(content),
        text: alertText(content),
        // Equal for equal news: mail readers show a mail that was sent twice once.
        messageId: `${digest}@${mailFrom.address.slice(mailFrom.address.lastIndexOf('@') + 1)}`,
        date: new Date(now),
      });
      if (failure !== null) failures.push(failure);
    }
    return { isMailed: failures.length < alertTo.length, failure: failures[0] ?? null };
  };

  return async () => {
    const now = clock();
    try {
      const concerns = (await concernsOf(parts())).filter(({ name }) => name !== OWN);
      await changeState(stateFile(keys), now, async (before) => {
        const { state, news } = withSeen(
          before,
          concerns.map(({ name }) => name),
          now,
        );
        const isUnsure = isFirst || state.failing?.isOfServer === true;
        isFirst = false;
        if (news === null && !isUnsure) return state;
        const { isMailed, failure } =
          news === null
            ? { isMailed: false, failure: await mailer.check() }
            : await mail(news, concerns, now);
        const failing = failingAfter(state.failing, failure, now);
        if (failing !== null && failing.loggedAt !== state.failing?.loggedAt) {
          const { reason, tries, since } = failing;
          log.error({ reason, tries, since: new Date(since).toISOString() }, 'mails cannot be sent');
        }
        return { ...(news !== null && isMailed ? withMailed(state, news, now) : state), failing };
      });
      isBroken = false;
    } catch (thrown) {
      if (!isBroken) log.error({ err: thrown }, 'alerts failed');
      isBroken = true;
    }
  };
}

interface Attempt {
  /** Whether anybody got the mail. */
  readonly isMailed: boolean;
  readonly failure: Failure | null;
}
