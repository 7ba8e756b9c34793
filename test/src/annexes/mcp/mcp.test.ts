/** I14: the tools of `/mcp`: their arguments, answers and errors. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { assertAbove, assertAtMost, assertBelow } from '../../../helpers/assertions.ts';
import { called, NOW } from '../../../helpers/mcp-calls.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

const mcp = suite<{ running: Running }>('tools of /mcp');

mcp.before(async (context) => {
  context.running = await startBuilt(packagePath('data/sample'), NOW);
});
mcp.after(({ running }) => running.close());

mcp('I14: should give time with weekday, place, price and ages of an event', async ({ running }) => {
  const { words, found } = await called(running, 'find_events', { text: 'lørdagseventyr' });
  const [{ when, place, price, ages, start }] = found.events;
  assert.equal(
    { when, place, price, ages, start },
    {
      when: 'lørdag 28. november kl. 12.00–12.45',
      place: 'Trondheim folkebibliotek, hovedbiblioteket, Peter Egges plass 1, 7011 Trondheim',
      price: 'Gratis',
      ages: '3–7 år',
      start: '2026-11-28T12:00:00+01:00',
    },
  );
  for (const part of [when, place, price, ages]) assert.match(words, part);
});

mcp('I14: should give a link of an event that the server answers', async ({ running }) => {
  const { words, found } = await called(running, 'find_events', { text: 'lørdagseventyr' });
  const [{ link }] = found.events;
  assert.match(words, link);
  const { pathname, search } = new URL(link);
  assert.is((await running.send(pathname + search)).status, 200);
});

mcp('I14: should answer in English when asked to', async ({ running }) => {
  const { words } = await called(running, 'find_events', { text: 'lørdagseventyr', language: 'en' });
  assert.match(words, 'Saturday 28 November, 12:00–12:45');
  assert.match(words, 'ages 3–7');
});

interface Equivalent {
  readonly title: string;
  /** Arguments of `find_events` that all mean the filter. */
  readonly asked: readonly object[];
  readonly filter: object;
}

const EQUIVALENTS: readonly Equivalent[] = [
  {
    title: 'a category by its id, alone or in a list, and by its name in either language',
    asked: [
      { categories: ['MUSIC'] },
      { categories: 'konsert og musikk' },
      { categories: ['Concerts and music'] },
    ],
    filter: { categories: ['MUSIC'] },
  },
  {
    title: 'a municipality by its name and by its number',
    asked: [{ municipality: 'trondheim' }, { municipality: '5001' }],
    filter: { municipality: 'Trondheim' },
  },
  {
    title: 'a venue by its name, its slug and its id',
    asked: [{ venue: 'Nidarosdomen' }, { venue: 'nidarosdomen' }, { venue: 'ven-nidarosdomen' }],
    filter: { venues: ['nidarosdomen'] },
  },
  {
    title: 'an accessibility feature by its id and by a Norwegian word',
    asked: [{ accessibility: ['WHEELCHAIR'] }, { accessibility: ['rullestol'] }],
    filter: { accessibility: ['WHEELCHAIR'] },
  },
  {
    title: 'the last day as part of the window',
    asked: [{ from: '2026-11-28', until: '2026-11-29' }],
    filter: { fromDate: '2026-11-28', untilDate: '2026-11-30', groupRepetitionsByDay: true },
  },
  {
    title: 'an age and no price',
    asked: [{ age: 7, free: true }],
    filter: { age: 7, free: true },
  },
  {
    title: 'a tag with a capital',
    asked: [{ tag: 'Jazz' }],
    filter: { tag: 'jazz' },
  },
  {
    title: 'a position without a distance as ten kilometres',
    asked: [{ near: { latitude: 63.43, longitude: 10.4 } }],
    filter: { near: { latitude: 63.43, longitude: 10.4, km: 10 } },
  },
];

