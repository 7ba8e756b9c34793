/** F13, F15: events that rows of correction sheets name by the addresses of pages. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findingLine } from '../../../../../jobs/findings.ts';
import { NOW } from '../../../../helpers/calendar.ts';
import { ofDeskSheet, shownAfter } from '../../../../helpers/corrections.ts';
import { builtWithFeeds } from '../../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../../helpers/folder.ts';
import { LICENCE, sourceFolder } from '../../../../helpers/native-source.ts';
import { CHOIR, pageOf, withSheet } from './town.ts';

const test = suite('F15: pages in correction sheets');

test('F15: should find an event by its id and by the address of its page', async () => {
  const target = temporaryFolder();
  await builtWithFeeds(sourceFolder(withSheet('Id;Tittel')), target);
  const found: Readonly<Record<string, string>> = {
    'fest:quiz': 'fest:quiz',
    [`${pageOf('korovelse')}?id=7`]: 'kor',
    [`${pageOf('sanddans')}?date=2026-02-06T20:00#top`]: 'fest:dans',
    'https://avis.example/arrangement/fest%3Atog?dato=2026-02-08#kart': 'fest:tog',
    'https://avis.example/vis?id=kino:film&side=2': 'kino:film',
  };
  const rows = Object.keys(found).map((written, at) => `${written};T${at}`);
  const unknown = [pageOf('ukjent'), 'https://andre.example/event/quiz', 'fest:quizz'];
  const sheet = ['Id;Tittel', ...rows, ...unknown.map((written) => `${written};X`)].join('\n');
  const { event, lines } = await shownAfter(withSheet(sheet), { target });
  for (const [at, id] of Object.values(found).entries()) assert.is(event(id).title_nb, `T${at}`, id);
  assert.equal(ofDeskSheet(lines), [
    `feed desk:7 Id: left out, expected the address of a page that an earlier snapshot has, found "${unknown[0]}"`,
    `feed desk:8 Id: left out, expected an id, or the address of an event's page, such as https://lillevik.example/event/…, found "${unknown[1]}"`,
    'feed desk:9 Id: left out, expected the id of an event of this build; the nearest is "fest:quiz", found "fest:quizz"',
  ]);
});

const EVENT_PAGES = [
  'https://avisen.example/arrangement/{slug}?dato={date}',
  'https://lokalt.example/vis?side=1&arr={id}',
  'https://byen.example/#/kultur/{slug}/',
];

/** Addresses of pages on these sites, and the events that they name. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'http://AVISEN.example/arrangement/quiz/?dato=2026-02-05&utm_source=brev#kart': 'fest:quiz',
  'https://lokalt.example/vis?arr=fest%3Adans&side=1&ny=ja': 'fest:dans',
  'https://byen.example/?fra=brev#/kultur/fakkeltog': 'fest:tog',
};

/** Addresses of no such page. */
const OTHER_PAGES = [
  'https://avisen.example/artikkel/quiz',
  'https://avisen.example/arrangement/sport/quiz',
  'https://lokalt.example/vis?side=2&arr=kino:film',
  'https://byen.example/kultur/korovelse',
];

test('F13: should find events by the addresses that eventPages describes, and name these for others', async () => {
  const siteUrl = 'https://lillevik.example';
  const files = { 'licence.json': { ...LICENCE, siteUrl, eventPages: EVENT_PAGES } };
  const target = temporaryFolder();
  await builtWithFeeds(sourceFolder(withSheet('Id;Skjul', files)), target);
  const unknown = 'https://avisen.example/arrangement/ukjent';
  const rows = [...Object.keys(ELSEWHERE), unknown, ...OTHER_PAGES].map((address) => `${address};ja`);
  const { ids, lines } = await shownAfter(withSheet(['Id;Skjul', ...rows].join('\n'), files), { target });
  assert.equal(ids, ['kino:film', 'kor']);
  const pages =
    'https://lillevik.example/event/… or https://avisen.example/arrangement/… or https://lokalt.example/vis?side=1&arr=… or https://byen.example/#/kultur/…';
  assert.equal(ofDeskSheet(lines), [
    `feed desk:5 Id: left out, expected the address of a page that an earlier snapshot has, found "${unknown}"`,
    ...OTHER_PAGES.map(
      (address, at) =>
        `feed desk:${at + 6} Id: left out, expected an id, or the address of an event's page, such as ${pages}, found "${address}"`,
    ),
  ]);
});

