import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createIdentify } from '../../src/serve/http/caller.ts';

const identity = suite('identity');

/** What a call says about itself. */
interface Claims {
  readonly keyHeader?: string;
  readonly keyParameter?: string;
  readonly clientId?: string;
  readonly pageUrl?: string;
}

const identify = createIdentify((key) => (key === 'good' ? 'App' : undefined));

function attribute({ keyHeader, keyParameter, clientId, pageUrl }: Claims) {
  const headers = { 'x-api-key': keyHeader, 'x-client-id': clientId, 'x-page-url': pageUrl };
  const search = keyParameter === undefined ? '' : `key=${keyParameter}`;
  return identify({ headers, search }).attribution;
}

const ANONYMOUS = { kind: 'anonymous', name: undefined, application: undefined, pageHost: undefined };
const APPLICATION = { ...ANONYMOUS, kind: 'application', name: 'App', application: 'App' };

const CALLS: readonly (readonly [string, Claims, object])[] = [
  ['nothing', {}, ANONYMOUS],
  ['a valid key in the header', { keyHeader: 'good' }, APPLICATION],
  ['a valid key in the URL', { keyParameter: 'good' }, APPLICATION],
  [
    'an invalid header and a valid parameter (D4: the header wins)',
    { keyHeader: 'x', keyParameter: 'good' },
    ANONYMOUS,
  ],
  ['a valid header and an invalid parameter', { keyHeader: 'good', keyParameter: 'x' }, APPLICATION],
  ['an empty header and a valid parameter', { keyHeader: '', keyParameter: 'good' }, APPLICATION],
  ['an unknown key', { keyHeader: 'bad' }, ANONYMOUS],
  ['a client id', { clientId: 'app/1.2' }, { ...ANONYMOUS, kind: 'operator', name: 'app/1.2' }],
  [
    'a client id and a key',
    { clientId: 'app/1.2', keyHeader: 'good' },
    { ...ANONYMOUS, kind: 'operator', name: 'app/1.2', application: 'App' },
  ],
  ['a malformed client id', { clientId: 'no version' }, { ...ANONYMOUS, kind: 'operator' }],
  [
    'a page',
    { pageUrl: 'https://by.example:8443/kalender?uke=3#x' },
    { ...ANONYMOUS, pageHost: 'by.example:8443' },
  ],
  [
    'a page with a password in its URL',
    { pageUrl: 'https://me:secret@by.example/' },
    { ...ANONYMOUS, pageHost: 'by.example' },
  ],
  [
    'a page and a key',
    { pageUrl: 'http://by.example', keyHeader: 'good' },
    { ...APPLICATION, pageHost: 'by.example' },
  ],
  ['a page that is garbage', { pageUrl: 'not a url' }, ANONYMOUS],
  ['a page of another kind', { pageUrl: 'file:///etc/passwd' }, ANONYMOUS],
  ['a page with a very long URL', { pageUrl: `https://by.example/${'a'.repeat(3_000)}` }, ANONYMOUS],
];

for (const [call, claims, expected] of CALLS) {
  identity(`should attribute a call with ${call}`, () => {
    assert.equal(attribute(claims), expected);
  });
}

identity.run();
