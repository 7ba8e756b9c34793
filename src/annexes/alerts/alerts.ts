/**
 * H12, alerts: checks the concerns once a minute, and mails those that have lasted ten minutes and those that are over, at most once an
 * hour.
 */
import { createHash } from 'node:crypto';
import { CalendarError } from '../../calendar/errors.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { createSend, type Send } from '../common/mail.ts';
import { type AlertContent, alertText, subjectOf } from './message.ts';
import type { AlertSettings } from './settings.ts';
import { changeState, type News, withMailed, withSeen } from './state.ts';

const LOOK_MS = 60_000;

/** Throws INVALID_SETTING for recipients without a mail server. */
export function create(context: ServeContext<AlertSettings>): ServePart {
  const { smtpUrl, mailFrom, alertTo } = context.settings;
  if (alertTo.length === 0) return {};
  if (smtpUrl === null || mailFrom === null) {
    const missing = smtpUrl === null ? 'ALMANAKK_SMTP_URL' : 'ALMANAKK_MAIL_FROM';
    throw new CalendarError('INVALID_SETTING', `${missing}: expected it for ALMANAKK_ALERT_TO, found none`);
  }
  // One process of a server sends the mails; several servers of a machine share the file.
  if (context.process.slot !== 0) return {};
  const calendar = () => context.keeper.state().current?.lists.licence.name ?? 'almanakk';
  const look = createLook({ ...context, calendar }, createSend(smtpUrl));
  setInterval(() => void look(), LOOK_MS).unref();
  return {};
}

interface LookOptions extends Pick<ServeContext, 'log' | 'clock' | 'parts'> {
  readonly settings: Pick<
    ServeContext<AlertSettings>['settings'],
    'keys' | 'publicUrl' | 'mailFrom' | 'alertTo'
  >;
  readonly calendar: () => string;
}

/** One check. Never rejects: if the mail server is down, it is only logged and tried again a minute later. */
export function createLook(
  { settings, calendar, log, clock, parts }: LookOptions,
  send: Send,
): () => Promise<void> {
  const { keys, publicUrl, mailFrom, alertTo } = settings;
  let isFailing = false;

  const mail = async (news: News, detailOf: AlertContent['detailOf'], now: number): Promise<boolean> => {
    if (mailFrom === null) return false;
    const isOffered = parts().some(({ offers }) => offers?.includes('status'));
    const statusUrl = publicUrl === null || !isOffered ? null : new URL('status', publicUrl).href;
    const content = { calendar: calendar(), news, detailOf, statusUrl };
    const digest = createHash('sha256')
      .update(JSON.stringify([content.calendar, news]))
      .digest('hex')
      .slice(0, 40);
    let sent = 0;
    for (const { address } of alertTo) {
      const failure = await send({
        from: mailFrom,
        replyTo: mailFrom,
        to: address,
        subject: subjectOf(content),
        text: alertText(content),
        // Equal for equal news: mail readers show a mail that was sent twice once.
        messageId: `${digest}@${mailFrom.address.slice(mailFrom.address.lastIndexOf('@') + 1)}`,
        date: new Date(now),
      });
      if (failure === null) sent++;
      else if (!isFailing) log.error({ reason: failure.reason }, 'alert not mailed');
    }
    isFailing = sent === 0;
    return sent > 0;
  };

  return async () => {
    const now = clock();
    try {
      const concerns = (await Promise.all(parts().map(({ concerns }) => concerns?.() ?? []))).flat();
      const details = new Map(concerns.map(({ name, detail }) => [name, detail]));
      await changeState(`${keys}.alerts`, now, async (before) => {
        const { state, news } = withSeen(before, [...details.keys()], now);
        if (news === null) return state;
        const isMailed = await mail(news, (name) => details.get(name) ?? null, now);
        return isMailed ? withMailed(state, news, now) : state;
      });
    } catch (thrown) {
      if (!isFailing) log.error({ err: thrown }, 'alerts failed');
      isFailing = true;
    }
  };
}
