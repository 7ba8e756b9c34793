import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings, SETTINGS, type Settings } from '../jobs/settings.ts';
import { isCalendarError } from '../src/calendar/errors.ts';
import type { Environment } from '../src/settings/read.ts';
import { temporaryFolder } from './helpers/folder.ts';

const settings = suite('settings');
const HERE = temporaryFolder();

const read = (environment: Environment, folder = HERE): Settings =>
  readSettings(environment, folder).settings;

settings('H3: should have the defaults of the contract', () => {
  assert.equal(read({}), {
    port: 4000,
    host: null,
    source: join(HERE, 'data/sample'),
    snapshots: join(HERE, 'data/snapshots'),
    cron: '*/15 * * * *',
    watch: true,
    horizonMonths: 18,
    keys: join(HERE, 'data/keys.json'),
    maxAge: 60,
    pollSeconds: 5,
    logLevel: 'info',
    memoryMegabytes: 512,
    maxConnections: null,
    cacheMegabytes: null,
    workers: 1,
    origin: null,
    publish: null,
    s3Endpoint: null,
    s3: null,
    signingKey: null,
    trust: [],
    serveSnapshots: false,
    snapshotsToken: null,
    buildTimeoutSeconds: 900,
    allowPrivateFeeds: false,
    logFormat: 'text',
    stopDelaySeconds: 0,
    publicUrl: null,
    notice: 'This call has no valid application key. Get one at {portal}',
    adminPort: null,
    adminHost: '127.0.0.1',
    adminToken: null,
    logQueries: false,
    smtpUrl: null,
    mailFrom: null,
    quota: null,
    quotaKeyed: null,
    trustProxy: [],
    alertTo: [],
    hooks: [],
    hookSecret: null,
    organization: null,
  });
});

/** What may be written, and what it becomes. */
const GOOD: readonly (readonly [environment: Environment, name: keyof Settings, value: unknown])[] = [
  [{ PORT: '0' }, 'port', 0],
  [{ PORT: ' 8080 ' }, 'port', 8080],
  [{ PORT: '' }, 'port', 4000],
  [{ HOST: '127.0.0.1' }, 'host', '127.0.0.1'],
  [{ HOST: '::1' }, 'host', '::1'],
  [{ ALMANAKK_SOURCE: '/srv/calendar' }, 'source', '/srv/calendar'],
  [{ ALMANAKK_SNAPSHOTS: '../out' }, 'snapshots', join(HERE, '../out')],
  [{ ALMANAKK_CRON: '0 3 * * 1-5' }, 'cron', '0 3 * * 1-5'],
  [{ ALMANAKK_CRON: '0 0 1 JAN,JUL *' }, 'cron', '0 0 1 JAN,JUL *'],
  [{ ALMANAKK_SERVE_SNAPSHOTS: 'true' }, 'serveSnapshots', true],
  [{ ALMANAKK_MAX_AGE: '0' }, 'maxAge', 0],
  [{ ALMANAKK_ADMIN_PORT: '9090' }, 'adminPort', 9090],
  [{ ALMANAKK_ADMIN_TOKEN: 'a-token-of-enough-length' }, 'adminToken', 'a-token-of-enough-length'],
  [{ ALMANAKK_HOOK_SECRET: 'nøkkel på 16 tegn 🗝' }, 'hookSecret', 'nøkkel på 16 tegn 🗝'],
  [{ ALMANAKK_LOG_QUERIES: 'true' }, 'logQueries', true],
  [{ ALMANAKK_QUOTA: '60' }, 'quota', 60],
  [{ ALMANAKK_QUOTA_KEYED: '600' }, 'quotaKeyed', 600],
  [
    { ALMANAKK_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,2001:db8::/32' },
    'trustProxy',
    ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'],
  ],
  [{ ALMANAKK_SMTP_URL: 'smtp://mail.example' }, 'smtpUrl', new URL('smtp://mail.example')],
  [{ ALMANAKK_MAIL_FROM: 'a@b.example' }, 'mailFrom', { name: '', address: 'a@b.example' }],
  [
    { ALMANAKK_MAIL_FROM: '"Røros, kultur" <a.b+c@d.example>' },
    'mailFrom',
    { name: 'Røros, kultur', address: 'a.b+c@d.example' },
  ],
];

for (const [environment, name, value] of GOOD) {
  settings(`H3: should read ${JSON.stringify(environment)}`, () => {
    assert.equal(read(environment)[name], value);
  });
}

settings('H6: should take an origin as a folder', () => {
  const hrefOf = (origin: string) => read({ ALMANAKK_ORIGIN: origin }).origin?.href;
  assert.is(hrefOf('https://kalender.example/snapshots'), 'https://kalender.example/snapshots/');
  assert.is(hrefOf('http://127.0.0.1:4000/snapshots/'), 'http://127.0.0.1:4000/snapshots/');
});

const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };

