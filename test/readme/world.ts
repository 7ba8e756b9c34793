/** The folders and servers that the commands of the documentation use. Each is created when the first command needs it. */
import { join } from 'node:path';
import { SETTINGS } from '../../jobs/settings.ts';
import { packagePath } from '../../src/package.ts';
import { startBuilt } from '../helpers/running.ts';
import { makeClone, startService } from './shell.ts';

/** The moment at which the queries of the pages are sent. */
const NOON = Date.parse('2026-11-20T12:00:00+01:00') / 1_000;

export const SERVING = / serving http\S+/;

export type World = ReturnType<typeof createWorld>;

export function createWorld() {
  const closing: (() => Promise<void>)[] = [];
  const clone = once(makeClone);
  const own = once(makeClone);
  const ofReader = () => join(own(), 'my-calendar');
  const standing = async (folder: string, now: number) => {
    const running = await startBuilt(folder, now, {
      context: { settings: { notice: SETTINGS.notice.fallback } },
    });
    closing.push(running.close);
    return running;
  };
  const served = (folder: () => string) => async () => {
    const service = await startService(
      'ALMANAKK_SERVE_SNAPSHOTS=true ALMANAKK_PUBLIC_FILE=true npm start',
      SERVING,
      { folder: folder() },
    );
    closing.push(service.stop);
    return service;
  };
  return {
    /** A clone of this package, and `npm start` in it, which serves the sample and offers its snapshots. */
    clone,
    server: once(served(clone)),
    /** Another one, with the calendar that a reader of the pages writes. */
    own,
    /** Servers whose clock stands still at noon. */
    sampleAtNoon: once(() => standing(packagePath('data/sample'), NOON)),
    ownAtNoon: once(() => standing(ofReader(), NOON)),
    /** The same at the present moment, for a build that reads it. */
    ownToday: once(() => standing(ofReader(), Math.floor(Date.now() / 1_000))),
    /** Results of earlier blocks of the same page, for later ones. */
    found: new Map<'answer' | 'calendar' | 'output' | 'nginx' | 'sheets', unknown>(),
    onClose: (close: () => Promise<void>) => closing.push(close),
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
