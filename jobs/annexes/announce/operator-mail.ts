/** Emails to operators: `announce --test ADDRESS` shows whether the settings for email work, `announce --alert SUBJECT` is for scripts. */
import { randomUUID } from 'node:crypto';
import { isEmail } from '../../../src/annexes/common/keys.ts';
import type { Mail, Mailbox } from '../../../src/annexes/common/mail.ts';
import { CalendarError, invalidSetting } from '../../../src/calendar/errors.ts';
import { domainOf, type Sender } from './sender.ts';

interface OperatorMailOptions {
  readonly sender: Sender;
  readonly now: Date;
  readonly print: (line: string) => void;
}

/** Throws INVALID_SETTING for a text that is no email address. */
export function checkTestAddress(to: string, usage: string): void {
  if (isEmail(to)) return;
  const found = JSON.stringify(to);
  throw new CalendarError('INVALID_SETTING', `--test: expected an email address, found ${found}\n${usage}`);
}

/** Sends the test mail and prints the result. Returns the exit code. Needs no snapshot: it is used before there is anything to announce. */
export function sendTestMail(to: string, options: OperatorMailOptions): Promise<0 | 1> {
  const subject = 'almanakk: e-post virker / email works';
  return send({ to, subject, text: `${TEXTS.join('\n\n')}\n` }, options);
}

/** Sends one mail to each recipient and prints the results. Returns the exit code: 1 if one was not sent. Throws INVALID_SETTING. */
export async function sendAlert(
  { subject, text }: Pick<Mail, 'subject' | 'text'>,
  alertTo: readonly Mailbox[],
  options: OperatorMailOptions,
): Promise<0 | 1> {
  if (alertTo.length === 0) throw invalidSetting('ALMANAKK_ALERT_TO', 'to be set', 'nothing');
  let code: 0 | 1 = 0;
  for (const { address } of alertTo) {
    if ((await send({ to: address, subject, text }, options)) === 1) code = 1;
  }
  return code;
}

async function send(
  content: Pick<Mail, 'to' | 'subject' | 'text'>,
  { sender, now, print }: OperatorMailOptions,
): Promise<0 | 1> {
  const { from } = sender;
  const failure = await sender.send({
    ...content,
    from,
    replyTo: from,
    messageId: `${randomUUID()}@${domainOf(from)}`,
    date: now,
  });
  print(failure === null ? `sent: ${content.to}` : `not sent: ${content.to}, ${failure.reason}`);
  return failure === null ? 0 : 1;
}

const TEXTS = [
  'Dette er en test: almanakk kan sende e-post til denne adressen.',
  'This is a test: almanakk can send email to this address.',
];
