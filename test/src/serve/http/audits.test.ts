/** The audits of graphql-http, the reference implementation of GraphQL over HTTP. */
import { serverAudits } from 'graphql-http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { startSample } from './sample.ts';
import type { Stand } from './stand.ts';

/** Recommendations of the specification that the interface rules out, by audit id, with the interface's sentence. */
const OVERRULED: Readonly<Record<string, string>> = {
  '572B': 'D1: syntax error → 400 `GRAPHQL_PARSE_FAILED`',
  FDE2: 'Interface, section 7: "Query fails validation (unknown field or argument, wrong type) | 400"',
  '7B9B': 'Interface, section 7: "wrong type | 400"; D1: a variable of the wrong type → 400',
};

const audits = suite<{ stand: Stand }>('graphql-http audits');

audits.before(async (context) => {
  context.stand = await startSample();
});

audits.after(({ stand }) => stand.close());

/** Interface, section 4: a GET "requires header `Gateway-Require-Preflight: true`", which the audits do not know of. */
const fetchWithPreflight: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  if ((init?.method ?? 'GET') === 'GET') headers.set('Gateway-Require-Preflight', 'true');
  return fetch(input, { ...init, headers });
};

let url = '';
const all = serverAudits({ url: () => url, fetchFn: fetchWithPreflight });

audits('should know all audits that it overrules', () => {
  const ids = new Set(all.map(({ id }) => id));
  for (const id of Object.keys(OVERRULED)) assertIncludes([...ids], id);
  assert.is(all.length, 61);
});

for (const { id, name, fn } of all) {
  const overruled = OVERRULED[id];
  assert.not(overruled !== undefined && name.startsWith('MUST'), `${id} is a MUST`);
  audits(
    `${id}: ${name}${overruled === undefined ? '' : ` (overruled: ${overruled})`}`,
    async ({ stand }) => {
      url = `${stand.url}/graphQL`;
      const { status, ...result } = await fn();
      if (overruled === undefined) assert.is(status, 'ok', 'reason' in result ? result.reason : '');
      else assert.is.not(status, 'ok', 'it passes: take it off the list');
    },
  );
}

audits.run();
