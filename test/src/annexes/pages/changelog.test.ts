/** K2: the changelog and its feed: planned changes, and the days on which they take effect. */
import { parse } from 'parse5';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { instantOf } from '../../../../src/calendar/time.ts';
import { events } from '../../../helpers/build.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { eachIn, plainText } from '../../../helpers/html.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { RAW_NOTICE } from '../../../helpers/notices.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';

const CHANGELOG = `# Changelog

Words before it.

## [Unreleased]

- **Interface**: new already.
- **Operation**: a
  new setting.
- Schema: \`sha256:1\`

### Fingerprints

- Schema: \`sha256:0\`

### Planned

- 2027-01-15 \`quota\`
  - nb: **Kvote uten nøkkel.** Spør om \`nøkkel\`.
  - en: **A quota without a key.** Ask for a \`key\`.

## [1.2.0] - 2026-01-20

### Added

- All of it.

#### For operators

- **Operation**: a new port.

#### For developers

- **Interface**: a field ([how](docs/api.md#page), [why](docs/upgrading.md#page)).

### For the machine room

- **Operation**: a new room.
`;

const MUSEUM = { id: 'MUSEUM', name_nb: 'Museum', name_en: 'Museum' };
const SOURCE = {
  'licence.json': { ...LICENCE, categories: [...LICENCE.categories, MUSEUM] },
  'events.json': events(3),
  'notices.json': [{ ...RAW_NOTICE, text_en: `${RAW_NOTICE.text_en}\uffff` }],
};

const at = (wall: string) => instantOf(Date.parse(`${wall}Z`) / 1_000) * 1_000;

interface Context {
  now: number;
  running: Running;
}

const changelog = suite<Context>('the changelog page');
const opened = closedAfterEach(changelog);

changelog.before(async (context) => {
  context.now = at('2026-01-15T12:00:00');
  const clock = () => context.now;
  context.running = await startPages({ source: sourceFolder(SOURCE), changelog: CHANGELOG, clock });
});

changelog.after(({ running }) => running.close());

const get = ({ running }: Context, path: string, headers: Readonly<Record<string, string>> = {}) =>
  running.send(path, { headers });

const headingsIn = (text: string) =>
  eachIn(text, /<h[123][^>]*>(.*?)<\/h[123]>/g).map((heading) => plainText(heading));

const BEFORE = at('2026-11-22T12:00:00');

changelog(
  'K2: should show planned changes first, in the order of their days, in Norwegian',
  async (context) => {
    context.now = BEFORE;
    const { text } = await get(context, '/changelog?lang=nb');
    assert.equal(headingsIn(text), [
      'Endringer',
      'Planlagte endringer',
      '15. januar 2027: Kvote uten nøkkel',
      '1. februar 2027: Kategorien «Museum» legges ned – følg med',
      'Siden 1.2.0, 20. januar 2026',
      '1.2.0, 20. januar 2026',
      'Added',
    ]);
  },
);

changelog('K2: should show planned changes first, in English', async (context) => {
  context.now = BEFORE;
  const { text } = await get(context, '/changelog', { 'accept-language': 'en' });
  assert.equal(headingsIn(text).slice(1, 4), [
    'Planned changes',
    '15 January 2027: A quota without a key',
    '1 February 2027: The category “Museum” is retired & replaced',
  ]);
  assert.match(text, '<p>Ask for a <code>key</code>.</p>');
  assert.match(text, 'is retired and replaced by <code>ART</code>');
});

changelog('K2: should leave out changes of operation and fingerprints', async (context) => {
  assert.not.match((await get(context, '/changelog?lang=nb')).text, /sha256|new setting/);
});

changelog('K2: should leave out headings under which nothing concerns callers', async (context) => {
  const { text } = await get(context, '/changelog?lang=en');
  assert.match(text, '<h4 id="for-developers">');
  assert.not.match(text, /For operators|machine room/);
});

changelog('K2: should link to the pages of the documentation that the server has', async (context) => {
  const { text } = await get(context, '/changelog?lang=en');
  assert.match(text, '<a href="docs/api#page">how</a>, why)');
  assert.is((await get(context, '/docs/api')).status, 200);
});

changelog('K2: should show the text of a change with code, and its categories', async (context) => {
  context.now = BEFORE;
  const { text } = await get(context, '/changelog?lang=nb');
  assert.match(text, '<p>Ærlig talt: på Røros også.</p>\n<p>Bruk <code>ART</code> der');
  assert.match(
    text,
    '<li><code>MUSEUM</code> legges ned og erstattes av <code>ART</code>, <code>MUSIC</code></li>',
  );
});

