/** Values that name nothing give an empty list (B2); in the sandbox, where people learn, a note says which, and the nearest that does. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startPages } from '../../helpers/pages.ts';
import type { Running } from '../../helpers/running.ts';

const NOW = Date.parse('2026-11-20T12:00:00+01:00');
const HEADER = { 'Almanakk-Sandbox': 'notes', 'Accept-Language': 'en' };

const notes = suite<{ running: Running }>('notes of the sandbox');

notes.before(async (context) => {
  context.running = await startPages({ clock: () => NOW });
});

notes.after(({ running }) => running.close());

const nothing = (what: string, nearest: string) =>
  `${what} names nothing in this calendar. The nearest that does: ${nearest}.`;

for (const [filter, expected] of [
  ['categories: ["Musikk"]', [nothing('categories: "Musikk"', '"MUSIC" (Konsert og musikk)')]],
  [
    'categories: ["MUSIC", "music", "MUSIKC"]',
    [
      nothing('categories: "music"', '"MUSIC" (Konsert og musikk)'),
      nothing('categories: "MUSIKC"', '"MUSIC" (Konsert og musikk)'),
    ],
  ],
  [
    'notCategories: ["Zumba"]',
    [
      'notCategories: "Zumba" names nothing in this calendar, nor does anything like it. The query "categories" lists what does.',
    ],
  ],
  ['venueSlug: "Byscenen"', [nothing('venueSlug: "Byscenen"', '"byscenen" (Byscenen)')]],
  [
    'venues: ["studentersamfunnet"]',
    [nothing('venues: "studentersamfunnet"', '"studentersamfundet" (Studentersamfundet i Trondhjem)')],
  ],
  ['municipality: "Tronheim"', [nothing('municipality: "Tronheim"', '"Trondheim"')]],
  ['municipality: "5001"', []],
  ['categories: ["MUSIC"], municipality: "trondheim", venueSlug: "byscenen"', []],
  ['searchTerm: "Musikk"', []],
] as const) {
  notes(`should say which value names nothing: ${filter}`, async ({ running }) => {
    assert.equal(await notesOf(running, `{ events(filter: { ${filter} }) { totalCount } }`), expected);
  });
}

notes('should speak the language of the page', async ({ running }) => {
  const query = encodeURIComponent(
    '{ events(filter: { categories: ["Musikk"], tag: "qqqq" }) { totalCount } }',
  );
  const response = await fetch(`${running.url}/graphQL/notes?query=${query}&lang=nb`, { headers: HEADER });
  assert.equal(await response.json(), {
    notes: [
      'categories: "Musikk" er ikke navnet på noe i denne kalenderen. Nærmest ligger "MUSIC" (Konsert og musikk).',
      'tag: "qqqq" er ikke navnet på noe i denne kalenderen, og ingenting ligner. Spørringen "events { tags }" viser det som finnes.',
    ],
  });
});

notes('should look into variables, aliases and fragments', async ({ running }) => {
  const query = `query Q($filter: Filter, $slug: String) { a: events(filter: $filter) { totalCount } ...Rest }
    fragment Rest on Query { events(filter: { venueSlug: $slug }) { totalCount } }`;
  const variables = { filter: { categories: ['Musikk'] }, slug: 'Byscenen' };
  assert.equal(await notesOf(running, query, variables), [
    nothing('categories: "Musikk"', '"MUSIC" (Konsert og musikk)'),
    nothing('venueSlug: "Byscenen"', '"byscenen" (Byscenen)'),
  ]);
});

notes(
  'should have nothing to say of a query that cannot be read, or of too many values',
  async ({ running }) => {
    assert.equal(await notesOf(running, '{ events(filter: {'), []);
    assert.equal(await notesOf(running, '{ nothing }'), []);
    assert.equal(await notesOf(running, 'query($f: Filter!) { events(filter: $f) { totalCount } }', {}), []);
    const many = Array.from({ length: 100 }, (_, at) => `"x${at}"`).join();
    const found = await notesOf(running, `{ events(filter: { categories: [${many}] }) { totalCount } }`);
    assert.is(found.length, 5);
  },
);

notes(
  'should be given to the sandbox alone: without its header there is nothing at that path',
  async ({ running }) => {
    const address = addressOf('{ events { totalCount } }');
    const plain = await running.send(address);
    assert.is(plain.status, 404);
    assert.is(JSON.parse(plain.text).errors[0].extensions.code, 'NOT_FOUND');
    assert.is((await running.send(address, { headers: HEADER })).headers['cache-control'], 'no-store');
  },
);

notes('should change no other answer: neither its bytes nor what the caches hold', async ({ running }) => {
  const query = '{ events(filter: { categories: ["Musikk"] }) { totalCount data { id } } }';
  const cached = async () => {
    const { text } = await running.send('/metrics');
    return text.match(/^almanakk_reuse_(?:entries|bytes).*$/gm);
  };
  const before = await running.post(query);
  const held = await cached();
  assert.ok(held);
  assert.is((await notesOf(running, query)).length, 1);
  assert.equal(await cached(), held);
  assert.equal(await running.post(query, {}, HEADER), before);
});

notes.run();

function addressOf(query: string, variables: object = {}): string {
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  return `/graphQL/notes?${search}`;
}

async function notesOf(running: Running, query: string, variables?: object): Promise<readonly string[]> {
  const { status, text } = await running.send(addressOf(query, variables), { headers: HEADER });
  assert.is(status, 200);
  return JSON.parse(text).notes;
}
