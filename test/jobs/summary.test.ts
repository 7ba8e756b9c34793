/** E2: the summary of an event without one of its own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { summaryOf } from '../../src/calendar/summary.ts';
import { assertAtMost } from '../helpers/assertions.ts';
import { validatedEvents } from '../helpers/native-source.ts';

const test = suite('summaries');

const LONG = 'ord '.repeat(60).trim();

interface SummaryCase {
  readonly title: string;
  readonly markup: string;
  readonly summary: string | null;
}

/** Descriptions and the summaries that are made of them. */
const CASES: readonly SummaryCase[] = [
  {
    title: 'a short text whole',
    markup: '<p>Kor &amp; <b>or</b>kester.</p>\n<ul><li>Kaffe</li></ul>',
    summary: 'Kor & orkester. Kaffe',
  },
  {
    title: 'one blank for white space of any kind',
    markup: ' Kor\u00a0og  orkester\n\t i \u2003 byen. ',
    summary: 'Kor og orkester i byen.',
  },
  { title: 'nothing of markup without a text', markup: '<p> <br></p>', summary: null },
  {
    title: 'whole sentences',
    markup: `<p>Koret synger. Det blir kaffe!</p><p>${LONG}</p>`,
    summary: 'Koret synger.',
  },
  {
    title: 'two sentences',
    markup: `Koret synger. Det blir kaffe! Velkommen ${LONG}`,
    summary: 'Koret synger. Det blir kaffe!',
  },
  {
    title: 'no abbreviation for a sentence',
    markup: `Dørene åpner kl. 18, f.eks. ${LONG}`,
    summary: `Dørene åpner kl. 18, f.eks. ${'ord '.repeat(42)}ord…`,
  },
  { title: 'whole words', markup: LONG, summary: `${'ord '.repeat(49)}ord…` },
  {
    title: 'no comma before the ellipsis',
    markup: `${'ord '.repeat(49)}or, ${LONG}`,
    summary: `${'ord '.repeat(49)}or…`,
  },
  { title: 'a part of a word that is longer', markup: 'a'.repeat(300), summary: `${'a'.repeat(199)}…` },
  { title: 'no half of a character', markup: `${'a'.repeat(198)}😀😀`, summary: `${'a'.repeat(198)}…` },
];

for (const { title, markup, summary } of CASES) {
  test(`E2: should have ${title}`, () => {
    const found = summaryOf(markup);
    assert.is(found, summary);
    assertAtMost(String(found).length, 200, 'letters');
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
