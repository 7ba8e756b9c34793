/**
 * `npm run bench -- --newspapers`: the requests of many newspapers with the plugin for WordPress to one server, as the plugin sends them: its queries
 * come from its code. First, all sites ask for everything, four page views of each at a time, as after their caches were emptied. Then each asks once
 * a minute for each list, for each event, and for events that are hidden or were never there. This is measured with an address for each site, and with
 * one address for all of them. Needs php, and Linux, where all of 127.0.0.0/8 is this machine.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BUILDER_ENV, ROOT, type Served, startAlmanakk } from './processes.ts';
import { provenanceTable } from './provenance.ts';
import { writeSource } from './source/events.ts';
import { figure, markdownTable, thousands } from './tables.ts';

export interface NewspaperOptions {
  readonly work: string;
  readonly dist: string;
  readonly events: number;
  readonly sites: number;
  /** With an address for each site; with one for all, one minute. */
  readonly minutes: number;
  readonly command: string;
  readonly say: (what: string) => void;
}

const LISTS = 10;
/** Of each kind, for each site. */
const EVENTS = 5;
/** Page views of one site that wait for the calendar at the same time. */
const AT_ONCE = 4;
const MINUTE = 60_000;

/** What one view costs the calendar, with the statuses that the plugin expects. */
type View = readonly Sent[];

interface Sent {
  readonly method: 'POST' | 'GET' | 'HEAD';
  readonly path: string;
  readonly body?: string;
  readonly expected: number;
  /** The address of the site. */
  readonly from?: string;
}

interface Tally {
  requests: number;
  /** Milliseconds. */
  slowest: number;
  refused: number;
  readonly unexpected: string[];
}

interface Phase extends Tally {
  readonly name: string;
  readonly addresses: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Of the machine, when the phase ended. */
  readonly load: number;
}

/** A new connection for each request, as from WordPress. */
const agent = new Agent({ keepAlive: false });

/** Gives the table. */
export async function measureNewspapers(options: NewspaperOptions): Promise<string> {
  const { work, dist, events, sites, minutes, say } = options;
  const source = join(work, 'newspapers-source');
  const snapshots = join(work, 'newspapers');
  say(`building a calendar of ${thousands(events)} events`);
  await writeSource({ folder: source, events, seed: 1, now: Date.now(), dates: 'few' });
  const build = () => buildWith(dist, source, snapshots);
  build();
  const phases: Phase[] = [];
  for (const { addresses, count } of [
    { addresses: sites, count: minutes },
    { addresses: 1, count: 1 },
  ]) {
    const server = await startAlmanakk({ dist, folder: snapshots, env: { ALMANAKK_POLL_SECONDS: '1' } });
    try {
      say(`sending the requests of ${sites} newspapers from ${addresses} addresses`);
      const views = await viewsOf({ server, sites, addresses, hide: (ids) => hideIn(source, ids, build) });
      const measure = (name: string, work: (tally: Tally) => Promise<void>) =>
        phaseOf({ name, addresses, server }, work);
      phases.push(
        await measure('cold start', async (tally) => {
          await Promise.all(views.map((ofSite) => askAtOnce(server, ofSite, tally)));
        }),
      );
      for (let minute = 1; minute <= count; minute += 1)
        phases.push(await measure(`minute ${minute}`, (tally) => askInAMinute(server, views.flat(), tally)));
    } finally {
      await server.stop();
    }
  }
  agent.destroy();
  rmSync(source, { recursive: true });
  return render(options, phases);
}

function hideIn(source: string, ids: readonly string[], build: () => void): void {
  writeFileSync(
    join(source, 'corrections.json'),
    JSON.stringify(ids.map((id) => ({ where: { id }, hide: true }))),
  );
  build();
}

interface Stage {
  readonly server: Served;
  readonly sites: number;
  readonly addresses: number;
  readonly hide: (ids: readonly string[]) => void;
}

