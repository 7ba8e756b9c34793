/** Announcements of a small calendar with a retired category and a planned change, to mail servers of the test. */
import { join } from 'node:path';
import type { Test } from 'uvu';
import { runAnnounce } from '../../../../jobs/annexes/announce/command.ts';
import { runKeysCommand } from '../../../../jobs/annexes/keys/commands.ts';
import { readSettings } from '../../../../jobs/settings.ts';
import { KEY_ENTROPY } from '../../../../src/annexes/common/keys.ts';
import { built, sourceOfEvents } from '../../../helpers/build.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { type Arrived, type MailServerOptions, startMailServer } from '../../../helpers/mail-server.ts';
import { LICENCE } from '../../../helpers/native-source.ts';
import { RAW_NOTICE } from '../../../helpers/notices.ts';

export const NOW = new Date('2026-11-22T10:00:00Z');
const MUSEUM = { id: 'MUSEUM', name_nb: 'Museum', name_en: 'Museum' };
const LICENCE_NOW = { ...LICENCE, name: 'Hva skjer på Røros', categories: [...LICENCE.categories, MUSEUM] };
const PAST = { ...RAW_NOTICE, id: 'past', from: '2026-11-21' };
export const CHANGELOG = `# Changelog

### Planned

- 2027-01-15 \`quota\`
  - nb: **Kvote uten nøkkel.** Be om en \`nøkkel\` i tide.
  - en: **A quota without a key.** Ask for a \`key\` in time.
`;
export const QUOTA = 'interface:quota@2027-01-15';
export const RETIREMENT = 'calendar:museum-2027@2027-02-01';

export const AVIS = ['Lillevik avis', 'post@avis.example'] as const;
export const RADIO = ['Radio Røros', 'vakt@radio.example'] as const;
export const KIOSK = ['Kiosk', 'kiosk@sol.example'] as const;

export const snapshots = temporaryFolder();
const servers: { readonly close: () => Promise<unknown> }[] = [];

/** Builds the calendar before the tests of a suite, and closes the servers of each test after it. */
export function prepare(suite: Test): void {
  suite.before(async () => {
    const files = { 'licence.json': LICENCE_NOW, 'notices.json': [PAST, RAW_NOTICE] };
    await built(sourceOfEvents(3, files), snapshots);
  });
  suite.after.each(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
}

/** Has a server closed after the test. */
export function closing<Server extends { readonly close: () => Promise<unknown> }>(server: Server): Server {
  servers.push(server);
  return server;
}

export async function mailServer(options?: MailServerOptions) {
  return closing(await startMailServer(options));
}

/** A new key file with a key for each application. `keys` runs a command of `npm run keys` on it. */
export async function issue(applications: readonly (readonly [app: string, email?: string])[]) {
  const file = join(temporaryFolder(), 'keys.json');
  const secrets: string[] = [];
  const ids: string[] = [];
  const keys = async (...args: readonly string[]) => {
    const random = new Uint8Array(KEY_ENTROPY).fill(secrets.length + 1);
    const [key = '', line = ''] = await runKeysCommand(args, { path: file, now: NOW, random });
    if (args[0] === 'issue') {
      secrets.push(key);
      ids.push(/id (\w+)/.exec(line)?.[1] ?? '');
    }
  };
  for (const [app, email] of applications)
    await keys('issue', '--app', app, ...(email === undefined ? [] : ['--email', email]));
  return { file, secrets, ids, keys };
}

interface Run {
  readonly port?: number;
  readonly url?: string;
  readonly args?: readonly string[];
  readonly now?: Date;
  readonly patience?: number;
  readonly changelog?: string;
  readonly alertTo?: string;
  readonly input?: string;
}

export async function run({ file }: { readonly file: string }, given: Run = {}) {
  const { port = 1, url = `smtp://127.0.0.1:${port}`, args = [], alertTo = '', input = '', ...more } = given;
  const { settings } = readSettings(
    { ...environmentFor(file, url), ALMANAKK_ALERT_TO: alertTo },
    temporaryFolder(),
  );
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const readInput = async () => input;
  const code = await runAnnounce(args, {
    settings,
    changelog: CHANGELOG,
    now: NOW,
    print,
    readInput,
    ...more,
  });
  return { code, lines };
}

export const environmentFor = (file: string, url: string) => ({
  ALMANAKK_KEYS: file,
  ALMANAKK_SNAPSHOTS: snapshots,
  ALMANAKK_SMTP_URL: url,
  ALMANAKK_MAIL_FROM: 'Kalenderen på Røros <kalender@roros.example>',
  ALMANAKK_PUBLIC_URL: 'https://kalender.roros.example/',
});

export const recordOf = (file: string) => join(`${file}.announced`, 'told.ndjson');
export const recipientsOf = (mails: readonly Arrived[]) => mails.flatMap(({ to }) => to);
