/**
 * What a quota costs those who keep within it: counting a request, and writing its headers. Some tenths of a microsecond are
 * less than two servers differ by from round to round, so it is measured by itself, and held against a repeated answer.
 */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { createQuota } from '../../../src/annexes/quota/quota.ts';
import { createPeerAddressOf } from '../../../src/serve/http/caller.ts';

const CALLERS = 1_000;
const ROUNDS = 25;
const REQUESTS = 50_000;

/** Headers of an answer as others are that are at hand. */
const HEADERS = [
  ...['Content-Type', 'application/json; charset=utf-8', 'Content-Length', '5000', 'Vary', 'Accept'],
  ...['Cache-Control', 'private, max-age=60', 'Access-Control-Allow-Origin', '*'],
];

/** Microseconds of CPU a request: the least of some rounds, with a quota so large that no header is like another. */
export function measureQuota(): number {
  const quota = createQuota({
    limits: { anonymous: 999_999, keyed: null },
    addressOf: createPeerAddressOf(),
    process: { slot: 0, count: 1 },
    clock: Date.now,
    portal: () => '/',
  });
  if (quota === null) throw new Error('expected a quota, found none');
  const messages = Array.from({ length: CALLERS }, (_, at) => ({ socket: socketFrom(at), headers: {} }));
  const message = (nth: number) => messages[nth % CALLERS] ?? { socket: socketFrom(0), headers: {} };
  const caller = { application: undefined };
  const arrivedAt = Date.now();
  const request = new IncomingMessage(new Socket());
  const answer = (headers: readonly string[]) => new ServerResponse(request).writeHead(200, [...headers]);
  const without = leastCpu(() => answer(HEADERS));
  const within = leastCpu((nth) => {
    const verdict = quota.take({ message: message(nth), caller, arrivedAt });
    answer([...HEADERS, ...verdict.headers]);
  });
  return within - without;
}

function socketFrom(nth: number): Socket {
  const address = `2001:db8:${nth.toString(16)}::1`;
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
}

function leastCpu(work: (nth: number) => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let nth = 0; nth < REQUESTS; nth++) work(nth);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / REQUESTS);
  }
  return least;
}
