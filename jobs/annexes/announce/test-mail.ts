/** `announce --test ADDRESS`: one email that shows whether the settings for email work. */
import { randomUUID } from 'node:crypto';
import { isEmail } from '../../../src/annexes/common/keys.ts';
import type { Mail } from '../../../src/annexes/common/mail.ts';
import { CalendarError } from '../../../src/calendar/errors.ts';
import { domainOf, type Sender } from './sender.ts';

interface TestMailOptions {
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
export async function sendTestMail(to: string, { sender, now, print }: TestMailOptions): Promise<0 | 1> {
  const { from } = sender;
  const mail: Mail = {
    from,
    to,
    replyTo: from,
    subject: 'almanakk: e-post virker / email works',
    text: `${TEXTS.join('\n\n')}\n`,
    messageId: `${randomUUID()}@${domainOf(from)}`,
    date: now,
  };
  const failure = await sender.send(mail);
  print(failure === null ? `sent: ${to}` : `not sent: ${to}, ${failure.reason}`);
  return failure === null ? 0 : 1;
}

const TEXTS = [
  'Dette er en test: almanakk kan sende e-post til denne adressen.',
  'This is a test: almanakk can send email to this address.',
];
