/**
 * Callers of the machines of debian-pair.sh, with a connection for each request.
 *
 *   node probes.mjs watch URL        50 of them, each half a second after its last answer, until the file `watching` is gone; appends to `requests`
 *   node probes.mjs sum PHASE        says how these requests went, from `requests`
 *   node probes.mjs slow COUNT       holds that many connections from the address FROM, none of which ever sends a whole request, until the file `slow`
 *                                    is gone; prints how many were open at once
 *   node probes.mjs flood URL COUNT  keeps that many requests under way from the address FROM until the file `flood` is gone, each a query that no cache
 *                                    has; prints how many responses had each status
 *   node probes.mjs gone URL TEXT    asks ten times a second, and prints the time of the last response with the text, once three seconds have none
 *
 * The folder of these files is PLACE, and the phase is in its file `phase`. ADDRESS is that of URL's host, CERTIFICATE a file with its certificate,
 * and KEY an application key.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const { PLACE = '.', ADDRESS, CERTIFICATE, KEY = '', FROM } = process.env;
const PROBES = 50;
const PAUSE_MS = 500;
const LONGEST_MS = 5_000;
/** For a text that has to go. */
const LONGEST_SHOWN_MS = 150_000;

const query = '{ events { totalCount } }';
const json = { 'content-type': 'application/json' };
/** Half of them may be cached. Those with a key always reach a server. */
const REQUESTS = [
  { path: '/events.json?pageSize=5' },
  {
    method: 'POST',
    path: '/graphQL',
    headers: { ...json, 'x-api-key': KEY },
    body: JSON.stringify({ query }),
  },
  { path: `/graphQL?query=${encodeURIComponent(query)}`, headers: { 'gateway-require-preflight': 'true' } },
  { path: '/events.rss', headers: { 'x-api-key': KEY } },
];

const ca = CERTIFICATE === undefined ? undefined : readFileSync(CERTIFICATE);

/** Sends a request, and gives the status, or 0 without an answer, the text and whether it came from a cache. */
async function ask(base, { method = 'GET', path, headers = {}, body, agent = false, longest = LONGEST_MS }) {
  const url = new URL(path, base);
  const { hostname, protocol } = url;
  const { request } = protocol === 'https:' ? https : http;
  const options = {
    method,
    headers: { ...headers, host: hostname },
    agent,
    ca,
    servername: hostname,
    host: ADDRESS,
    localAddress: FROM,
    signal: AbortSignal.timeout(longest),
  };
  const { port, pathname, search } = url;
  try {
    const response = await new Promise((resolve, reject) => {
      request({ ...options, port, path: pathname + search }, resolve)
        .on('error', reject)
        .end(body);
    });
    const text = Buffer.concat(await response.toArray()).toString();
    return { status: response.statusCode, text, isCached: isFromCache(response.headers) };
  } catch {
    return { status: 0, text: '', isCached: false };
  }
}

/** Varnish names a second request if the response is from its cache. */
function isFromCache({ 'x-cache': cache, 'x-varnish': numbers = '' }) {
  return cache === 'HIT' || numbers.includes(' ');
}

async function watch(base) {
  const isWatching = () => existsSync(join(PLACE, 'watching'));
  const probe = async (number) => {
    // They do not ask in step.
    await pause((number * PAUSE_MS) / PROBES);
    for (let at = number; isWatching(); at += 1) {
      const phase = readFileSync(join(PLACE, 'phase'), 'utf8').trim();
      const begun = Date.now();
      const { status, isCached } = await ask(base, REQUESTS[at % REQUESTS.length]);
      const now = Date.now();
      appendFileSync(join(PLACE, 'requests'), `${[now, phase, status, now - begun, isCached].join('\t')}\n`);
      await pause(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: PROBES }, (_, number) => probe(number)));
}

function sum(wanted) {
  const requests = readFileSync(join(PLACE, 'requests'), 'utf8').trimEnd().split('\n').map(requestOf);
  const begun = phasesIn(requests);
  const found = { requests: 0, failed: 0, cached: 0, pause: 0, slowest: 0 };
  let last = null;
  for (const { ended, took, isGood, isCached } of requests) {
    // What is cut off when a machine is lost has begun before.
    const [phase] = begun.findLast(([, at]) => at <= ended) ?? [];
    if (phase === wanted) {
      found.requests += 1;
      if (!isGood) found.failed += 1;
      if (isCached) found.cached += 1;
      if (isGood) found.slowest = Math.max(found.slowest, took);
      if (isGood && last !== null) found.pause = Math.max(found.pause, ended - last);
    }
    if (isGood) last = ended;
  }
  console.log(sentenceOf(found));
}

