/** G12: the greatest lengths of texts and lists, and the cost of cutting longer ones. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cutMarkup, cutText } from '../../../jobs/validate/lengths.ts';
import { safeMarkup } from '../../../jobs/validate/sanitize.ts';
import { description, longLine } from '../../../jobs/validate/texts.ts';
import { assertAbove, assertAtMost, assertDefined } from '../../helpers/assertions.ts';
import { costOf, costsAtMost } from '../../helpers/cost.ts';
import { hostileText } from '../../helpers/hostile-texts.ts';
import { LICENCE, validatedEvents } from '../../helpers/native-source.ts';

const WORDS = 'kor og korps '.repeat(40_000);
const dates = [{ start: '2026-12-01 19:30' }];

type Validated = Awaited<ReturnType<typeof validatedEvents>>;

interface Context extends Pick<Validated, 'findings' | 'summary'> {
  event: Validated['events'][number];
}

const long = suite<Context>('G12: a record with long texts');

long.before(async (context) => {
  const { events, findings, summary } = await validatedEvents(
    [
      {
        id: 'e',
        title_nb: WORDS,
        desc_nb: `<ul><li><b>${WORDS}</b></li></ul>`,
        desc_en: `<p>${'&'.repeat(3_900_000)}`,
        tags: [WORDS],
        ageRestriction: WORDS,
        moreInfoURL: `https://example.org/${'a'.repeat(2_100)}`,
        images: [{ urlLarge: 'https://example.org/a.jpg', alt: WORDS, caption: WORDS }],
        prices: [{ type: 'REGULAR', name_nb: WORDS }],
        contact_from: WORDS,
        venue: 'v',
        dates: [{ start: '2026-12-01 19:30', prices: [{ type: WORDS, name_en: WORDS }] }],
      },
    ],
    {
      'venues.json': [{ id: 'v', name: WORDS, address: WORDS }],
      'organizers.json': [{ id: 'o', name: WORDS }],
      'licence.json': { ...LICENCE, attribution: WORDS },
    },
  );
  const [event] = events;
  assertDefined(event, 'an event');
  Object.assign(context, { event, findings, summary });
});

long('G12: should be cut at a word, and its markup be closed', ({ event }) => {
  assert.is(event.title_nb, WORDS.slice(0, 299).trimEnd());
  assert.match(event.desc_nb ?? '', /^<ul><li><b>kor og[^<]*<\/b><\/li><\/ul>$/);
  assert.match(event.desc_en ?? '', /^<p>(&amp;)+<\/p>$/);
});

long('G12: should lose a URL that is too long, because a part of it leads elsewhere', ({ event }) => {
  assert.is(event.moreInfoURL, null);
});

interface CutText {
  readonly field: string;
  readonly of: (event: Context['event']) => string | null | undefined;
  /** Its length is above `least`, and at most `most`. */
  readonly least: number;
  readonly most: number;
}

const LINE = { least: 1_980, most: 2_000 };
const NAME = { least: 280, most: 300 };

const CUT: readonly CutText[] = [
  { field: 'desc_nb', of: ({ desc_nb }) => desc_nb, least: 19_900, most: 20_000 },
  { field: 'desc_en', of: ({ desc_en }) => desc_en, least: 19_700, most: 20_000 },
  { field: 'tags', of: ({ tags }) => tags[0], ...LINE },
  { field: 'ageRestriction', of: ({ ageRestriction }) => ageRestriction, ...LINE },
  { field: 'alt of an image', of: ({ images }) => images[0]?.alt, ...LINE },
  { field: 'caption of an image', of: ({ images }) => images[0]?.caption, ...LINE },
  { field: 'name_nb of a price', of: ({ prices }) => prices[0]?.name_nb, ...NAME },
  { field: 'name_en of a date’s price', of: ({ dates }) => dates[0]?.prices?.[0]?.name_en, ...NAME },
];

for (const { field, of, least, most } of CUT) {
  long(`G12: should keep at most ${most} characters of ${field}, and little less`, ({ event }) => {
    const text = of(event) ?? '';
    assertAbove(text.length, least, `characters of ${field}`);
    assertAtMost(text.length, most, `characters of ${field}`);
  });
}

long('G12: should have each cut reported, as no loss', ({ findings, summary }) => {
  const cut = findings.filter(({ action }) => action === 'cut text');
  assert.is(summary.actions['cut text'], cut.length);
  assert.equal(
    cut.map(({ id, field, expected }) => `${id} ${field}: ${expected}`),
    [
      'trondheim attribution: at most 2000 characters',
      'v name: at most 300 characters',
      'v address: at most 2000 characters',
      'o name: at most 300 characters',
      'e title_nb: at most 300 characters',
      'e desc_nb: at most 20000 characters',
      'e desc_en: at most 20000 characters',
      'e tags[0]: at most 2000 characters',
      'e images[0].alt: at most 2000 characters',
      'e images[0].caption: at most 2000 characters',
      'e prices[0].name_nb: at most 300 characters',
      'e moreInfoURL: at most 2048 characters',
      'e ageRestriction: at most 2000 characters',
      'e contact_from: at most 2000 characters',
      'e dates[0].prices[0].type: at most 2000 characters',
      'e dates[0].prices[0].name_en: at most 300 characters',
    ],
  );
  assert.is(summary.lists.events.dropped, 0);
});

