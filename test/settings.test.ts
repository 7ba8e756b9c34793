/** H3, H8: settings: their defaults, bounds and messages. `jobs/kit/s3-settings.test.ts` has those of object stores. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings, SETTINGS } from '../jobs/settings.ts';
import { freezeSettings, readEnvironment } from '../src/settings/read.ts';
import { assertAbove } from './helpers/assertions.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { readFrom, refusalFrom } from './helpers/settings.ts';
import { hasPart, when } from './helpers/when.ts';

const settings = suite('settings');
const HERE = temporaryFolder();

const read = readFrom(HERE);
const refusalOf = refusalFrom(HERE);

/** The defaults of a part that may be taken away. */
const ofPart = (path: string, defaults: object) => (hasPart(path) ? defaults : {});

settings('H3: should have the defaults of the contract', () => {
  assert.equal(read({}), {
    port: 4000,
    host: null,
    source: join(HERE, 'data/sample'),
    snapshots: join(HERE, 'data/snapshots'),
    cron: '*/15 * * * *',
    watch: true,
    publicFile: false,
    horizonMonths: 18,
    keys: join(HERE, 'data/keys.json'),
    maxAge: 60,
    pollSeconds: 5,
    logLevel: 'info',
    memoryMegabytes: 512,
    maxConnections: null,
    cacheMegabytes: null,
    workers: 1,
    ...ofPart('jobs/annexes/pull', { origin: null, trust: [] }),
    ...ofPart('jobs/annexes/store', { publish: null, publishPublic: null }),
    ...ofPart('jobs/kit/s3.ts', { s3Endpoint: null, s3: null }),
    ...ofPart('jobs/annexes/signing', { signingKey: null }),
    ...ofPart('src/annexes/snapshots', { serveSnapshots: false, snapshotsToken: null }),
    buildTimeoutSeconds: 900,
    allowPrivateFeeds: false,
    sourceFiles: [],
    keepDays: null,
    logFormat: 'text',
    stopDelaySeconds: 0,
    publicUrl: null,
    notice:
      'No valid key was sent. Keys are optional, but if you send one, we can tell you about changes: {portal}',
    ...ofPart('src/annexes/operator', {
      adminPort: null,
      adminHost: '127.0.0.1',
      statusUrl: null,
      adminToken: null,
      metricsToken: null,
      editorTokens: [],
      smtpUrl: null,
      mailFrom: null,
      alertTo: [],
      backupMark: null,
    }),
    ...ofPart('src/annexes/query-log', { logQueries: false }),
    ...ofPart('src/annexes/quota', { quota: null, quotaKeyed: null }),
    trustProxy: [],
    ...ofPart('src/annexes/without', { without: [] }),
    ...ofPart('jobs/annexes/hooks', { hooks: [], hookSecret: null }),
    organization: null,
    ...ofPart('src/annexes/resized', { pictureSecret: null }),
  });
});

interface GoodValue {
  readonly written: string;
  readonly name: string;
  readonly value: unknown;
}