/** Of a line that `watch` has written. */
function requestOf(line) {
  const [ended, phase, status, took, isCached] = line.split('\t');
  const isGood = status === '200';
  return { ended: Number(ended), phase, isGood, took: Number(took), isCached: isCached === 'true' };
}

/** Each phase, with the time at which its first request began. */
function phasesIn(requests) {
  const begun = new Map();
  for (const { phase, ended, took } of requests) {
    if (phase !== '') begun.set(phase, Math.min(begun.get(phase) ?? ended, ended - took));
  }
  return [...begun].sort(([, one], [, other]) => one - other);
}

function sentenceOf({ requests, failed, cached, slowest, pause: longest }) {
  const count = (number) => number.toLocaleString('en');
  const seconds = (milliseconds) => `${(milliseconds / 1_000).toFixed(1)} s`;
  const fromCache = cached > 0 ? `, ${count(cached)} from the cache` : '';
  const times = `the slowest answer took ${seconds(slowest)}; at most ${seconds(longest)} between two answers`;
  return `${count(requests)} requests, ${count(failed)} failed${fromCache}; ${times}`;
}

/** What a slow connection sends at first: nothing, the beginning of a TLS handshake, or that of a header. Then follows a byte every five seconds. */
const BEGINNINGS = [
  { port: 443, text: '' },
  { port: 443, text: '\x16\x03\x01\x02\x00\x01' },
  { port: 80, text: 'GET / HTTP/1.1\r\nX-Slow: ' },
];

async function slow(count) {
  let open = 0;
  let most = 0;
  const hold = async (number) => {
    const { port, text } = BEGINNINGS[number % BEGINNINGS.length];
    for (;;) {
      const socket = connect({ port, host: ADDRESS, localAddress: FROM });
      socket.once('connect', () => {
        open += 1;
        most = Math.max(most, open);
        socket.once('close', () => {
          open -= 1;
        });
        socket.write(text);
      });
      const byte = setInterval(() => text !== '' && socket.write('a'), 5_000);
      socket.on('error', () => {});
      socket.resume();
      await new Promise((resolve) => socket.once('close', resolve));
      clearInterval(byte);
      await pause(1_000);
    }
  };
  for (let number = 0; number < Number(count); number += 1) hold(number);
  while (existsSync(join(PLACE, 'slow'))) await pause(200);
  console.log(most);
  process.exit();
}

/** Pages of queries that no cache has. */
const PAGES = 200;
const LARGEST_PAGE = 100;
/** Such a caller is patient. */
const LONGEST_FLOOD_MS = 30_000;

async function flood(base, count) {
  const agent = new https.Agent({ keepAlive: true });
  const statuses = new Map();
  let sent = 0;
  const hold = async () => {
    while (existsSync(join(PLACE, 'flood'))) {
      sent += 1;
      const page = `pageSize: ${LARGEST_PAGE - (sent % 50)}, page: ${1 + (sent % PAGES)}`;
      const body = JSON.stringify({
        query: `{ events(${page}) { totalCount data { id title_nb desc_nb } } }`,
      });
      const request = { method: 'POST', path: '/graphQL', headers: json, body };
      const { status } = await ask(base, { ...request, agent, longest: LONGEST_FLOOD_MS });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: Number(count) }, hold));
  for (const [status, number] of statuses) console.log(status, number);
  process.exit();
}

async function gone(url, text) {
  const start = Date.now();
  let lastShown = 0;
  let since = start;
  while (lastShown === 0 || Date.now() - since < 3_000) {
    const begun = Date.now();
    if (begun - start > LONGEST_SHOWN_MS) throw new Error(`expected ${text} to be shown and to go: ${url}`);
    const { status, text: found } = await ask(url, { path: url });
    if (found.includes(text)) lastShown = begun;
    // Nothing is known from an error.
    if (found.includes(text) || status !== 200) since = Date.now();
    await pause(100);
  }
  console.log(lastShown);
}

const [mode, ...rest] = process.argv.slice(2);
const modes = { watch, sum, slow, flood, gone };
if (!(mode in modes)) throw new Error(`expected watch, sum, slow, flood or gone, found ${mode}`);
await modes[mode](...rest);
