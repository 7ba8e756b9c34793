/** The calendar at a glance: its figures beside the leaf of the day, and the next events. */
import { formatDay, weekdayOf } from '../../../calendar/time.ts';
import { writeDaysBriefly } from '../../events/days.ts';
import { capitalized } from '../../events/words.ts';
import { SUNDAY, weekOf, writeDay } from '../../page/dates.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import { momentOf, type Section } from '../../page/parts.ts';
import { inEach, writeNumber } from '../../page/reader.ts';
import type { Context } from './context.ts';

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
<p class="lede">${texts.lede(html`<strong>${upcoming}</strong>`, { hasQuota, isOne: context.upcoming === 1 })}</p>
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
<time datetime="${formatDay(today)}"><span class="leaf-month">${capitalized(writeDay(today, 'month', language))}</span>
<span class="leaf-day">${Number(formatDay(today).slice(8))}</span>
<span class="leaf-weekday">${capitalized(writeDay(today, 'weekday', language))}</span></time>
<span class="leaf-note">${texts.week} ${weekOf(today)}</span>
<span class="leaf-note">${events === 0 ? texts.noneLeft : texts.left(writeNumber(events, language), events === 1)}</span>
</p>`;
}

interface Lede {
  readonly hasQuota: boolean;
  readonly isOne: boolean;
}

const OPENING = inEach({
  lede: [
    (count: Html, { hasQuota, isOne }: Lede) =>
      html`${count} ${isOne ? 'kommende arrangement' : 'kommende arrangementer'} i ett åpent GraphQL-endepunkt. Ingen innlogging${hasQuota ? '' : ', ingen kvote'}: rett til ditt eget nettsted, din egen app eller din egen infoskjerm.`,
    (count: Html, { hasQuota, isOne }: Lede) =>
      html`${count} ${isOne ? 'upcoming event' : 'upcoming events'} from one open GraphQL endpoint. No sign-up${hasQuota ? '' : ', no quota'}: for a site, an app or an information screen of your own.`,
  ],
  events: ['Arrangementer', 'Events'],
  venues: ['Steder', 'Venues'],
  organizers: ['Arrangører', 'Organizers'],
  built: ['Bygget', 'Built'],
  week: ['Uke', 'Week'],
  contents: ['På denne siden', 'On this page'],
  noneLeft: ['Ingen igjen i dag', 'None left today'],
  left: [
    (count: string, isOne: boolean) => `${count} ${isOne ? 'arrangement' : 'arrangementer'} igjen i dag`,
    (count: string, isOne: boolean) => `${count} ${isOne ? 'event' : 'events'} left today`,
  ],
});

export function nextEvents({ language, next }: Context): Section {
  const { title, short, intro, none } = NEXT[language];
  const content = next.total === 0 ? html`<p>${none}</p>` : writeDaysBriefly(next);
  return { id: 'next', title, short, intro: html`<p>${intro}</p>`, content };
}

const NEXT = inEach({
  title: ['Dette skjer', 'Coming up'],
  short: ['Neste', 'Next'],
  intro: [
    'De neste arrangementene, slik endepunktet svarer akkurat nå. Alle tider er norske.',
    'The next ones to begin, as the endpoint answers right now. All times are Norwegian.',
  ],
  none: ['Ingen kommende arrangementer.', 'No events have been announced.'],
});