/** Valid texts of settings, and their values. */
const GOOD: readonly GoodValue[] = [
  { written: 'PORT=" 8080 "', name: 'port', value: 8080 },
  { written: 'PORT=', name: 'port', value: 4000 },
  { written: 'HOST=::1', name: 'host', value: '::1' },
  { written: 'ALMANAKK_SOURCE=/srv/calendar', name: 'source', value: '/srv/calendar' },
  { written: 'ALMANAKK_SNAPSHOTS=../out', name: 'snapshots', value: join(HERE, '../out') },
  { written: 'ALMANAKK_CRON="0 3 * * 1-5"', name: 'cron', value: '0 3 * * 1-5' },
  { written: 'ALMANAKK_CRON="0 0 1 JAN,JUL *"', name: 'cron', value: '0 0 1 JAN,JUL *' },
  { written: 'ALMANAKK_SERVE_SNAPSHOTS=true', name: 'serveSnapshots', value: true },
  { written: 'ALMANAKK_MAX_AGE=0', name: 'maxAge', value: 0 },
  {
    written: 'ALMANAKK_ADMIN_TOKEN=a-token-of-enough-length',
    name: 'adminToken',
    value: 'a-token-of-enough-length',
  },
  { written: 'ALMANAKK_HOOK_SECRET="nøkkel på 16 tegn 🗝"', name: 'hookSecret', value: 'nøkkel på 16 tegn 🗝' },
  {
    written: 'ALMANAKK_TRUST_PROXY="127.0.0.1, 10.0.0.0/8,::1/32"',
    name: 'trustProxy',
    value: ['127.0.0.1', '10.0.0.0/8', '::1/32'],
  },
  {
    written: 'ALMANAKK_STATUS_URL=https://a.example/status',
    name: 'statusUrl',
    value: new URL('https://a.example/status'),
  },
  {
    written: 'ALMANAKK_SMTP_URL=smtp://mail.example',
    name: 'smtpUrl',
    value: new URL('smtp://mail.example'),
  },
  {
    written: 'ALMANAKK_MAIL_FROM=a@b.example',
    name: 'mailFrom',
    value: { name: '', address: 'a@b.example' },
  },
  {
    written: `ALMANAKK_MAIL_FROM='"A, b" <a.b+c@d.example>'`,
    name: 'mailFrom',
    value: { name: 'A, b', address: 'a.b+c@d.example' },
  },
  {
    written: 'ALMANAKK_ORIGIN=https://k.example/snapshots',
    name: 'origin',
    value: new URL('https://k.example/snapshots/'),
  },
  {
    written: 'ALMANAKK_ORIGIN=http://127.0.0.1:4000/s/',
    name: 'origin',
    value: new URL('http://127.0.0.1:4000/s/'),
  },
  {
    written: 'ALMANAKK_TRUST="one.pub, /two.pub,"',
    name: 'trust',
    value: [join(HERE, 'one.pub'), '/two.pub'],
  },
  { written: 'ALMANAKK_SIGNING_KEY=key', name: 'signingKey', value: join(HERE, 'key') },
];

for (const { written, name, value } of GOOD) {
  withSetting(written)(`H3, H6, J3: should read ${written}`, () => {
    assert.equal(Reflect.get(read(parseEnv(written)), name), value);
  });
}

/** The suite's tests that need the first of these settings, because its part may be taken away. */
function withSetting(written: string): typeof settings {
  const [name = ''] = written.split('=');
  const isThere = Object.values<{ readonly name: string }>(SETTINGS).some((setting) => setting.name === name);
  return when(isThere, `without ${name}`, settings);
}

settings('H3: should take every whole number at its bounds, and refuse the next one beyond each', () => {
  const bounded = Object.values(SETTINGS).flatMap(({ name, expected, parse }) => {
    const [, least, most] = /^a whole number from (\d+) to (\d+)$/.exec(expected) ?? [];
    return least === undefined || most === undefined
      ? []
      : [{ name, parse, least: Number(least), most: Number(most) }];
  });
  assertAbove(bounded.length, 10);
  for (const { name, parse, least, most } of bounded) {
    const taken = [least - 1, least, most, most + 1].map((value) => parse(`${value}`, HERE));
    assert.equal(taken, [undefined, least, most, undefined], name);
  }
});

