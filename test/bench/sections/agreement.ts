/** Before anything is measured: the servers that are compared give the same answers, or the comparison is worth nothing. */
import { byVariables, differentFilters, mixed } from '../questions.ts';
import { ask } from '../records.ts';
import { ALMANAKK_PATH, PEER_PATH, type Stand } from './stand.ts';

const QUESTIONS = 25;
const SEED = 23;

/** Throws with the first question on which one of them differs. */
export async function checkAgreement({ small, peers, sql, directories }: Stand): Promise<void> {
  const filters = differentFilters(mixed, directories, SEED);
  for (let count = 0; count < QUESTIONS; count++) {
    const question = byVariables(filters.next().value);
    const url = (port: number, path: string) => `http://127.0.0.1:${port}${path}`;
    const { data } = await ask<Answer>(url(small.port, ALMANAKK_PATH), question);
    for (const peer of peers) {
      const theirs = await ask<Answer>(url(peer.port, PEER_PATH), question);
      expectSame(
        JSON.stringify(data),
        JSON.stringify(theirs.data),
        `${peer.name} on ${JSON.stringify(question)}`,
      );
    }
    const plain = await ask<Answer>(url(sql.port, '/'), question);
    expectSame(figuresOf(data), figuresOf(plain.data), `${sql.name} on ${JSON.stringify(question)}`);
  }
}

interface Answer {
  readonly events: {
    readonly totalCount: number;
    readonly data: readonly { readonly id: string }[];
    readonly venues: readonly { readonly slug: string; readonly hits: number }[];
    readonly organizers: readonly { readonly slug: string; readonly hits: number }[];
    readonly categories: readonly { readonly id: string; readonly hits: number }[];
  };
}

/** What plain SQL has under the same names. */
function figuresOf({ events: { totalCount, data, venues, organizers, categories } }: Answer): string {
  return JSON.stringify([
    totalCount,
    data.map(({ id }) => id),
    venues.map(({ slug, hits }) => [slug, hits]),
    organizers.map(({ slug, hits }) => [slug, hits]),
    categories.map(({ id, hits }) => [id, hits]).sort(),
  ]);
}

function expectSame(ours: string, theirs: string, about: string): void {
  if (ours === theirs) return;
  const at = [...ours].findIndex((letter, place) => letter !== theirs[place]);
  const excerpt = (text: string) => text.slice(Math.max(0, at - 60), at + 60);
  throw new Error(`${about}: expected …${excerpt(ours)}…, found …${excerpt(theirs)}…`);
}
