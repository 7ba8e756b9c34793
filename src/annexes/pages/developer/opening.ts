/** The calendar at a glance: its figures beside the leaf of the day, the next events, and charts. */
import { formatDay, weekdayOf } from '../../../calendar/time.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import { details, momentOf, type Section, table } from '../../page/page.ts';
import {
  inEach,
  type Language,
  localized,
  SUNDAY,
  weekOf,
  writeDay,
  writeNumber,
} from '../../page/reader.ts';
import type { Context, Hits, NextEvent } from './context.ts';

/** `sections`: all that follow. */
export function opening(context: Context, sections: readonly Section[]): Html {
  const { snapshot, figures, language, address, limits } = context;
  const { licence } = snapshot.lists;
  const { counts, builtAt } = snapshot.meta;
  const texts = OPENING[language];
  const upcoming = writeNumber(figures.upcoming, language);
  const hasQuota = limits.anonymous !== null || limits.keyed !== null;
  const facts: readonly (readonly [string, Content])[] = [
    [texts.events, upcoming],
    [texts.venues, writeNumber(counts.venues, language)],
    [texts.organizers, writeNumber(counts.organizers, language)],
    [texts.built, momentOf(builtAt, language)],
  ];
  return html`<div class="opening">
<div class="opening-text">
<h1>${licence.name}</h1>
<p class="lede">${texts.lede(html`<strong>${upcoming}</strong>`, hasQuota)}</p>
<p class="endpoint"><span class="method">POST</span> <code>${address}/graphQL</code></p>
<dl class="facts">
${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
</div>
${leaf(context)}
</div>
<nav class="contents" aria-label="${texts.contents}">
<ul>
${sections.map(({ id, title, short = title }) => html`<li><a href="#${id}">${short}</a></li>\n`)}</ul>
</nav>
`;
}

function leaf({ figures: { today, days }, language }: Context): Html {
  const texts = OPENING[language];
  const events = days[0] ?? 0;
  return html`<p class="${weekdayOf(today) === SUNDAY ? 'leaf sunday' : 'leaf'}">
<time datetime="${formatDay(today)}"><span class="leaf-month">${writeDay(today, 'month', language)}</span>
<span class="leaf-day">${Number(formatDay(today).slice(8))}</span>
<span class="leaf-weekday">${writeDay(today, 'weekday', language)}</span></time>
<span class="leaf-note">${texts.week} ${weekOf(today)}</span>
<span class="leaf-note">${events === 0 ? texts.noneLeft : texts.left(writeNumber(events, language), events === 1)}</span>
</p>`;
}

const OPENING = inEach({
  lede: [
    (count: Html, hasQuota: boolean) =>
      html`${count} kommende arrangementer bak ett åpent GraphQL-endepunkt. Ingen innlogging${hasQuota ? '' : ', ingen kvote'}: hent dem til ditt eget nettsted, din egen app eller ditt eget oppslag.`,
    (count: Html, hasQuota: boolean) =>
      html`${count} upcoming events behind one open GraphQL endpoint. No sign-up${hasQuota ? '' : ', no quota'}: fetch them for a site, an app or a poster of your own.`,
  ],
  events: ['Arrangementer', 'Events'],
  venues: ['Steder', 'Venues'],
  organizers: ['Arrangører', 'Organizers'],
  built: ['Bygget', 'Built'],
  week: ['uke', 'week'],
  contents: ['På denne siden', 'On this page'],
  noneLeft: ['ingen igjen i dag', 'none left today'],
  left: [
    (count: string, isOne: boolean) => `${count} ${isOne ? 'arrangement' : 'arrangementer'} igjen i dag`,
    (count: string, isOne: boolean) => `${count} ${isOne ? 'event' : 'events'} left today`,
  ],
});

export function nextEvents({ figures, language }: Context): Section {
  const texts = NEXT[language];
  const { ongoing } = figures;
  const days = [...new Set(figures.next.map(({ day }) => day))];
  const now =
    ongoing.length > 0 &&
    html`<div class="day">
<h3>${texts.now}</h3>
<ul class="programme">
${ongoing.map((event) => entry(event, html`<span class="time">${untilOf(event, figures.today, language)}</span>`, language))}</ul>
</div>
`;
  const content = days.map(
    (day) => html`<div class="day">
<h3${weekdayOf(day) === SUNDAY && html` class="sunday"`}><time datetime="${formatDay(day)}">${writeDay(day, 'long', language)}</time></h3>
<ul class="programme">
${figures.next.filter((event) => event.day === day).map((event) => entry(event, html`<span class="time">${event.time ?? texts.allDay}</span>`, language))}</ul>
</div>
`,
  );
  return {
    id: 'next',
    title: texts.title,
    short: texts.short,
    intro: html`<p>${texts.intro}</p>`,
    content: html`<div class="days-ahead">
${now}${days.length === 0 ? html`<p>${texts.none}</p>` : content}</div>`,
  };
}

