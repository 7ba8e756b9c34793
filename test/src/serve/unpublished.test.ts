/** A9: what callers learn of an event before it is public, besides that there is none: B14's hints, and the directories. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built } from '../../helpers/build.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { publicPath, publicRows } from '../../helpers/public-file.ts';
import { type Running, startServer } from '../../helpers/running.ts';

const test = suite<{ running: Running; snapshots: string; seconds: number }>('unpublished events');

const NOW = Date.parse('2031-06-01T08:00:00Z') / 1_000;
/** Midnight in Norway. */
const PUBLIC = Date.parse('2031-06-09T22:00:00Z') / 1_000;

/** Of the events at a place, all are public later, or one is already. The folder itself has Folkets hus. */
const TABLE = `Id,Tittel,Start,Sted,Adresse,Arrangør,Emneord,publishingDate
1,Skjult,2031-06-20 19:00,Hemmelig scene,"Gata 1, 7010 Trondheim",Hemmelig band,Hemmelig,2031-06-10 00:00
2,Skjult to,2031-06-20 20:00,Åpen scene,"Gata 2, 7010 Trondheim",Åpent band,,2031-06-10 00:00
3,Åpen,2031-06-20 21:00,Åpen scene,"Gata 2, 7010 Trondheim",Åpent band,,
4,Skjult tre,2031-06-20 22:00,Folkets hus,,,,2031-06-10 00:00
`;

const SOURCE = {
  'venues.json': [{ id: 'hus', name: 'Folkets hus' }],
  'events.json': [
    { id: 'own', title_nb: 'Eget', superEvent: 'fest', dates: [{ start: '2031-06-20 19:00' }] },
    { id: 'fest', title_nb: 'Skjult fest', isSuperEvent: true, publishingDate: '2031-06-10 00:00' },
  ],
  'table.csv': TABLE,
  'sources.json': [{ id: 'table', kind: 'csv', file: 'table.csv' }],
};

test.before(async (context) => {
  context.seconds = NOW;
  context.snapshots = temporaryFolder();
  await built(sourceFolder(SOURCE), context.snapshots, { now: NOW, isPublic: true });
  context.running = await startServer({
    snapshots: context.snapshots,
    clock: () => context.seconds * 1_000,
  });
});
test.before.each((context) => {
  context.seconds = NOW;
});
test.after(({ running }) => running.close());

async function hintOn({ post }: Running, filter: object): Promise<string | undefined> {
  const query = 'query ($filter: Filter) { events(filter: $filter) { totalCount } }';
  const { text } = await post(query, { variables: { filter } });
  return JSON.parse(text).extensions.hints?.[0].message;
}

test('B14: should answer for a tag of an unpublished event as for an unknown one, and not suggest it', async (context) => {
  const { running } = context;
  const unknown = await hintOn(running, { tag: 'ukjent' });
  assert.match(unknown ?? '', 'No event has this tag, and none is similar.');
  assert.is(await hintOn(running, { tag: 'Hemmelig' }), unknown);
  assert.is(await hintOn(running, { tag: 'hemmelik' }), unknown);
  context.seconds = PUBLIC;
  assert.is(await hintOn(running, { tag: 'hemmelig' }), undefined);
  assert.is(await hintOn(running, { tag: 'hemmelik' }), 'No event has this tag. The nearest is "Hemmelig".');
});

interface Directories {
  readonly venues: readonly { readonly name: string }[];
  readonly organizers: readonly { readonly name: string }[];
}

async function listed({ ask }: Running): Promise<string> {
  const { venues, organizers } = await ask<Directories>('{ venues { name } organizers { name } }');
  return [...venues, ...organizers].map(({ name }) => name).join(', ');
}

const LISTED = 'Folkets hus, Åpen scene, Åpent band';

test('E10: should list what only events of a feed name once one of them is public', async (context) => {
  assert.is(await listed(context.running), LISTED);
  context.seconds = PUBLIC - 1;
  assert.is(await listed(context.running), LISTED);
  context.seconds = PUBLIC;
  assert.is(
    await listed(context.running),
    'Folkets hus, Hemmelig scene, Åpen scene, Hemmelig band, Åpent band',
  );
});

test('B14: should not suggest such a venue or organizer, nor name a list after it', async (context) => {
  const { running } = context;
  for (const filter of [{ venueSlug: 'hemmelig-scene' }, { organizerSlug: 'hemmelig-band' }]) {
    const [[name = '', slug = '']] = Object.entries(filter) as [[string, string]];
    assert.match((await hintOn(running, filter)) ?? '', 'has this slug, and none is similar');
    assert.match((await hintOn(running, { [name]: `${slug}x` })) ?? '', 'and none is similar');
    assert.not.match((await running.send(`/events.ics?${name}=${slug}`)).text, /Hemmelig/);
  }
  context.seconds = PUBLIC;
  assert.is(await hintOn(running, { venueSlug: 'hemmelig-scene' }), undefined);
  assert.match((await running.send('/events.ics?venueSlug=hemmelig-scene')).text, /NAME:.*Hemmelig scene/);
});

interface Programme {
  readonly eventByID: { readonly super_event: string | null };
  readonly events: { readonly totalCount: number };
}

test('A9, A10: should not name a container, nor give its programme, before it is public', async (context) => {
  const query =
    '{ eventByID(eventID: "own") { super_event } events(filter: { superEvent: "fest" }) { totalCount } }';
  const hidden = { eventByID: { super_event: null }, events: { totalCount: 0 } };
  assert.equal(await context.running.ask<Programme>(query), hidden);
  context.seconds = PUBLIC;
  const shown = { eventByID: { super_event: 'fest' }, events: { totalCount: 1 } };
  assert.equal(await context.running.ask<Programme>(query), shown);
});

test('J5: should not be in the public edition', async ({ snapshots }) => {
  const names =
    'select name from (select name, 1 as list from venue union all select name, 2 from organizer)';
  const rows = await publicRows(await publicPath(snapshots), `${names} order by list, name`);
  assert.is(rows.map(({ name }) => name).join(', '), LISTED);
});

test.run();
