/** What is read before anybody asks for it. */
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { create, readAhead } from '../../../src/annexes/ahead/ahead.ts';
import { createAnswer, isRefusal } from '../../../src/serve/graphql/answer.ts';
import { schema } from '../../../src/serve/graphql/executor.ts';
import { createExecute } from '../../../src/serve/graphql/operation.ts';
import type { Snapshot } from '../../../src/snapshot/open.ts';
import { BUILT_AT, openSample, type Sample, textOf, wholeSample } from '../../helpers/sample.ts';
import { until } from '../../helpers/until.ts';

const test = suite<Partial<Sample>>('reading ahead');

test.before(async (context) => {
  Object.assign(context, await openSample());
});
test.after(async ({ snapshot }) => snapshot?.close());

/** The snapshot, and the ordinals that are read of it from now on. */
function watched(context: Partial<Sample>): { readonly snapshot: Snapshot; readonly read: number[] } {
  const { snapshot } = wholeSample(context);
  const read: number[] = [];
  const eventBodies: Snapshot['eventBodies'] = (ordinals) => {
    read.push(...ordinals);
    return snapshot.eventBodies(ordinals);
  };
  return { snapshot: { ...snapshot, eventBodies }, read };
}

test('should read every event once, the next to come first, and leave none to requests', async (context) => {
  const { snapshot, read } = watched(context);
  await readAhead(snapshot, BUILT_AT, () => true);
  const { event, over, publishing } = snapshot.columns;
  const expected = [...new Set([...event].filter((_, row) => (over[row] ?? 0) > BUILT_AT))];
  assert.equal(read, expected);
  assert.is(read.length, publishing.length);

  const query = '{ events(pageSize: 1000) { data { id title_nb repetitions { startDate } } } }';
  const execute = createExecute((thrown: unknown) => {
    throw thrown;
  });
  const parameters = { query, variables: {}, operationName: undefined };
  const answered = await createAnswer({ schema, execute })(parameters, () => ({ snapshot, now: BUILT_AT }));
  if (isRefusal(answered)) throw new Error(answered.code);
  assert.ok(JSON.parse(textOf(answered.body)).data.events.data.length > 100);
  assert.is(read.length, publishing.length);
});

test('should leave off when nobody wants it any more', async (context) => {
  const { snapshot, read } = watched(context);
  await readAhead(snapshot, BUILT_AT, () => false);
  assert.ok(read.length > 0 && read.length < snapshot.columns.publishing.length, `${read.length} read`);
});

test('should begin after a thousand answers, and at once where the snapshot before gave as many', async (context) => {
  const first = watched(context);
  const second = watched(context);
  let current = first.snapshot;
  let admitted = 0;
  let adopt: (snapshot: Snapshot) => void = () => undefined;
  const { onListen } = create({
    keeper: {
      state: () => ({ current, adoptedAt: 0, lastRefusal: null }),
      pin: () => ({ snapshot: current, release: () => undefined }),
      onSwap: (listener) => {
        adopt = listener;
        return () => undefined;
      },
    },
    log: { warn: (fields: object) => assert.unreachable(JSON.stringify(fields)) },
    clock: () => BUILT_AT * 1_000,
    load: () => ({ working: 0, waiting: 0, bytes: 0, admitted, refused: 0 }),
    isStopping: () => false,
  });
  onListen?.();
  admitted = 999;
  await pause(QUIET_MS);
  assert.is(first.read.length, 0);

  admitted = 1_000;
  await until('events read', () => first.read.length > 0);
  current = second.snapshot;
  adopt(current);
  await until(
    'events of the next snapshot read',
    () => second.read.length === second.snapshot.columns.publishing.length,
  );

  const third = watched(context);
  current = third.snapshot;
  adopt(current);
  await pause(QUIET_MS);
  assert.is(third.read.length, 0);
  admitted = 2_000;
  await until('events of the third snapshot read', () => third.read.length > 0);
  current = first.snapshot;
});

/** Milliseconds of more than one look for requests. */
const QUIET_MS = 450;

test.run();
