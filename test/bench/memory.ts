/**
 * What a server holds when it is ready, and after very many requests that are all different, by kind:
 *
 *   node --import tsx test/bench/memory.ts [--dist DIR] [--events N] [--requests N] [--workers N] [--flags=FLAGS] [--cache MB]
 *   [--calendar DIR] [--gzip] [--documents] [--collect]
 *
 * Say `npm run setup` before. Each line is one tenth of the requests; the kinds follow when it is ready and after the last (Linux).
 * `--flags` are Node's for the server; `--calendar` takes a snapshot folder in place of building one. With `--documents` no two
 * documents are alike; with `--collect` garbage is collected before each line, so that what is left is held.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildCalendar } from './calendars.ts';
import { startLoad } from './load/driver.ts';
import { rawRequest } from './load/http.ts';
import { SERVER_ENV, SERVER_FLAGS, type Served, startServer } from './processes.ts';
import { differentQuestions } from './questions.ts';
import { readSlugs } from './records.ts';
import { familyOf, KINDS, residentOf, togetherOf } from './resident.ts';
import { ALMANAKK_PATH } from './sections/stand.ts';

const { values: options } = parseArgs({
  options: {
    dist: { type: 'string', default: 'dist' },
    events: { type: 'string', default: '20000' },
    requests: { type: 'string', default: '100000' },
    workers: { type: 'string', default: '1' },
    flags: { type: 'string', default: '' },
    calendar: { type: 'string' },
    cache: { type: 'string', default: '' },
    gzip: { type: 'boolean', default: false },
    documents: { type: 'boolean', default: false },
    collect: { type: 'boolean', default: false },
  },
});

const MB = 1_024 * 1_024;
const TENTHS = 10;
const CONNECTIONS = 8;
const BATCH = 5_000;

const work = mkdtempSync(join(tmpdir(), 'almanakk-memory-'));
const load = startLoad();
try {
  await main();
} finally {
  load.stop();
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const { dist, flags, cache, workers } = options;
  const now = Date.now();
  const folder =
    options.calendar ??
    (await buildCalendar({ work, name: 'memory', events: Number(options.events), now }, dist)).folder;
  const server = await startServer({
    name: 'almanakk',
    file: join(dist, 'src/main.js'),
    args: ['serve'],
    flags: [
      ...SERVER_FLAGS,
      ...flags.split(' ').filter(Boolean),
      ...(options.collect ? ['--expose-gc'] : []),
    ],
    env: {
      ...SERVER_ENV,
      ALMANAKK_SNAPSHOTS: folder,
      ALMANAKK_WORKERS: workers,
      ALMANAKK_KEYS: join(work, 'keys.json'),
      ...(cache !== '' && { ALMANAKK_CACHE_MB: cache }),
    },
    ready: { path: '/readyz', status: 200 },
  });
  const directories = await readSlugs(`http://127.0.0.1:${server.port}${ALMANAKK_PATH}`, now);
  const next = differentQuestions(directories, { filters: 1, terms: 2 });
  let spent = 0;
  const say = async (done: number, count: number) => {
    const { rss, heap: used, outside, cpu } = await server.usage();
    const each = count === 0 ? 0 : (cpu - spent) / count;
    spent = cpu;
    console.log(
      `${`${done}`.padStart(8)} requests ${each.toFixed(0).padStart(6)} µs of CPU each  rss${mb(rss)}  heap${mb(used)}  outside${mb(outside)} MB`,
    );
  };
  await say(0, 0);
  await sayKinds(server);
  let documents = 0;
  const each = Math.ceil(Number(options.requests) / TENTHS);
  for (let tenth = 1; tenth <= TENTHS; tenth++) {
    for (let left = each; left > 0; left -= BATCH) {
      const count = Math.min(left, BATCH);
      const requests = Array.from({ length: count }, () => {
        const question = next();
        if (!options.documents) return requestFor(question);
        documents++;
        return requestFor({
          ...question,
          query: question.query.replaceAll('hits', `hits h${documents}: hits`),
        });
      });
      await load.run({ port: server.port, connections: CONNECTIONS, requests, count });
    }
    await say(tenth * each, each);
  }
  await sayKinds(server);
  await server.stop();
}

function mb(bytes: number): string {
  return (bytes / MB).toFixed(0).padStart(6);
}

/** One line for each process, and one for the heap of the process that was started. */
async function sayKinds({ pid, spaces }: Served): Promise<void> {
  const family = familyOf(pid).map((member) => ({ member, ...residentOf(member) }));
  for (const { member, rss, shared, kinds } of family) {
    const each = KINDS.map((kind) => `${kind}${mb(kinds[kind])}`);
    console.log(`         process ${member}: rss${mb(rss)}  shared${mb(shared)}: ${each.join('  ')} MB`);
  }
  console.log(`         together, with shared pages once: ${mb(togetherOf(family))} MB`);
  const resident = Object.entries(await spaces()).filter(([, bytes]) => bytes > MB / 2);
  console.log(`         of V8: ${resident.map(([space, bytes]) => `${space}${mb(bytes)}`).join('  ')} MB`);
}

function requestFor(question: object): string {
  const headers = options.gzip ? { 'Accept-Encoding': 'gzip' } : {};
  return rawRequest({ method: 'POST', path: ALMANAKK_PATH, headers, body: JSON.stringify(question) });
}
