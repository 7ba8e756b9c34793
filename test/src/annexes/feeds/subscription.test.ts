/** I9: dates that a subscription leaves out. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../../../helpers/calendar.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

const test = suite<{ running: Running; clock: { now: number } }>('subscription');

/** 12:00 UTC on the day a year ahead is 13:00 in Norway, and so is NOW. */
const EVENTS = [
  {
    id: 'daily',
    title_nb: 'Hver dag',
    repeats: [{ rule: 'FREQ=DAILY;COUNT=40', start: '2026-01-02 18:00', duration: 60 }],
  },
  {
    id: 'yearly',
    title_nb: 'Hvert år',
    dates: [{ start: '2026-02-01 12:00' }, { start: '2027-02-01 12:00' }],
  },
  { id: 'edge', title_nb: 'Om et år', dates: [{ start: '2027-01-01 13:00' }] },
  { id: 'beyond', title_nb: 'Like etter', dates: [{ start: '2027-01-01 13:00:07' }] },
  { id: 'far', title_nb: 'Langt fram', dates: [{ start: '2027-03-01 12:00' }] },
];

const FESTIVAL = [
  { id: 'fest', title_nb: 'Festivalen', isSuperEvent: true, dates: [{ start: '2026-03-01 12:00' }] },
  { id: 'part', title_nb: 'Del', superEvent: 'fest', dates: [{ start: '2026-03-01 12:00' }] },
];

const SOURCE = {
  'events.json': [...EVENTS, ...FESTIVAL],
  'venues.json': [{ id: 'hall', name: 'Hallen', address: 'Gata 1, 7010 Trondheim' }],
  'organizers.json': [{ id: 'laget', name: 'Laget' }],
  'postal-codes.tsv': '7010\tTRONDHEIM\t5001\tTRONDHEIM\tG\n',
};

test.before(async (context) => {
  context.clock = { now: NOW };
  context.running = await startBuilt(sourceFolder(SOURCE), NOW, {
    clock: () => context.clock.now * 1_000,
  });
});
test.before.each(({ clock }) => {
  clock.now = NOW;
});
test.after(async ({ running }) => running.close());

async function countsOf({ send }: Running, path: string) {
  const { headers, text } = await send(path);
  const counts: Record<string, number> = {};
  for (const [, id = ''] of text.matchAll(/^UID:(\w+)@/gm)) {
    counts[id] = (counts[id] ?? 0) + 1;
  }
  const maxAge = Number(/max-age=(\d+)/.exec(headers['cache-control'] ?? '')?.[1]);
  return { counts, maxAge };
}

const DATES: readonly (readonly [what: string, search: string, counts: object])[] = [
  [
    'the shown date and the next 20, up to 12 months ahead',
    '',
    { daily: 21, yearly: 1, fest: 1, part: 1, edge: 1 },
  ],
  [
    'all dates where repetitions=all asks for them',
    '?repetitions=all',
    { daily: 40, yearly: 2, fest: 1, part: 1, edge: 1, beyond: 1, far: 1 },
  ],
  ['pages of what is left', '?pageSize=1&page=4', { edge: 1 }],
  ['nothing behind its last page', '?pageSize=1&page=5', {}],
];

for (const [what, search, expected] of DATES) {
  test(`I9: should hold ${what}`, async ({ running }) => {
    assert.equal((await countsOf(running, `/events.ics${search}`)).counts, expected);
  });
}

test('I9: should know to the second when a date comes within reach (D6)', async ({ running, clock }) => {
  const before = await countsOf(running, '/events.ics');
  assert.is(before.maxAge, 7);
  clock.now = NOW + 6;
  assert.is((await countsOf(running, '/events.ics')).counts.beyond, undefined);
  clock.now = NOW + 7;
  const after = await countsOf(running, '/events.ics');
  assert.is(after.counts.beyond, 1);
  assert.is(after.maxAge, 60);
});

test('I1: should refuse other words, and the parameter where it has no meaning', async ({ running }) => {
  for (const path of ['/events.ics?repetitions=some', '/events.rss?repetitions=all']) {
    const { status, text } = await running.send(path);
    assert.is(status, 400, path);
    assert.equal(JSON.parse(text).errors[0].extensions.invalidArgs, ['repetitions']);
  }
});

/** Addresses, and what follows the calendar's name in Norwegian and in English. */
const NAMES: readonly (readonly [search: string, nb: string, en: string])[] = [
  ['', '', ''],
  ['categories=JAZZ,ART', ': Jazz, Kunst', ': Jazz, Art'],
  ['categories=GONE', ': GONE', ': GONE'],
  [
    'notCategories=ART&venues=hallen&municipality=5001&period=WEEKEND',
    ': uten Kunst · Hallen · Trondheim · i helgen',
    ': without Art · Hallen · Trondheim · weekend',
  ],
  ['searchTerm=gitar,%20bass&free=true', ': «gitar, bass» · gratis', ': “gitar, bass” · free'],
  [
    'tag=barn&organizerSlug=laget&mode=online',
    ': merket «barn» · på nett · Laget',
    ': tagged “barn” · online · Laget',
  ],
  [
    'fromStartDate=2026-07-01T00:00:00Z&hoursRange=18:00-24:00&cancelledNotIncluded=true&soldOutNotIncluded=false',
    ': uten avlyste · begynner tidligst 1. juli 2026 kl. 02.00 · 18.00–24.00',
    ': without cancelled ones · starting from 1 July 2026 at 02:00 · 18:00–24:00',
  ],
  ['event=daily', ': Hver dag', ': Hver dag'],
  [
    'near=63.43,10.4,5&area=63,64,10,11',
    ': innen 5 km fra 63.43, 10.4 · området 63, 10 – 64, 11',
    ': within 5 km of 63.43, 10.4 · the area 63, 10 – 64, 11',
  ],
  ['superEvent=fest&groupRepetitionsByDay=true', ': Festivalen · dag for dag', ': Festivalen · day by day'],
  [`searchTerm=${'x'.repeat(2_000)}`, `: «${'x'.repeat(199)}…`, `: “${'x'.repeat(199)}…`],
];

for (const [search, nb, en] of NAMES) {
  test(`I9: should name the whole filter in words: ${search.slice(0, 60)}`, async ({ running: { send } }) => {
    const name = async (lang: string) => {
      const { text } = await send(`/events.ics?${search}&lang=${lang}`);
      return /^NAME:(.*)\r$/m.exec(text.replaceAll('\r\n ', ''))?.[1]?.replaceAll('\\,', ',');
    };
    assert.equal([await name('nb'), await name('en')], [`Trondheim${nb}`, `Trondheim${en}`]);
    assert.match((await send(`/events.rss?${search}`)).text, `<title>Trondheim${nb}</title>`);
  });
}

test.run();