settings('J1: should take a place in an object store, and what Amazon’s programs take of who asks', () => {
  const { publish, s3 } = read({ ...KEYS, ALMANAKK_PUBLISH: 's3://kalender.by/trondheim' });
  assert.is(publish?.href, 's3://kalender.by/trondheim/');
  const defaults = { region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: null };
  assert.equal(s3, { endpoint: null, ...defaults });
  const store = { ALMANAKK_ORIGIN: 's3://kalender', ALMANAKK_S3_ENDPOINT: 'http://127.0.0.1:8080' };
  const more = { AWS_DEFAULT_REGION: 'eu-north-1', AWS_SESSION_TOKEN: 'token' };
  const { origin, s3: other } = read({ ...KEYS, ...store, ...more });
  assert.is(origin?.href, 's3://kalender/');
  assert.is(other?.endpoint?.href, 'http://127.0.0.1:8080/');
  assert.equal([other?.region, other?.sessionToken], ['eu-north-1', 'token']);
  assert.is(read({ ...KEYS, ...more, AWS_REGION: 'eu-west-3', ...store }).s3?.region, 'eu-west-3');
});

settings('J3: should take the files of several keys', () => {
  const { trust, signingKey } = read({ ALMANAKK_TRUST: 'one.pub, /two.pub,', ALMANAKK_SIGNING_KEY: 'key' });
  assert.equal(trust, [join(HERE, 'one.pub'), '/two.pub']);
  assert.is(signingKey, join(HERE, 'key'));
});

const BAD: readonly (readonly [environment: Environment, finding: RegExp])[] = [
  [{ PORT: '65536' }, /^PORT: expected a whole number from 0 to 65535, found "65536"$/],
  [{ PORT: '-1' }, /^PORT: expected/],
  [{ PORT: '4000.5' }, /^PORT: expected/],
  [{ PORT: '0x10' }, /^PORT: expected/],
  [{ PORT: '1e3' }, /^PORT: expected/],
  [{ HOST: 'http://localhost' }, /^HOST: expected an address or a host name/],
  [{ ALMANAKK_CRON: 'every hour' }, /^ALMANAKK_CRON: expected a cron expression of five fields/],
  [{ ALMANAKK_CRON: '* * * *' }, /^ALMANAKK_CRON: expected/],
  [{ ALMANAKK_HORIZON_MONTHS: '0' }, /^ALMANAKK_HORIZON_MONTHS: expected a whole number from 1 to 120/],
  [{ ALMANAKK_LOG_LEVEL: 'loud' }, /^ALMANAKK_LOG_LEVEL: expected one of trace, debug/],
  [{ ALMANAKK_ORIGIN: 'ftp://kalender.example' }, /^ALMANAKK_ORIGIN: expected an http or https URL/],
  [{ ALMANAKK_ORIGIN: 'kalender' }, /^ALMANAKK_ORIGIN: expected/],
  ...['50%off', 'a%ff'].map(
    (password) =>
      [
        { ALMANAKK_ORIGIN: `https://name:${password}@a.example/` },
        /^ALMANAKK_ORIGIN: expected .*%25.*, found "https:\/\/…@a\.example\/"$/,
      ] as const,
  ),
  [{ ALMANAKK_ORIGIN: 's3://kalender' }, /^AWS_ACCESS_KEY_ID: expected it for s3:\/\/, found none$/],
  ...['http://name:secret@store.example', 'ftp://name:secret@store.example'].map(
    (endpoint) =>
      [
        { ...KEYS, ALMANAKK_PUBLISH: 's3://kalender', ALMANAKK_S3_ENDPOINT: endpoint },
        /^ALMANAKK_S3_ENDPOINT: expected an http or https URL without a user name, found "(?:http|ftp):\/\/…@store\.example"$/,
      ] as const,
  ),
  [
    { ALMANAKK_ORIGIN: 'ftp://name:secret@a.example/' },
    /^ALMANAKK_ORIGIN: .*, found "ftp:\/\/…@a\.example\/"$/,
  ],
  [{ ...KEYS, ALMANAKK_PUBLISH: 's3://a b' }, /^ALMANAKK_PUBLISH: expected s3:\/\/bucket\/prefix/],
  [{ ...KEYS, ALMANAKK_PUBLISH: 's3://kalender/../other' }, /^ALMANAKK_PUBLISH: expected/],
  [{ ...KEYS, ALMANAKK_PUBLISH: 'https://kalender' }, /^ALMANAKK_PUBLISH: expected/],
  [
    { ...KEYS, ALMANAKK_PUBLISH: 's3://kalender', AWS_REGION: 'a/b' },
    /^AWS_REGION: expected a region such as eu-north-1, found "a\/b"$/,
  ],
  [
    { ALMANAKK_ADMIN_TOKEN: 'short' },
    /^ALMANAKK_ADMIN_TOKEN: expected 16 or more characters of printable ASCII without spaces, found 5 characters$/,
  ],
  ...['ALMANAKK_ADMIN_TOKEN', 'ALMANAKK_SNAPSHOTS_TOKEN'].map(
    (name) =>
      [
        { [name]: 'en-nøkkel av god lengde' },
        /_TOKEN: expected .* printable ASCII without spaces, found 23 characters, 4 of them a space or not printable ASCII$/,
      ] as const,
  ),
  [
    { ALMANAKK_HOOK_SECRET: 'kort nøkkel' },
    /^ALMANAKK_HOOK_SECRET: expected 16 or more characters, found 11 characters/,
  ],
  [
    {
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 's',
      AWS_SESSION_TOKEN: 'nøkkel',
      ALMANAKK_ORIGIN: 's3://kalender',
    },
    /^AWS_SESSION_TOKEN: expected printable ASCII without spaces, found 6 characters, 1 of them a space or not printable ASCII$/,
  ],
  [
    { AWS_ACCESS_KEY_ID: 'i d', AWS_SECRET_ACCESS_KEY: 's', ALMANAKK_ORIGIN: 's3://kalender' },
    /^AWS_ACCESS_KEY_ID: expected printable ASCII without spaces, found 3 characters, 1 of them a space/,
  ],
  [{ ALMANAKK_QUOTA: '0' }, /^ALMANAKK_QUOTA: expected a whole number from 1 to 999999, found "0"$/],
  [{ ALMANAKK_TRUST_PROXY: '10.0.0.0/33' }, /^ALMANAKK_TRUST_PROXY: expected addresses or CIDR ranges/],
  [{ ALMANAKK_TRUST_PROXY: 'proxy.example' }, /^ALMANAKK_TRUST_PROXY: .*, found "proxy\.example"$/],
  [
    { ALMANAKK_SMTP_URL: 'http://me:secret@mail.example' },
    /^ALMANAKK_SMTP_URL: expected an smtp or smtps URL, .*, found 29 characters$/,
  ],
  [
    { ALMANAKK_SMTP_URL: 'smtp://me:100%@mail.example' },
    /^ALMANAKK_SMTP_URL: expected an smtp or smtps URL, .*%25.*, found 27 characters$/,
  ],
  [
    { ALMANAKK_MAIL_FROM: 'A <a@b.example>, b@c.example' },
    /^ALMANAKK_MAIL_FROM: expected an address such as kalender@by\.example, or a name and an address/,
  ],
  [{ ALMANAKK_ADMIN_PORT: 'metrics' }, /^ALMANAKK_ADMIN_PORT: expected a whole number/],
  [{ ALMANAKK_SERVE_SNAPSHOTS: 'yes' }, /^ALMANAKK_SERVE_SNAPSHOTS: expected true or false, found "yes"$/],
];

