/** B15: the filter's `ids` and `age`, at the endpoint and at the lists' addresses. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sourceFolder } from '../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../helpers/running.ts';

const test = suite<{ running: Running; seconds: number }>('ids and age');

const NOW = Date.parse('2031-06-01T08:00:00Z') / 1_000;
/** The id of a feed's event: the comma is part of it. */
const COMMA = 'choir:1,2';

const event = (id: string, more: object = {}) => ({
  id,
  title_nb: id,
  dates: [{ start: '2031-06-20 19:30' }],
  ...more,
});

const SOURCE = {
  'events.json': [
    event('child', { minimumAge: 3, maximumAge: 12 }),
    event('adult', { minimumAge: 18 }),
    event(COMMA),
    event('kept', { title_nb: 'Sommerkonsert' }),
    event('joined', { title_nb: 'Sommerkonsert' }),
    event('later', { publishingDate: '2031-06-10 00:00' }),
    event('morning', { dates: [{ start: '2031-06-01 10:30', end: '2031-06-01 11:00' }] }),
  ],
  'duplicates.json': { same: [['kept', 'joined']] },
};

test.before(async (context) => {
  context.seconds = NOW;
  context.running = await startBuilt(sourceFolder(SOURCE), NOW, { clock: () => context.seconds * 1_000 });
});
test.after(async ({ running }) => running.close());

async function asked({ post }: Running, filter: object) {
  const query = 'query ($filter: Filter) { events(filter: $filter) { totalCount data { id } } }';
  const { text } = await post(query, { variables: { filter } });
  const { data, errors, extensions } = JSON.parse(text);
  return {
    ids: data?.events.data.map(({ id }: { readonly id: string }) => id),
    reasons: errors?.[0].extensions.reasons,
    hints: extensions?.hints,
  };
}

test('B15: should find the events with one of the ids, merged ones by each of theirs', async ({
  running,
}) => {
  const { ids, hints } = await asked(running, { ids: ['joined', 'child', COMMA] });
  assert.equal(ids.toSorted(), ['child', COMMA, 'kept'].toSorted());
  assert.is(hints, undefined);
});

test('B14, B15: should name three ids that no visible event has, without suggestions', async ({
  running,
}) => {
  const { ids, hints } = await asked(running, { ids: ['chidl', 'later', 'child', 'a', 'b'] });
  assert.equal(ids, ['child']);
  const message = 'No event that is public and not over has this id.';
  const expected = ['chidl', 'later', 'a'].map((value) => ({ argument: 'ids', value, message }));
  assert.equal(hints, expected);
});

test('A9, B15: should answer alike for ids that are over, not public or unknown', async (context) => {
  context.seconds = NOW + 3 * 3_600;
  const { hints } = await asked(context.running, { ids: ['morning', 'later', 'never'] });
  context.seconds = NOW;
  const message = 'No event that is public and not over has this id.';
  assert.equal(
    hints.map((hint: { readonly message: string }) => hint.message),
    [message, message, message],
  );
});

test('B15: should take 1,000 different ids, and refuse more', async ({ running }) => {
  const many = Array.from({ length: 1_000 }, (_, at) => `e${at}`);
  assert.equal((await asked(running, { ids: [...many, ...many] })).ids, []);
  const { reasons } = await asked(running, { ids: [...many, 'one more'] });
  assert.match(reasons[0], /^ids: expected at most 1000 ids, found \["e0",/);
});

for (const age of [-1, 131]) {
  test(`B15: should refuse the age ${age}`, async ({ running }) => {
    const { reasons } = await asked(running, { age });
    assert.equal(reasons, [`age: expected a whole number of 0 to 130, found ${age}`]);
  });
}

for (const { age, without } of [
  { age: 0, without: ['adult', 'child'] },
  { age: 3, without: ['adult'] },
  { age: 12, without: ['adult'] },
  { age: 13, without: ['adult', 'child'] },
  { age: 18, without: ['child'] },
  { age: 130, without: ['child'] },
] as const) {
  test(`B15: should find the events for people of ${age}`, async ({ running }) => {
    const all: readonly string[] = (await asked(running, {})).ids;
    const expected = all.filter((id) => !without.some((other) => other === id));
    assert.equal((await asked(running, { age })).ids, expected);
  });
}

test('B15, I1: should repeat ids at an address, as they may have commas', async ({ running }) => {
  const idsAt = async (search: string) => {
    const { text } = await running.send(`/events.json?${search}`);
    return JSON.parse(text).events.map(({ id }: { readonly id: string }) => id);
  };
  assert.equal((await idsAt('ids=choir:1,2&ids=adult')).toSorted(), ['adult', COMMA].toSorted());
  assert.equal(await idsAt('ids=adult,child'), []);
  assert.equal(await idsAt('age=7&ids=child&ids=adult'), ['child']);
});

test('B15, I9: should have the number of ids and the age in the name of a list', async ({ running }) => {
  const nameAt = async (search: string) => {
    const { text } = await running.send(`/events.rss?${search}`);
    return /<title>(.*)<\/title>/.exec(text)?.[1] ?? '';
  };
  assert.match(await nameAt('ids=child&ids=adult&age=7'), /: 2 utvalgte arrangementer · for 7-åringer$/);
  assert.match(await nameAt('ids=child&lang=en&age=0'), /: 1 chosen event · for age 0$/);
});

test('B15, I9: should pass on ids one by one to the addresses of /subscribe, and to the embed', async ({
  running,
}) => {
  const { text } = await running.send('/subscribe?ids=choir:1,2&ids=adult', {
    headers: { accept: 'text/html' },
  });
  assert.match(text, 'events.ics?ids=choir:1,2&amp;ids=adult');
  assert.match(text.replaceAll(/<[^>]*>/g, ''), 'ids=&quot;choir:1,2 adult&quot;');
});

test.run();
