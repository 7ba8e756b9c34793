/** The events that begin next, day by day. */
import { formatMinute } from '../../../calendar/time.ts';
import { machineDay, SUNDAY, weekdayOf, writeDay } from '../dates.ts';
import type { NextEvent } from '../figures.ts';
import { type Html, html } from '../html.ts';
import type { InEach, Language } from '../language.ts';
import type { Section } from '../section.ts';
import type { Context } from './context.ts';

export function nextEvents({ figures, language }: Context): Section {
  const texts = TEXTS[language];
  const days = [...new Set(figures.next.map(({ day }) => day))];
  const content = days.map(
    (day) => html`<div class="day">
<h3 class="${weekdayOf(day) === SUNDAY ? 'sunday' : ''}"><time datetime="${machineDay(day)}">${writeDay(day, 'long', language)}</time></h3>
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
  const texts = TEXTS[language];
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
function titleIn(
  title: InEach<string | null>,
  language: Language,
): { readonly text: string; readonly language: Language } {
  const other = language === 'nb' ? 'en' : 'nb';
  const own = title[language];
  return own === null ? { text: title[other] ?? '', language: other } : { text: own, language };
}

interface Texts {
  readonly title: string;
  readonly intro: string;
  readonly none: string;
  readonly cancelled: string;
  readonly soldOut: string;
}

const TEXTS: InEach<Texts> = {
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
};