changelog('K2: should escape the text of a change, in valid HTML', async (context) => {
  context.now = BEFORE;
  const { text } = await get(context, '/changelog?lang=nb');
  assert.match(text, '&lt;nå&gt;');
  const errors: string[] = [];
  parse(text, { onParseError: ({ code }) => errors.push(code) });
  assert.equal(errors, []);
});

changelog('K2: should show a change as planned until midnight in Norway', async (context) => {
  context.now = at('2027-01-31T23:59:30');
  const { headers, text } = await get(context, '/changelog?lang=en');
  assert.is(headers['cache-control'], 'public, max-age=30');
  assert.equal(headingsIn(text).slice(1, 5), [
    'Planned changes',
    '1 February 2027: The category “Museum” is retired & replaced',
    'In effect',
    '15 January 2027: A quota without a key',
  ]);
});

changelog('K2: should show a change as in effect from its day on', async (context) => {
  context.now = at('2027-02-01T00:00:00');
  const { headers, text } = await get(context, '/changelog?lang=en');
  assert.is(headers['cache-control'], 'public, max-age=60');
  assert.equal(headingsIn(text).slice(1, 5), [
    'Planned changes',
    'In effect',
    '1 February 2027: The category “Museum” is retired & replaced',
    '15 January 2027: A quota without a key',
  ]);
  assert.match(text, '<p>No changes are planned.</p>');
});

changelog('K2: should give planned changes as RSS, with their day in their ids', async (context) => {
  context.now = BEFORE;
  const { headers, text } = await get(context, '/changelog.rss?lang=nb');
  assert.is(headers['content-type'], 'application/rss+xml; charset=utf-8');
  assert.is(headers['content-language'], 'nb');
  assert.equal(eachIn(text, /<guid isPermaLink="false">(.*)<\/guid>/g), [
    'interface:quota@2027-01-15',
    'calendar:museum-2027@2027-02-01',
  ]);
});

changelog('K2: should have no character in the feed that XML cannot express', async (context) => {
  context.now = BEFORE;
  const { text } = await get(context, '/changelog.rss?lang=en');
  assert.not.match(text, '\uffff');
  assert.match(text, 'Nothing else changes.');
});

changelog('K2: should give title, link and text of a change in its item', async (context) => {
  context.now = BEFORE;
  const { text } = await get(context, '/changelog.rss?lang=nb');
  const [, quota = '', museum = ''] = text.split('<item>');
  assert.match(quota, '<title>15. januar 2027: Kvote uten nøkkel</title>');
  const { url } = context.running;
  assert.match(museum, `<link>${url}/changelog?lang=nb#calendar:museum-2027@2027-02-01</link>`);
  // HTML as text: the XML's text is escaped once.
  assert.match(museum, '&lt;code&gt;MUSEUM&lt;/code&gt; &amp;lt;nå&amp;gt;');
});

changelog('K2: should link the feed from the page, and each item to its place there', async (context) => {
  context.now = BEFORE;
  const { text } = await get(context, '/changelog?lang=nb');
  assert.match(
    text,
    'type="application/rss+xml" title="Planlagte endringer (RSS)" href="changelog.rss?lang=nb"',
  );
  assert.match(text, 'id="calendar:museum-2027@2027-02-01"');
});

changelog('K2: should give the feed in the language of the reader', async (context) => {
  const { text } = await get(context, '/changelog.rss', { 'accept-language': 'en' });
  assert.match(text, '<language>en</language>');
});

changelog('K2: should answer 304 to a reader that has the feed', async (context) => {
  const { headers } = await get(context, '/changelog.rss?lang=nb');
  const again = await get(context, '/changelog.rss?lang=nb', { 'if-none-match': headers.etag ?? '' });
  assert.is(again.status, 304);
});

changelog('K2: should show planned changes without a snapshot, and no section without changes', async () => {
  const setup = {
    source: null,
    changelog: CHANGELOG.replace('- **Interface**: new already.\n', '').replace(
      '] - 2026-01-20',
      '] - Unreleased',
    ),
    clock: () => BEFORE,
  };
  const running = opened(await startPages(setup));
  const { text } = await running.send('/changelog?lang=en');
  assert.equal(headingsIn(text), [
    'Changes',
    'Planned changes',
    '15 January 2027: A quota without a key',
    '1.2.0, not released yet',
    'Added',
  ]);
});

changelog.run();
