/**
 * Entry point of the process that serves the feeds of a region, a port for each town. It answers conditional requests with 304, and takes
 * `Order`s over the IPC channel.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { listening } from '../../helpers/port.ts';
import { type Written, writeFeed } from './formats.ts';
import { edited, makeRegion, type RegionSize, type TownFeed } from './region.ts';

export type Order =
  | { readonly open: RegionSize; readonly now: number }
  /** From now on, this edition of these feeds. */
  | { readonly edit: readonly string[]; readonly edition: number }
  /** Which feeds misbehave from now on, by id. The others behave. */
  | { readonly misbehave: Readonly<Record<string, Fault>> }
  | { readonly count: true };

export type Fault = 'error' | 'slow' | 'hanging';

/** The answer to `count`: since the last one. */
export interface Counted {
  readonly requests: number;
  readonly notModified: number;
  /** Of bodies. */
  readonly bytes: number;
}

export interface OpenFeed extends Omit<TownFeed, 'entries'> {
  readonly url: string;
}

/** A slow host answers after this time. */
export const SLOW_MS = 5_000;

interface Served extends Written {
  readonly feed: string;
  readonly etag: string;
}

const NONE: Counted = { requests: 0, notModified: 0, bytes: 0 };

const feeds = new Map<string, TownFeed>();
/** By town and path. */
const served = new Map<string, Served>();
let faults: Readonly<Record<string, Fault>> = {};
let counted = NONE;

process.on('message', async (order: Order) => {
  process.send?.(await obey(order));
});
process.send?.({ isReady: true });

async function obey(order: Order): Promise<object> {
  if ('open' in order) return openRegion(order.open, order.now);
  if ('misbehave' in order) faults = order.misbehave;
  else if ('edit' in order) {
    for (const id of order.edit) {
      const feed = feeds.get(id);
      if (feed !== undefined) serve(edited(feed, order.edition));
    }
  } else {
    const since = counted;
    counted = NONE;
    return since;
  }
  return {};
}

async function openRegion(size: RegionSize, now: number): Promise<{ readonly feeds: readonly OpenFeed[] }> {
  const ports = await Promise.all(Array.from({ length: size.towns }, (_, town) => listen(town)));
  const open = makeRegion(size, now).map((feed): OpenFeed => {
    feeds.set(feed.id, feed);
    const { id, town, kind } = feed;
    return { id, town, kind, url: `http://127.0.0.1:${ports[town]}${serve(feed)}` };
  });
  return { feeds: open };
}

/** Gives the path to configure. */
function serve(feed: TownFeed): string {
  const documents = writeFeed(feed);
  for (const [path, written] of documents) {
    const etag = `"${createHash('sha256').update(written.body).digest('hex').slice(0, 16)}"`;
    served.set(`${feed.town}${path}`, { ...written, feed: feed.id, etag });
  }
  const [first = ''] = documents.keys();
  return first;
}

function listen(town: number): Promise<number> {
  return listening(createServer((request, response) => void answer(town, request, response)));
}

async function answer(town: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
  counted = { ...counted, requests: counted.requests + 1 };
  const found = served.get(`${town}${request.url}`);
  const fault = found && faults[found.feed];
  if (fault === 'hanging') return;
  if (fault === 'slow') await pause(SLOW_MS);
  if (fault === 'error') return void response.writeHead(500).end();
  if (found === undefined) return void response.writeHead(404).end();
  const { type, body, etag } = found;
  if (request.headers['if-none-match'] === etag) {
    counted = { ...counted, notModified: counted.notModified + 1 };
    return void response.writeHead(304, { etag }).end();
  }
  const bytes = Buffer.from(body);
  counted = { ...counted, bytes: counted.bytes + bytes.length };
  response.writeHead(200, { 'content-type': type, etag, 'content-length': bytes.length }).end(bytes);
}
