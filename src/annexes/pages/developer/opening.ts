/** The calendar at a glance: its figures beside the leaf of the day, and the next events. */
import { formatDay, osloDay, timeOfDay, wallOf, weekdayOf } from '../../../calendar/time.ts';
import { langOf, marksOf, statesOf } from '../../events/words.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import { momentOf, type Section } from '../../page/page.ts';
import { inEach, type Language, SUNDAY, weekOf, writeDay, writeNumber } from '../../page/reader.ts';
import { venueLabels } from '../../page/venues.ts';
import type { Context, NextEvent } from './context.ts';

/** `sections`: all that follow. */
export function opening(context: Context, sections: readonly Section[]): Html {
  const { snapshot, language, address, limits } = context;
  const { licence } = snapshot.lists;
  const { counts, builtAt } = snapshot.meta;
  const texts = OPENING[language];
  const upcoming = writeNumber(context.upcoming, language);
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

function leaf({ today, leftToday: events, language }: Context): Html {
  const texts = OPENING[language];
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

export function nextEvents(context: Context): Section {
  const { language, today, ongoing, next } = context;
  const texts = NEXT[language];
  const days = [...new Set(next.map(({ start }) => osloDay(start)))];
  const now =
    ongoing.length > 0 &&
    html`<div class="day">
<h3>${texts.now}</h3>
<ul class="programme">
${ongoing.map((event) => entry(event, untilOf(event, today, language), context))}</ul>
</div>
`;
  const timeOf = ({ start, isAllDay }: NextEvent) => (isAllDay ? texts.allDay : timeOfDay(wallOf(start)));
  const content = days.map(
    (day) => html`<div class="day">
<h3${weekdayOf(day) === SUNDAY && html` class="sunday"`}><time datetime="${formatDay(day)}">${writeDay(day, 'long', language)}</time></h3>
<ul class="programme">
${next.filter(({ start }) => osloDay(start) === day).map((event) => entry(event, timeOf(event), context))}</ul>
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
function untilOf({ start, end, isAllDay }: NextEvent, today: number, language: Language): string {
  const { now, until, allDay } = NEXT[language];
  if (end === start) return now;
  const last = osloDay(isAllDay ? end - 1 : end);
  const time = timeOfDay(wallOf(end));
  const isTonight = !isAllDay && last === today + 1 && time < '08:00';
  if (last > today && !isTonight) return `${until} ${writeDay(last, 'brief', language)}`;
  return isAllDay ? allDay : `${until} ${time}`;
}

/** An entry of the programme, which begins with `when`. */
function entry(event: NextEvent, when: string, { language, snapshot: { lists } }: Context): Html {
  const { link, title, venue } = event;
  return html`<li><span class="time">${when}</span>
<span class="what"><a href="${link}"><span${langOf(title, language)}>${title.text}</span></a>${marksOf(statesOf(event, language))}
${venue !== null && html`<span class="where">${venueLabels(lists).get(venue)}</span>`}</span></li>
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
});