/** When an event in progress ends. */
function untilOf({ end }: NextEvent, today: number, language: Language): Content {
  const { now, until, allDay } = NEXT[language];
  if (end === null) return now;
  const isTonight = end.time !== null && end.day === today + 1 && end.time < '08:00';
  if (end.day > today && !isTonight) return `${until} ${writeDay(end.day, 'brief', language)}`;
  return end.time === null ? allDay : `${until} ${end.time}`;
}

/** An entry of the programme, which begins with `when`. */
function entry(event: NextEvent, when: Html, language: Language): Html {
  const { link, venue, isCancelled, isSoldOut } = event;
  const texts = NEXT[language];
  const title = localized(event.title, language);
  const foreign = title !== null && title.language !== language && html` lang="${title.language}"`;
  return html`<li>${when}
<span class="what"><a href="${link}"><span${foreign}>${title?.text}</span></a>${isCancelled && html` <em class="mark">${texts.cancelled}</em>`}${isSoldOut && html` <em class="mark">${texts.soldOut}</em>`}
${venue !== null && html`<span class="where">${venue}</span>`}</span></li>
`;
}

const NEXT = inEach({
  title: ['Dette skjer nå', 'Coming up'],
  short: ['Nå', 'Next'],
  intro: [
    'Det som pågår og de neste som begynner, slik endepunktet svarer i dette øyeblikk. Klokken er norsk.',
    'What is on now and the next ones to begin, as the endpoint answers at this moment. Times are Norwegian.',
  ],
  now: ['Pågår', 'On now'],
  until: ['til', 'until'],
  allDay: ['hele dagen', 'all day'],
  none: ['Ingen arrangementer er kunngjort.', 'No events have been announced.'],
  cancelled: ['avlyst', 'cancelled'],
  soldOut: ['utsolgt', 'sold out'],
});

/**
 * Charts by day, by category and by venue, as inline SVG. Widths are in percent and heights in em, so that they fill any width while
 * their letters keep the size of the surrounding text. The title, the description and the table of a chart give the same facts in text.
 */
export function pictures({ figures, language }: Context): Section {
  const texts = PICTURES[language];
  return {
    id: 'pictures',
    title: texts.title,
    short: texts.short,
    intro: html`<p>${texts.intro}</p>`,
    content: html`${byDay(figures, language)}
<div class="pair">
${byHits('categories', figures.categories, language)}
${byHits('venues', figures.venues, language)}
</div>`,
  };
}

interface Picture {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly kind: 'days' | 'hits';
  /** Em. */
  readonly height: number;
  readonly drawing: Content;
  /** Heading of the first column in the chart's table, which has a name and a figure a row. */
  readonly column: string;
  readonly rows: readonly (readonly Content[])[];
}

function figure({ id, title, description, column, rows, ...picture }: Picture, language: Language): Html {
  const { asTable, events } = PICTURES[language];
  return html`<figure>
<figcaption><h3>${title}</h3>
<p class="caption">${description}</p></figcaption>
<svg class="chart ${picture.kind}" role="img" aria-labelledby="${id}-title ${id}-description" width="100%" height="${em(picture.height)}">
<title id="${id}-title">${title}</title>
<desc id="${id}-description">${description}</desc>
${picture.drawing}</svg>
${details(asTable, table({ caption: title, columns: [column, events], figures: [1], rows }))}</figure>
`;
}

function byDay({ today, days }: Pick<Context['figures'], 'today' | 'days'>, language: Language): Html {
  const { title, column, description } = PICTURES[language].days;
  const most = Math.max(...days);
  const total = days.reduce((sum, events) => sum + events, 0);
  const picture: Picture = {
    id: 'chart-days',
    title,
    description: description(
      writeNumber(total, language),
      writeDay(today + days.indexOf(most), 'long', language),
      writeNumber(most, language),
    ),
    kind: 'days',
    height: PLOT + 3,
    drawing: [scale(most, language), bars(days, today, language), weeks(days, today, language)],
    column,
    rows: days.map((events, place) => [
      html`<time datetime="${formatDay(today + place)}">${writeDay(today + place, 'long', language)}</time>`,
      writeNumber(events, language),
    ]),
  };
  return figure(picture, language);
}

/** Width of the scale on the left, in percent. */
const GUTTER = 6;
/** Height of the highest value, in em. */
const PLOT = 11;

/** The vertical position of a value, in em from the top. */
const depthOf = (events: number, most: number) => 1 + PLOT - (events / niceAbove(most)) * PLOT;

function scale(most: number, language: Language): Content {
  const top = niceAbove(most);
  return [top, top / 2].map((value) => {
    const y = depthOf(value, most);
    return html`<line class="rule" x1="${percent(GUTTER)}" x2="100%" y1="${em(y)}" y2="${em(y)}"/>
<text class="scale" x="${percent(GUTTER - 1)}" y="${em(y + 0.3)}">${writeNumber(value, language)}</text>
`;
  });
}

