/** Facets of a set, whichever way they are counted. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fold } from '../../../src/calendar/text.ts';
import { viewAt } from '../../../src/serve/query/view.ts';
import { countBits, emptyBitmap, hasBit, setBit } from '../../../src/snapshot/bitmaps.ts';
import { assertAbove } from '../../helpers/assertions.ts';
import { SAMPLE } from '../../helpers/build.ts';
import { startBuilt } from '../../helpers/running.ts';
import { BUILT_AT } from '../../helpers/sample.ts';

const PARTS = 5;

type Bitmap = ReturnType<typeof emptyBitmap>;

interface Context {
  facets: ReturnType<typeof viewAt>['facets'];
  /** A large set. */
  all: Bitmap;
  /** The same set, each row in one of them. */
  parts: readonly Bitmap[];
  stop: () => Promise<void>;
}

const test = suite<Context>('facets');

test.before(async (context) => {
  const { keeper, close } = await startBuilt(SAMPLE, BUILT_AT);
  const { snapshot, release } = keeper.pin();
  context.stop = async () => {
    release();
    await close();
  };
  const { facets, shownRows, columns } = viewAt(snapshot, BUILT_AT);
  const { length } = columns.event;
  const all = shownRows({ groupRepetitionsByDay: true });
  assertAbove(countBits(all), length / 2, 'rows in the set');
  context.facets = facets;
  context.all = all;
  context.parts = partsOf(all, length);
});

test.after(({ stop }) => stop());

test('C1: should count entities of a large set as those of its parts together', ({ facets, all, parts }) => {
  const whole = facets.count(all);
  for (const kind of ['venues', 'organizers', 'categories'] as const) {
    const sums = whole[kind].map((_, ordinal) =>
      parts.reduce((sum, part) => sum + (facets.count(part)[kind][ordinal] ?? 0), 0),
    );
    assert.equal(whole[kind], sums, kind);
    assertAbove(Math.max(...sums), 1, `nodes at the most for one of ${kind}`);
  }
});

test('C1: should count days of a large set as those of its parts together', ({ facets, all, parts }) => {
  const days = parts.flatMap((part) => facets.days(part));
  assertAbove(days.length, PARTS, 'days');
  for (const { day, hits } of facets.days(all))
    assert.is(hits, sumOf(days.filter((one) => one.day === day)), day);
  assert.is(sumOf(facets.days(all)), sumOf(days));
});

test('C1: should count tags of a large set as those of its parts together', ({ facets, all, parts }) => {
  const tags = parts.flatMap((part) => facets.tags(part));
  assertAbove(tags.length, PARTS, 'tags');
  for (const { tag, hits } of facets.tags(all))
    assert.is(hits, sumOf(tags.filter((one) => fold(one.tag) === fold(tag))), tag);
  assert.is(sumOf(facets.tags(all)), sumOf(tags));
});

function partsOf(all: Bitmap, length: number): readonly Bitmap[] {
  const parts = Array.from({ length: PARTS }, () => emptyBitmap(length));
  for (let row = 0; row < length; row++) {
    const part = parts[row % PARTS];
    if (part !== undefined && hasBit(all, row)) setBit(part, row);
  }
  return parts;
}

const sumOf = (found: readonly { readonly hits: number }[]) => found.reduce((sum, { hits }) => sum + hits, 0);

test.run();
