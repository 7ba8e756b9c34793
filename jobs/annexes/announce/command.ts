/** The command `announce` (K3): sends each recipient a mail with its notices, one by one, and prints the results. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isEmail, type KeyEntry, readKeyFile } from '../../../src/annexes/common/keys.ts';
import { createMailer, type Mail, type Mailbox, type Mailer } from '../../../src/annexes/common/mail.ts';
import { gatherNotices, type KeyedNotice, readPlanned } from '../../../src/annexes/common/notices.ts';
import { CalendarError } from '../../../src/calendar/errors.ts';
import { groupBy } from '../../../src/calendar/groups.ts';
import type { Licence } from '../../../src/calendar/model.ts';
import type { Notice } from '../../../src/calendar/notice.ts';
import { formatDay, osloDay } from '../../../src/calendar/time.ts';
import { commandLine, packagePath } from '../../../src/package.ts';
import { parseManifest, readManifestText } from '../../../src/snapshot/manifest.ts';
import { openVerified } from '../../../src/snapshot/verify.ts';
import type { CommandContext } from '../../annex.ts';
import { parseArguments } from '../../arguments.ts';
import { writeMail } from './mail.ts';
import { readSentLog, type SentLog, withSentLog } from './sent.ts';

const USAGE = `Usage: ${commandLine('announce', '[options]')}

  --dry-run        print the emails and their recipients; send nothing, and record nothing as sent
  --test ADDRESS   only send one test email to this address
  --help           print this help
`;

/** Throws INVALID_SETTING. */
export function run(
  args: readonly string[],
  { settings, now, print }: CommandContext<Omit<AnnounceSettings, 'snapshots' | 'publicUrl'>>,
): Promise<number> {
  const file = packagePath('CHANGELOG.md');
  const changelog = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return runAnnounce(args, { settings, changelog, now, print });
}

interface AnnounceContext {
  readonly settings: AnnounceSettings;
  /** CHANGELOG.md: the planned changes of the interface. */
  readonly changelog: string;
  readonly now: Date;
  readonly print: (line: string) => void;
  /** Milliseconds without progress after which the mail server counts as gone. */
  readonly patience?: number;
}

interface AnnounceSettings {
  readonly keys: string;
  /** Snapshot folder: its notices are on its server's `/changelog`. */
  readonly snapshots: string;
  readonly smtpUrl: URL | null;
  readonly mailFrom: Mailbox | null;
  readonly publicUrl: URL | null;
}

/** Returns the exit code: 1 if a recipient could not be reached. Throws for errors that must be fixed first. */
export async function runAnnounce(args: readonly string[], context: AnnounceContext): Promise<0 | 1> {
  const { values } = parseArguments({ args: [...args], options: OPTIONS }, USAGE);
  const { help, test, 'dry-run': isDry } = values;
  const { settings, print } = context;
  if (help) {
    print(USAGE.trimEnd());
    return 0;
  }
  if (test !== undefined) return sendTest(test, context);
  const { licence, notices: ofCalendar } = await readCalendar(settings.snapshots);
  const notices = plannedOf(context, ofCalendar);
  const recipients = recipientsOf(await readKeyFile(settings.keys));
  if (notices.length === 0) {
    print('nothing is planned: no emails to send');
    return 0;
  }
  const news = { licence, notices, recipients };
  if (isDry) return sendAll(news, context, { sent: await readSentLog(settings.keys), sender: null });
  const sender = senderOf(context);
  return withSentLog(settings.keys, (sent) => sendAll(news, context, { sent, sender }));
}

function senderOf({ settings, patience }: AnnounceContext): Sender {
  const { send } = createMailer(needed(settings.smtpUrl, 'ALMANAKK_SMTP_URL'), patience);
  return { send, from: needed(settings.mailFrom, 'ALMANAKK_MAIL_FROM') };
}

interface Sender extends Pick<Mailer, 'send'> {
  readonly from: Mailbox;
}

/** Needs no snapshot: it is tried before there is anything to announce. */
async function sendTest(to: string, context: AnnounceContext): Promise<0 | 1> {
  if (!isEmail(to)) {
    const found = JSON.stringify(to);
    throw new CalendarError('INVALID_SETTING', `--test: expected an email address, found ${found}\n${USAGE}`);
  }
  const { send, from } = senderOf(context);
  const mail: Mail = {
    from,
    to,
    replyTo: from,
    subject: 'almanakk: e-post virker / email works',
    text: 'Dette er en test: almanakk kan sende e-post til denne adressen.\n\nThis is a test: almanakk can send email to this address.\n',
    messageId: `${randomUUID()}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`,
    date: context.now,
  };
  const failure = await send(mail);
  context.print(failure === null ? `sent: ${to}` : `not sent: ${to}, ${failure.reason}`);
  return failure === null ? 0 : 1;
}

