/** What is read before anybody asks for it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readAhead } from '../../../src/annexes/ahead/ahead.ts';
import { createAnswer, isRefusal } from '../../../src/serve/graphql/answer.ts';
import { createExecute } from '../../../src/serve/graphql/operation.ts';
import { schema } from '../../../src/serve/graphql/schema.ts';
import type { Snapshot } from '../../../src/snapshot/open.ts';
import { BUILT_AT, openSample, type Sample, textOf, wholeSample } from '../../helpers/sample.ts';

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

test.run();