test('F15: should find the pages of the calendar’s own site, and those that records name', async () => {
  const { siteUrl: _, ...licence } = LICENCE;
  const quiz = 'https://lillevik.example/kalender/kveldsquiz';
  const native = { id: 'q', title_nb: 'Quiz', eventLink: quiz, dates: [{ start: '2026-02-05 19:00' }] };
  const own = { 'licence.json': licence, 'events.json': [CHOIR, native] };
  const target = temporaryFolder();
  const ownUrl = 'https://kalender.example/';
  await builtWithFeeds(sourceFolder(withSheet('Id;Tittel', own)), target, { ownUrl });
  const sheet = `Id;Skjul\n${ownUrl}events/korovelse.html;ja\n${quiz}?utm_source=brev;ja`;
  const { report } = await builtWithFeeds(sourceFolder(withSheet(sheet, own)), target, { ownUrl });
  assert.equal([report.hidden, ofDeskSheet(report.findings.map(findingLine))], [2, []]);
});

/** The links of events, by their ids: pages of sites that name them after the path. */
const LINKED: Readonly<Record<string, string>> = {
  film: 'https://kino.example/vis?id=k42',
  revy: 'https://kino.example/vis?id=k43',
  torg: 'https://lillevik.example/?p=7',
  bod: 'https://lillevik.example/?p=8',
  kurs: 'https://fest.example/program#kurs',
  tur: 'https://fest.example/program#tur',
  lek: 'https://fest.example/#/lek?side=2&dag=1',
  mote: 'https://lillevik.example/arrangement?nr=1',
  vandring: 'https://lillevik.example/arrangement?nr=2',
};

/** Addresses of pages, and the events that have them. */
const HIDDEN: Readonly<Record<string, string>> = {
  'https://kino.example/vis?utm_source=brev&id=k42&fbclid=1': 'film',
  'https://lillevik.example/?p=8&gclid=1': 'bod',
  'https://fest.example/program#tur': 'tur',
  'https://lillevik.example/arrangement?nr=2': 'vandring',
};

/** Addresses of other pages with a path, a slug or an id of an event. */
const UNKNOWN = [
  'https://kino.example/vis',
  'https://kino.example/vis?id=k44',
  'https://lillevik.example/?p=9',
  'https://fest.example/program',
  'https://fest.example/kor#/tur',
  'https://lillevik.example/arrangement',
  'https://lillevik.example/arrangement?nr=3',
  'https://lillevik.example/korovelse?nr=3',
  'https://kino.example/kor?film=3',
];

test('F13: should tell pages apart by what stands after their path, and report addresses of other pages', async () => {
  const dates = [{ start: '2026-02-05 19:00' }];
  const linked = Object.entries(LINKED).map(([id, eventLink]) => ({ id, title_nb: id, eventLink, dates }));
  const files = { 'events.json': [CHOIR, ...linked] };
  const target = temporaryFolder();
  await builtWithFeeds(sourceFolder(withSheet('Id;Skjul', files)), target);
  const rows = [...Object.keys(HIDDEN), ...UNKNOWN].map((written) => `${written};ja`);
  const { ids, lines } = await shownAfter(withSheet(['Id;Skjul', ...rows].join('\n'), files), { target });
  const gone = Object.values(HIDDEN);
  const rest = ['kor', ...Object.keys(LINKED)].filter((id) => !gone.includes(id));
  assert.equal(
    ids.filter((id) => !id.includes(':')),
    rest.sort(),
  );
  const reported = ofDeskSheet(lines).map((line) => rows[Number(/\d+/.exec(line)) - 2]);
  assert.equal(reported, rows.slice(gone.length), ofDeskSheet(lines).join('\n'));
});

test('F15: should know a page from the second build on, although the source is the same', async () => {
  const source = sourceFolder(withSheet(`Id;Skjul\n${pageOf('quiz')};ja`));
  const target = temporaryFolder();
  const first = await builtWithFeeds(source, target);
  assert.is(first.report.hidden, 0);
  const second = await builtWithFeeds(source, target, { now: NOW + 900 });
  assert.equal([second.result.outcome, second.report.hidden], ['published', 1]);
  const third = await builtWithFeeds(source, target, { now: NOW + 1_800 });
  assert.is(third.result.outcome, 'unchanged');
  // A17: a slug without an event is free after 400 days, but not that of a hidden event.
  for (const days of [300, 600]) {
    const later = await builtWithFeeds(source, target, { now: NOW + days * 86_400, force: true });
    assert.is(later.report.hidden, 1, `after ${days} days`);
  }
});

test.run();
