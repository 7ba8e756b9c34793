/**
 * The requests of many newspapers with the plugin for WordPress to one server, as the plugin sends them: its queries come from its code. First, all
 * sites ask for everything, four page views of each at a time, as after their caches were emptied. Then each asks once a minute for each list, for
 * each event, and for events that are hidden or were never there. The sites have as many addresses as there are hosts. Prints requests a second, CPU
 * time, the slowest answer and unexpected answers. Needs php, and Linux, where all of 127.0.0.0/8 is this machine.
 * Usage: node jobs/setup.mjs --dev && node --import tsx test/bench/newspapers.ts [MINUTES] [EVENTS] [SITES] [HOSTS]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BUILDER_ENV, ROOT, type Served, startAlmanakk } from './processes.ts';
import { writeSource } from './source/events.ts';

const [minutes = 3, events = 20_000, sites = 40, hosts = sites] = process.argv.slice(2).map(Number);
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
  slowest: number;
  readonly unexpected: string[];
}

const folder = mkdtempSync(join(tmpdir(), 'newspapers-'));
/** A new connection for each request, as from WordPress. */
const agent = new Agent({ keepAlive: false });
try {
  await measure();
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true });
}

async function measure(): Promise<void> {
  const source = join(folder, 'source');
  const snapshots = join(folder, 'snapshots');
  await writeSource({ folder: source, events, seed: 1, now: Date.now(), dates: 'few' });
  build(source, snapshots);
  const env = { ALMANAKK_POLL_SECONDS: '1' };
  const server = await startAlmanakk({ dist: 'dist', folder: snapshots, env });
  try {
    const { slugs, ids, towns } = await calendarOf(server);
    const ofSite = EVENTS * 2;
    const isGone = (at: number) => at % ofSite < EVENTS;
    const hidden = ids.filter((_, at) => isGone(at));
    const corrections = hidden.map((id) => ({ where: { id }, hide: true }));
    writeFileSync(join(source, 'corrections.json'), JSON.stringify(corrections));
    build(source, snapshots);
    await untilGone(server, slugs[0] ?? '');

    const [listQuery = '', eventQuery = ''] = queriesOfPlugin();
    const views = Array.from({ length: sites }, (_, site) => {
      const own = slugs.slice(site * ofSite, (site + 1) * ofSite);
      const ofOne = [
        ...Array.from({ length: LISTS }, (_, at) =>
          listView(listQuery, towns[(site + at) % towns.length], at),
        ),
        ...own.slice(EVENTS).map((slug, at) => eventView(eventQuery, slug, ids[site * ofSite + EVENTS + at])),
        ...own.slice(0, EVENTS).map((slug) => absentView(eventQuery, slug, 410)),
        ...own.slice(0, EVENTS).map((slug) => absentView(eventQuery, `${slug}-invented`, 404)),
      ];
      const from = `127.0.1.${1 + (site % hosts)}`;
      return ofOne.map((view) => view.map((sent) => ({ ...sent, from })));
    });
    await report('cold start', server, async (tally) => {
      await Promise.all(views.map((ofSite) => askAtOnce(server, ofSite, tally)));
    });
    for (let minute = 1; minute <= minutes; minute += 1)
      await report(`minute ${minute}`, server, (tally) => askInAMinute(server, views.flat(), tally));
  } finally {
    await server.stop();
  }
}

function build(source: string, snapshots: string): void {
  const env = { ...process.env, ...BUILDER_ENV, ALMANAKK_SOURCE: source, ALMANAKK_SNAPSHOTS: snapshots };
  execFileSync('node', [join(ROOT, 'dist/jobs/cli.js'), 'rebuild'], { env, cwd: folder, stdio: 'ignore' });
}

/** The slugs and ids of as many events as the sites show, and the municipalities. */
async function calendarOf(server: Served) {
  const count = sites * EVENTS * 2;
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
  const file = join(ROOT, 'docs/examples/almanakk-events/calendar.php');
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

/** One after the other, as a page view sends them. */
async function ask(server: Served, view: View, tally: Tally): Promise<void> {
  for (const sent of view) {
    const began = performance.now();
    const { status, text } = await send(server, sent);
    tally.requests += 1;
    tally.slowest = Math.max(tally.slowest, performance.now() - began);
    const isExpected = status === sent.expected && !text.includes('"errors"');
    if (!isExpected) tally.unexpected.push(`${sent.method} ${sent.path}: ${status}`);
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

async function report(name: string, server: Served, work: (tally: Tally) => Promise<void>): Promise<void> {
  const tally: Tally = { requests: 0, slowest: 0, unexpected: [] };
  const began = performance.now();
  const { cpu: before } = await server.usage();
  await work(tally);
  const { cpu } = await server.usage();
  const seconds = (performance.now() - began) / 1_000;
  const ofCpu = (cpu - before) / 1_000_000;
  const share = Math.round((100 * ofCpu) / seconds);
  console.log(
    `${name}: ${tally.requests} requests in ${seconds.toFixed(1)} s (${(tally.requests / seconds).toFixed(1)} a second), ` +
      `${ofCpu.toFixed(1)} s of CPU time (${share} % of a core), slowest ${Math.round(tally.slowest)} ms, ` +
      `${tally.unexpected.length} unexpected answers; load ${loadavg()[0]?.toFixed(1)}`,
  );
  for (const answer of tally.unexpected.slice(0, 5)) console.log(`  ${answer}`);
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
