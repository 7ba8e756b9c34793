/** The programs of the developer page: those of docs/clients.md, which `npm test -- readme` runs, for the page's own calendar. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupsIn, plainText } from '../../../helpers/html.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';
import { isInstalled, when } from '../../../helpers/when.ts';
import { theBlock } from '../../../readme/document.ts';

const examples = suite<{ running?: Running }>('examples');

examples.after(({ running }) => running?.close());

const PROGRAM = /<h3 id="example-(\w+)"[\s\S]*?<pre[^>]*><code>([\s\S]*?)<\/code><\/pre>/g;

const FILES = { fetch: 'events.mjs', apollo: 'apollo.mjs', urql: 'urql.mjs', python: 'events.py' };

when(
  isInstalled('curl'),
  'curl is not installed here',
  examples,
)('should show curl, fetch, Apollo, urql and Python, with a category that has events', async (context) => {
  const source = sourceFolder({
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
  });
  const running = await startPages({ clock: () => Date.parse('2026-11-20T10:17:00Z'), source });
  context.running = running;
  const { text } = await running.send('/?lang=en');
  const answer = await running.post('{ events(pageSize: 5) { data { title_nb startDate } } }');
  const { curl = '', ...programs } = Object.fromEntries(
    groupsIn(text, PROGRAM).map(([name, code]) => [name, plainText(code)]),
  );
  const { stdout } = await promisify(execFile)('sh', ['-c', curl]);
  assert.is(stdout, answer.text);
  const shown = (file: string) =>
    theBlock({ file: new RegExp(`^${file}$`) })
      .text.replaceAll('http://localhost:4000', running.url)
      .replaceAll(/'MUSIC'|"MUSIC"/g, '"MANY"');
  assert.equal(
    programs,
    Object.fromEntries(Object.entries(FILES).map(([name, file]) => [name, shown(file).trimEnd()])),
  );
  assert.match(programs.fetch ?? '', 'categories: ["MANY"]');
});

examples.run();
