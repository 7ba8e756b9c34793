/** The last line of every list and event page: the calendar, the date of its data, and the terms for using them. */
import type { EventList } from '../events/event-list.ts';
import { writeMoment } from '../page/dates.ts';
import { type Content, type Html, html, joined } from '../page/html.ts';
import { inEach } from '../page/reader.ts';

export function imprint(list: EventList): Html {
  const { language, licence, builtAt } = list;
  const facts = [
    html`<a href="${licence.siteUrl}">${licence.name}</a>`,
    `${TEXTS[language].built} ${writeMoment(builtAt, language)}`,
    termsOf(list),
  ];
  return html`<p>${joined(withoutBlanks(facts), ' · ')}</p>
`;
}

/** The credit and the licence of the data; empty if the calendar has neither. */
function termsOf({ licence: { name: calendar, attribution, dataLicence } }: EventList): Content {
  const { name = null, url = null } = dataLicence ?? {};
  // A licence without a name is spelled out as its address, so that printouts have it.
  const permitted = url === null ? name : html`<a rel="license" href="${url}">${name ?? url}</a>`;
  // The line begins with the calendar's name.
  const credit = attribution === calendar ? null : attribution;
  return joined(withoutBlanks([credit, permitted]), ' – ');
}

const withoutBlanks = (facts: readonly Content[]): readonly Content[] =>
  facts.filter((fact) => html`${fact}`.html !== '');

const TEXTS = inEach({
  built: ['oppdatert', 'updated', 'oppdatert'],
});