long.run();

const test = suite('G12: lengths');

test('G12: should keep 100 tags, prices, images and organizers, and report the number of all', async () => {
  const each = <Item>(make: (at: number) => Item) => Array.from({ length: 101 }, (_, at) => make(at));
  const prices = each(() => ({ type: 'REGULAR', price: 1 }));
  const lists = {
    tags: each((at) => `t${at}`),
    organizers: each((at) => `o${at}`),
    images: each(() => ({})),
    prices,
  };
  const { events, findings } = await validatedEvents(
    [{ id: 'e', title_nb: 'Konsert', ...lists, dates: [{ start: '2026-12-01 19:30', prices }] }],
    { 'organizers.json': each((at) => ({ id: `o${at}`, name: `Kor ${at}` })) },
  );
  const [event] = events;
  const kept = {
    tags: event?.tags.length,
    organizers: event?.organizers.length,
    images: event?.images.length,
    prices: event?.prices.length,
    pricesOfDate: event?.dates[0]?.prices?.length,
  };
  assert.equal(kept, { tags: 100, organizers: 100, images: 100, prices: 100, pricesOfDate: 100 });
  assert.equal(
    findings.map(({ action, field, expected, found }) => `${field}: ${action}, ${expected}, ${found}`),
    [...Object.keys(lists), 'dates[0].prices'].map((field) => `${field}: dropped value, at most 100, 101`),
  );
});

test('G12: should keep a text of the greatest length, and drop a record whose id is longer', async () => {
  const whole = {
    id: 'i'.repeat(2_000),
    title_nb: 'a'.repeat(300),
    desc_nb: `<p>${'a'.repeat(19_993)}</p>`,
    moreInfoURL: `https://example.org/${'a'.repeat(2_028)}`,
    tags: ['t'.repeat(2_000)],
    dates,
  };
  const { events, findings } = await validatedEvents([whole, { ...whole, id: 'i'.repeat(2_001) }]);
  const { dates: _, ...texts } = whole;
  assert.equal(events, [{ ...events[0], ...texts }]);
  assert.equal(
    findings.map(({ action, field }) => `${field}: ${action}`),
    ['id: dropped record'],
  );
});

test('G12: should cut between words, within a very long word, and never within a character', () => {
  assert.is(cutText('Konsert i kveld', 11), 'Konsert i');
  assert.is(cutText('Konsert i kveld', 9), 'Konsert i');
  assert.is(cutText('a'.repeat(400), 300), 'a'.repeat(300));
  assert.is(cutText('😀'.repeat(400), 301), '😀'.repeat(150));
  assert.is(cutMarkup('<p>a &amp; b</p><p>c</p>', 17), '<p>a &amp; b</p>');
  assert.is(cutMarkup('<p>a &amp; b</p>', 11), '<p>a</p>');
  assert.is(cutMarkup(`<p>${'&amp;'.repeat(400)}</p>`, 1_000), `<p>${'&amp;'.repeat(180)}</p>`);
});

test('G12: should cut safe markup to safe markup, at any length', () => {
  fc.assert(
    fc.property(fc.array(hostileText, { maxLength: 30 }), fc.nat(200), (pieces, most) => {
      const cut = cutMarkup(safeMarkup(pieces.join(' kor ')).text, most);
      assertAtMost(cut.length, most, 'letters');
      assert.equal(safeMarkup(cut), { text: cut, taken: [] });
    }),
  );
});

/** Much markup around few words, or none: what of it is looked at is bounded, whatever its length. */
const DENSE: Readonly<Record<string, string>> = {
  elements: '<b>'.repeat(1_250_000),
  'elements with words': '<b>kor</b> '.repeat(350_000),
  'elements that are removed': '<x-y>kor</x-y>'.repeat(250_000),
  references: '&amp;'.repeat(800_000),
  'attributes of one element': `<b ${'a=1 '.repeat(950_000)}>kor`,
  'a tag without an end': `<p>kor<b ${'a '.repeat(1_900_000)}`,
};

for (const [what, text] of Object.entries(DENSE)) {
  test(`G12: should read no more of ${what} than ten times the length that is kept`, async () => {
    const subject = { origin: { file: 'f' }, id: null, reporter: { addFinding: () => cut++ } };
    let cut = 0;
    for (const [read, most] of [
      [description, 20_000],
      [longLine, 2_000],
    ] as const) {
      cut = 0;
      const beginning = text.slice(0, most * 10);
      const ofBeginning = await costOf(() => read(beginning, [], subject), { tries: 2 });
      await costsAtMost(5 * ofBeginning + 1, () => {
        assertAtMost(String(read(text, [], subject)).length, most, 'letters');
      });
      assertAbove(cut, 0, 'cuts');
    }
  });
}

test.run();