for (const { title, asked, filter } of EQUIVALENTS) {
  mcp(`I14: should understand ${title}`, async ({ running }) => {
    const query = 'query ($filter: Filter) { events(filter: $filter) { totalCount } }';
    const { events } = await running.ask<{ events: { totalCount: number } }>(query, { filter });
    assertAbove(events.totalCount, 0, 'events');
    for (const args of asked) {
      const { found } = await called(running, 'find_events', args);
      assert.is(found.total, events.totalCount, JSON.stringify(args));
    }
  });
}

interface WrongChoice {
  readonly args: object;
  readonly message: RegExp;
}

const WRONG: readonly WrongChoice[] = [
  {
    args: { categories: ['Konsrt'] },
    message: /^categories "Konsrt": .* The nearest is "MUSIC" \(Konsert og musikk\)\.$/,
  },
  { args: { municipality: 'Trondhjem' }, message: /The nearest is "Trondheim"/ },
  {
    args: { venue: 'Nidarosdommen' },
    message: /^venue "Nidarosdommen": .* The nearest is "nidarosdomen"/,
  },
  { args: { tag: 'jazzz' }, message: /The nearest is "jazz"/ },
  {
    args: { tag: 'qqqqqqqqqqqq' },
    message: /none is similar\. The tool list_choices lists them all\.$/,
  },
  {
    args: { perod: 'WEEKEND' },
    message: /^perod: there is no such argument, .*; the nearest is "period"$/,
  },
  { args: { period: 'NEXT' }, message: /^period: expected one of TODAY, .*, found "NEXT"$/ },
  { args: { age: 131 }, message: /^age: expected a whole number of 0 to 130, found 131$/ },
  {
    args: { from: 'lørdag' },
    message: /^from: expected a datetime in Norwegian time.*, found "lørdag"$/,
  },
  { args: { until: '2026-13-01' }, message: /^until: expected a datetime in Norwegian time/ },
  { args: { near: { latitude: 63 } }, message: /^near: expected latitude, longitude and km/ },
  { args: { limit: 21 }, message: /^limit: expected a whole number of 1 to 20/ },
  { args: { accessibility: ['stairs'] }, message: /^accessibility: expected some of WHEELCHAIR, / },
];

for (const { args, message } of WRONG) {
  mcp(
    `I14: should refuse ${JSON.stringify(args)} with its argument and a known value`,
    async ({ running }) => {
      const { isError, words, found } = await called(running, 'find_events', args);
      assert.is(isError, true);
      assert.is(found, undefined);
      assert.match(words, message);
    },
  );
}

mcp('I14: should refuse an unknown event, and repeat its id', async ({ running }) => {
  const { isError, words } = await called(running, 'get_event', { event: 'no-such-event' });
  assert.is(isError, true);
  assert.match(words, '"no-such-event"');
});

mcp('I14, B14: should hint that latitude and longitude are swapped', async ({ running }) => {
  const swapped = { near: { latitude: 10.4, longitude: 63.43 } };
  const { isError, words, found } = await called(running, 'find_events', swapped);
  assert.is(isError, false);
  assert.is(found.total, 0);
  assert.is(found.hints.length, 1);
  assert.match(words, 'Latitude and longitude seem to be swapped.');
});

mcp('I14, B14: should name its own arguments in a hint', async ({ running }) => {
  const { words } = await called(running, 'find_events', { from: '2026-12-05', until: '2026-12-01' });
  assert.match(words, /^until ".*": .* not after /m);
  assert.not.match(words, /untilDate|fromDate/);
});

/** The entries of all answers to a question, each asked for with the `next` of the answer before. */
async function allEntries<Found>(
  running: Running,
  { name, args }: { readonly name: string; readonly args: Readonly<Record<string, unknown>> },
  entriesOf: (found: Found) => readonly string[],
): Promise<readonly string[]> {
  const all: string[] = [];
  let next: Readonly<Record<string, string>> | null = {};
  while (next !== null) {
    const { found }: { readonly found: Found & { readonly next: string | null } } = await called(
      running,
      name,
      {
        ...args,
        ...next,
      },
    );
    const entries = entriesOf(found);
    assertAbove(entries.length, 0, `entries for ${JSON.stringify(next)}`);
    all.push(...entries);
    next = found.next === null ? null : { from: found.next };
  }
  return all;
}