interface News {
  readonly licence: Licence;
  readonly notices: readonly KeyedNotice[];
  readonly recipients: readonly Recipient[];
}

/** An application at an address. */
interface Recipient {
  readonly app: string;
  readonly email: string | undefined;
  /** Ids of its keys that are not revoked. */
  readonly ids: readonly string[];
  /** Ids of all its keys: the owner of a replaced key has already got its mails. */
  readonly everyId: readonly string[];
}

interface Sending {
  readonly sent: SentLog;
  /** Null for a dry run, which prints mails. */
  readonly sender: Sender | null;
}

/** Prints a line for each recipient, without the address. */
async function sendAll(
  { licence, notices, recipients }: News,
  { settings: { publicUrl, mailFrom }, now, print }: AnnounceContext,
  { sent, sender }: Sending,
): Promise<0 | 1> {
  const from = sender?.from ?? mailFrom ?? { name: '', address: '' };
  let unreached = 0;
  let failuresInARow = 0;

  async function sendTo({ app, email, ids, everyId }: Recipient): Promise<void> {
    const who = `${app} (${ids.join(', ')})`;
    const news = notices.filter(({ key }) => !sent.has(everyId, key));
    const keys = news.map(({ key }) => key);
    if (email === undefined) return print(`skipped: ${who}, no address`);
    if (news.length === 0) return print(`skipped: ${who}, already notified`);
    if (failuresInARow === MOST_FAILURES) {
      unreached++;
      return print(`not reached: ${who}, no further attempts`);
    }
    const mail = writeMail({ licence, recipient: { app, email, ids }, news, from, publicUrl, now });
    if (sender === null) {
      print(`would notify: ${who}: ${keys.join(', ')}`);
      return print(`\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}`);
    }
    const failure = await sender.send(mail);
    failuresInARow = failure?.isOfServer === true ? failuresInARow + 1 : 0;
    if (failure !== null) {
      unreached++;
      return print(`not reached: ${who}, ${failure.reason}`);
    }
    await sent.add({ at: now.toISOString(), keys: ids, notices: keys });
    print(`sent: ${who}: ${keys.join(', ')}`);
  }

  for (const recipient of recipients) await sendTo(recipient);
  return unreached === 0 ? 0 : 1;
}

/** After so many failures of the server in a row, for any recipient, this run stops using it. */
const MOST_FAILURES = 2;

/** Notices that take effect today or later, the earliest first. */
function plannedOf(
  { changelog, now }: AnnounceContext,
  ofCalendar: readonly Notice[],
): readonly KeyedNotice[] {
  const today = formatDay(osloDay(Math.floor(now.getTime() / 1_000)));
  const { notices: ofInterface } = readPlanned(changelog);
  return gatherNotices({ ofInterface, ofCalendar }).filter(({ from }) => from >= today);
}

/** An application at an address gets one mail for all its keys. In the order of the key file. */
function recipientsOf(keys: readonly KeyEntry[]): readonly Recipient[] {
  const groups = groupBy(keys, ({ app, email }) => JSON.stringify([app, email]));
  return [...groups.values()].flatMap((entries) => {
    const [first] = entries;
    const ids = entries.filter(({ revoked }) => revoked === null).map(({ id }) => id);
    if (first === undefined || ids.length === 0) return [];
    const { app, email } = first;
    return [{ app, email, ids, everyId: entries.map(({ id }) => id) }];
  });
}

/** The notices of the current snapshot. Throws SNAPSHOT_UNUSABLE. */
async function readCalendar(folder: string) {
  const text = await readManifestText(folder);
  if (text === null) {
    const message = `${folder}: expected a snapshot, found none: build first, so that /changelog lists the change too`;
    throw new CalendarError('SNAPSHOT_UNUSABLE', message);
  }
  const manifest = parseManifest(text);
  const snapshot = await openVerified(join(folder, manifest.file), manifest, {
    connections: 1,
    timeout: 0,
  });
  const { meta, lists } = snapshot;
  await snapshot.close();
  return { licence: lists.licence, notices: meta.notices };
}

const OPTIONS = {
  'dry-run': { type: 'boolean', default: false },
  test: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

function needed<T>(setting: T | null, name: string): T {
  if (setting === null)
    throw new CalendarError('INVALID_SETTING', `${name}: expected to be set, found nothing`);
  return setting;
}