/** Texts that are refused, with the words after the first name. */
const BAD: Readonly<Record<string, string>> = {
  'PORT=65536': 'a whole number from 0 to 65535, found "65536"',
  'PORT=4000.5': 'a whole number',
  'HOST=http://localhost': 'an address or a host name',
  'ALMANAKK_CRON="every hour"': 'a cron expression of five fields',
  'ALMANAKK_CRON="* * * *"': 'a cron expression of five fields',
  'ALMANAKK_HORIZON_MONTHS=0': 'a whole number from 1 to 120',
  'ALMANAKK_LOG_LEVEL=loud': 'one of trace, debug',
  'ALMANAKK_ORIGIN=ftp://name:secret@a.example/': 'an http or https URL…, found "ftp://…@a.example/"',
  'ALMANAKK_ORIGIN=kalender': 'an http or https URL',
  'ALMANAKK_ORIGIN=https://name:50%off@a.example/': '…%25…, found "https://…@a.example/"',
  'ALMANAKK_PUBLISH="s3://a b"': 's3://bucket/prefix',
  'ALMANAKK_PUBLISH=s3://kalender/../other': 's3://bucket/prefix',
  'ALMANAKK_PUBLISH=https://kalender': 's3://bucket/prefix',
  'ALMANAKK_STATUS_URL=https://me:secret@a.example/status':
    'an http or https URL without a user name, found "https://…@a.example/status"',
  'ALMANAKK_ADMIN_TOKEN=short': '16 or more characters of printable ASCII without spaces, found 5 characters',
  'ALMANAKK_ADMIN_TOKEN="en-nøkkel av god lengde"':
    '… printable ASCII without spaces, found 23 characters, 4 of them a space or not printable ASCII',
  'ALMANAKK_EDITOR_TOKENS=kari@Nord:a-token-of-the-editor':
    'NAME:TOKEN or NAME@FEED+FEED:TOKEN, separated by commas or line breaks, …, found 31 characters',
  'ALMANAKK_HOOK_SECRET="kort nøkkel"': '16 or more characters, found 11 characters',
  'ALMANAKK_TRUST_PROXY=10.0.0.0/33': 'addresses or CIDR ranges',
  'ALMANAKK_TRUST_PROXY=proxy.example': '…, found "proxy.example"',
  'ALMANAKK_SMTP_URL=http://me:secret@mail.example': 'an smtp or smtps URL, …, found 29 characters',
  'ALMANAKK_SMTP_URL=smtp://me:100%@mail.example': 'an smtp or smtps URL, …%25…, found 27 characters',
  'ALMANAKK_MAIL_FROM="A <a@b.example>, b@c.example"':
    'an address such as kalender@by.example, or a name and an address',
  'ALMANAKK_SERVE_SNAPSHOTS=yes': 'true or false, found "yes"',
};

for (const [written, expected] of Object.entries(BAD)) {
  withSetting(written)(`H3: should refuse ${written}`, () => {
    const parts = `${written.split('=')[0]}: expected ${expected}`.split('…').map(escaped);
    assert.match(refusalOf(parseEnv(written)), new RegExp(`^${parts.join('.*')}`));
  });
}

/** URLs that are refused, as a message shows them. */
const SHOWN: Readonly<Record<string, string>> = {
  'ftp://name:secret@a.example/': 'ftp://…@a.example/',
  'https://name:se/cret@a.example/': 'https://…@a.example/',
  'ftp://name:se/cr@et@a.example/': 'ftp://…@a.example/',
  'name:se//cret@a.example': '…@a.example',
  'ftp://a.example/about': 'ftp://a.example/about',
};

for (const [url, shown] of Object.entries(SHOWN)) {
  withSetting('ALMANAKK_ORIGIN')(`H8: should show no credentials of ${url}`, () => {
    assert.is(refusalOf({ ALMANAKK_ORIGIN: url }).split(', found ')[1], JSON.stringify(shown));
  });
}

/** Of the secrets, the one that tests of all of them use. */
const TOKEN = 'ALMANAKK_SNAPSHOTS_TOKEN';

const SECRETS = ['ADMIN_TOKEN', 'SNAPSHOTS_TOKEN', 'SIGNING_KEY', 'TRUST'].map((name) => `ALMANAKK_${name}`);

