/**
 * D1 (statuses), D2 (cost before work), D9 (slow and broken clients): one server answers each body of the tables. What that costs
 * is of the thread that serves and asks, in references (`helpers/usage.ts`), and nothing is remembered of the try before.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../src/serve/graphql/schema.ts';
import type { Got } from '../helpers/client.ts';
import { randomOperation, seeded } from '../helpers/random-operations.ts';
import { costsAtMost } from '../helpers/usage.ts';
import { ANY, DOCUMENT_CASES, FORMS, FULL } from './hostile-bodies.ts';
import { HEADS, VALUES } from './hostile-sizes.ts';
import { startSample } from './http/sample.ts';
import type { Stand } from './http/stand.ts';

/** D2: the 50 ms of a request's preparation, in references. */
const MOST = 8;

/** All that may come of them. */
const STATUS: Readonly<Record<string, number>> = {
  ok: 200,
  BAD_USER_INPUT: 200,
  BAD_REQUEST: 400,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  QUERY_TOO_COMPLEX: 400,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
};

const hostile = suite<{ stand: Stand }>('hostile bodies');

hostile.before(async (context) => {
  context.stand = await startSample({ cacheBytes: 0 });
  // What there is of code is compiled before anything is measured.
  const random = seeded(1_000);
  for (let nth = 0; nth < 60; nth++) {
    const { query, variables } = randomOperation(schema, random, () => undefined);
    await context.stand.post(query, { variables });
  }
});
hostile.after(({ stand }) => stand.close());

const CASES = {
  D1: FORMS,
  D2: DOCUMENT_CASES,
  D9: [...HEADS, ...VALUES],
};

for (const [rule, cases] of Object.entries(CASES)) {
  for (const [name, asked, outcome] of cases) {
    hostile(`${rule}: should give ${outcome} for ${name}`, async ({ stand }) => {
      assert.ok(Buffer.byteLength(asked.body ?? '') <= FULL + 1);
      let got: Got | undefined;
      const work = async () => {
        stand.app.clearCaches();
        got = await stand.send(asked.path ?? '/graphQL', asked);
      };
      await costsAtMost(MOST, work, { what: name, tries: 5 });
      assert.ok(got);
      const { code, told } = read(got);
      assert.ok([ANY, code, told].includes(outcome), told);
      assert.is(got.status, STATUS[code], told);
      assert.match(got.headers['content-type'] ?? '', 'json');
      if (rule === 'D1')
        assert.equal(got.headers, { ...headersOf(code, told), 'content-length': `${got.bytes.length}` });
      assert.equal(stand.logged, []);
    });
  }
}

/** The first error as the tables write it, or `ok`. */
function read({ text, headers }: Got): { readonly code: string; readonly told: string } {
  const { errors } = headers['content-encoding'] === undefined ? JSON.parse(text) : { errors: undefined };
  if (errors === undefined) return { code: 'ok', told: 'ok' };
  const [{ message, locations, extensions }] = errors;
  const { code, reason, reasons = [] } = extensions;
  const where = locations === undefined ? reason : Object.values(locations[0]).join(':');
  const why = reasons.length === 0 ? '' : ` ${reasons.join('; ')}`;
  return { code, told: `${code}: ${message}${where === undefined ? '' : ` (${where})`}${why}` };
}

/** All headers of a refusal, but its length. */
function headersOf(code: string, told: string): Readonly<Record<string, string>> {
  const isFromRouter = code === 'NOT_FOUND' || code === 'METHOD_NOT_ALLOWED';
  const [, allow] = /here: only (.*)\.$/.exec(told) ?? [];
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After',
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    vary: isFromRouter ? 'Accept-Encoding' : 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key',
    ...(allow !== undefined && { allow }),
  };
}

hostile.run();
