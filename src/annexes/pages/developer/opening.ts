/** The calendar at a glance: its figures beside the leaf of the day, and the next events. */
import { formatDay, weekdayOf } from '../../../calendar/time.ts';
import { writeDaysBriefly } from '../../events/days.ts';
import { SUNDAY, weekOf, writeDay } from '../../page/dates.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import { momentOf, type Section } from '../../page/parts.ts';
import { capitalized, inBoth, writeNumber } from '../../page/reader.ts';
import type { DeveloperPageContext } from './context.ts';

/** `sections`: all that follow. */
export function opening(context: DeveloperPageContext, sections: readonly Section[]): Html {
  const { language, address } = context;
  const linkTo = ({ id, title, short = title }: Section) => html`<li><a href="#${id}">${short}</a></li>\n`;
  return html`<div class="opening">
<div class="opening-text">
<h1>${OPENING[language].title}</h1>
<p class="lede">${ledeOf(context)}</p>
<p class="endpoint"><span class="method">POST</span> <code>${address}/graphQL</code></p>
${factsOf(context)}</div>
${leaf(context)}
</div>
<nav class="contents" aria-label="${OPENING[language].contents}">
<ul>
${sections.map(linkTo)}</ul>
</nav>
`;
}

function ledeOf({ upcoming, limits, language }: DeveloperPageContext): Html {
  const { one, several, offer, noAccount, noQuota, use } = OPENING[language];
  const count = html`<strong>${writeNumber(upcoming, language)}</strong> ${upcoming === 1 ? one : several}`;
  const hasQuota = limits.anonymous !== null || limits.keyed !== null;
  return html`${count} ${offer} ${noAccount}${hasQuota ? null : noQuota}: ${use}`;
}

function factsOf({ snapshot, upcoming, language }: DeveloperPageContext): Html {
  const { counts, builtAt } = snapshot.meta;
  const texts = OPENING[language];
  const facts: readonly (readonly [string, Content])[] = [
    [texts.events, writeNumber(upcoming, language)],
    [texts.venues, writeNumber(counts.venues, language)],
    [texts.organizers, writeNumber(counts.organizers, language)],
    [texts.built, momentOf(builtAt, language)],
  ];
  const items = facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`);
  return html`<dl class="facts">
${items}</dl>
`;
}

/** The leaf of a tear-off calendar. */
function leaf({ today, leftToday, language }: DeveloperPageContext): Html {
  const texts = OPENING[language];
  const date = formatDay(today);
  const month = capitalized(writeDay(today, 'month', language));
  const weekday = capitalized(writeDay(today, 'weekday', language));
  const left =
    leftToday === 0 ? texts.noneLeft : texts.left(writeNumber(leftToday, language), leftToday === 1);
  return html`<p class="${weekdayOf(today) === SUNDAY ? 'leaf sunday' : 'leaf'}">
<time datetime="${date}"><span class="leaf-month">${month}</span>
<span class="leaf-day">${Number(date.slice(8))}</span>
<span class="leaf-weekday">${weekday}</span></time>
<span class="leaf-note">${texts.week} ${weekOf(today)}</span>
<span class="leaf-note">${left}</span>
</p>`;
}

const OPENING = inBoth({
  title: ['For utviklere', 'For developers'],
  one: ['kommende arrangement', 'upcoming event'],
  several: ['kommende arrangementer', 'upcoming events'],
  offer: ['i ett åpent GraphQL-endepunkt.', 'from one open GraphQL endpoint.'],
  noAccount: ['Ingen innlogging', 'No sign-up'],
  noQuota: [', ingen kvote', ', no quota'],
  use: [
    'rett til ditt eget nettsted, din egen app eller din egen infoskjerm.',
    'for your own site, app or info screen.',
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

export function nextEvents({ language, next }: DeveloperPageContext): Section {
  const { title, short, intro, none } = NEXT[language];
  const content = next.total === 0 ? html`<p>${none}</p>` : writeDaysBriefly(next);
  return { id: 'next', title, short, intro: html`<p>${intro}</p>`, content };
}

const NEXT = inBoth({
  title: ['Dette skjer', 'Coming up'],
  short: ['Neste', 'Next'],
  intro: [
    'De neste arrangementene, slik endepunktet svarer akkurat nå. Alle tider er norske.',
    'The next events, as the endpoint returns them right now. All times are in Norwegian time.',
  ],
  none: ['Ingen kommende arrangementer.', 'There are no upcoming events.'],
});
