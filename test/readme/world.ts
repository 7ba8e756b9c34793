/** What the pages' commands work on: folders and servers, each made when the first of them needs it. */
import { join } from 'node:path';
import { SETTINGS } from '../../jobs/settings.ts';
import { packagePath } from '../../src/package.ts';
import { type Running, startBuilt } from '../helpers/running.ts';
import { makeClone, type Service, startService } from './shell.ts';

/** The moment at which the pages ask their questions. */
const NOON = Date.parse('2026-11-20T12:00:00+01:00') / 1_000;

export interface World {
  /** A clone that serves the sample. */
  readonly clone: () => string;
  /** `npm start` in it, which offers its snapshots. */
  readonly server: () => Promise<Service>;
  /** Another clone, for a calendar of one's own. */
  readonly own: () => string;
  /** `npm start` in that one. */
  readonly ownServer: () => Promise<Service>;
  /** Servers for which it stays that moment. */
  readonly sampleAtNoon: () => Promise<Running>;
  readonly ownAtNoon: () => Promise<Running>;
  /** What the block before has found out. */
  readonly found: Map<'answer' | 'output' | 'nginx', unknown>;
  readonly onClose: (close: () => Promise<void>) => void;
  readonly close: () => Promise<void>;
}

export const SERVING = / serving http\S+/;

export function createWorld(): World {
  const closing: (() => Promise<void>)[] = [];
  const clone = once(makeClone);
  const own = once(makeClone);
  const atNoon = (folder: () => string) => async () => {
    const running = await startBuilt(folder(), NOON, {
      context: { settings: { notice: SETTINGS.notice.fallback } },
    });
    closing.push(running.close);
    return running;
  };
  const served = (folder: () => string) => async () => {
    const service = await startService('ALMANAKK_SERVE_SNAPSHOTS=true npm start', SERVING, {
      folder: folder(),
    });
    closing.push(service.stop);
    return service;
  };
  return {
    clone,
    own,
    server: once(served(clone)),
    ownServer: once(served(own)),
    sampleAtNoon: once(atNoon(() => packagePath('data/sample'))),
    ownAtNoon: once(atNoon(() => join(own(), 'my-calendar'))),
    found: new Map(),
    onClose: (close) => closing.push(close),
    close: async () => {
      await Promise.all(closing.map((close) => close()));
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