for (const name of SECRETS) {
  withSetting(name)(`H8: should refuse ${name} that is set and blank, wherever it is`, () => {
    const expected = `${name}: expected a value, found it set and blank: set a value, or remove it`;
    for (const blank of ['', '  \t'])
      assert.is(refusalOf({ [name]: blank }), expected, JSON.stringify(blank));
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.env'), `${name}=""\n`);
    assert.is(refusalOf({}, folder), expected);
    assert.is(refusalOf({ [name]: 'a-value-of-enough-letters' }, folder), 'accepted');
  });
}

withSetting(TOKEN)('H8: should refuse blank settings that hold a secret or limit access', () => {
  const named = Object.values(SETTINGS).filter(({ name }) => /TOKEN|SECRET|_KEY$|TRUST$|PASSWORD/.test(name));
  assertAbove(named.length, 1, 'settings with secrets');
  for (const { name } of named) assert.match(refusalOf({ [name]: '' }), 'found it set and blank', name);
});

/** Valid values of the secrets. */
const FILED: readonly (readonly [name: string, value: string])[] = Object.values(SETTINGS)
  .filter((setting) => 'isSecret' in setting)
  .map(({ name }) => {
    if (/EDITOR/.test(name)) return [name, 'kari:a-value-of-enough-letters'];
    const kind = /SMTP/.test(name) ? 'smtp' : 'https';
    return [name, /URL|HOOKS/.test(name) ? `${kind}://a.example/secret` : 'a-value-of-enough-letters'];
  });

for (const [name, value] of FILED) {
  settings(`H8: should read ${name} from the file that ${name}_FILE names`, () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'secret'), `${value}\n`);
    const found = readSettings({ [`${name}_FILE`]: 'secret' }, folder);
    assert.equal(found, readSettings({ [name]: value }, folder));
    assert.is.not(JSON.stringify(found), JSON.stringify(readSettings({}, folder)));
  });
}

withSetting(TOKEN)(
  'H8: should refuse a secret whose file is missing or empty, or that is set as well',
  () => {
    const folder = temporaryFolder();
    const file = join(folder, 'token');
    const name = TOKEN;
    assert.match(
      refusalOf({ [`${name}_FILE`]: file }),
      `${name}_FILE: expected a readable file, found ENOENT`,
    );
    writeFileSync(file, ' \n');
    const empty = `${name}_FILE: expected a value in ${file}, found an empty file`;
    assert.is(refusalOf({ [`${name}_FILE`]: file }), empty);
    writeFileSync(file, 'short\n');
    assert.match(
      refusalOf({ [`${name}_FILE`]: file }),
      /^ALMANAKK_SNAPSHOTS_TOKEN: expected 16 .*, found 5 char/,
    );
    const both = `${name}_FILE: expected either a file or the value itself, found both: remove one of them`;
    assert.is(refusalOf({ [name]: 'a-value-of-enough-letters', [`${name}_FILE`]: file }), both);
  },
);

withSetting(TOKEN)('H3, H8: should give child processes the secrets that were in the files first', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'token');
  writeFileSync(file, 'the-first-token-of-all');
  const environment: Record<string, string | undefined> = { ALMANAKK_SNAPSHOTS_TOKEN_FILE: file };
  freezeSettings(environment, folder);
  writeFileSync(file, 'the-second-token-of-all');
  assert.equal(readSettings(environment, '/elsewhere').warnings, []);
  assert.is(Reflect.get(read(environment, '/elsewhere'), 'snapshotsToken'), 'the-first-token-of-all');
});

settings('H3: should name all wrong settings at once', () => {
  const message = refusalOf({ PORT: 'x', ALMANAKK_MAX_AGE: '-1', ALMANAKK_WORKERS: '2' });
  assert.equal(
    message.split('\n').map((line) => line.split(':')[0]),
    ['PORT', 'ALMANAKK_MAX_AGE'],
  );
});