for (const [environment, finding] of BAD) {
  settings(`H3: should refuse ${JSON.stringify(environment)}`, () => {
    assert.match(refusalOf(environment), finding);
  });
}

const SECRETS = ['ADMIN_TOKEN', 'SNAPSHOTS_TOKEN', 'SIGNING_KEY', 'TRUST'].map((name) => `ALMANAKK_${name}`);

for (const name of [...SECRETS, 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']) {
  settings(`H8: MUST refuse ${name} that is set and blank, wherever it is`, () => {
    const expected = `${name}: expected a value, found it set and blank: set a value, or remove it`;
    for (const blank of ['', '  \t']) assert.is(refusalOf({ [name]: blank }), expected);
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.env'), `${name}=""\n`);
    assert.is(refusalOf({}, folder), expected);
    assert.is(refusalOf({ [name]: 'a-value-of-enough-letters' }, folder), 'accepted');
  });
}

settings('H8: every setting that holds a secret or says who may MUST be refused when it is blank', () => {
  const named = Object.values(SETTINGS).filter(({ name }) => /TOKEN|SECRET|_KEY$|TRUST$|PASSWORD/.test(name));
  for (const { name } of named) assert.match(refusalOf({ [name]: '' }), 'found it set and blank', name);
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
  assert.equal([found.port, found.cron, found.maxAge], [5000, '0 * * * *', 30]);
  assert.is(read({ PORT: '6000' }, folder).port, 6000);
});

settings('H3: should refuse what is wrong in .env', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), 'PORT=many');
  assert.match(refusalOf({}, folder), /^PORT: expected .*, found "many"$/);
});

settings('H8: should warn of names that look like settings and are none', () => {
  const wrong = {
    ALMANAKK_SNAPSHOT: 'ALMANAKK_SNAPSHOTS',
    ALMANAKK_WORKR: 'ALMANAKK_WORKERS',
    almanakk_admin_tokn: 'ALMANAKK_ADMIN_TOKEN',
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

function refusalOf(environment: Environment, folder = HERE): string {
  try {
    read(environment, folder);
  } catch (thrown) {
    if (isCalendarError(thrown) && thrown.code === 'INVALID_SETTING') return thrown.message;
    throw thrown;
  }
  return 'accepted';
}

settings.run();