/** A bar for each day; Sundays are red, as in any almanac. */
function bars(days: readonly number[], today: number, language: Language): Content {
  const most = Math.max(...days);
  const step = (100 - GUTTER) / days.length;
  return days.map((events, place) => {
    const day = today + place;
    const y = depthOf(events, most);
    return html`<rect class="${weekdayOf(day) === SUNDAY ? 'bar sunday' : 'bar'}" x="${percent(GUTTER + (place + 0.14) * step)}" y="${em(y)}" width="${percent(step * 0.72)}" height="${em(1 + PLOT - y)}"><title>${writeDay(day, 'long', language)}: ${events}</title></rect>
`;
  });
}

function weeks(days: readonly number[], today: number, language: Language): Content {
  const mondays = days.flatMap((_, place) => (weekdayOf(today + place) === 0 ? [place] : []));
  return html`<line class="ground" x1="${percent(GUTTER)}" x2="100%" y1="${em(1 + PLOT)}" y2="${em(1 + PLOT)}"/>
${mondays.map((place, week) => {
  const x = percent(GUTTER + (place * (100 - GUTTER)) / days.length);
  return html`<g class="${week % 2 === 0 ? 'week' : 'week odd'}"><line class="tick" x1="${x}" x2="${x}" y1="${em(1 + PLOT)}" y2="${em(1.4 + PLOT)}"/>
<text x="${x}" y="${em(2.6 + PLOT)}">${writeDay(today + place, 'brief', language)}</text></g>
`;
})}`;
}

/** A row for each entry: the name, the count, and a bar below. */
function byHits(what: 'categories' | 'venues', rows: readonly Hits[], language: Language): Html {
  const { title, column, description } = PICTURES[language][what];
  const [first] = rows;
  const most = Math.max(1, ...rows.map(({ hits }) => hits));
  const picture: Picture = {
    id: `chart-${what}`,
    title,
    description:
      first === undefined ? '' : description(first.name[language], writeNumber(first.hits, language)),
    kind: 'hits',
    height: rows.length * ROW,
    drawing: rows.map(
      (
        { name, hits },
        place,
      ) => html`<text x="0" y="${em(place * ROW + 1.2)}">${shortened(name[language])}</text>
<text class="count" x="100%" y="${em(place * ROW + 1.2)}">${writeNumber(hits, language)}</text>
<rect class="track" x="0" y="${em(place * ROW + 1.7)}" width="100%" height="0.3em"/>
<rect class="bar" x="0" y="${em(place * ROW + 1.7)}" width="${percent((hits / most) * 100)}" height="0.3em"/>
`,
    ),
    column,
    rows: rows.map(({ name, hits }) => [name[language], writeNumber(hits, language)]),
  };
  return figure(picture, language);
}

/** Em. */
const ROW = 2.6;

/** SVG does not wrap lines; the table has the whole name. */
function shortened(name: string): string {
  const letters = [...name];
  if (letters.length <= LONGEST) return name;
  const beginning = letters.slice(0, LONGEST - 1).join('');
  return `${beginning.trimEnd()}…`;
}

const LONGEST = 30;

/** Twice a round number, so that the middle rule has one too: 2, 4, 6, 8, 10, 12, 16, 20, 30 … */
function niceAbove(value: number): number {
  for (let size = 1; ; size *= 10) {
    const half = HALVES.find((one) => Number.isInteger(one * size) && 2 * one * size >= value);
    if (half !== undefined) return 2 * half * size;
  }
}

const HALVES = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8];

const percent = (value: number) => `${round(value)}%`;
const em = (value: number) => `${round(value)}em`;
const round = (value: number) => Math.round(value * 100) / 100;

const PICTURES = inEach({
  title: ['Kalenderen i bilder', 'The calendar in pictures'],
  short: ['Bilder', 'Pictures'],
  intro: [
    'Tegnet av de samme tallene som endepunktet svarer med.',
    'Drawn from the same figures that the endpoint answers with.',
  ],
  asTable: ['Vis som tabell', 'Show as a table'],
  events: ['Arrangementer', 'Events'],
  days: [
    {
      title: 'De neste åtte ukene',
      column: 'Dag',
      description: (total: string, busiest: string, most: string) =>
        `Arrangementer etter dagen de begynner: ${total} i alt, flest ${busiest} med ${most}. Søndager er røde.`,
    },
    {
      title: 'The next eight weeks',
      column: 'Day',
      description: (total, busiest, most) =>
        `Events by the day they begin: ${total} in all, most of them on ${busiest} with ${most}. Sundays are red.`,
    },
  ],
  categories: [
    {
      title: 'Etter kategori',
      column: 'Kategori',
      description: (first: string, hits: string) =>
        `Flest i «${first}»: ${hits}. Et arrangement kan ha flere kategorier.`,
    },
    {
      title: 'By category',
      column: 'Category',
      description: (first, hits) => `Most in “${first}”: ${hits}. An event may have several categories.`,
    },
  ],
  venues: [
    {
      title: 'Etter sted',
      column: 'Sted',
      description: (first: string, hits: string) => `De tolv stedene med flest; øverst ${first} med ${hits}.`,
    },
    {
      title: 'By venue',
      column: 'Venue',
      description: (first, hits) => `The twelve venues with most; first ${first} with ${hits}.`,
    },
  ],
});
