/** G9, F12: pairs of events that are alike, and the groups of events that are one. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { similarityOf } from '../../../jobs/duplicates/alike.ts';
import { candidatePairs } from '../../../jobs/duplicates/candidates.ts';
import { type Comparable, momentOf, titleWords } from '../../../jobs/duplicates/comparable.ts';
import type { Decisions } from '../../../jobs/duplicates/decisions.ts';
import { groupEvents } from '../../../jobs/duplicates/groups.ts';
import { assertDefined } from '../../helpers/assertions.ts';

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
    ({ source, title = 'Julekonsert', starts = [0], place = 'hall', isContainer = false }, entry) => ({
      entry,
      feed: source ?? `${entry}`,
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
  const entries = new Map(all.map(({ entry }) => [`e${entry}`, entry]));
  const found = groupEvents(all, { same: [], different: [], ...decisions, entries, isPart: never });
  return found.all.map(({ members }) => members.join(' '));
}

const TITLES: readonly (readonly [left: string, right: string, reason: string | null])[] = [
  ['Julekonsert', 'JULEKONSERT!', 'the same words'],
  ['Kor og korps', 'Korps & kor', 'the same words'],
  ['Kor med korps', 'Kor m/ korps', 'the same words'],
  ['Julekonsert', 'Stor julekonsert i kirken', 'one title within the other'],
  ['Julekonsert', 'Julekonsrt', 'typing errors'],
  ['Stor julekonsert', 'Stor jule konsert', 'typing errors'],
  ['Uke 48', 'Uke 49', null],
  ['Juleverksted 1', 'Juleverksted 2', null],
  ['Juniorkor', 'Seniorkor', null],
  ['Kor A', 'Kor B', null],
  ['!!!', '???', null],
];

test('G9: should compare titles by their words, in either order', () => {
  for (const [left, right, reason] of TITLES)
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

const PAIRS: readonly (readonly [what: string, left: Shown, right: Shown, isAlike: boolean])[] = [
  ['another minute', {}, { starts: [60] }, false],
  ['another second of the minute', {}, { starts: [59] }, true],
  ['another place', {}, { place: 'church' }, false],
  ['no place in one', {}, { place: null }, true],
  ['no place in either', { place: null }, { place: null }, true],
  ['one source, all equal', { source: 'a' }, { source: 'a' }, true],
  ['one source, a longer title', { source: 'a' }, { source: 'a', title: 'Stor julekonsert' }, false],
  ['one source, one place', { source: 'a' }, { source: 'a', place: null }, false],
  ['a container', {}, { isContainer: true }, false],
  ['half of the fewer dates', { starts: [0, HOUR] }, { starts: [0, 5 * HOUR, 9 * HOUR] }, true],
  [
    'less than half of the fewer dates',
    { starts: [0, 1, 2].map((at) => at * HOUR) },
    { starts: [0, 70 * HOUR, 80 * HOUR] },
    false,
  ],
];

test('G9: should group two events by their starts and places', () => {
  for (const [what, left, right, isAlike] of PAIRS)
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

test('G9: should group two entries of one source with one of another', () => {
  assert.equal(groupsOf([{ source: 'a' }, { source: 'b' }, { source: 'b' }]), ['0 1 2']);
});

const OTHER = { title: 'Noe annet' };
const DECISIONS: readonly (readonly [
  shown: readonly Shown[],
  decisions: Partial<Decisions>,
  groups: readonly string[],
])[] = [
  [[{}, {}, {}], { different: [['e0', 'e1']] }, []],
  [[{}, {}, {}], { different: [['e0', 'e1']], same: [['e0', 'e2']] }, ['0 2']],
  [[{}, {}, {}], { different: [['e0', 'e1', 'e2']] }, []],
  [[{}, OTHER, {}], { same: [['e0', 'e1']] }, ['0 1 2']],
  [[{}, OTHER], { same: [['e1', 'e0']] }, ['0 1']],
  [[{}, {}], { same: [['e0', 'gone']] }, ['0 1']],
];

test('F12: should prefer the decisions of duplicates.json to likelihood', () => {
  for (const [shown, decisions, groups] of DECISIONS)
    assert.equal(groupsOf(shown, decisions), groups, JSON.stringify(decisions));
});

test('G9: should find the same groups in any order of the sources', () => {
  const konsert = [{ title: 'Kor' }, { title: 'Kor og korps' }, { title: 'Kro' }];
  const shown = [...konsert, { place: null, title: 'Kor' }, { title: 'Kor', starts: [HOUR] }];
  const sizes = shown.map((_, at) =>
    groupsOf([...shown.slice(at), ...shown.slice(0, at)]).map((group) => group.split(' ').length),
  );
  for (const size of sizes) assert.equal(size, sizes[0]);
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

test('G9: MUST compare a number of pairs that grows linearly with the events', () => {
  for (const [what, of] of Object.entries(CROWDS)) {
    const count = (size: number) => [...candidatePairs(of(size))].length;
    const [fewer, more] = [count(1_000), count(8_000)];
    assert.ok(more <= 12 * Math.max(fewer, 1_000), `${what}: ${fewer} and ${more} pairs`);
  }
});

test('G9: should find the same title among thousands of events with one start', () => {
  const all = crowd(4_000, numbered, apart);
  const found = groupEvents(all, { same: [], different: [], entries: new Map(), isPart: never });
  assert.is(found.all.length, 2_000);
  const distances = found.all.map(({ members: [first = 0, second = 0] }) => second - first);
  assert.equal([...new Set(distances)], [2_000]);
});

test.run();
