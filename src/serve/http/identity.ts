/**
 * The caller of a request (interface, section 5), by the keys that are valid now. Their file is read again when it changes, so issuing
 * and revoking need no restart. No request is refused here, and no key is passed on.
 */
import { type FSWatcher, watch } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { basename, dirname } from 'node:path';
import { messageOf } from '../../calendar/errors.ts';
import { formatDay, osloDay } from '../../calendar/time.ts';
import { hashKey, isWellFormedKey, noteSeen, readKeyFile } from '../../identity.ts';
import { stampOf } from '../../snapshot/folder.ts';
import type { Log } from './log.ts';

export interface Attribution {
  readonly kind: 'application' | 'anonymous' | 'operator';
  /** The application's name, or the name that the operator's client gives itself. */
  readonly name: string | undefined;
  /** The application that the call's valid key belongs to; undefined: the call gets the notice (D4), the operator's calls too. */
  readonly application: string | undefined;
  /** Host of the page that the call came from. */
  readonly pageHost: string | undefined;
}

export interface Caller {
  readonly attribution: Attribution;
  /** Whether the URL holds a key: then no shared cache may store the answer (D6). */
  readonly hasKeyInUrl: boolean;
}

interface Identified {
  readonly headers: IncomingHttpHeaders;
  /** The part of the URL after the question mark. */
  readonly search: string;
}

/** Reads the headers `X-Api-Key`, `X-Client-Id` and `X-Page-Url`, and the query parameter `key`. */
export type Identify = (request: Identified) => Caller;

export function createIdentify(keys: Pick<KeyRing, 'applicationOf'>): Identify {
  return ({ headers, search }) => {
    const keyParameter = keyParameterOf(search);
    // D4: the header takes precedence, even with an invalid key.
    const key = lineOf(headers['x-api-key']) || keyParameter;
    const application = key ? keys.applicationOf(key) : undefined;
    const clientId = lineOf(headers['x-client-id']);
    const pageHost = pageHostOf(lineOf(headers['x-page-url']));
    const attribution = attributionOf(clientId, application, pageHost);
    return { attribution, hasKeyInUrl: keyParameter !== undefined };
  };
}

/** node:http joins several lines of these headers into one text. */
function lineOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function keyParameterOf(search: string): string | undefined {
  return MAY_HOLD_KEY.test(search) ? (new URLSearchParams(search).get('key') ?? undefined) : undefined;
}

/** A cheap check for `key=` in any spelling, because parsing a query costs more than all else; false positives are parsed. */
const MAY_HOLD_KEY = /(?:^|&)(?:k|%6b)(?:e|%65)(?:y|%79)(?:=|&|$)/i;

function attributionOf(
  clientId: string | undefined,
  application: string | undefined,
  pageHost: string | undefined,
): Attribution {
  if (clientId) return { kind: 'operator', name: clientNameOf(clientId), application, pageHost };
  if (application !== undefined) return { kind: 'application', name: application, application, pageHost };
  return pageHost === undefined ? ANONYMOUS : { ...ANONYMOUS, pageHost };
}

const ANONYMOUS: Attribution = {
  kind: 'anonymous',
  name: undefined,
  application: undefined,
  pageHost: undefined,
};

const LONGEST_URL = 2_048;

function pageHostOf(pageUrl: string | undefined): string | undefined {
  if (pageUrl === undefined || pageUrl.length > LONGEST_URL || !URL.canParse(pageUrl)) return undefined;
  const { protocol, host } = new URL(pageUrl);
  return PAGE_PROTOCOLS.has(protocol) && host !== '' ? host : undefined;
}

const PAGE_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:']);

/** The name in `<name>/<version>`; any other text still counts as the operator's, without a name. */
function clientNameOf(clientId: string): string | undefined {
  return /^[\w.-]{1,64}\/[\w.+-]{1,32}$/.test(clientId) ? clientId : undefined;
}

export interface KeyRing {
  /** The application that a key was issued to; undefined if it is unknown, revoked or no key at all. */
  readonly applicationOf: (key: string) => string | undefined;
  /** Reads the file if it has changed. A broken file is logged, and the last good keys stay. Never rejects. */
  readonly refresh: () => Promise<void>;
  readonly close: () => void;
}

interface KeyRingOptions {
  readonly path: string;
  readonly log: Log;
  /** Milliseconds between two checks of the file, in case watching it does not work. */
  readonly interval?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Throws INVALID_SETTING if the file is broken at the start: then there are no last good keys. */
export async function openKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const { path, log, interval = 2_000, clock = Date.now } = options;
  const dayNow = () => formatDay(osloDay(Math.floor(clock() / 1_000)));
  let stamp = await stampOf(path);
  let keys = await readValidKeys(path);
  /** By the key itself, so that a known key is not hashed again. Only valid keys are stored. */
  let seen = new Map<string, ValidKey>();
  let today = dayNow();
  let reading: Promise<void> = Promise.resolve();
  let isNoting = true;

  const note = (key: ValidKey) => {
    key.seenOn = today;
    noteSeen(path, key.id, today).catch((cause: unknown) => {
      // Logs only the first failure.
      if (isNoting) log.warn({ reason: messageOf(cause) }, 'last use of keys not noted');
      isNoting = false;
    });
  };
  const refreshOnce = async () => {
    today = dayNow();
    const found = await stampOf(path);
    if (found === stamp) return;
    stamp = found;
    try {
      keys = await readValidKeys(path);
      seen = new Map();
      log.info({ keys: keys.size }, 'keys read');
    } catch (cause) {
      log.error({ reason: messageOf(cause) }, 'keys not read, the last good ones stay valid');
    }
  };
  const refresh = () => {
    reading = reading.then(refreshOnce);
    return reading;
  };
  const timer = setInterval(refresh, interval);
  timer.unref();
  const watcher = watchFile(path, refresh);

  return {
    applicationOf: (key) => {
      let known = seen.get(key);
      if (known === undefined) {
        if (!isWellFormedKey(key)) return undefined;
        known = keys.get(hashKey(key));
        if (known === undefined) return undefined;
        seen.set(key, known);
      }
      if (known.seenOn !== today) note(known);
      return known.app;
    },
    refresh,
    close: () => {
      clearInterval(timer);
      watcher?.close();
    },
  };
}

interface ValidKey {
  readonly id: string;
  readonly app: string;
  /** Day of its last use in this process, once that is noted. */
  seenOn: string | null;
}

/** Valid keys by their hashes. */
async function readValidKeys(path: string): Promise<ReadonlyMap<string, ValidKey>> {
  const keys = await readKeyFile(path);
  return new Map(
    keys
      .filter(({ revoked }) => revoked === null)
      .map(({ id, app, hash }) => [hash, { id, app, seenOn: null }]),
  );
}

/** Watches the folder, because the file is replaced. Some file systems cannot be watched: then only the timer checks. */
function watchFile(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(path)) onChange();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
