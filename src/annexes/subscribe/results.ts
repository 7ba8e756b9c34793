/** The result of the choices: ways to subscribe, the first events, addresses for programs, and markup for other sites. */
import { writeDaysBriefly } from '../events/days.ts';
import type { EventList } from '../events/event-list.ts';
import { nameOf } from '../events/name.ts';
import { LIST_PAGE_SIZE } from '../events/query.ts';
import { type Html, html } from '../page/html.ts';
import { LIST_FILES } from '../page/links.ts';
import { example, renderSection } from '../page/parts.ts';
import { inEach } from '../page/reader.ts';
import { listParametersOf, queryOf } from './list-parameters.ts';

const FEEDS = [LIST_FILES.ics, LIST_FILES.rss, LIST_FILES.json, LIST_FILES.csv];

interface OfferedFeed {
  readonly type: string;
  readonly kind: string;
  /** Relative to the page, with its query. */
  readonly path: string;
}

export function feedsOf(list: EventList, offers: ReadonlySet<string>): readonly OfferedFeed[] {
  const offered = offers.has('feeds') ? FEEDS : [];
  return offered.map(({ file, type, kind }) => ({ type, kind, path: `${file}${queryOf(list)}` }));
}

/** `offers`: of all annexes. */
export function results(list: EventList, offers: ReadonlySet<string>): Html {
  const texts = TEXTS[list.language];
  const [calendar, ...others] = feedsOf(list, offers);
  const limit = list.total > LIST_PAGE_SIZE ? html`\n<p>${texts.limit}</p>` : null;
  const subscribe = renderSection({
    id: 'result',
    title: texts.subscribe,
    intro: html`<p>${nameOf(list)}</p>${limit}`,
    content: calendar === undefined ? null : waysOf(`${list.server}/${calendar.path}`, list),
  });
  const first = renderSection({
    id: 'first',
    title: texts.first,
    content: list.total === 0 ? html`<p>${texts.none}</p>` : writeDaysBriefly(list),
  });
  const addresses = renderSection({
    id: 'addresses',
    title: texts.addresses,
    intro: html`<p>${texts.hint}</p>`,
    content: [others.map((other) => feedField(other, list)), offers.has('events') ? pageField(list) : null],
  });
  const embed = offers.has('embed') ? embedSection(list) : null;
  return html`<div id="results">${subscribe}${first}${addresses}${embed}</div>`;
}

function feedField({ kind, path }: OfferedFeed, { language, server }: EventList): Html {
  const label = FEED_LABELS[language][kind] ?? kind;
  return field(kind, label, `${server}/${path}`);
}

function pageField(list: EventList): Html {
  const query = queryOf(list, { view: 'plain' });
  return field('page', TEXTS[list.language].page, `${list.server}/events.html${query}`);
}

function embedSection(list: EventList): Html {
  const texts = TEXTS[list.language];
  return renderSection({
    id: 'embed',
    title: texts.embed,
    intro: html`<p>${texts.embedHint}</p>`,
    content: html`<h3 id="embed-code">HTML</h3>\n${example('embed-code', embedCode(list))}`,
  });
}

/** `address`: of the calendar as iCalendar. The links to Google and Outlook carry it; Apple's programs and others open the scheme `webcal`. */
function waysOf(address: string, list: EventList): Html {
  const texts = TEXTS[list.language];
  const webcal = address.replace(/^https?:/, 'webcal:');
  const outlook = new URLSearchParams({ url: address, name: nameOf(list) }).toString();
  const google = encodeURIComponent(webcal);
  const ways = [
    { name: 'Google', link: `https://calendar.google.com/calendar/r?cid=${google}`, about: texts.google },
    {
      name: 'Outlook',
      link: `https://outlook.live.com/calendar/0/addfromweb?${outlook}`,
      about: texts.outlook,
    },
    { name: 'Apple', link: webcal, about: texts.apple },
  ];
  return html`<ul class="ways">
${ways.map(({ name, link, about }) => html`<li><a class="button" href="${link}">${name}</a> <span>${about}</span></li>\n`)}</ul>
${field('ics', texts.copy, address)}<p class="caption">${texts.copyAbout}</p>
`;
}

/** An input field, so that one key selects all of it where no script copies it. */
function field(id: string, label: string, address: string): Html {
  return html`<p class="address copied"><label for="address-${id}">${label}</label> <input id="address-${id}" type="url" readonly value="${address}"></p>\n`;
}

