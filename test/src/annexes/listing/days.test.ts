/** I11: rows are dates where the window has an end, held against the facet `days` on random calendars. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAbove } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { vcalendar } from '../../../helpers/feed-files.ts';
import { eachIn, groupsIn, textIn } from '../../../helpers/html.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { FIRST_SEED, IS_LONG } from '../../../helpers/run-options.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { filesOf } from '../../../oracle/product.ts';
import { randomFrom } from '../../../oracle/random.ts';
import { randomCalendar } from '../../../oracle/random-calendar.ts';

const CALENDARS = IS_LONG ? 60 : 4;
/** Days of a calendar that are looked at. */
const DAYS = 6;

interface Answer {
  readonly events: {
    readonly days: readonly { readonly day: string; readonly hits: number }[];
    readonly data: readonly { readonly occurrenceID: string }[];
  };
}

const QUERY = `query ($filter: Filter) {
  events(filter: $filter, pageSize: 1000) { days { day hits } data { occurrenceID } }
}`;

const hitsIn = (html: string) =>
  new Map(
    groupsIn(
      html,
      /fromStartDate=([\d-]+)&amp;untilDate=[\d-]+"[^>]*>[\s\S]*?<span class="hits"[^>]*>(\d*)</g,
    ).map(([day = '', hits = '']) => [day, Number(hits)]),
  );

/** The rows under each day of all pages, and the total in its heading. */
async function listed({ send }: Running, search: string) {
  const days = new Map<string, { rows: number; total: string }>();
  let ongoing = 0;
  let found = '';
  for (let page = 0; ; page++) {
    const { text } = await send(`/events.html?${search}&page=${page}&lang=nb`);
    found = textIn(/<p class="found">([\s\S]*?)<\/p>/.exec(text)?.[1] ?? '');
    for (const [section = ''] of groupsIn(text, /<section class="day">([\s\S]*?)<\/section>/g)) {
      const rows = eachIn(section, /<li>(<div class="what">)/g).length;
      const [, day] = /<time datetime="([^"]*)"/.exec(section) ?? [];
      const [, total = ''] = /<span class="hits">(\d+)/.exec(section) ?? [];
      if (day === undefined) ongoing += rows;
      else days.set(day, { rows: (days.get(day)?.rows ?? 0) + rows, total });
    }
    if (!text.includes('rel="next"')) return { days, ongoing, found };
  }
}

const test = suite('days of the site');
const opened = closedAfterEach(test);

for (let seed = FIRST_SEED; seed < FIRST_SEED + CALENDARS; seed++) {
  test(`I11: should count alike in the strip, under a day’s heading and above the list: seed ${seed}`, async () => {
    const { source, builtAt } = randomCalendar(randomFrom(seed));
    const running = opened(await startBuilt(sourceFolder(filesOf(source)), builtAt));
    const strip = hitsIn((await running.send('/events.html?lang=nb')).text);
    const { events } = await running.ask<Answer>(QUERY, { filter: { groupRepetitionsByDay: true } });
    const facet = new Map(events.days.map(({ day, hits }) => [day, hits]));
    assertAbove(strip.size, 0, 'days to click on');
    for (const [day, hits] of strip) assert.is(hits, facet.get(day), day);
    for (const [day, hits] of [...strip].slice(0, DAYS)) {
      const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
      const search = `fromStartDate=${day}&untilDate=${next}`;
      const { days, ongoing, found } = await listed(running, search);
      assert.equal([...days], [[day, { rows: hits, total: `${hits}` }]], search);
      assert.is(ongoing, 0, day);
      assert.is(found, hits === 1 ? '1 arrangement' : `${hits} arrangementer`, day);
    }
    for (const period of ['TODAY', 'TOMORROW', 'WEEKEND', 'WEEK']) {
      const { days, ongoing, found } = await listed(running, `period=${period}`);
      const answer = await running.ask<Answer>(QUERY, { filter: { period, groupRepetitionsByDay: true } });
      const of = new Map(answer.events.days.map(({ day, hits }) => [day, hits]));
      for (const [day, { rows, total }] of days) assert.equal([rows, total], [of.get(day), `${rows}`], day);
      const starting = [...days.values()].reduce((sum, { rows }) => sum + rows, 0);
      assert.is(starting + ongoing, answer.events.data.length, period);
      if (answer.events.data.length > 0)
        assert.is(
          found,
          `${starting} ${starting === 1 ? 'arrangement' : 'arrangementer'}${ongoing > 0 ? `, ${ongoing} pågår` : ''}`,
        );
    }
  });
}

/** Tuesdays from 6 January on which each takes place, and the line of its further dates. */
const WEEKLY = [
  [
    'Quiz',
    [0, 1, 2, 3, 4, 5],
    ['Også 13., 20. og 27. januar og 2 til', 'Also 13, 20 and 27 January and 2 more'],
  ],
  ['Sjakk', [0, 1, 2], ['Også 13. og 20. januar', 'Also 13 and 20 January']],
  ['Strikk', [0, 2, 3, 4], ['Også 20. og 27. januar og 3. februar', 'Also 20 and 27 January and 3 February']],
  [
    'Vise',
    [0, 3, 4, 52, 53],
    [
      'Også 27. januar, 3. februar, 5. januar 2027 og 1 til',
      'Also 27 January, 3 February, 5 January 2027 and 1 more',
    ],
  ],
  [
    'Revy',
    [0, 52, 56, 60],
    ['Også 5. januar, 2. februar og 2. mars 2027', 'Also 5 January, 2 February and 2 March 2027'],
  ],
  ['Allsang', [0], []],
] as const;

/** A calendar whose entries have a UID each, as many programs write a weekly evening. */
const weekly = vcalendar(
  ...WEEKLY.flatMap(([title, weeks]) =>
    weeks.map((week) => {
      const start = new Date(Date.UTC(2026, 0, 6 + 7 * week, 18)).toISOString().replaceAll(/[-:]|\.000/g, '');
      return `BEGIN:VEVENT\r\nUID:${title}-${week}\r\nDTSTART:${start}\r\nSUMMARY:${title}\r\nLOCATION:Puben\r\nEND:VEVENT\r\n`;
    }),
  ),
);

const tuesdays = WEEKLY.flatMap(([, weeks]) => weeks);

for (const series of ['title', undefined])
  test(`I11, L4: should list a series once, with its further dates in a line: series ${series}`, async () => {
    const source = sourceFolder({
      'events.json': [],
      'sources.json': [{ id: 'pub', kind: 'ical', file: 'pub.ics', ...(series && { series }) }],
      'pub.ics': weekly,
    });
    const running = await startBuilt(source, NOW);
    for (const [at, lang] of ['nb', 'en'].entries()) {
      const { text } = await running.send(`/events.html?lang=${lang}&pageSize=100`);
      const rows = eachIn(text, /<li>(<div class="what">)/g).length;
      const further = eachIn(text, /<p class="later">([^<]*)<\/p>/g);
      assert.is(rows, series === undefined ? tuesdays.length : WEEKLY.length);
      const lines = WEEKLY.flatMap(([, , written]) => written[at] ?? []);
      assert.equal([...further].sort(), series === undefined ? [] : lines.sort());
    }
    // With an end to the window each date has a row, and the strip's number.
    const january = await running.send('/events.html?lang=nb&fromStartDate=2026-01-06&untilDate=2026-02-01');
    assert.is(
      eachIn(january.text, /<li>(<div class="what">)/g).length,
      tuesdays.filter((week) => week < 4).length,
    );
    await running.close();
  });

test.run();
