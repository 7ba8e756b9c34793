/** F13: almanakk-hide, which hides one event at once, and says what it waited for. */
import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closedAfterEach } from '../helpers/closing.ts';
import { debianFile } from '../helpers/debian-files.ts';
import { runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { startFeedServer } from '../helpers/feed-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const hiding = suite('almanakk-hide');
const opened = closedAfterEach(hiding);

/** Seconds since 1970, of a file that is newer than any start of a script. */
const YEAR_2100 = 4_102_444_800;
/** The only event of the calendar. */
const EVENT = { id: 'kulturhuset:7', slug: 'sanddans' };
const PAGE = `https://kalender.example/events/${EVENT.slug}.html?date=2031-02-16`;
/** The corrections of the operator. */
const OWN_CORRECTIONS = '[\n  { "where": { "tag": "stengt" },\n    "hide": true }\n]\n';

/** Correction sheets, and a feed. Each build reads a sheet that is a file. */
const SHEETS = [
  { id: 'early', kind: 'corrections', url: 'https://sheet.example/early' },
  { id: 'late', kind: 'corrections', url: 'https://sheet.example/late' },
  { id: 'unread', kind: 'corrections', url: 'https://sheet.example/unread' },
  { id: 'file', kind: 'corrections', file: 'file.csv' },
  { id: 'feed', kind: 'table', url: 'https://feed.example' },
];

/**
 * A machine with a server of the calendar, and the script, which waits for no second. The server shows the event until corrections.json hides
 * it, or forever if it does not follow.
 */
async function startMachine({ isFollowing = true } = {}) {
  const root = temporaryFolder();
  const corrections = join(root, 'srv/corrections.json');
  const read = () => readFileSync(corrections, 'utf8');
  const isHidden = () => isFollowing && read().includes(`"where":{"id":"${EVENT.id}"}`);
  const server = await startFeedServer(async (request, response) => {
    const { variables } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const isAsked = variables.slug === EVENT.slug || variables.id === EVENT.id;
    const eventBySlug = isAsked && !isHidden() ? { id: EVENT.id } : null;
    response.end(JSON.stringify({ data: { eventByID: null, eventBySlug } }));
  });
  opened(server);
  const { port } = new URL(server.url);
  save(corrections, OWN_CORRECTIONS);
  save(join(root, '.env'), `ALMANAKK_SOURCE="${root}/srv"\nALMANAKK_SNAPSHOTS=${root}/snapshots`);
  save(join(root, `${port}.conf`), 'RUN=serve');
  saveProgram(root, 'runuser', 'shift 3\nexec "$@"');
  saveProgram(root, 'systemctl', '');
  const text = debianFile('usr/local/sbin/almanakk-hide')
    .replace('cd /etc/almanakk', `cd ${root}`)
    .replace('patience=300', 'patience=0');
  return {
    root,
    port,
    corrections: { path: corrections, read },
    hide: (...args: readonly string[]) => runScript(text, { root, args }),
  };
}

hiding('F13: should hide an event once, until that is undone', async () => {
  const { root, corrections, hide } = await startMachine();
  save(join(root, 'srv/sources.json'), JSON.stringify(SHEETS));
  save(join(root, 'snapshots/feeds/early.json'), '{ "readAt": "2020-01-01T12:00:00Z" }');
  save(join(root, 'snapshots/feeds/late.json'), '{ "readAt": "2100-01-01T12:00:00Z" }');
  assert.match((await hide(PAGE)).stdout, /^hide: kulturhuset:7, after \d+ s\./);
  const hidden = corrections.read();
  assert.equal(
    JSON.parse(hidden).map(({ where, hide }: Record<string, unknown>) => ({ where, hide })),
    [
      { where: { tag: 'stengt' }, hide: true },
      { where: { id: EVENT.id }, hide: true },
    ],
  );
  assert.match((await hide(EVENT.id)).stdout, 'hide: kulturhuset:7');
  assert.is(corrections.read(), hidden, 'hidden twice');
  const undone = await hide('--undo', PAGE);
  assert.match(undone.stdout, 'undo: kulturhuset:7');
  assert.equal(undone.stderr.match(/(?<=correction sheet )\w+/g), ['early', 'unread']);
  assert.match(undone.stderr, /since the event was hidden at 2\S+Z\n\(last read: 2020-01-01T12:00:00Z\)/);
  assert.is(corrections.read(), OWN_CORRECTIONS, 'undone');
  assert.match((await hide('--undo', PAGE)).stderr, 'expected an entry of this script');
});

hiding('F13: should refuse what is no coming event', async () => {
  const { hide } = await startMachine();
  const { stderr } = await hide('kulturhuset:8');
  assert.match(stderr, 'of a coming event in the calendar, found kulturhuset:8');
});

hiding('F13: should explain an address that a shell has ended at its first &, and no other one', async () => {
  const { hide } = await startMachine();
  // A shell without quotation marks starts the script with the part before the first &.
  const { stderr } = await hide('https://avisen.example/?page_id=7');
  assert.match(
    stderr,
    'found https://avisen.example/?page_id=7. If the address goes on after that, a shell has ended it at &',
  );
  assert.match(stderr, "\nalmanakk-hide 'ADDRESS', or ssh ");
  for (const whole of ['https://avisen.example/?page_id=7&arrangement=fest', 'https://avisen.example/fest'])
    assert.match((await hide(whole)).stderr, `found ${whole}\n`);
});

hiding('F13, H19: should hide an event of a further calendar, which its port names', async () => {
  const { root, port, hide } = await startMachine();
  save(join(root, `${port}.conf`), `ALMANAKK_SOURCE=${root}/srv\nALMANAKK_SNAPSHOTS=${root}/snapshots`);
  assert.match((await hide(PAGE)).stderr, 'expected a running server of this calendar');
  assert.match((await hide('--calendar', port, PAGE)).stdout, 'hide: kulturhuset:7');
  assert.match((await hide('--calendar', '4999', PAGE)).stderr, '4999.conf, found none');
});

hiding('F13: should wait for the build, the server and the replicas, and say how long', async () => {
  const { root, port, hide } = await startMachine();
  save(join(root, 'replicas'), '127.0.0.1\n');
  const withoutBuild = (await hide(PAGE)).stdout;
  assert.match(withoutBuild, /, after \d+ s here and \d+ s on the replicas\. /);
  const seconds = String.raw`\(\d+ s\)`;
  const waited = `Waited for http://127.0.0.1:${port} ${seconds}, http://127.0.0.1:${port} ${seconds}\n`;
  assert.match(withoutBuild, new RegExp(`^${waited}$`, 'm'));
  const manifest = join(root, 'snapshots/manifest.json');
  save(manifest, '{}');
  utimesSync(manifest, YEAR_2100, YEAR_2100);
  assert.match((await hide(PAGE)).stdout, /^Waited for the build \(\d+ s\), http/m);
  save(join(root, 'replicas'), '127.0.0.1\n127.0.0.2\n');
  assert.match((await hide(PAGE)).stderr, `the replica http://127.0.0.2:${port} has not followed`);
});

hiding('F13: should say why readers still see the event', async () => {
  const { root, hide } = await startMachine({ isFollowing: false });
  const ofPlainSite = `https://avisen.example/?page_id=7&arrangement=${EVENT.slug}&dato=2031-02-16`;
  assert.match((await hide(ofPlainSite)).stderr, 'has not followed within 0 s');
  save(join(root, 'snapshots/.held'), 'restored');
  assert.match((await hide(PAGE)).stderr, 'builds are paused');
});

hiding('F13: should leave a damaged corrections.json as it is, and report it', async () => {
  const { corrections, hide } = await startMachine();
  save(corrections.path, '{');
  const { stderr } = await hide(PAGE);
  assert.match(stderr, `expected a list of corrections in ${corrections.path}, found another text`);
  assert.is(corrections.read(), '{');
});

hiding.run();
