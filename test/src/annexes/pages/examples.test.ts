/** The programs that the developer page shows. `npm test -- readme` runs those of docs/clients.md; here they are the page's own. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { groupsIn, plainText } from '../../../helpers/html.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';
import { isExpected, when } from '../../../helpers/when.ts';
import { theBlock } from '../../../readme/blocks.ts';

interface Context {
  running: Running;
  /** The code of each example by its name. */
  shown: ReadonlyMap<string, string>;
}

const examples = suite<Context>('examples');

/** A calendar with one event of one category and two of another. */
const SOURCE = {
  'licence.json': {
    id: 'x',
    name: 'X',
    siteUrl: 'https://x.example',
    categories: ['FEW', 'MANY'].map((id) => ({ id, name_nb: id, name_en: id })),
  },
  'events.json': ['FEW', 'MANY', 'MANY'].map((category, nth) => ({
    id: `e${nth}`,
    title_nb: 'Kor',
    categories: [category],
    dates: [{ start: '2026-11-21 19:00' }],
  })),
};

const PROGRAM = /<h3 id="example-(\w+)"[\s\S]*?<pre[^>]*><code>([\s\S]*?)<\/code><\/pre>/g;

examples.before(async (context) => {
  const clock = () => Date.parse('2026-11-20T10:17:00Z');
  context.running = await startPages({ clock, source: sourceFolder(SOURCE) });
  const { text } = await context.running.send('/?lang=en');
  context.shown = new Map(groupsIn(text, PROGRAM).map(([name = '', code]) => [name, plainText(code)]));
});
examples.after(({ running }) => running.close());

/** Programs of docs/clients.md, by the name of their example. */
const FILES = {
  fetch: 'events.mjs',
  apollo: 'apollo.mjs',
  urql: 'urql.mjs',
  python: 'events.py',
};

examples('should show curl and each program of docs/clients.md, and no other', ({ shown }) => {
  assert.equal([...shown.keys()].sort(), ['curl', ...Object.keys(FILES)].sort());
});

for (const [name, file] of Object.entries(FILES)) {
  examples(`should show ${file} for ${name}, with the calendar's own address and category`, (context) => {
    const { text } = theBlock({ file: new RegExp(`^${file}$`) });
    const ownText = text
      .replaceAll('http://localhost:4000', context.running.url)
      .replaceAll(/'MUSIC'|"MUSIC"/g, '"MANY"');
    assert.is(context.shown.get(name), ownText.trimEnd());
  });
}

examples('should ask for the category with the most events', ({ shown }) => {
  assertIncludes(shown.get('fetch') ?? '', 'categories: ["MANY"]');
});

when(
  isExpected('curl'),
  'curl is not installed here',
  examples,
)('should show a curl command that prints the answer of the endpoint', async ({ running, shown }) => {
  const { stdout } = await promisify(execFile)('sh', ['-c', shown.get('curl') ?? '']);
  const answer = await running.post('{ events(pageSize: 5) { data { title_nb startDate } } }');
  assert.is(stdout, answer.text);
});

examples.run();
