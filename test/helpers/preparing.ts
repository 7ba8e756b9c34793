/** What it costs to read, check and prepare a request, up to the moment at which its data would be read. */
import { CalendarError, isCalendarError } from '../../src/calendar/errors.ts';
import {
  type AnswerBasis,
  createExecute,
  createExecuteRequest,
  isRefusal,
} from '../../src/serve/graphql/execute.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import { readBodyParameters, resolve } from '../../src/serve/http/graphql.ts';
import { randomOperation, seeded } from './random-operations.ts';
import { BUILT_AT, openSample } from './sample.ts';
import { costOf } from './usage.ts';

/** D2: the 50 ms of a request's preparation, in references (`helpers/usage.ts`). */
export const MOST = 8;

/** Thrown where data would be read: once it is known how much. */
const READY = new CalendarError('OVERLOADED', 'ready');

let basis: AnswerBasis | undefined;
const basisOf = () => {
  if (basis === undefined) throw new CalendarError('SERVICE_UNAVAILABLE', 'expected a snapshot, found none');
  return basis;
};

/** All that is done for a request until its data is read: `ok` or the code of its refusal. */
export const createPrepare = () => {
  const execute = createExecute((thrown) => {
    throw thrown;
  });
  const executeRequest = createExecuteRequest({ schema, execute });
  return async (body: Buffer): Promise<string> => {
    const sent = readBodyParameters(body);
    if (isRefusal(sent)) return sent.code;
    const resolved = resolve(sent);
    if (isRefusal(resolved)) return resolved.code;
    try {
      const result = await executeRequest(resolved.parameters, basisOf);
      return isRefusal(result) ? result.code : 'ok';
    } catch (thrown) {
      if (thrown === READY) return 'ok';
      if (isCalendarError(thrown)) return thrown.code;
      throw thrown;
    }
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

/** To be called before anything is measured: it opens the sample, and what there is of code is compiled then. */
export async function warmUp(): Promise<void> {
  const { snapshot } = await openSample();
  basis = { snapshot, now: BUILT_AT, reserve: () => Promise.reject(READY) };
  const random = seeded(1_000);
  for (let nth = 0; nth < 60; nth++)
    await createPrepare()(bodyOf(randomOperation(schema, random, () => undefined)));
}

export const times = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');
