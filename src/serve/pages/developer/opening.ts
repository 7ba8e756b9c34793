/** What this calendar is, in a few words, beside the leaf of the day; and the events that begin next. */

import { formatDay, formatMinute, weekdayOf } from '../../../calendar/time.ts';
import { SUNDAY, weekOf, writeDay, writeMoment, writeNumber } from '../dates.ts';
import { type Html, html } from '../html.ts';
import { type InEach, inEach, type Language } from '../reader.ts';
import type { Section } from '../section.ts';
import type { Context, NextEvent } from './context.ts';

/** `sections`: all that follow. */
export function opening(context: Context, sections: readonly Section[]): Html {
  const { snapshot, figures, language, address } = context;
  const { licence } = snapshot.lists;
  const { counts, builtAt } = snapshot.meta;
  const texts = OPENING[language];
  const facts = [
    [texts.events, writeNumber(figures.upcoming, language)],
    [texts.venues, writeNumber(counts.venues, language)],
    [texts.organizers, writeNumber(counts.organizers, language)],
    [
      texts.built,
      html`<time datetime="${builtAt}">${writeMoment(Date.parse(builtAt) / 1_000, language)}</time>`,
    ],
  ] as const;
  return html`<div class="opening">
<div class="opening-text">
<h1>${licence.name}</h1>
<p class="lede">${texts.lede(html`<strong>${writeNumber(figures.upcoming, language)}</strong>`)}</p>
<p class="endpoint"><span class="method">POST</span> <code>${address}/graphQL</code></p>
<dl class="facts">
${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
</div>
${leaf(context)}
</div>
<nav class="contents" aria-label="${texts.contents}">
<ul>
${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>\n`)}</ul>
</nav>
`;
}

function leaf({ figures, language }: Context): Html {
  const { today, days } = figures;
  const texts = OPENING[language];
  const events = days[0]?.events ?? 0;
  return html`<p class="${weekdayOf(today) === SUNDAY ? 'leaf sunday' : 'leaf'}">
<time datetime="${formatDay(today)}"><span class="leaf-month">${writeDay(today, 'month', language)}</span>
<span class="leaf-day">${dayOfMonth(today)}</span>
<span class="leaf-weekday">${writeDay(today, 'weekday', language)}</span></time>
<span class="leaf-note">${texts.week} ${weekOf(today)}</span>
<span class="leaf-note">${events === 0 ? texts.noneLeft : texts.left(writeNumber(events, language), events === 1)}</span>
</p>`;
}

function dayOfMonth(day: number): number {
  return Number(formatDay(day).slice(8));
}

const OPENING = inEach({
  nb: {
    lede: (count: Html) =>
      html`${count} kommende arrangementer bak ett åpent GraphQL-endepunkt. Ingen innlogging, ingen kvote: hent dem til ditt eget nettsted, din egen app eller ditt eget oppslag.`,
    events: 'Arrangementer',
    venues: 'Steder',
    organizers: 'Arrangører',
    built: 'Bygget',
    week: 'uke',
    contents: 'På denne siden',
    noneLeft: 'ingen igjen i dag',
    left: (count: string, isOne: boolean) =>
      `${count} ${isOne ? 'arrangement' : 'arrangementer'} igjen i dag`,
  },
  en: {
    lede: (count) =>
      html`${count} upcoming events behind one open GraphQL endpoint. No sign-up, no quota: fetch them for a site, an app or a poster of your own.`,
    events: 'Events',
    venues: 'Venues',
    organizers: 'Organizers',
    built: 'Built',
    week: 'week',
    contents: 'On this page',
    noneLeft: 'none left today',
    left: (count, isOne) => `${count} ${isOne ? 'event' : 'events'} left today`,
  },
});

export function nextEvents({ figures, language }: Context): Section {
  const texts = NEXT[language];
  const days = [...new Set(figures.next.map(({ day }) => day))];
  const content = days.map(
    (day) => html`<div class="day">
<h3 class="${weekdayOf(day) === SUNDAY ? 'sunday' : ''}"><time datetime="${formatDay(day)}">${writeDay(day, 'long', language)}</time></h3>
<ul class="programme">
${figures.next.filter((event) => event.day === day).map((event) => entry(event, language))}</ul>
</div>
`,
  );
  return {
    id: 'next',
    title: texts.title,
    intro: html`<p>${texts.intro}</p>`,
    content: days.length === 0 ? html`<p>${texts.none}</p>` : content,
  };
}

function entry({ title, link, minute, venue, isCancelled, isSoldOut }: NextEvent, language: Language): Html {
  const texts = NEXT[language];
  const shown = titleIn(title, language);
  const foreign = shown.language !== language && html` lang="${shown.language}"`;
  const name = html`<span${foreign}>${shown.text}</span>`;
  const isWeb = link !== null && /^https?:\/\//i.test(link);
  return html`<li><span class="time">${formatMinute(minute)}</span>
<span class="what">${isWeb ? html`<a href="${link}">${name}</a>` : name}${isCancelled && html` <em class="mark">${texts.cancelled}</em>`}${isSoldOut && html` <em class="mark">${texts.soldOut}</em>`}
${venue !== null && html`<span class="where">${venue}</span>`}</span></li>
`;
}

/** In the reader's language where there is a title in it, else in the other. */
export function titleIn(
  title: InEach<string | null>,
  language: Language,
): { readonly text: string; readonly language: Language } {
  const other = language === 'nb' ? 'en' : 'nb';
  const own = title[language];
  return own === null ? { text: title[other] ?? '', language: other } : { text: own, language };
}

const NEXT = inEach({
  nb: {
    title: 'Dette skjer nå',
    intro: 'De neste som begynner, slik endepunktet svarer i dette øyeblikk. Klokken er norsk.',
    none: 'Ingen arrangementer er kunngjort.',
    cancelled: 'avlyst',
    soldOut: 'utsolgt',
  },
  en: {
    title: 'Coming up',
    intro: 'The next ones to begin, as the endpoint answers at this moment. Times are Norwegian.',
    none: 'No events have been announced.',
    cancelled: 'cancelled',
    soldOut: 'sold out',
  },
});
