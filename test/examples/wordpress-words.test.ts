/**
 * E12, I11: the calendar's own lists (`src/annexes/events/words.ts`), the element (`embed/assets/states.js` and `times.js`) and the plugin for
 * WordPress (`event.php`) are three programs that put the same dates into words. NOW is a Thursday, at 13:00 in Norway.
 */
import { parseFeed } from '@rowanmanning/feed-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { NOW } from '../helpers/calendar.ts';
import { eachIn, textIn } from '../helpers/html.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { type Running, startBuilt } from '../helpers/running.ts';
import { itemsIn, startWordPress, withPhp } from './wordpress.ts';

interface Case {
  /** The event's title. */
  readonly what: string;
  readonly date: Readonly<Record<string, string | boolean>>;
  readonly when: string;
  readonly states: readonly string[];
}

const EVENING = { start: '2026-01-02 19:00', end: '2026-01-02 21:00' };
const ON_EVENING = 'fredag 2. januar kl. 19.00–21.00';
const NEXT_YEAR = { start: '2027-01-09 19:00' };
const ON_NEXT_YEAR = 'lørdag 9. januar 2027 kl. 19.00';

const STATES: readonly Case[] = [
  { what: 'as announced', date: EVENING, when: ON_EVENING, states: [] },
  { what: 'sold out', date: { ...EVENING, eventSoldOut: true }, when: ON_EVENING, states: ['Utsolgt'] },
  { what: 'cancelled', date: { ...EVENING, status: 'CANCELLED' }, when: ON_EVENING, states: ['Avlyst'] },
  {
    what: 'cancelled, of 1.0.0',
    date: { ...EVENING, eventCancelled: true },
    when: ON_EVENING,
    states: ['Avlyst'],
  },
  {
    what: 'cancelled and sold out',
    date: { ...EVENING, status: 'CANCELLED', eventSoldOut: true },
    when: ON_EVENING,
    states: ['Avlyst'],
  },
  { what: 'postponed', date: { ...EVENING, status: 'POSTPONED' }, when: ON_EVENING, states: ['Utsatt'] },
  {
    what: 'postponed and sold out',
    date: { ...EVENING, status: 'POSTPONED', eventSoldOut: true },
    when: ON_EVENING,
    states: ['Utsatt'],
  },
  {
    what: 'moved, then cancelled',
    date: { ...EVENING, status: 'CANCELLED', previousStart: '2026-01-01 19:00' },
    when: ON_EVENING,
    states: ['Avlyst'],
  },
  {
    what: 'moved to another day',
    date: { ...EVENING, previousStart: '2026-01-05 18:00' },
    when: ON_EVENING,
    states: ['Flyttet fra mandag 5. januar'],
  },
  {
    what: 'moved within the day',
    date: { ...EVENING, previousStart: '2026-01-02 18:30' },
    when: ON_EVENING,
    states: ['Flyttet fra kl. 18.30'],
  },
  {
    what: 'moved from an unknown start',
    date: { ...EVENING, status: 'RESCHEDULED' },
    when: ON_EVENING,
    states: ['Flyttet'],
  },
  {
    what: 'moved and sold out',
    date: { ...EVENING, previousStart: '2026-01-05 18:00', eventSoldOut: true },
    when: ON_EVENING,
    states: ['Utsolgt', 'Flyttet fra mandag 5. januar'],
  },
  {
    what: 'moved from this year to the next',
    date: { ...NEXT_YEAR, previousStart: '2026-12-30 19:00' },
    when: ON_NEXT_YEAR,
    states: ['Flyttet fra onsdag 30. desember 2026'],
  },
  {
    what: 'moved within the next year',
    date: { ...NEXT_YEAR, previousStart: '2027-01-08 19:00' },
    when: ON_NEXT_YEAR,
    states: ['Flyttet fra fredag 8. januar'],
  },
];

const TIMES: readonly Case[] = Object.entries({
  'fredag 2. januar kl. 19.00': { start: '2026-01-02 19:00' },
  'fredag 2. januar': { start: '2026-01-02' },
  'lørdag 3. januar – søndag 4. januar': { start: '2026-01-03', end: '2026-01-04' },
  // Midnight is the end of the day before it.
  'mandag 5. januar kl. 10.00–00.00': { start: '2026-01-05 10:00', end: '2026-01-06 00:00' },
  'mandag 5. januar kl. 10.00 – tirsdag 6. januar': { start: '2026-01-05 10:00', end: '2026-01-07 00:00' },
  // The night after a day belongs to it, up to twelve hours by the clock.
  'onsdag 7. januar kl. 23.00–02.30': { start: '2026-01-07 23:00', end: '2026-01-08 02:30' },
  'torsdag 8. januar kl. 16.00–04.00': { start: '2026-01-08 16:00', end: '2026-01-09 04:00' },
  'fredag 9. januar kl. 16.00 – lørdag 10. januar kl. 04.01': {
    start: '2026-01-09 16:00',
    end: '2026-01-10 04:01',
  },
  'torsdag 31. desember kl. 23.00–01.00': { start: '2026-12-31 23:00', end: '2027-01-01 01:00' },
  'torsdag 31. desember kl. 10.00 – fredag 1. januar 2027 kl. 01.00': {
    start: '2026-12-31 10:00',
    end: '2027-01-01 01:00',
  },
  // 13 hours pass while the clock, which goes back, counts 12.
  'lørdag 24. oktober kl. 19.00–07.00': { start: '2026-10-24 19:00', end: '2026-10-25 07:00' },
  // 12 hours pass while the clock, which goes forward, counts 13.
  'lørdag 28. mars kl. 19.00 – søndag 29. mars kl. 08.00': {
    start: '2026-03-28 19:00',
    end: '2026-03-29 08:00',
  },
}).map(([when, date]) => ({ what: `at ${when}`, date, when, states: [] }));

