/** Small calendars for tests that are worked out by hand, asked of the product and of the oracle at once. */
import * as assert from 'uvu/assert';
import { type Arguments, type Oracle, oracle } from './answer.ts';
import type { Filter } from './conditions.ts';
import { differences } from './difference.ts';
import { type Served, serveProduct } from './product.ts';
import { answerFrom, expectedOf, type Question } from './questions.ts';
import type { EventRecord, Json, LicenceRecord, Source } from './records.ts';
import { readSource } from './source.ts';

export const LICENCE: LicenceRecord = {
  id: 'test',
  name: 'Prøvekalenderen',
  siteUrl: 'https://kalender.example',
  categories: [
    {
      id: 'MUSIC',
      name_nb: 'Musikk',
      name_en: 'Music',
      subcategories: [
        { id: 'JAZZ', name_nb: 'Jazz', name_en: 'Jazz' },
        { id: 'CHOIR', name_nb: 'Kor', name_en: 'Choir' },
      ],
    },
    { id: 'ART', name_nb: 'Kunst', name_en: 'Art', visible: false },
  ],
  retiredCategories: { GIGS: ['MUSIC'], SHOWS: ['MUSIC', 'ART'] },
};

export function sourceOf(parts: Partial<Source>): Source {
  return { licence: LICENCE, venues: [], organizers: [], events: [], postalCodes: [], ...parts };
}

/** An instant written in UTC, `2026-06-01 10:00`, in seconds. */
export function utc(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}${text.length === 16 ? ':00' : ''}Z`) / 1000;
}

/** An event with one title; everything else is up to the test. */
export function event(id: string, rest: Partial<EventRecord>): EventRecord {
  return { id, title_nb: `Tittel ${id}`, ...rest };
}

/** Products that answer, by calendar and build; `closeAsked` ends them. */
const served = new Map<string, Promise<Served>>();

/**
 * Asks the product and the oracle of a calendar built at `builtAt`, at that moment or a later one. An answer in which the two
 * differ fails the test, so what a test then finds in it is said of both.
 */
export function ask(parts: Partial<Source>, builtAt: string, now = builtAt) {
  const source = sourceOf(parts);
  const key = JSON.stringify([source, builtAt]);
  const product = served.get(key) ?? serveProduct(source, utc(builtAt));
  served.set(key, product);
  return askedOf(product, oracle(readSource(source, utc(builtAt)), utc(now)), utc(now));
}

/** For the end of each suite that asks. */
export async function closeAsked(): Promise<void> {
  for (const product of served.values()) await (await product).close();
  served.clear();
}

function askedOf(product: Promise<Served>, expected: Oracle, now: number) {
  /** The ids that a question finds, or the names that it refuses. */
  const answer = async (question: Question): Promise<Json> => {
    const found = await (await product).ask(question, now);
    assert.equal(differences(expectedOf(question, expected), found), [], JSON.stringify(question));
    const answer = answerFrom(question, expected);
    return 'found' in answer ? answer.found : { refused: answer.refused };
  };
  return {
    events: (filter: Filter = {}, page = 0, pageSize = 10, first: Arguments['events']['first'] = {}) =>
      answer({ field: 'events', args: { filter, page, pageSize, first } }),
    eventByID: (eventID: string) => answer({ field: 'eventByID', args: { eventID } }),
    eventBySlug: (eventSlug: string) => answer({ field: 'eventBySlug', args: { eventSlug } }),
    eventsBySlugs: (eventsSlugs: readonly (string | null)[]) =>
      answer({ field: 'eventsBySlugs', args: { eventsSlugs } }),
    eventByTitle: (title: string, lan: string) => answer({ field: 'eventByTitle', args: { title, lan } }),
    answer,
  };
}

/** Follows keys and indexes into an answer; null where there is nothing. */
export function pick(answer: Json, ...path: readonly (string | number)[]): Json {
  const step = (here: Json, key: string | number): Json =>
    typeof here === 'object' && here !== null ? (Reflect.get(here, key) ?? null) : null;
  return path.reduce(step, answer);
}

/** The same field of every entry of a list; of the page's nodes when the answer is a connection. */
export function each(answer: Json, field: string): readonly Json[] {
  const entries = Array.isArray(answer) ? answer : pick(answer, 'data');
  return Array.isArray(entries) ? entries.map((entry: Json) => pick(entry, field)) : [];
}