/** The views of each site: of lists, of events, of events that were hidden, and of events that were never there. */
async function viewsOf({ server, sites, addresses, hide }: Stage): Promise<readonly (readonly View[])[]> {
  const { slugs, ids, towns } = await calendarOf(server, sites * EVENTS * 2);
  const ofSite = EVENTS * 2;
  hide(ids.filter((_, at) => at % ofSite < EVENTS));
  await untilGone(server, slugs[0] ?? '');
  const [listQuery = '', eventQuery = ''] = queriesOfPlugin();
  return Array.from({ length: sites }, (_, site) => {
    const own = slugs.slice(site * ofSite, (site + 1) * ofSite);
    const ofOne = [
      ...Array.from({ length: LISTS }, (_, at) => listView(listQuery, towns[(site + at) % towns.length], at)),
      ...own.slice(EVENTS).map((slug, at) => eventView(eventQuery, slug, ids[site * ofSite + EVENTS + at])),
      ...own.slice(0, EVENTS).map((slug) => absentView(eventQuery, slug, 410)),
      ...own.slice(0, EVENTS).map((slug) => absentView(eventQuery, `${slug}-invented`, 404)),
    ];
    const from = `127.0.1.${1 + (site % addresses)}`;
    return ofOne.map((view) => view.map((sent) => ({ ...sent, from })));
  });
}

function buildWith(dist: string, source: string, snapshots: string): void {
  const env = { ...process.env, ...BUILDER_ENV, ALMANAKK_SOURCE: source, ALMANAKK_SNAPSHOTS: snapshots };
  execFileSync('node', [resolve(ROOT, dist, 'jobs/cli.js'), 'rebuild'], {
    env,
    cwd: source,
    stdio: 'ignore',
  });
}

/** The slugs and ids of as many events as the sites show, and the municipalities. */
async function calendarOf(server: Served, count: number) {
  const query = `{ events(pageSize: ${count}) { municipalities { name } data { id event_slug } } }`;
  const sent: Sent = { method: 'POST', path: '/graphQL', body: JSON.stringify({ query }), expected: 200 };
  const { text } = await send(server, sent);
  const { municipalities, data } = JSON.parse(text).data.events;
  return {
    slugs: data.map((event: { event_slug: string }) => event.event_slug) as string[],
    ids: data.map((event: { id: string }) => event.id) as string[],
    towns: municipalities.map((town: { name: string }) => town.name) as string[],
  };
}

async function untilGone(server: Served, slug: string): Promise<void> {
  const page: Sent = { method: 'HEAD', path: `/events/${slug}.html`, expected: 410 };
  for (let tries = 0; tries < 120; tries += 1) {
    if ((await send(server, page)).status === page.expected) return;
    await pause(500);
  }
  throw new Error(`expected ${page.path} to answer 410 within a minute of the build`);
}

function queriesOfPlugin(): readonly string[] {
  const file = join(ROOT, 'docs/examples/almanakk-events/queries.php');
  const code = `define('ABSPATH', '/'); require '${file}'; echo json_encode([Almanakk\\LIST_QUERY, Almanakk\\EVENT_QUERY]);`;
  return JSON.parse(execFileSync('php', ['-n', '-r', code], { encoding: 'utf8' }));
}

function listView(query: string, town: string | undefined, at: number): View {
  const filter = { municipalities: [town], ...(at % 2 === 0 ? {} : { period: 'WEEK' }) };
  const body = JSON.stringify({ query, variables: { filter, count: LISTS, page: Math.floor(at / 2) } });
  return [{ method: 'POST', path: '/graphQL', body, expected: 200 }];
}

function eventView(query: string, slug: string, id = ''): View {
  const path = `/events.jsonld?lang=nb&event=${encodeURIComponent(id)}`;
  return [asked(query, slug), { method: 'GET', path, expected: 200 }];
}

function absentView(query: string, slug: string, expected: number): View {
  return [asked(query, slug), { method: 'HEAD', path: `/events/${slug}.html`, expected }];
}

function asked(query: string, slug: string): Sent {
  const body = JSON.stringify({ query, variables: { slug } });
  return { method: 'POST', path: '/graphQL', body, expected: 200 };
}

