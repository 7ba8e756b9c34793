/** G9, F12: pairs of events that are alike, and the groups of events that are one. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { similarityOf } from '../../../jobs/duplicates/alike.ts';
import { candidatePairs } from '../../../jobs/duplicates/candidates.ts';
import { type Comparable, titleWords } from '../../../jobs/duplicates/comparable.ts';
import { decide } from '../../../jobs/duplicates/decided.ts';
import type { Decisions } from '../../../jobs/duplicates/decisions.ts';
import { groupEvents } from '../../../jobs/duplicates/groups.ts';
import { momentOf } from '../../../jobs/event-dates.ts';
import { assertDefined } from '../../helpers/assertions.ts';
import { costsAtMost } from '../../helpers/cost.ts';

const test = suite('G9: likely the same');

interface Shown {
  readonly source?: string;
  readonly title?: string;
  readonly starts?: readonly number[];
  readonly place?: string | null;
  readonly isContainer?: boolean;
}

const HOUR = 3_600;

function events(shown: readonly Shown[]): readonly Comparable[] {
  return shown.map(
    ({ source, title = 'Julekonsert', starts = [0], place = 'hall', isContainer = false }, number) => ({
      number,
      feed: source ?? `${number}`,
      titles: [titleWords(title)],
      places: new Map(starts.map((start) => [momentOf(start, false), place])),
      isContainer,
      form: starts.length === 1 ? 'single' : null,
      ends: () => new Map(starts.map((start) => [momentOf(start, false), start])),
    }),
  );
}

const never = () => false;

function groupsOf(shown: readonly Shown[], decisions: Partial<Decisions> = {}): readonly string[] {
  const all = events(shown);
  const numbersById = new Map(all.map(({ number }) => [`e${number}`, number]));
  const options = { same: [], different: [], statements: [], ...decisions, numbersById, isPart: never };
  const found = groupEvents(all, options);
  return found.all.map(({ members }) => members.join(' '));
}

interface TitlePair {
  readonly left: string;
  readonly right: string;
  readonly reason: string | null;
}

const TITLES: readonly TitlePair[] = [
  { left: 'Julekonsert', right: 'JULEKONSERT!', reason: 'the same words' },
  { left: 'Kor og korps', right: 'Korps & kor', reason: 'the same words' },
  { left: 'Kor med korps', right: 'Kor m/ korps', reason: 'the same words' },
  { left: 'Julekonsert', right: 'Stor julekonsert i kirken', reason: 'one title within the other' },
  { left: 'Julekonsert', right: 'Julekonsrt', reason: 'typing errors' },
  { left: 'Stor julekonsert', right: 'Stor jule konsert', reason: 'typing errors' },
  { left: 'Uke 48', right: 'Uke 49', reason: null },
  { left: 'Juleverksted 1', right: 'Juleverksted 2', reason: null },
  { left: 'Juniorkor', right: 'Seniorkor', reason: null },
  { left: 'Kor A', right: 'Kor B', reason: null },
  { left: '!!!', right: '???', reason: null },
];

test('G9: should compare titles by their words, in either order', () => {
  for (const { left, right, reason } of TITLES)
    for (const [one, other] of [
      [left, right],
      [right, left],
    ]) {
      const [first, second] = events([{ title: one ?? '' }, { title: other ?? '' }]);
      assertDefined(first, 'an event');
      assertDefined(second, 'a second event');
      assert.is(similarityOf(first, second, never)?.reason ?? null, reason, `${one} / ${other}`);
    }
});

interface Pair {
  readonly what: string;
  readonly left: Shown;
  readonly right: Shown;
  readonly isAlike: boolean;
}

const PAIRS: readonly Pair[] = [
  { what: 'another minute', left: {}, right: { starts: [60] }, isAlike: false },
  { what: 'another second of the minute', left: {}, right: { starts: [59] }, isAlike: true },
  { what: 'another place', left: {}, right: { place: 'church' }, isAlike: false },
  { what: 'no place in one', left: {}, right: { place: null }, isAlike: true },
  { what: 'no place in either', left: { place: null }, right: { place: null }, isAlike: true },
  { what: 'one source, all equal', left: { source: 'a' }, right: { source: 'a' }, isAlike: true },
  {
    what: 'one source, a longer title',
    left: { source: 'a' },
    right: { source: 'a', title: 'Stor julekonsert' },
    isAlike: false,
  },
  {
    what: 'one source, one place',
    left: { source: 'a' },
    right: { source: 'a', place: null },
    isAlike: false,
  },
  { what: 'a container', left: {}, right: { isContainer: true }, isAlike: false },
  {
    what: 'half of the fewer dates',
    left: { starts: [0, HOUR] },
    right: { starts: [0, 5 * HOUR, 9 * HOUR] },
    isAlike: true,
  },
  {
    what: 'less than half of the fewer dates',
    left: { starts: [0, 1, 2].map((at) => at * HOUR) },
    right: { starts: [0, 70 * HOUR, 80 * HOUR] },
    isAlike: false,
  },
];

test('G9: should group two events by their starts and places', () => {
  for (const { what, left, right, isAlike } of PAIRS)
    assert.equal(groupsOf([left, right]), isAlike ? ['0 1'] : [], what);
  assert.not.equal(momentOf(0, true), momentOf(0, false), 'a whole day and its midnight');
});

test('G9: should group three events if all are alike, and none if two of them differ', () => {
  assert.equal(groupsOf([{}, {}, {}]), ['0 1 2']);
  // Both are within the first, and neither is like the other: nothing says which it is.
  assert.equal(
    groupsOf([{ title: 'Konsert' }, { title: 'Konsert Kor' }, { title: 'Konsert Korps og annet' }]),
    [],
  );
  assert.equal(groupsOf([{ place: null }, { place: 'hall' }, { place: 'church' }]), []);
  // The same words are more than some of them.
  assert.equal(groupsOf([{ title: 'Konsert' }, { title: 'Konsert' }, { title: 'Konsert Kor' }]), ['0 1 2']);
});

test('G9: should group two numbersById of one source with one of another', () => {
  assert.equal(groupsOf([{ source: 'a' }, { source: 'b' }, { source: 'b' }]), ['0 1 2']);
});

const OTHER = { title: 'Noe annet' };
interface Decision {
  readonly shown: readonly Shown[];
  readonly decisions: Partial<Decisions>;
  readonly groups: readonly string[];
}

const DECISIONS: readonly Decision[] = [
  { shown: [{}, {}, {}], decisions: { different: [['e0', 'e1']] }, groups: [] },
  { shown: [{}, {}, {}], decisions: { different: [['e0', 'e1']], same: [['e0', 'e2']] }, groups: ['0 2'] },
  { shown: [{}, {}, {}], decisions: { different: [['e0', 'e1', 'e2']] }, groups: [] },
  { shown: [{}, OTHER, {}], decisions: { same: [['e0', 'e1']] }, groups: ['0 1 2'] },
  { shown: [{}, OTHER], decisions: { same: [['e1', 'e0']] }, groups: ['0 1'] },
  { shown: [{}, {}], decisions: { same: [['e0', 'gone']] }, groups: ['0 1'] },
];

test('F12: should prefer the decisions of duplicates.json to likelihood', () => {
  for (const { shown, decisions, groups } of DECISIONS)
    assert.equal(groupsOf(shown, decisions), groups, JSON.stringify(decisions));
});

const said = (isSame: boolean, left: number, right: number) => ({ isSame, pair: [left, right] as const });

test('F15: should follow duplicates.json before sheets, and keep apart before it joins', () => {
  const shown = events(['a', 'b', 'c', 'd', 'e'].map((title) => ({ title })));
  const numbersById = new Map(shown.map(({ number }) => [`e${number}`, number]));
  const file = { same: [['e0', 'e1']], different: [['e1', 'e2']], numbersById, isPart: never };
  const statements = [
    said(true, 3, 4),
    said(true, 2, 0),
    said(false, 0, 1),
    said(true, 0, 3),
    said(false, 4, 0),
  ];
  const { all, rejected } = groupEvents(shown, { ...file, statements });
  assert.equal(
    all.map(({ members }) => members),
    [
      [0, 1],
      [3, 4],
    ],
  );
  const [, joinsApart, separatesJoined, joinsOthers, separates] = statements;
  assert.equal(rejected, [
    { statement: separatesJoined, because: null },
    { statement: joinsApart, because: null },
    { statement: joinsOthers, because: separates },
  ]);
});

test('F15: should bound the work for as many decisions as a sheet can have', async () => {
  const most = 40_000;
  const numbers = Array.from({ length: most / 2 }, (_, at) => at + 1);
  // One event is called the same as each of the others, and half of these different from the last.
  const statements = numbers.flatMap((other) => [said(true, 0, other), said(other % 2 === 0, other, most)]);
  const nothing = { same: [], different: [], numbersById: new Map<string, number>() };
  await costsAtMost(30, () => {
    const { rejected } = decide({ ...nothing, statements });
    assert.is(rejected.length, most / 4);
  });
});

test('G9: should find the same groups in any order of the sources', () => {
  const shown: readonly Shown[] = [
    { source: 'hall', title: 'Kor' },
    { source: 'town', title: 'Kor og korps' },
    { source: 'paper', title: 'Kro' },
    { source: 'region', title: 'Kor', place: null },
    { source: 'church', title: 'Kor', starts: [HOUR] },
  ];
  const rotated = Array.from(shown.keys(), (at) => [...shown.slice(at), ...shown.slice(0, at)]);
  const orders = [...rotated, ...rotated.map((order) => order.toReversed())];
  const sourcesOf = (order: readonly Shown[]) =>
    groupsOf(order).map((group) =>
      group
        .split(' ')
        .map((number) => order[Number(number)]?.source)
        .sort(),
    );
  for (const order of orders)
    assert.equal(
      sourcesOf(order),
      [['hall', 'region', 'town']],
      order.map(({ source }) => source).join(', '),
    );
});

/** Two sources of so many events that all start at once. */
const crowd = (count: number, title: (at: number) => string, place: (at: number) => string | null) =>
  events(
    Array.from({ length: count }, (_, nth) => {
      const at = nth % (count / 2);
      return { source: nth === at ? 'a' : 'b', title: title(at), place: place(at) };
    }),
  );

const numbered = (at: number) => `Kveld nummer ${at}`;
const apart = (at: number) => `p${at}`;
const CROWDS = {
  'titles and places of their own': (count: number) => crowd(count, numbered, apart),
  'one place': (count: number) => crowd(count, numbered, () => 'hall'),
  'one title and no place': (count: number) =>
    crowd(
      count,
      () => 'Konsert',
      () => null,
    ),
};

test('G9: should compare a number of pairs that grows linearly with the events', () => {
  for (const [what, of] of Object.entries(CROWDS)) {
    const count = (size: number) => [...candidatePairs(of(size))].length;
    const [fewer, more] = [count(1_000), count(8_000)];
    assert.ok(more <= 12 * Math.max(fewer, 1_000), `${what}: ${fewer} and ${more} pairs`);
  }
});

test('G9: should find the same title among thousands of events with one start', () => {
  const all = crowd(4_000, numbered, apart);
  const none = { same: [], different: [], statements: [], numbersById: new Map() };
  const found = groupEvents(all, { ...none, isPart: never });
  assert.is(found.all.length, 2_000);
  const distances = found.all.map(({ members: [first = 0, second = 0] }) => second - first);
  assert.equal([...new Set(distances)], [2_000]);
});

test.run();
