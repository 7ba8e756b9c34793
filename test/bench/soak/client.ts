/** Entry point of a process of many clients that come, ask at a pace and go: pages of a site, calendar programs, importers. */
import { seeded } from '../../helpers/random-operations.ts';
import { type Connection, openConnection, rawRequest } from '../load/http.ts';
import { until } from '../load/run.ts';
import { type Directories, differentQuestions, repeated } from '../questions.ts';
import { percentile } from '../rounds.ts';
import { CATEGORY_IDS, pick } from '../source/taxonomy.ts';

/** `pace`: requests a second, all clients together; null for as many as are answered. */
export type Order =
  | { readonly port: number; readonly directories: Directories; readonly pace: number | null }
  | { readonly take: true }
  | { readonly end: true };

/** What came of the requests since it was taken last. */
export interface Taken {
  readonly seconds: number;
  readonly answered: number;
  /** Requests without a whole reply of status 200, by what came instead. */
  readonly failures: Readonly<Record<string, number>>;
  /** Connections that were opened. */
  readonly opened: number;
  /** Milliseconds from when a request was due until its reply was there as a whole. */
  readonly p50: number;
  readonly p99: number;
}

const CLIENTS = 32;
const MOST_REQUESTS = 200;
/** One of so many requests is left before its reply. */
const LEFT = 300;
const PATIENCE_MS = 10_000;
/** What is later than that is not made up for: people do not ask twice as much because they could not ask. */
const LATEST_MS = 1_000;

const FEEDS = ['ics', 'rss', 'json', 'csv', 'geojson', 'jsonld', 'html'].map((kind) => `/events.${kind}`);
const PAGES = ['/', '/subscribe', '/catalog.jsonld', '/openapi.json', '/llms.txt'].concat([
  ...['/schema.graphql', '/changelog', '/changelog.rss', '/embed.js', '/healthz', '/readyz', '/status'],
]);
const CODINGS = ['identity', 'gzip', 'br'];

const random = seeded(5);
let times: number[] = [];
let failures: Record<string, number> = {};
let opened = 0;
let since = performance.now();
/** Ends the clients that are at it. */
let stop = () => {};

function take(): Taken {
  const sorted = times.sort((left, right) => left - right);
  const at = (share: number) => percentile(sorted, share) ?? 0;
  const now = performance.now();
  const seconds = (now - since) / 1_000;
  const taken = { seconds, answered: times.length, failures, opened, p50: at(0.5), p99: at(0.99) };
  times = [];
  failures = {};
  opened = 0;
  since = now;
  return taken;
}

function fail(why: string): void {
  failures[why] = (failures[why] ?? 0) + 1;
}

interface Visits {
  readonly isOver: () => boolean;
  readonly next: () => Buffer;
  /** When the next request is due. */
  readonly turn: () => Promise<number>;
}

function begin({ port, directories, pace }: Extract<Order, { port: number }>): () => void {
  let over = false;
  let due = performance.now();
  const turn = async () => {
    if (pace === null) return performance.now();
    const mine = Math.max(due, performance.now() - LATEST_MS);
    due = mine + 1_000 / pace;
    return until(mine);
  };
  const visits = { isOver: () => over, next: requestsOf(directories), turn };
  for (let nth = 0; nth < CLIENTS; nth++) void visit(port, `127.0.1.${nth + 1}`, visits);
  return () => {
    over = true;
  };
}

/** One client after the other from one address. */
async function visit(port: number, address: string, { isOver, next, turn }: Visits): Promise<void> {
  while (!isOver()) {
    const connection = await openConnection(port, address).catch(() => null);
    if (connection === null) {
      fail('no connection');
      await new Promise((wake) => setTimeout(wake, 100));
      continue;
    }
    opened++;
    for (let left = 1 + random(MOST_REQUESTS); left > 0 && !isOver(); left--) {
      const due = await turn();
      const isLeft = random(LEFT) === 0;
      const reply = answerTo(connection, next());
      const status = isLeft ? 'left' : await reply;
      if (status === 'left') break;
      if (status === '200') times.push(performance.now() - due);
      else fail(status);
      if (status === HUNG_UP || status === NO_REPLY) break;
    }
    connection.close();
  }
}

const HUNG_UP = 'hung up';
const NO_REPLY = 'no reply';

async function answerTo(connection: Connection, request: Buffer): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((tell) => {
    timer = setTimeout(() => tell(NO_REPLY), PATIENCE_MS);
  });
  const reply = connection.ask(request).then(
    ({ status }) => `${status}`,
    () => HUNG_UP,
  );
  const found = await Promise.race([reply, late]);
  clearTimeout(timer);
  return found;
}

/** Of twenty requests: nine are the same one, nine unlike all others, one is a feed and one a page. */
function requestsOf(directories: Directories): () => Buffer {
  const different = differentQuestions(directories, { filters: 41, terms: 42 });
  const same = Buffer.from(posted(repeated(directories)));
  let nth = 0;
  return () => {
    const kind = nth++ % 20;
    if (kind === 0) return Buffer.from(got(feedPath()));
    if (kind === 19) return Buffer.from(got(pick(random, PAGES)));
    return kind % 2 === 0 ? same : Buffer.from(posted(different()));
  };
}

const posted = (question: object) =>
  rawRequest({ method: 'POST', path: '/graphQL', headers: coded(), body: JSON.stringify(question) });

const got = (path: string) => rawRequest({ method: 'GET', path, headers: coded() });

const coded = () => ({ 'Accept-Encoding': pick(random, CODINGS) });

function feedPath(): string {
  const filter = random(2) === 0 ? '' : `&categories=${pick(random, CATEGORY_IDS)}`;
  return `${pick(random, FEEDS)}?lang=${pick(random, ['nb', 'en'])}&pageSize=${pick(random, [20, 100])}${filter}`;
}

process.on('message', (order: Order) => {
  if ('take' in order) process.send?.(take());
  else {
    stop();
    take();
    if ('port' in order) stop = begin(order);
    process.send?.({ isDone: true });
  }
});

process.send?.({ isReady: true });
