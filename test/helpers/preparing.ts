/** What it costs to read, check and prepare a request, up to the moment at which its data would be read. */
import { type Answered, createAnswer, isRefusal } from '../../src/serve/graphql/answer.ts';
import type { Refusal } from '../../src/serve/graphql/refusal.ts';
import { ROOTS } from '../../src/serve/graphql/roots.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import { readBodyParameters, resolve } from '../../src/serve/http/graphql.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { hostileDocument } from './hostile-documents.ts';
import { seeded } from './random-operations.ts';
import { costOf } from './usage.ts';

/** D2: the 50 ms of a request's preparation, in references (`helpers/usage.ts`). */
export const MOST = 8;

const MOMENT = { snapshot: {} as Snapshot, now: 0 };
const EMPTY = { body: Buffer.from('{}'), failed: false, dependsOnDay: false };

/** All that is done for a request until its data is read: `ok` or the code of its refusal. */
export const createPrepare = () => {
  const answer = createAnswer({
    schema,
    execute: async ({ compiled }) => {
      for (const { name, selections } of compiled.roots) ROOTS[name]?.compile(selections);
      return EMPTY;
    },
  });
  return async (body: Buffer): Promise<string> => {
    const sent = readBodyParameters(body);
    if (isRefusal(sent)) return sent.code;
    const resolved = resolve(sent);
    if (isRefusal(resolved)) return resolved.code;
    const outcome: Answered | Refusal = await answer(resolved.parameters, () => MOMENT);
    return isRefusal(outcome) ? outcome.code : 'ok';
  };
};

export interface Sent {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

export const bodyOf = (sent: Sent) => Buffer.from(JSON.stringify(sent));

/** What becomes of it, and how many references this costs. */
export async function judged(body: Buffer): Promise<{ readonly outcome: string; readonly cost: number }> {
  let outcome = '';
  const cost = await costOf(
    async () => {
      outcome = await createPrepare()(body);
    },
    { most: MOST, tries: 5 },
  );
  return { outcome, cost };
}

/** To be called before anything is measured: what there is of code is compiled then. */
export async function warmUp(): Promise<void> {
  const random = seeded(1_000);
  for (let nth = 0; nth < 60; nth++) await createPrepare()(hostileDocument(schema, random));
}

export const times = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');