const repeatedIn = (values: readonly string[]) =>
  values.filter((value, place) => values.indexOf(value) !== place);

mcp('I14: should give the rest of a long list of events, each event once', async ({ running }) => {
  const query =
    'query ($filter: Filter) { events(filter: $filter, pageSize: 1000) { data { occurrenceLink } } }';
  const filter = { fromDate: '2026-11-28', untilDate: '2026-12-06', groupRepetitionsByDay: true };
  const { events } = await running.ask<{ events: { data: readonly { occurrenceLink: string }[] } }>(query, {
    filter,
  });
  const found = await allEntries(
    running,
    { name: 'find_events', args: { from: '2026-11-28', until: '2026-12-05', limit: 20 } },
    ({ events }: { readonly events: readonly { readonly link: string }[] }) => events.map(({ link }) => link),
  );
  assert.equal(
    found,
    events.data.map(({ occurrenceLink }) => occurrenceLink),
  );
});

mcp('I14: should give the rest of the dates of an event, each date once', async ({ running }) => {
  const { eventByID } = await running.ask<{ eventByID: { repetitions: readonly unknown[] } }>(
    '{ eventByID(eventID: "evt-002") { repetitions { id } } }',
  );
  const found = await allEntries(
    running,
    { name: 'get_event', args: { event: 'evt-002' } },
    ({ dates }: { readonly dates: readonly { readonly start: string }[] }) => dates.map(({ start }) => start),
  );
  assert.is(found.length, eventByID.repetitions.length + 1);
  assert.equal(repeatedIn(found), []);
});

mcp('I14: should give the rest of the venues, each venue once', async ({ running }) => {
  const { venues } = await running.ask<{ venues: readonly { id: string }[] }>('{ venues { id } }');
  const found = await allEntries(
    running,
    { name: 'list_choices', args: { kind: 'venues' } },
    ({ choices }: { readonly choices: readonly { readonly value: string }[] }) =>
      choices.map(({ value }) => value),
  );
  assertAbove(found.length, 10, 'venues');
  assertAtMost(found.length, venues.length, 'venues');
  assert.equal(repeatedIn(found), []);
});

for (const from of ['2026-12-05', '2026-12-05#3', 'x']) {
  mcp(`I14: should refuse ${from} as the \`from\` of choices`, async ({ running }) => {
    const { isError, words } = await called(running, 'list_choices', { from });
    assert.is(isError, true);
    assert.match(words, /^from: expected the `next` of an earlier answer/);
  });
}

mcp('I14: should accept a place in the list as the `from` of choices', async ({ running }) => {
  assert.is((await called(running, 'list_choices', { from: '#3' })).isError, false);
});

mcp('I14: should say that no choices are left at a place after the end of the list', async ({ running }) => {
  const { isError, words, found } = await called(running, 'list_choices', { kind: 'venues', from: '#99999' });
  assert.is(isError, false);
  assert.match(words, /^Ingen flere valg: listen har bare \d+ nå\.$/);
  assert.equal(found.choices, []);
});

mcp('I14: should find an event by its id, its date’s id, its slug and its links', async ({ running }) => {
  const { found } = await called(running, 'get_event', { event: 'evt-007' });
  const { eventByID } = await running.ask<{ eventByID: Readonly<Record<string, string>> }>(
    '{ eventByID(eventID: "evt-007") { event_slug eventLink occurrenceLink occurrenceID } }',
  );
  for (const event of Object.values(eventByID)) {
    const other = await called(running, 'get_event', { event });
    assert.equal(other.found, found, event);
  }
});

mcp.run();

const longest = suite<{ running: Running }>('/mcp, with values of the greatest length');

/** A character of three bytes, so many times. */
const wide = (most: number) => '漢'.repeat(most);
const link = (most: number) => `https://example.org/${'x'.repeat(most - 20)}`;

