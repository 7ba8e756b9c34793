/** K3: sends each recipient one mail with the notices that are new to it, one recipient after the other. */
import type { KeyEntry } from '../../../src/annexes/common/keys.ts';
import type { Failure, Mail, Mailbox } from '../../../src/annexes/common/mail.ts';
import type { KeyedNotice } from '../../../src/annexes/common/notices.ts';
import { groupBy } from '../../../src/calendar/groups.ts';
import type { Licence } from '../../../src/calendar/model.ts';
import { writeMail } from './mail.ts';
import type { Sender } from './sender.ts';
import type { SentLog } from './sent.ts';

/** An application at an address. */
interface Recipient {
  readonly app: string;
  readonly email: string | undefined;
  /** Ids of its keys that are not revoked. */
  readonly keyIds: readonly string[];
  /** Ids of all its keys: the owner of a replaced key has already got its mails. */
  readonly allKeyIds: readonly string[];
}

interface Announcement {
  readonly licence: Licence;
  /** The earliest first. */
  readonly planned: readonly KeyedNotice[];
  readonly recipients: readonly Recipient[];
  /** The public address of this server; ends in a slash. */
  readonly publicUrl: URL | null;
  /** The sender that a dry run shows. */
  readonly mailFrom: Mailbox | null;
  readonly now: Date;
  readonly print: (line: string) => void;
}

interface Outlet {
  readonly sent: SentLog;
  /** Null for a dry run, which prints mails. */
  readonly sender: Sender | null;
}

/** After so many failures of the server in a row, for any recipient, this run stops using it. */
const MOST_FAILURES = 2;

/** Prints a line for each recipient, without the address. Returns the exit code: 1 if a recipient could not be reached. */
export async function sendAll(announcement: Announcement, { sent, sender }: Outlet): Promise<0 | 1> {
  const { planned, recipients, now, print } = announcement;
  let unreached = 0;
  let failuresInARow = 0;
  for (const recipient of recipients) {
    const { email, keyIds, allKeyIds } = recipient;
    const name = `${recipient.app} (${keyIds.join(', ')})`;
    const news = planned.filter(({ key }) => !sent.has(allKeyIds, key));
    if (email === undefined || news.length === 0) {
      print(`skipped: ${name}, ${email === undefined ? 'no address' : 'already notified'}`);
      continue;
    }
    const noticeKeys = news.map(({ key }) => key);
    const mail = mailTo({ ...recipient, email }, news, { ...announcement, sender });
    if (sender === null) {
      print(`would notify: ${name}: ${noticeKeys.join(', ')}`);
      print(`\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}`);
      continue;
    }
    const failure = failuresInARow >= MOST_FAILURES ? GIVEN_UP : await sender.send(mail);
    failuresInARow = failure?.isOfServer === true ? failuresInARow + 1 : 0;
    if (failure !== null) {
      unreached++;
      print(`not reached: ${name}, ${failure.reason}`);
      continue;
    }
    await sent.add({ at: now.toISOString(), keys: keyIds, notices: noticeKeys });
    print(`sent: ${name}: ${noticeKeys.join(', ')}`);
  }
  return unreached === 0 ? 0 : 1;
}

const GIVEN_UP: Failure = { reason: 'no further attempts', isOfServer: true };

interface Drafting extends Pick<Announcement, 'licence' | 'publicUrl' | 'mailFrom' | 'now'> {
  readonly sender: Sender | null;
}

function mailTo(
  { app, email, keyIds }: Recipient & { readonly email: string },
  news: readonly KeyedNotice[],
  { licence, publicUrl, mailFrom, now, sender }: Drafting,
): Mail {
  const from = sender?.from ?? mailFrom ?? { name: '', address: '' };
  return writeMail({ licence, recipient: { app, email, keyIds }, news, from, publicUrl, now });
}

/** An application at an address gets one mail for all its keys. The recipients are in the order of the key file. */
export function recipientsOf(keys: readonly KeyEntry[]): readonly Recipient[] {
  const groups = groupBy(keys, ({ app, email }) => JSON.stringify([app, email]));
  return [...groups.values()].flatMap((entries) => {
    const [first] = entries;
    const valid = entries.filter(({ revoked }) => revoked === null);
    if (first === undefined || valid.length === 0) return [];
    const { app, email } = first;
    return [{ app, email, keyIds: valid.map(({ id }) => id), allKeyIds: entries.map(({ id }) => id) }];
  });
}