const CASES = [...STATES, ...TIMES];

/** Events that began earlier: the calendar's lists have them in a section of their own. */
const RUNNING: readonly Case[] = [
  {
    what: 'since an earlier day',
    date: { start: '2025-12-30', end: '2026-01-03' },
    when: 'til og med lørdag 3. januar',
    states: [],
  },
  {
    what: 'since this morning',
    date: { start: '2026-01-01 10:00', end: '2026-01-03 16:00' },
    when: 'torsdag 1. januar kl. 10.00 – lørdag 3. januar kl. 16.00',
    states: [],
  },
];

/** What one of the three says about a date. */
type Said = Pick<Case, 'when' | 'states'>;

/** By the titles of the events. */
type SaidByTitle = ReadonlyMap<string, Said>;

/** A line for each case, so that a difference shows only its case. `written`: how this one writes a time. */
const linesOf = (cases: readonly Case[], said: SaidByTitle, written = (when: string) => when) =>
  cases.map(({ what }) => {
    const { when = 'not listed', states = [] } = said.get(what) ?? {};
    return `${what}: ${[written(when), ...states].join(' · ')}`;
  });

const expectedOf = (cases: readonly Case[], written?: (when: string) => string) =>
  linesOf(cases, new Map(cases.map((one) => [one.what, one])), written);

interface Context {
  calendar: Running;
}

const words = suite<Context>('a date in words');
const inWordPress = withPhp(suite<Context>('a date in words, in WordPress'));

const EVENTS = [...CASES, ...RUNNING].map(({ what, date }, index) => ({
  id: `event${index}`,
  title_nb: what,
  dates: [date],
}));

for (const one of [words, inWordPress]) {
  one.before(async (context) => {
    context.calendar = await startBuilt(sourceFolder({ 'events.json': EVENTS }), NOW);
  });
  one.after(({ calendar }) => calendar.close());
}

words('E12, I11: should be the same in the calendar’s own lists', async ({ calendar }) => {
  const { items } = parseFeed((await calendar.send('/events.rss?pageSize=100')).text);
  const said = items.map(({ title, description }): [string, Said] => {
    const facts = textIn(description ?? '').split(' · ');
    return [title ?? '', { when: facts.at(-1) ?? '', states: facts.slice(0, -1) }];
  });
  assert.equal(linesOf(CASES, new Map(said)), expectedOf(CASES));
});

words('E12, I11: should be the same in the element, whose lines are shorter', async ({ calendar }) => {
  const cases = [...CASES, ...RUNNING];
  const said = await saidByElement(calendar);
  assert.equal(
    linesOf(cases, said, numbersIn),
    expectedOf(cases, (when) => numbersIn(withoutLastClock(when))),
  );
});

/** The element shortens the names of days and months. */
const numbersIn = (text: string) => (text.match(/\d+(?:\.\d\d)?/g) ?? []).join(' ');

/** The element has no room for the time on a later last day. */
const withoutLastClock = (when: string) => when.replace(/( – .*) kl\. [\d.]+$/, '$1');

inWordPress('E12, I11: should be the same in the plugin', async ({ calendar }) => {
  const cases = [...CASES, ...RUNNING];
  const wordPress = await startWordPress(calendar.url);
  try {
    const { html } = await wordPress.showList({ antall: '100' });
    const said = itemsIn(html).map((item): [string, Said] => {
      const [title = ''] = eachIn(item, /<a [^>]+>([^<]+)/g);
      const [when = ''] = eachIn(item, /<time [^>]+>([^<]+)/g);
      return [title, { when, states: eachIn(item, /class="almanakk-state">([^<]+)/g) }];
    });
    assert.equal(linesOf(cases, new Map(said)), expectedOf(cases, capitalized));
  } finally {
    await wordPress.close();
  }
});

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** An element of a page, as far as the list's lines need it. */
class StandIn {
  readonly dataset = {};
  className = '';
  textContent = '';
  readonly children: (StandIn | string)[] = [];

  append(...children: readonly (StandIn | string)[]): void {
    this.children.push(...children);
  }

  get text(): string {
    const texts = this.children.map((child) => (typeof child === 'string' ? child : child.text));
    return this.textContent + texts.join('');
  }

  /** All elements below this one. */
  get descendants(): readonly StandIn[] {
    const elements = this.children.filter((child) => typeof child !== 'string');
    return elements.flatMap((element) => [element, ...element.descendants]);
  }
}

/** The element's own modules, with stand-ins for the page and the clock. */
async function saidByElement(calendar: Running): Promise<SaidByTitle> {
  const { itemOf } = await import(packagePath('src/annexes/embed/assets/item.js'));
  const { text } = await calendar.send('/embed.json?pageSize=100');
  const { events } = JSON.parse(text) as { readonly events: readonly { readonly title_nb: string }[] };
  const clock = Date.now;
  const display = { language: 'nb', hasPictures: false, showsMunicipality: false };
  Date.now = () => NOW * 1_000;
  Reflect.set(globalThis, 'document', { createElement: () => new StandIn() });
  try {
    return new Map(
      events.map((event): [string, Said] => {
        const item: StandIn = itemOf(event, display);
        const [time] = item.descendants;
        const notes = item.descendants.filter(({ className }) => className === 'note');
        return [event.title_nb, { when: time?.text ?? '', states: notes.map((note) => note.text) }];
      }),
    );
  } finally {
    Date.now = clock;
    Reflect.deleteProperty(globalThis, 'document');
  }
}

words.run();
inWordPress.run();
