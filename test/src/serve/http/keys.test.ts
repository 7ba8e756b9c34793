/** D14: the cache keys of requests. */
import { hash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createGraphQLEndpoint,
  type GraphQLHttpRequest,
} from '../../../../src/serve/http/graphql-endpoint.ts';
import { assertBelow } from '../../../helpers/assertions.ts';

const KB = 1_024;

const endpoint = createGraphQLEndpoint({
  executeRequest: async () => {
    throw new Error('expected no execution');
  },
  notice: () => '',
  queries: undefined,
  explainJson: undefined,
});

const keyOf = (body: Buffer): string => endpoint.keyOf({ ...REQUEST, body });

const REQUEST: Omit<GraphQLHttpRequest, 'body'> = {
  method: 'POST',
  path: '/graphQL',
  search: '',
  headers: {},
  arrivedAt: 0,
  caller: {
    attribution: { kind: 'anonymous', name: undefined, application: undefined, pageHost: undefined },
    hasKeyInUrl: false,
  },
};

const test = suite('keys of requests');

test('D14: should take no second copy of the longest bodies, of which 256 may wait', () => {
  const keys = Array.from({ length: 256 }, (_, nth) => keyOf(Buffer.alloc(256 * KB, nth)));
  assert.is(new Set(keys).size, keys.length);
  const bytes = keys.reduce((sum, key) => sum + key.length, 0);
  assertBelow(bytes, 32 * KB, 'bytes of keys');
});

test('D14: should take at most 8 KiB for a key, and never the same one for two bodies', () => {
  for (const length of [0, 1, 8 * KB, 8 * KB + 1, 256 * KB]) {
    const body = Buffer.alloc(length, 32);
    assert.is(keyOf(body), keyOf(Buffer.from(body)), `${length} bytes`);
    assertBelow(keyOf(body).length, 9 * KB, `bytes for a body of ${length}`);
    const others = [Buffer.alloc(length + 1, 32), Buffer.from(hash('sha256', body, 'base64'))];
    if (length > 0) others.push(Buffer.concat([body.subarray(1), Buffer.from('x')]));
    for (const other of others) assert.is.not(keyOf(other), keyOf(body), `${length} bytes`);
  }
});

test.run();
