/** Small calendars for tests that are worked out by hand. */
import { type Answer, oracle } from './answer.ts';
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

/** The answers of a calendar built at `builtAt`, at that moment or a later one. */
export function ask(parts: Partial<Source>, builtAt: string, now = builtAt) {
  return oracle(readSource(sourceOf(parts), utc(builtAt)), utc(now));
}

/** What an answer found, or the names it refused. */
export function found(answer: Answer): Json {
  return 'found' in answer ? answer.found : { refused: answer.refused };
}

/** Follows keys and indexes into an answer; null where there is nothing. */
export function pick(answer: Answer | Json, ...path: readonly (string | number)[]): Json {
  let here: unknown = isAnswer(answer) ? found(answer) : answer;
  for (const step of path) here = typeof here === 'object' && here !== null ? Reflect.get(here, step) : null;
  return isJson(here) ? here : null;
}

/** The same field of every entry of a list; of the page's nodes when the answer is a connection. */
export function each(answer: Answer | Json, field: string): readonly Json[] {
  const json = isAnswer(answer) ? found(answer) : answer;
  const entries = Array.isArray(json) ? json : pick(json, 'data');
  return Array.isArray(entries) ? entries.map((entry: Json) => pick(entry, field)) : [];
}

function isAnswer(value: Answer | Json): value is Answer {
  return typeof value === 'object' && value !== null && ('found' in value || 'refused' in value);
}

function isJson(value: unknown): value is Json {
  return value !== undefined && typeof value !== 'function';
}