const eventOfLength = (at: number) => ({
  id: wide(199) + at,
  title_nb: wide(300),
  desc_nb: wide(19_000),
  categories: ['ART', 'HIDDEN'],
  venue: 'v',
  organizers: ['o'],
  tags: [`${wide(290)}${at}`],
  ticketsURL: link(590),
  streamingURL: link(590),
  eventLink: link(590 - String(at).length) + at,
  ticketsInformation: 'ticketsInfo',
  prices: Array.from({ length: 100 }, (_, price) => ({ type: 'REGULAR', price, name_nb: wide(300) })),
  accessibility: ['WHEELCHAIR', 'HEARING_LOOP', 'SIGN_LANGUAGE', 'SUBTITLES', 'RELAXED'],
  dates: Array.from({ length: 40 }, (_, day) => ({
    start: `2027-0${1 + (day % 9)}-1${at % 10} ${10 + (day % 12)}:00`,
  })),
});

const plainEvent = (id: string, more: object) => ({
  id,
  title_nb: id,
  ticketsURL: 'https://billett.example/1',
  dates: [{ start: '2027-12-01 19:00' }],
  ...more,
});

longest.before(async (context) => {
  const hidden = { id: 'HIDDEN', name_nb: 'Skjult', name_en: 'Hidden', visible: false };
  const source = sourceFolder({
    'licence.json': { ...LICENCE, categories: [...LICENCE.categories, hidden] },
    'events.json': [
      ...Array.from({ length: 30 }, (_, at) => eventOfLength(at)),
      plainEvent('open', {}),
      plainEvent('cancelled', { eventCancelled: true }),
      plainEvent('full', { eventSoldOut: true }),
    ],
    'venues.json': [{ id: 'v', name: wide(300), address: wide(2_000), municipality: wide(300) }],
    'organizers.json': [{ id: 'o', name: wide(300) }],
  });
  context.running = await startBuilt(source, NOW);
});
longest.after(({ running }) => running.close());

// `called` checks the size of each answer.
longest('I14: should list events within its size, and say where the rest begins', async ({ running }) => {
  const { found } = await called(running, 'find_events', { limit: 20 });
  assertAbove(found.events.length, 0, 'events');
  assertBelow(found.events.length, 20, 'events');
  assert.match(found.next, /^#\d+$/);
});

longest('I14: should give an event with dates within its size', async ({ running }) => {
  const { found } = await called(running, 'find_events', { limit: 1 });
  const event = await called(running, 'get_event', { event: found.events[0].id });
  const count = event.found.dates.length;
  assertAbove(count, 1, 'dates');
  assert.match(event.words, `\nDato 1–${count} av 40:\n`);
  const { id, next } = { ...event.found, id: found.events[0].id };
  const rest = await called(running, 'get_event', { event: id, from: next, language: 'en' });
  assert.match(rest.words, `\nDates ${count + 1}–${count + rest.found.dates.length} of 40:\n`);
});

longest('I14: should list choices within its size', async ({ running }) => {
  const { found } = await called(running, 'list_choices');
  assertAbove(found.choices.length, 0, 'choices');
});

longest(
  'I12, I14: should offer tickets only for what takes place and is not sold out',
  async ({ running }) => {
    const tickets = await Promise.all(
      ['open', 'cancelled', 'full'].map(
        async (event) => (await called(running, 'get_event', { event })).found.tickets,
      ),
    );
    assert.equal(tickets, ['https://billett.example/1', null, null]);
  },
);

longest('I14: should offer no hidden category', async ({ running }) => {
  const { found } = await called(running, 'list_choices', { kind: 'categories' });
  assert.equal(
    found.choices.map(({ value }: { readonly value: string }) => value),
    ['ART'],
  );
  assert.is((await called(running, 'find_events', { categories: ['HIDDEN'] })).found.total, 30);
});

for (const kind of ['municipalities', 'tags']) {
  longest(`I14: should find events by a cut choice of ${kind}`, async ({ running }) => {
    const { found } = await called(running, 'list_choices', { kind });
    const [{ argument, value }] = found.choices;
    assert.match(value, /…$/);
    const { found: list } = await called(running, 'find_events', { [argument]: value });
    assertAbove(list.total, 0, 'events');
  });
}

longest.run();
