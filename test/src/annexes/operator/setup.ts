/** A server with something to tell its operator, and its status as JSON and as a page. Its clock is at NOW. */
import * as assert from 'uvu/assert';
import { guardsOf } from '../../../../src/annexes/operator/guards.ts';
import { create } from '../../../../src/annexes/operator/operator.ts';
import type { OperatorSettings } from '../../../../src/annexes/operator/settings.ts';
import type { Status } from '../../../../src/annexes/operator/status.ts';
import type { ServeContext } from '../../../../src/serve/annex.ts';
import type { BuildRecord } from '../../../../src/upkeep.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import type { Running } from '../../../helpers/running.ts';

/** Milliseconds since 1970. */
export const NOW = Date.parse('2026-11-20T10:17:00Z');

/** Parts for `startPages`: replies to wrong tokens do not wait. */
export const WITHOUT_PAUSES = {
  operator: (context: ServeContext<OperatorSettings>) =>
    create(context, guardsOf(context, { pause: async () => null })),
};

export const event = (id: string, more: object = {}) => ({
  id,
  title_nb: id,
  categories: ['MUSIC'],
  dates: [{ start: '2026-11-21 19:00' }],
  ...more,
});

const HALF = { dates: [{ start: 'i morgen' }, { start: '2026-11-22 19:00' }], venue: 'nowhere' };

/** A source of which a build drops a record, a date and a reference. One place has no municipality. */
export const SOURCE = sourceFolder({
  'venues.json': [{ id: 'hall', name: 'Hall' }],
  'events.json': [
    event('good', { venue: 'hall' }),
    event('half', HALF),
    event('more'),
    event('most'),
    { id: 'bad' },
  ],
});

export const FAILED: BuildRecord = {
  kind: 'rebuild',
  outcome: 'failed',
  startedAt: NOW - 60_000,
  ms: 1_234,
  id: null,
  counts: null,
  reason: 'expected JSON in /srv/secret/place/events.json, found "<b>"',
  dropped: 0,
};

type Server = Pick<Running, 'send'>;

export async function statusOf({ send }: Server): Promise<Status> {
  const { headers, text } = await send('/status');
  assert.is(headers['content-type'], 'application/json; charset=utf-8');
  assert.is(headers['cache-control'], 'no-store');
  return JSON.parse(text);
}

export const pageOf = async ({ send }: Server, language: 'nb' | 'en' | 'nn' = 'en') =>
  (await send(`/status?format=html&lang=${language}`)).text;

/** The text of a page, without tags and attributes. */
export const textOf = (page: string) => page.replaceAll(/<[^>]+>/g, '');

export const namesOf = ({ concerns }: Pick<Status, 'concerns'>) => concerns.map(({ name }) => name);

/** What a snapshot has stored about its build. */
export const stored = (texts: Readonly<Record<string, unknown>>) => ({
  json: async (name: string) => texts[name] ?? null,
});

/** The header `Authorization` of HTTP Basic. `pair`: `user:password`. */
export const basicAuth = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
