/** The command `announce` (K3): reads the planned changes and their recipients, and sends or prints one mail for each recipient. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readKeyFile } from '../../../src/annexes/common/keys.ts';
import type { Mailbox } from '../../../src/annexes/common/mail.ts';
import { gatherNotices, type KeyedNotice, readPlanned } from '../../../src/annexes/common/notices.ts';
import { CalendarError } from '../../../src/calendar/errors.ts';
import type { Licence } from '../../../src/calendar/model.ts';
import type { Notice } from '../../../src/calendar/notice.ts';
import { formatDay, osloDay } from '../../../src/calendar/time.ts';
import { commandLine, packagePath } from '../../../src/package.ts';
import { parseManifest, readManifestText } from '../../../src/snapshot/manifest.ts';
import { openVerified } from '../../../src/snapshot/verify.ts';
import type { CommandContext } from '../../annex.ts';
import { parseArguments } from '../../arguments.ts';
import { checkTestAddress, sendAlert, sendTestMail } from './operator-mail.ts';
import { createSender, type SenderSettings } from './sender.ts';
import { recipientsOf, sendAll } from './sending.ts';
import { readSentLog, withSentLog } from './sent.ts';

const USAGE = `Usage: ${commandLine('announce', '[options]')}

  --dry-run        print the emails and their recipients; send nothing, and record nothing as sent
  --test ADDRESS   only send one test email to this address
  --alert SUBJECT  only send the text of standard input to the addresses in ALMANAKK_ALERT_TO
  --help           print this help
`;

const OPTIONS = {
  'dry-run': { type: 'boolean', default: false },
  test: { type: 'string' },
  alert: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** The command with this package's changelog. Returns the exit code. Throws the errors of `runAnnounce`. */
export function run(
  args: readonly string[],
  { settings, now, print }: CommandContext<Omit<AnnounceSettings, 'snapshots' | 'publicUrl'>>,
): Promise<number> {
  const file = packagePath('CHANGELOG.md');
  const changelog = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return runAnnounce(args, { settings, changelog, now, print, readInput: () => text(process.stdin) });
}

interface AnnounceContext {
  readonly settings: AnnounceSettings;
  /** CHANGELOG.md: the planned changes of the interface. */
  readonly changelog: string;
  readonly now: Date;
  readonly print: (line: string) => void;
  /** All of standard input. */
  readonly readInput: () => Promise<string>;
  /** Milliseconds without progress after which the mail server counts as unreachable. */
  readonly patience?: number;
}

interface AnnounceSettings extends SenderSettings {
  /** The key file. */
  readonly keys: string;
  /** The operators. */
  readonly alertTo: readonly Mailbox[];
  /** Snapshot folder: its notices are on its server's `/changelog`. */
  readonly snapshots: string;
  readonly publicUrl: URL | null;
}

/**
 * Returns the exit code: 1 if a recipient could not be reached. Throws INVALID_SETTING, SNAPSHOT_UNUSABLE, and BUILD_LOCKED while another run
 * is active.
 */
export async function runAnnounce(args: readonly string[], context: AnnounceContext): Promise<0 | 1> {
  const { values } = parseArguments({ args: [...args], options: OPTIONS }, USAGE);
  const { help, test, alert, 'dry-run': isDryRun } = values;
  const { settings, now, print, patience, readInput } = context;
  if (help) {
    print(USAGE.trimEnd());
    return 0;
  }
  if (test !== undefined) {
    checkTestAddress(test, USAGE);
    return sendTestMail(test, { sender: createSender(settings, patience), now, print });
  }
  if (alert !== undefined) {
    const sender = createSender(settings, patience);
    return sendAlert({ subject: alert, text: await readInput() }, settings.alertTo, { sender, now, print });
  }
  const calendar = await readCalendar(settings.snapshots);
  const planned = plannedNotices(context, calendar.notices);
  const recipients = recipientsOf(await readKeyFile(settings.keys));
  if (planned.length === 0) {
    print('nothing is planned: no emails to send');
    return 0;
  }
  const announcement = {
    licence: calendar.licence,
    planned,
    recipients,
    publicUrl: settings.publicUrl,
    mailFrom: settings.mailFrom,
    now,
    print,
  };
  if (isDryRun) return sendAll(announcement, { sent: await readSentLog(settings.keys), sender: null });
  const sender = createSender(settings, patience);
  return withSentLog(settings.keys, (sent) => sendAll(announcement, { sent, sender }));
}

/** Notices that take effect today or later, the earliest first. */
function plannedNotices(
  { changelog, now }: AnnounceContext,
  ofCalendar: readonly Notice[],
): readonly KeyedNotice[] {
  const today = formatDay(osloDay(Math.floor(now.getTime() / 1_000)));
  const { notices: ofInterface } = readPlanned(changelog);
  return gatherNotices({ ofInterface, ofCalendar }).filter(({ from }) => from >= today);
}

interface AnnouncedCalendar {
  readonly licence: Licence;
  readonly notices: readonly Notice[];
}

/** The licence and the notices of the current snapshot. Throws SNAPSHOT_UNUSABLE. */
async function readCalendar(folder: string): Promise<AnnouncedCalendar> {
  const text = await readManifestText(folder);
  if (text === null) {
    const message = `${folder}: expected a snapshot, found none: build first, so that /changelog lists the change too`;
    throw new CalendarError('SNAPSHOT_UNUSABLE', message);
  }
  const manifest = parseManifest(text);
  const path = join(folder, manifest.file);
  const snapshot = await openVerified(path, manifest, { connections: 1, timeout: 0 });
  const { meta, lists } = snapshot;
  await snapshot.close();
  return { licence: lists.licence, notices: meta.notices };
}
