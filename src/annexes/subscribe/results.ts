/** The result of the choices: the first events, the list's addresses in each format, and markup for other sites. */
import { formatDay, osloDay } from '../../calendar/time.ts';
import { nameOf } from '../events/name.ts';
import { eventsIn, type Feed } from '../events/read.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { example, LISTS, renderSection } from '../page/page.ts';
import { inEach, writeDay, writeNumber } from '../page/reader.ts';

interface Address {
  readonly kind: string;
  readonly type: string;
  /** Relative to the page, with its query. */
  readonly path: string;
}

export interface Offered {
  readonly feeds: (feed: Feed) => readonly Address[];
  readonly hasPage: boolean;
  readonly hasEmbed: boolean;
}

export function offersOf(offers: readonly string[]): Offered {
  const formats = offers.includes('feeds') ? FEEDS : [];
  return {
    feeds: (feed) => formats.map(({ file, ...format }) => ({ ...format, path: `${file}${queryOf(feed)}` })),
    hasPage: offers.includes('events'),
    hasEmbed: offers.includes('embed'),
  };
}

const FEEDS = [LISTS.ics, LISTS.rss, LISTS.json, LISTS.csv];

/** The part of the page's query that belongs to the list: no blanks, no page, and no Norwegian, which is the default of lists. */
function parametersOf({ search, language }: Feed): Readonly<Record<string, string>> {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (!NOT_PASSED_ON.has(name) && value.trim() !== '')
      values.set(name, [...(values.get(name) ?? []), value]);
  }
  if (language !== 'nb') values.set('lang', [language]);
  return Object.fromEntries([...values].map(([name, all]) => [name, all.join(',')]));
}

const NOT_PASSED_ON: ReadonlySet<string> = new Set(['lang', 'page', 'pageSize', 'heading']);

function queryOf(feed: Feed): string {
  const query = new URLSearchParams(parametersOf(feed)).toString();
  // A comma is valid in a query (RFC 3986), and more legible.
  return query === '' ? '' : `?${query.replaceAll('%2C', ',')}`;
}

export function results(feed: Feed, offered: Offered): Html {
  const { language, total, server } = feed;
  const texts = TEXTS[language];
  const feeds = offered.feeds(feed);
  const calendar = feeds[0] && `${server}/${feeds[0].path}`.replace(/^https?:/, 'webcal:');
  const first = renderSection({
    id: 'result',
    title: texts.first,
    intro: html`<p><strong>${writeNumber(total, language)}</strong> ${total === 1 ? texts.event : texts.events}: ${nameOf(feed)}</p>`,
    content: total === 0 ? html`<p>${texts.none}</p>` : programme(feed),
  });
  const addresses = renderSection({
    id: 'addresses',
    title: texts.addresses,
    intro: html`<p>${texts.hint}</p>`,
    content: html`${calendar !== undefined && html`<p><a href="${calendar}">${texts.open}</a></p>\n${field('webcal', texts.calendar, calendar)}`}${feeds
      .slice(1)
      .map(({ kind, path }) => field(kind, texts[kind as keyof typeof texts] ?? kind, `${server}/${path}`))}${
      offered.hasPage &&
      field(
        'page',
        texts.page,
        `${server}/events.html?${new URLSearchParams({ view: 'plain', ...parametersOf(feed) }).toString().replaceAll('%2C', ',')}`,
      )
    }`,
  });
  return html`${first}${addresses}${offered.hasEmbed && renderSection({ id: 'embed', title: texts.embed, intro: html`<p>${texts.embedHint}</p>`, content: html`<h3 id="embed-code">HTML</h3>\n${example('embed-code', embedCode(feed))}` })}`;
}

/** An input field, so that one key selects all of it where no script copies it. */
function field(id: string, label: string, address: string): Html {
  return html`<p class="address copied"><label for="address-${id}">${label}</label> <input id="address-${id}" type="url" readonly value="${address}"></p>\n`;
}

function programme(feed: Feed): Html {
  const { language } = feed;
  const texts = TEXTS[language];
  return html`<ul class="programme dated">
${Array.from(eventsIn(feed), ({ event, shown }): Content => {
  const { start, venue, isCancelled } = shown();
  const { title } = event;
  const day = osloDay(start);
  return html`<li><time class="time" datetime="${formatDay(day)}">${writeDay(day, 'brief', language)}</time>
<span class="what"><a href="${event.link}"${title.language !== language && html` lang="${title.language}"`}>${title.text}</a>${isCancelled && html` <em class="mark">${texts.cancelled}</em>`}
${venue !== null && html`<span class="where">${venue.name}</span>`}</span></li>
`;
})}</ul>
`;
}

function embedCode(feed: Feed): string {
  const { server, language } = feed;
  const attributes = Object.entries({
    ...parametersOf(feed),
    lang: language,
    limit: '5',
    heading: TEXTS[language].heading,
  });
  const written = attributes.map(([name, value]) => ` ${name}="${html`${value}`.html}"`).join('');
  return `<script src="${server}/embed.js" defer></script>\n<almanakk-events${written}></almanakk-events>`;
}

const TEXTS = inEach({
  first: ['De første', 'The first ones'],
  event: ['arrangement', 'event'],
  events: ['arrangementer', 'events'],
  none: [
    'Ingen arrangementer passer nå. Abonnementet fylles når det kommer noen.',
    'No events meet this now. The subscription fills when there are some.',
  ],
  cancelled: ['avlyst', 'cancelled'],
  addresses: ['Adresser', 'Addresses'],
  hint: [
    'Kopier den du trenger. Adressen er den samme så lenge valgene er det; innholdet følger kalenderen.',
    'Copy the one you need. The address stays the same as long as the choices do; what is in it follows the calendar.',
  ],
  open: ['Åpne i kalenderprogrammet', 'Open in a calendar program'],
  calendar: ['Kalenderprogram (webcal)', 'Calendar program (webcal)'],
  RSS: ['Nyhetsleser (RSS)', 'Feed reader (RSS)'],
  JSON: ['Program (JSON)', 'Program (JSON)'],
  CSV: ['Regneark (CSV)', 'Spreadsheet (CSV)'],
  page: ['Side for utskrift og rammer (HTML)', 'Page for printing and frames (HTML)'],
  embed: ['På en nettside', 'On a web page'],
  embedHint: ['Lim inn der arrangementene skal stå.', 'Paste it where the events are to stand.'],
  heading: ['Det skjer', 'What is on'],
});
