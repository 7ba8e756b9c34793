/** F15: decisions in correction sheets on which events are the same. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ofDeskSheet, shownAfter } from '../../../../helpers/corrections.ts';
import { temporaryFolder } from '../../../../helpers/folder.ts';
import { type Files, LICENCE } from '../../../../helpers/native-source.ts';
import { CHOIR, DESK, KINO, pageOf, shownWithSheet, withSheet } from './town.ts';

const test = suite('F15: decisions in correction sheets');

/** The head of a sheet with decisions on duplicates. */
const DECISIONS = 'Id;Samme som;Ikke samme som;Merknad';

test('F15: should join the events that a sheet calls the same, from build to build', async () => {
  const target = temporaryFolder();
  const next = (rows: readonly string[], files: Files = {}) =>
    shownAfter(withSheet([DECISIONS, ...rows].join('\n'), files), { target });
  const all = ['fest:dans', 'fest:quiz', 'fest:tog', 'kino:film', 'kor'];
  assert.equal((await next([])).ids, all);
  const rows = ['fest:quiz;Film;;', `${pageOf('korovelse')};"${pageOf('sanddans')}?date=2026-02-06T20:00";;`];
  // The pages of the second build lead to the joined events, but name the others all the same.
  for (const note of ['a', 'b']) {
    const { ids, lines, report } = await next([...rows, `;;;${note}`, `fest:tog;fest:tog;;${note}`]);
    assert.equal(ids, ['fest:quiz', 'fest:tog', 'kor']);
    assert.equal(ofDeskSheet(lines), [
      'feed desk:5 "fest:tog" Samme som: left out, expected an event other than that of the row, found "fest:tog"',
    ]);
    assert.is(report.merged, 2);
  }
  // An event that is gone needs no decision any more.
  const without = await next(rows, { 'kino.csv': KINO.replace('film,Film', 'revy,Revy') });
  assert.equal(
    [without.ids, ofDeskSheet(without.lines)],
    [['fest:quiz', 'fest:tog', 'kino:revy', 'kor'], []],
  );
  assert.equal((await next([])).ids, all);
});

test('F15: should keep apart what a sheet calls different, unless duplicates.json joins it', async () => {
  const program = 'https://fest.example/program';
  const linked = ['n1', 'n2'].map((id) => ({ ...CHOIR, id, title_nb: id, eventLink: program }));
  const files: Files = {
    'licence.json': { ...LICENCE, duplicates: 'merge' },
    'events.json': [CHOIR, ...linked],
    'kino.csv': `${KINO}q,Quiz,2026-02-05 19:00\n`,
    'duplicates.json': { same: [['fest:dans', 'kino:film']], different: [['fest:tog', 'kor']] },
  };
  assert.not.match((await shownAfter(withSheet(DECISIONS, files))).ids.join(), 'kino:q');
  const rows = [
    'fest:quiz;kor;kor, kino:q;',
    'fest:quiz;;"kor; kino:q";',
    'fest:dans;;kino:film;',
    'kor;"fest:tog; borte";;',
    `kor;${program};;`,
    'fest:quizz;kor;;',
  ];
  const { ids, lines } = await shownAfter(withSheet([DECISIONS, ...rows].join('\n'), files));
  assert.equal(ids, ['fest:dans', 'fest:quiz', 'fest:tog', 'kino:q', 'kor', 'n1', 'n2']);
  assert.equal(ofDeskSheet(lines).sort(), [
    'feed desk:2 "fest:quiz" Ikke samme som: left out, expected the id of an event of this build, found "kor, kino:q"',
    'feed desk:2 "fest:quiz" Samme som: dropped value, expected nothing, because Ikke samme som in feed desk:3 keeps these events apart, found "kor"',
    'feed desk:4 "fest:dans" Ikke samme som: dropped value, expected nothing, because duplicates.json joins these events, found "kino:film"',
    'feed desk:5 "kor" Samme som: dropped value, expected nothing, because duplicates.json keeps these events apart, found "fest:tog"',
    'feed desk:5 "kor" Samme som: left out, expected the id of an event of this build, found "borte"',
    'feed desk:6 "kor" Samme som: left out, expected the id of an event, because several have this address (n1, n2), found "https://fest.example/program"',
    'feed desk:7 Id: left out, expected the id of an event of this build; the nearest is "fest:quiz", found "fest:quizz"',
  ]);
});

test('F15: should limit the decisions of a sheet to the records of its feeds', async () => {
  const rows = ['fest:quiz;kino:film;;', 'kor;fest:tog;;', 'fest:dans;fest:tog;;'];
  const sheet = [`${DECISIONS};Tittel`, ...rows.map((row) => `${row};`), 'kino:film;fest:quiz;;;A'];
  const { ids, lines } = await shownWithSheet(sheet.join('\n'), {}, { feeds: ['fest'] });
  assert.equal(ids, ['fest:dans', 'fest:quiz', 'kino:film', 'kor']);
  assert.equal(ofDeskSheet(lines).sort(), [
    'feed desk:2 "fest:quiz" Samme som: left out, expected an event of fest, found one of kino',
    "feed desk:3 Id: left out, expected an event of fest, found one of the folder's own records",
    'feed desk:5 Id: left out, expected an event of fest, found one of kino',
  ]);
});

test('F15: should join the folder’s own records by a sheet, in a calendar without other feeds', async () => {
  const own = ['n1', 'n2', 'n3'].map((id) => ({ ...CHOIR, id, title_nb: id }));
  const files = withSheet('Id;Samme som;Tittel\nn1;n3;A', { 'events.json': own, 'sources.json': [DESK] });
  const { ids, event } = await shownAfter(files);
  assert.equal([ids, event('n1').title_nb], [['n1', 'n2'], 'A']);
});

test.run();
