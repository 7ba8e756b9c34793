/** P4, D4: the caller of a request, by its key, its client id and its page. A caller without a key gets a notice. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asked } from '../requests.ts';
import { GOOD_KEY, NOTICE, type Sent, type Stand, startStand } from './stand.ts';

const test = suite<{ stand: Stand }>('callers');

test.before(async (context) => {
  context.stand = await startStand();
});
test.after(({ stand }) => stand.close());

const VENUES = '{ venues { id name } }';
const DATA = { venues: [{ id: 'v1', name: 'Rådhuset' }] };

const ANONYMOUS = { kind: 'anonymous', name: undefined, application: undefined, pageHost: undefined };
const APPLICATION = { ...ANONYMOUS, kind: 'application', name: 'App', application: 'App' };
const OPERATOR = { ...ANONYMOUS, kind: 'operator', name: 'app/1.2' };
const KEY = { 'x-api-key': GOOD_KEY };
const page = (url: string) => ({ 'x-page-url': url });
const hosted = (pageHost: string) => ({ ...ANONYMOUS, pageHost });

interface CallCase {
  readonly title: string;
  readonly search: string;
  readonly headers: Sent['headers'];
  readonly caller: object;
}

const CALLS: readonly CallCase[] = [
  {
    title: 'nothing',
    search: '',
    headers: {},
    caller: ANONYMOUS,
  },
  {
    title: 'a valid key',
    search: '',
    headers: KEY,
    caller: APPLICATION,
  },
  {
    title: 'a garbage key',
    search: '',
    headers: { 'x-api-key': 'garbage' },
    caller: ANONYMOUS,
  },
  {
    title: 'a valid key in the URL',
    search: `?key=${GOOD_KEY}`,
    headers: {},
    caller: APPLICATION,
  },
  {
    title: 'a valid key in the URL, its name encoded',
    search: `?%6bey=${GOOD_KEY}`,
    headers: {},
    caller: APPLICATION,
  },
  {
    title: 'a garbage header before a valid parameter',
    search: `?key=${GOOD_KEY}`,
    headers: { 'x-api-key': 'x' },
    caller: ANONYMOUS,
  },
  {
    title: 'a valid header before a garbage parameter',
    search: '?key=garbage',
    headers: KEY,
    caller: APPLICATION,
  },
  {
    title: 'an empty header and a valid parameter',
    search: `?key=${GOOD_KEY}`,
    headers: { 'x-api-key': '' },
    caller: APPLICATION,
  },
  {
    title: 'a client id',
    search: '',
    headers: { 'x-client-id': 'app/1.2' },
    caller: OPERATOR,
  },
  {
    title: 'a client id and a key',
    search: '',
    headers: { 'x-client-id': 'app/1.2', ...KEY },
    caller: { ...OPERATOR, application: 'App' },
  },
  {
    title: 'a malformed client id',
    search: '',
    headers: { 'x-client-id': 'no version' },
    caller: { ...OPERATOR, name: undefined },
  },
  {
    title: 'a page',
    search: '',
    headers: page('https://by.example:8443/kalender?uke=3#x'),
    caller: hosted('by.example:8443'),
  },
  {
    title: 'a page with a password',
    search: '',
    headers: page('https://me:secret@by.example/'),
    caller: hosted('by.example'),
  },
  {
    title: 'a page and a key',
    search: '',
    headers: { ...page('http://by.example'), ...KEY },
    caller: { ...APPLICATION, pageHost: 'by.example' },
  },
  {
    title: 'a page that is garbage',
    search: '',
    headers: page('not a url'),
    caller: ANONYMOUS,
  },
  {
    title: 'an origin',
    search: '',
    headers: { origin: 'https://by.example:8443' },
    caller: hosted('by.example:8443'),
  },
  {
    title: 'a page and another origin',
    search: '',
    headers: { ...page('https://by.example/kalender'), origin: 'https://other.example' },
    caller: hosted('by.example'),
  },
  {
    title: 'the origin of a page that hides it',
    search: '',
    headers: { origin: 'null' },
    caller: ANONYMOUS,
  },
  {
    title: 'a page of another kind',
    search: '',
    headers: page('file:///etc/passwd'),
    caller: ANONYMOUS,
  },
  {
    title: 'a page of 2,048 characters',
    search: '',
    headers: page('https://by.example/'.padEnd(2_048, 'x')),
    caller: hosted('by.example'),
  },
  {
    title: 'a page of 2,049 characters',
    search: '',
    headers: page('https://by.example/'.padEnd(2_049, 'x')),
    caller: ANONYMOUS,
  },
];

for (const { title, search, headers, caller } of CALLS) {
  test(`P4, D4: should identify a caller with ${title}`, async ({ stand }) => {
    const hasKey = 'application' in caller && caller.application !== undefined;
    const sent = asked(VENUES, {}, headers);
    for (const _time of ['worked out', 'reused']) {
      const got = await stand.send(`/graphQL${search}`, sent);
      assert.equal(JSON.parse(got.text), {
        data: DATA,
        ...(!hasKey && { extensions: { notice: NOTICE } }),
      });
      assert.equal(stand.traffic.at(-1)?.caller, caller);
    }
  });
}

test.run();
