/** The kinds of feeds that this tree reads. The readers of pages and of other calendars are parts that may be taken away. */
import type { Test } from 'uvu';
import { hasPart, when } from './when.ts';

const PARTS: Readonly<Record<string, string>> = {
  jsonld: 'jobs/annexes/feeds/jsonld',
  graphql: 'jobs/annexes/feeds/mirror.ts',
};

export const hasKind = (kind: string): boolean => hasPart(PARTS[kind] ?? 'jobs/annexes/feeds');

const KINDS = ['ical', 'csv', 'jsonld', 'graphql', 'corrections', 'venues', 'feeds'].filter(hasKind);

/** As messages list them. */
export const SOME_KIND = `${KINDS.slice(0, -1)
  .map((kind) => `"${kind}"`)
  .join(', ')} or "${KINDS.at(-1)}"`;

/** The suite's tests of feeds of the kinds that a text in JSON names. */
export function withKindsIn<T>(text: string, suite: Test<T>): Test<T> {
  const named = [...text.matchAll(/"kind": ?"(\w+)"/g)].map(([, kind = '']) => kind);
  const missing = named.filter((kind) => !hasKind(kind));
  return when(missing.length === 0, `without feeds of kind ${missing}`, suite);
}