function embedCode(list: EventList): string {
  const { server, language } = list;
  const attributes = new Map([...listParametersOf(list)].map(([name, texts]) => [name, texts.join(' ')]));
  attributes.set('lang', language).set('limit', '5').set('heading', TEXTS[language].heading);
  const written = [...attributes].map(([name, value]) => ` ${name}="${html`${value}`.html}"`).join('');
  return `<script src="${server}/embed.js" defer></script>\n<almanakk-events${written}></almanakk-events>`;
}

const TEXTS = inEach({
  subscribe: ['I kalenderen din', 'In your calendar', 'I kalenderen din'],
  limit: [
    `Et abonnement har høyst de neste ${LIST_PAGE_SIZE} arrangementene. Snevre inn utvalget for å se lenger frem.`,
    `A subscription contains at most the next ${LIST_PAGE_SIZE} events. Narrow the selection to see further ahead.`,
    `Eit abonnement har høgst dei neste ${LIST_PAGE_SIZE} arrangementa. Snevr inn utvalet for å sjå lenger fram.`,
  ],
  google: [
    'Åpner Google Kalender, som spør om du vil legge til kalenderen. Google henter nye arrangementer automatisk, ofte noen timer senere.',
    'Opens Google Calendar, which asks whether to add it. Google fetches new events automatically, often some hours later.',
    'Opnar Google Kalender, som spør om du vil leggje til kalenderen. Google hentar nye arrangement automatisk, ofte nokre timar seinare.',
  ],
  outlook: [
    'Åpner Outlook på nett med adressen ferdig utfylt. I Outlook på jobben velger du «Legg til kalender» og «Abonner fra nettet».',
    'Opens Outlook on the web with the address filled in. In Outlook for work, choose “Add calendar” and “Subscribe from web”.',
    'Opnar Outlook på nett med adressa ferdig utfylt. I Outlook på jobben vel du «Legg til kalender» og «Abonner frå nettet».',
  ],
  apple: [
    'Åpner kalenderen på iPhone, iPad eller Mac. Lenken virker også i andre kalenderprogrammer.',
    'Opens the calendar of an iPhone, iPad or Mac. Other calendar apps also support the link.',
    'Opnar kalenderen på iPhone, iPad eller Mac. Lenkja verkar også i andre kalenderprogram.',
  ],
  copy: ['Adressen', 'The address', 'Adressa'],
  copyAbout: [
    'Lim den inn der kalenderen din spør etter en adresse. Innholdet oppdateres automatisk.',
    'Paste it where your calendar asks for an address. New events then appear automatically.',
    'Lim ho inn der kalenderen din spør etter ei adresse. Innhaldet blir oppdatert automatisk.',
  ],
  first: ['Forhåndsvisning', 'Preview', 'Førehandsvising'],
  none: [
    'Ingen treff nå. Nye arrangementer kommer automatisk.',
    'No events match now. New ones will appear automatically.',
    'Ingen treff no. Nye arrangement kjem automatisk.',
  ],
  addresses: ['Andre formater', 'Other formats', 'Andre format'],
  hint: [
    'Det samme utvalget for nyhetslesere, regneark og programmer.',
    'The same selection for feed readers, spreadsheets and programs.',
    'Det same utvalet for nyheitslesarar, rekneark og program.',
  ],
  page: [
    'Side til utskrift og innbygging (HTML)',
    'Page for printing and frames (HTML)',
    'Side til utskrift og innbygging (HTML)',
  ],
  embed: ['På en nettside', 'On a web page', 'På ei nettside'],
  embedHint: [
    'Lim inn koden der arrangementene skal vises.',
    'Paste the code where the events should appear.',
    'Lim inn koden der arrangementa skal visast.',
  ],
  heading: ['Det skjer', 'What is on', 'Det skjer'],
});

/** By kind. */
const FEED_LABELS = inEach<Readonly<Record<string, string>>>({
  RSS: ['Nyhetsleser (RSS)', 'Feed reader (RSS)', 'Nyheitslesar (RSS)'],
  JSON: ['For programmer (JSON)', 'For programs (JSON)', 'For program (JSON)'],
  CSV: ['Regneark (CSV)', 'Spreadsheet (CSV)', 'Rekneark (CSV)'],
});
