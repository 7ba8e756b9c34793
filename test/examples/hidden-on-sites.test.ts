/** hidden-on-sites.sh: which sites still show an event that was hidden on all of them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { assertIncludes } from '../helpers/assertions.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { freePort } from '../helpers/nginx.ts';
import { listening } from '../helpers/port.ts';
import { runCommand } from '../helpers/program.ts';
import { startSilentServer } from '../helpers/silent-server.ts';
import { theBlock } from '../readme/blocks.ts';

/** What a site says of the list of its group, at `?almanakk_hidden=copy`. */
const READS = '{"list":"copy","failingSeconds":0}';
const SERVES = '{"list":"own","failingSeconds":0}';
const CANNOT_READ = '{"list":"copy","failingSeconds":8100}';
const WITHOUT = '{"list":"none","failingSeconds":0}';

const LINK = '<a href="/arrangement/tur-3?dato=2026-04-01">Tur</a>';
const OTHER_LINK = '<a href="/arrangement/tur-31">Tur</a>';

interface Site {
  /** The status of the event's page. */
  readonly event: number;
  /** What `?almanakk_hidden=copy` returns; null if the site does not know this parameter. */
  readonly state: string | null;
  /** The HTML of its list. */
  readonly list?: string;
  /** Seconds for which a cache has had its pages. */
  readonly age?: number;
}

/** Sites, by the beginning of their addresses on one server. */
const SITES: Readonly<Record<string, Site>> = {
  hides: { event: 410, state: READS, list: OTHER_LINK },
  serves: { event: 410, state: SERVES },
  shows: { event: 200, state: READS, list: LINK },
  cached: { event: 200, state: READS, list: LINK, age: 1912 },
  lacks: { event: 404, state: READS },
  old: { event: 410, state: CANNOT_READ },
  without: { event: 410, state: WITHOUT },
  older: { event: 410, state: null },
};

function answer(url: string, response: ServerResponse): void {
  const [, name = '', page = ''] = url.split(/[/?]/);
  const site = SITES[name];
  if (site === undefined || page === 'nowhere') return void response.writeHead(404).end();
  const isStateWanted = url.includes('almanakk_hidden=copy');
  if (isStateWanted && site.state !== null) return void response.end(site.state);
  if (site.age !== undefined) response.setHeader('Age', site.age);
  if (page === 'kalender') return void response.end(site.list);
  response.writeHead(site.event).end();
}

interface Context {
  /** The address of the server with all sites. */
  url: string;
  stop: () => void;
}

const checking = suite<Context>('hidden-on-sites.sh');

checking.before(async (context) => {
  const server = createServer(({ url = '' }, response) => answer(url, response));
  context.url = `http://127.0.0.1:${await listening(server)}`;
  context.stop = () => server.close().closeAllConnections();
});
checking.after(({ stop }) => stop());

const SCRIPT = readFileSync(packagePath('docs/examples/hidden-on-sites.sh'), 'utf8');

/** Runs the script, which waits for a second only. `sites`: the lines of its file. */
async function check(event: string, sites: readonly string[]) {
  const folder = temporaryFolder();
  const script = join(folder, 'hidden-on-sites.sh');
  const file = join(folder, 'sites.txt');
  writeFileSync(script, SCRIPT.replace('\nseconds=10\n', '\nseconds=1\n'));
  writeFileSync(file, `${sites.join('\n')}\n`);
  const { code, stdout } = await runCommand('sh', [script, event, file], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  return { code, lines: stdout.trimEnd().split('\n') };
}

const EVENT = 'https://blad.example/arrangement/tur-3?dato=2026-04-01';

checking('should say which sites hide the event, and end with 0 if all do', async ({ url }) => {
  const { code, lines } = await check(EVENT, [
    `${url}/hides/arrangement/ ${url}/hides/kalender/`,
    '# the largest one',
    `  ${url}/serves/?arrangement=`,
  ]);
  assert.equal(lines, [
    `hidden        ${url}/serves/?arrangement=tur-3`,
    `hidden        ${url}/hides/arrangement/tur-3`,
    '2 of 2 sites hide the event',
  ]);
  assert.is(code, 0);
});

checking('should say what is wrong with each other site, and end with 1', async ({ url }) => {
  const silent = await startSilentServer();
  const silentSite = `http://127.0.0.1:${silent.port}/arrangement/`;
  const stopped = `http://127.0.0.1:${await freePort()}/arrangement/`;
  const { code, lines } = await check('tur-3', [
    `${url}/hides/arrangement/`,
    `${url}/shows/arrangement/ ${url}/shows/kalender/`,
    `${url}/cached/arrangement/ ${url}/cached/kalender/`,
    `${url}/lacks/arrangement/ ${url}/lacks/nowhere/`,
    `${url}/old/arrangement/`,
    `${url}/without/arrangement/`,
    `${url}/older/arrangement/`,
    silentSite,
    stopped,
  ]).finally(silent.close);
  const expected = [
    `still shown   ${url}/shows/arrangement/tur-3: expected 410, found 200`,
    `still shown   ${url}/shows/kalender/: expected no link to the event, found one`,
    `still shown   ${url}/cached/arrangement/tur-3: expected 410, found 200 from a cache, 1912 s old`,
    `still shown   ${url}/cached/kalender/: expected no link to the event, found one from a cache, 1912 s old`,
    `other answer  ${url}/lacks/arrangement/tur-3: expected 410, found 404`,
    `other answer  ${url}/lacks/nowhere/: expected 200, found 404`,
    `old list      ${url}/old/arrangement/: could not read the group's list for the last 8100 s`,
    `no list       ${url}/without/arrangement/: expected ALMANAKK_HIDDEN_URL, found none`,
    `no list       ${url}/older/arrangement/: expected the state of the group's list, found status 410`,
    `no answer     ${silentSite}tur-3: Operation timed out`,
    `no answer     ${stopped}tur-3: Failed to connect to 127.0.0.1 port ${new URL(stopped).port}`,
    `hidden        ${url}/hides/arrangement/tur-3`,
  ];
  const withoutDurations = lines.map((line) => line.replace(/ after \d+ m.*$/, ''));
  assert.equal(withoutDurations, [...expected.sort().reverse(), '1 of 9 sites hide the event']);
  assert.is(code, 1);
  const shapes = lines.map(withoutValues);
  for (const line of OUTPUT_IN_DOCS) assertIncludes(shapes, withoutValues(line));
});

/** The output that feeds-out.md shows, below the command. */
const [, ...OUTPUT_IN_DOCS] = theBlock({ language: 'text', says: /hidden-on-sites\.sh/ })
  .text.trimEnd()
  .split('\n');

/** A line of the output without its address and its counts. */
const withoutValues = (line: string) =>
  line.replace(/https?:\S+/, 'URL').replace(/\d+(?= s$| of | sites)/g, 'N');

/** Events, and files of sites, that the script refuses. */
const REFUSED: readonly (readonly [event: string, sites: readonly string[]])[] = [
  ['tur-3', ['# no site']],
  ['tur 3', ['https://avisen.example/arrangement/']],
  ['tur-3', ['https://avisen.example/arrangement']],
];

for (const [event, sites] of REFUSED) {
  checking(`should refuse "${event}" on "${sites}"`, async () => {
    assert.is((await check(event, sites)).code, 2);
  });
}

checking.run();
