/** E2: the summary of an event without one of its own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { summaryOf } from '../../src/calendar/summary.ts';
import { assertAtMost } from '../helpers/assertions.ts';
import { validatedEvents } from '../helpers/native-source.ts';

const test = suite('summaries');

const LONG = 'ord '.repeat(60).trim();

/** Markup, and what becomes of it. */
const CASES: readonly (readonly [title: string, markup: string, summary: string | null])[] = [
  [
    'a short text whole',
    '<p>Kor &amp; <b>or</b>kester.</p>\n<ul><li>Kaffe</li></ul>',
    'Kor & orkester. Kaffe',
  ],
  [
    'one blank for white space of any kind',
    ' Kor\u00a0og  orkester\n\t i \u2003 byen. ',
    'Kor og orkester i byen.',
  ],
  ['nothing of markup without a text', '<p> <br></p>', null],
  ['whole sentences', `<p>Koret synger. Det blir kaffe!</p><p>${LONG}</p>`, 'Koret synger.'],
  ['two sentences', `Koret synger. Det blir kaffe! Velkommen ${LONG}`, 'Koret synger. Det blir kaffe!'],
  [
    'no abbreviation for a sentence',
    `Dørene åpner kl. 18, f.eks. ${LONG}`,
    `Dørene åpner kl. 18, f.eks. ${'ord '.repeat(42)}ord…`,
  ],
  ['whole words', LONG, `${'ord '.repeat(49)}ord…`],
  ['no comma before the ellipsis', `${'ord '.repeat(49)}or, ${LONG}`, `${'ord '.repeat(49)}or…`],
  ['a part of a word that is longer', 'a'.repeat(300), `${'a'.repeat(199)}…`],
  ['no half of a character', `${'a'.repeat(198)}😀😀`, `${'a'.repeat(198)}…`],
];

for (const [title, markup, summary] of CASES) {
  test(`E2: should have ${title}`, () => {
    const found = summaryOf(markup);
    assert.is(found, summary);
    assertAtMost((found ?? '').length, 200, 'letters');
  });
}

test('E2, G12: should keep 300 characters of a record’s own, and report the rest', async () => {
  const dates = [{ start: '2026-12-01 19:30' }];
  const { events, findings } = await validatedEvents([
    { id: 'e', title_nb: 'Kor', dates, summary_nb: `Kort <b>sagt</b> ${'ord '.repeat(100)}` },
  ]);
  assert.is(events[0]?.summary_nb, `Kort sagt ${'ord '.repeat(72)}ord`.slice(0, 300).replace(/ \S*$/, ''));
  assert.ok(
    findings.some(({ action, field }) => action === 'cut text' && field === 'summary_nb'),
    JSON.stringify(findings),
  );
});

test.run();
