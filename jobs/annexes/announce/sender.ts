/** The mail server and the address that announcements are sent from. */
import { createMailer, type Mailbox, type Mailer } from '../../../src/annexes/common/mail.ts';
import { invalidSetting } from '../../../src/calendar/errors.ts';

export interface Sender extends Pick<Mailer, 'send'> {
  readonly from: Mailbox;
}

export interface SenderSettings {
  readonly smtpUrl: URL | null;
  readonly mailFrom: Mailbox | null;
}

/** `stallMs`: milliseconds without progress after which the mail server counts as unreachable. Throws INVALID_SETTING. */
export function createSender({ smtpUrl, mailFrom }: SenderSettings, stallMs?: number): Sender {
  const { send } = createMailer(needed(smtpUrl, 'ALMANAKK_SMTP_URL'), stallMs);
  return { send, from: needed(mailFrom, 'ALMANAKK_MAIL_FROM') };
}

function needed<T>(setting: T | null, name: string): T {
  if (setting !== null) return setting;
  throw invalidSetting(name, 'to be set', 'nothing');
}

/** The part of an address after the `@`, which makes message ids unique. */
export function domainOf({ address }: Mailbox): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