settings('H3: should read .env, and let the environment win', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), '# here\r\nPORT=5000\nALMANAKK_CRON="0 * * * *"\nALMANAKK_MAX_AGE=\n');
  const found = read({ ALMANAKK_MAX_AGE: '30', PORT: '' }, folder);
  assert.equal([found.cron, found.maxAge], ['0 * * * *', 30]);
  assert.equal([read({}, folder).port, read({ PORT: '6000' }, folder).port], [5000, 6000]);
  writeFileSync(join(folder, '.env'), 'PORT=many');
  assert.match(refusalOf({}, folder), /^PORT: expected .*, found "many"$/);
});

settings('H3: should warn of a public address without https, unless it is local', () => {
  const warningsOf = (address: string) => readSettings({ ALMANAKK_PUBLIC_URL: address }, HERE).warnings;
  for (const address of ['http://kalender.example/', 'http://kalender.by.example:8080'])
    assert.match(
      warningsOf(address).join(),
      /^ALMANAKK_PUBLIC_URL: expected https:\/\/ for a host that is not local, found http/,
    );
  for (const address of [
    'https://kalender.example',
    'http://localhost:4000',
    'http://[::1]:4000',
    'http://10.0.0.7',
    'http://web.local',
    'http://server',
  ])
    assert.equal(warningsOf(address), [], address);
});

settings('H3: should take a variable that is set and empty as not set, whatever .env says', () => {
  const folder = temporaryFolder();
  const lines = ['PORT=5000', 'ALMANAKK_PUBLIC_URL=https://a.example', 'ALMANAKK_SOURCE_FILES=/srv/a', ''];
  writeFileSync(join(folder, '.env'), lines.join('\n'));
  const found = read({ PORT: '', ALMANAKK_PUBLIC_URL: '', ALMANAKK_SOURCE_FILES: ' ' }, folder);
  assert.equal([found.port, found.publicUrl, found.sourceFiles], [4000, null, []]);
});

settings('H3: should give child processes the settings as they were read first', () => {
  const folder = temporaryFolder();
  const file = join(folder, '.env');
  writeFileSync(file, 'PORT=5000\nALMANAKK_SNAPSHOTS=one\nAWS_REGION=eu-north-1\nKEY_OF_FEED=a\n');
  const environment: Record<string, string | undefined> = { ALMANAKK_MAX_AGE: '' };
  freezeSettings(environment, folder);
  writeFileSync(
    file,
    'PORT=6000\nALMANAKK_SNAPSHOTS=two\nALMANAKK_MAX_AGE=5\nKEY_OF_FEED=b\nALMANAKK_CRON=x\n',
  );
  const later = read(environment, '/elsewhere');
  assert.equal([later.port, later.snapshots, later.maxAge], [5000, join(folder, 'one'), 60]);
  const given = readEnvironment(environment, '/elsewhere');
  assert.equal([given.AWS_REGION, given.KEY_OF_FEED, given.ALMANAKK_CRON], ['eu-north-1', 'b', undefined]);
  // An option of the command that is set later wins.
  environment.PORT = '7000';
  freezeSettings(environment, '/elsewhere');
  assert.is(read(environment, '/elsewhere').port, 7000);
});

settings('H8: should warn of unknown names that look like settings', () => {
  const wrong = {
    ALMANAKK_SNAPSHOT: 'ALMANAKK_SNAPSHOTS',
    ALMANAKK_WORKR: 'ALMANAKK_WORKERS',
    almanakk_public_fil: 'ALMANAKK_PUBLIC_FILE',
    Almanakk_Cron: 'ALMANAKK_CRON',
  };
  const given = { ...wrong, ALMANAKK_TEST_LONG: '1', OTHER: 'y' };
  assert.equal(
    readSettings(given, HERE).warnings,
    Object.entries(wrong).map(
      ([name, nearest]) => `${name}: expected a setting; the nearest is "${nearest}"; it is ignored`,
    ),
  );
});

settings('should describe every setting, and accept each of its own defaults', () => {
  for (const { name, fallback, description, parse } of Object.values(SETTINGS)) {
    assert.match(description, /^[A-Z].+\.$/, name);
    assert.is.not(parse(fallback, HERE), undefined, name);
  }
});

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

settings.run();
