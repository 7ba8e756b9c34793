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

interface DateCase {
  readonly title: string;
  readonly search: string;
  readonly expected: object;
}

const DATES: readonly DateCase[] = [
  {
    title: 'the shown date and the next 20, up to 12 months ahead',
    search: '',
    expected: { daily: 21, yearly: 1, fest: 1, part: 1, edge: 1 },
  },
  {
    title: 'all dates where repetitions=all asks for them',
    search: '?repetitions=all',
    expected: { daily: 40, yearly: 2, fest: 1, part: 1, edge: 1, beyond: 1, far: 1 },
  },
  {
    title: 'pages of the remaining events',
    search: '?pageSize=1&page=4',
    expected: { edge: 1 },
  },
  { title: 'nothing after its last page', search: '?pageSize=1&page=5', expected: {} },
];

for (const { title, search, expected } of DATES) {
  test(`I9: should hold ${title}`, async ({ running }) => {
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

interface NameCase {
  readonly search: string;
  readonly nb: string;
  readonly en: string;
  readonly nn: string;
}

/** Addresses, and what follows the calendar's name in each language. */
const NAMES: readonly NameCase[] = [
  { search: '', nb: '', en: '', nn: '' },
  { search: 'categories=JAZZ,ART', nb: ': Jazz, Kunst', en: ': Jazz, Art', nn: ': Jazz, Kunst' },
  { search: 'categories=GONE', nb: ': GONE', en: ': GONE', nn: ': GONE' },
  {
    search: 'notCategories=ART&venues=hallen&municipality=5001&period=WEEKEND',
    nb: ': uten Kunst · Hallen · Trondheim · i helgen',
    en: ': without Art · Hallen · Trondheim · weekend',
    nn: ': utan Kunst · Hallen · Trondheim · i helga',
  },
  {
    search: 'searchTerm=gitar,%20bass&free=true',
    nb: ': «gitar, bass» · gratis',
    en: ': “gitar, bass” · free',
    nn: ': «gitar, bass» · gratis',
  },
  {
    search: 'tag=barn&organizerSlug=laget&mode=online',
    nb: ': merket «barn» · på nett · Laget',
    en: ': tagged “barn” · online · Laget',
    nn: ': merkt «barn» · på nett · Laget',
  },
  {
    search:
      'fromStartDate=2026-07-01T00:00:00Z&hoursRange=18:00-24:00&cancelledNotIncluded=true&soldOutNotIncluded=false',
    nb: ': uten avlyste · begynner tidligst 1. juli 2026 kl. 02.00 · 18.00–24.00',
    en: ': without cancelled ones · starting from 1 July 2026 at 02:00 · 18:00–24:00',
    nn: ': utan avlyste · byrjar tidlegast 1. juli 2026 kl. 02.00 · 18.00–24.00',
  },
  { search: 'event=daily', nb: ': Hver dag', en: ': Hver dag', nn: ': Hver dag' },
  {
    search: 'near=63.43,10.4,5&area=63,64,10,11',
    nb: ': innen 5 km fra 63.43, 10.4 · området 63, 10 – 64, 11',
    en: ': within 5 km of 63.43, 10.4 · the area 63, 10 – 64, 11',
    nn: ': innan 5 km frå 63.43, 10.4 · området 63, 10 – 64, 11',
  },
  {
    search: 'superEvent=fest&groupRepetitionsByDay=true',
    nb: ': Festivalen · dag for dag',
    en: ': Festivalen · day by day',
    nn: ': Festivalen · dag for dag',
  },
  {
    search: `searchTerm=${'x'.repeat(2_000)}`,
    nb: `: «${'x'.repeat(199)}…`,
    en: `: “${'x'.repeat(199)}…`,
    nn: `: «${'x'.repeat(199)}…`,
  },
];

for (const { search, nb, en, nn } of NAMES) {
  test(`I9: should name the whole filter in words: ${search.slice(0, 60)}`, async ({ running: { send } }) => {
    const name = async (lang: string) => {
      const { text } = await send(`/events.ics?${search}&lang=${lang}`);
      return new RegExp(`^NAME;LANGUAGE=${lang}:(.*)\\r$`, 'm')
        .exec(text.replaceAll('\r\n ', ''))?.[1]
        ?.replaceAll('\\,', ',');
    };
    assert.is(await name('nb'), `Trondheim${nb}`);
    assert.is(await name('en'), `Trondheim${en}`);
    assert.is(await name('nn'), `Trondheim${nn}`);
    assert.match((await send(`/events.rss?${search}`)).text, `<title>Trondheim${nb}</title>`);
  });
}

test.run();