/** By a server that has too much work. */
const REFUSED = 503;

/** One after the other, as a page view sends them. */
async function ask(server: Served, view: View, tally: Tally): Promise<void> {
  for (const sent of view) {
    const began = performance.now();
    const { status, text } = await send(server, sent);
    tally.requests += 1;
    tally.slowest = Math.max(tally.slowest, performance.now() - began);
    const isExpected = status === sent.expected && !text.includes('"errors"');
    if (status === REFUSED) tally.refused += 1;
    else if (!isExpected) tally.unexpected.push(`${sent.method} ${sent.path}: ${status}`);
  }
}

async function askAtOnce(server: Served, views: readonly View[], tally: Tally): Promise<void> {
  const waiting = [...views];
  const worker = async () => {
    for (let view = waiting.shift(); view !== undefined; view = waiting.shift())
      await ask(server, view, tally);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Spread evenly over a minute. */
async function askInAMinute(server: Served, views: readonly View[], tally: Tally): Promise<void> {
  const began = performance.now();
  const running = views.map(async (view, at) => {
    // Neighbours in the list belong to the same site: this order mixes the sites.
    const place = (at * 7_919) % views.length;
    await pause((place / views.length) * MINUTE);
    await ask(server, view, tally);
  });
  await Promise.all(running);
  await pause(Math.max(0, MINUTE - (performance.now() - began)));
}

async function phaseOf(
  { name, addresses, server }: Pick<Phase, 'name' | 'addresses'> & { readonly server: Served },
  work: (tally: Tally) => Promise<void>,
): Promise<Phase> {
  const tally: Tally = { requests: 0, slowest: 0, refused: 0, unexpected: [] };
  const began = performance.now();
  const { cpu: before } = await server.usage();
  await work(tally);
  const { cpu } = await server.usage();
  const seconds = (performance.now() - began) / 1_000;
  return {
    ...tally,
    name,
    addresses,
    seconds,
    cpuSeconds: (cpu - before) / 1e6,
    load: loadavg()[0] ?? Number.NaN,
  };
}

/** Heading of the table of phases, which docs/planning.md has, too. */
export const PHASES = 'Phases';

function render(
  { events, sites, minutes, command, dist }: NewspaperOptions,
  phases: readonly Phase[],
): string {
  const unexpected = phases.flatMap((phase) => phase.unexpected);
  return `# Newspapers

${provenanceTable({ command, dist, runs: `${minutes} minutes with an address for each site, one with one address for all, and a cold start before each` })}

${sites} sites, and one server with ${thousands(events)} events. Each site has ${LISTS} lists, ${EVENTS} events, ${EVENTS} events that are hidden, and ${EVENTS} invented addresses. The load of the
machine includes that of the sites, which run on it, too.

## ${PHASES}

${markdownTable(
  [
    'phase',
    'addresses',
    'requests',
    'a second',
    'CPU seconds of the server',
    '% of a core',
    'slowest answer, s',
    'refused (503)',
    'other unexpected answers',
    'load of the machine',
  ],
  phases.map(({ name, addresses, requests, seconds, cpuSeconds, slowest, refused, unexpected, load }) => [
    name,
    ...[`${addresses}`, thousands(requests), figure(requests / seconds), figure(cpuSeconds)],
    figure((100 * cpuSeconds) / seconds),
    figure(slowest / 1_000),
    ...[`${refused}`, `${unexpected.length}`, load.toFixed(1)],
  ]),
)}

Unexpected answers: ${unexpected.length === 0 ? 'none' : [...new Set(unexpected)].slice(0, 5).join(', ')}.
`;
}

function send(
  { port }: Served,
  { method, path, body, from }: Sent,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers, agent, localAddress: from ?? '127.0.0.1' },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', reject);
      },
    );
    // Counted as an unexpected answer, without a status.
    sent.on('error', ({ message }) => resolve({ status: 0, text: message }));
    sent.end(body);
  });
}
