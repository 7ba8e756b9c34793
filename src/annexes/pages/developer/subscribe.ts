/** The calendar elsewhere: subscribed to, as a feed, on somebody's page. Choices make the addresses, with no script. */
import { formatDay } from '../../../calendar/time.ts';
import type { Lists } from '../../../snapshot/meta.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import { example, type FeedLink, pairs, type Section } from '../../page/page.ts';
import { inEach, LANGUAGES, type Language, writeDay, writeNumber } from '../../page/reader.ts';
import { type Choices, type Context, venueLabels } from './context.ts';
import { entry } from './opening.ts';

/** Of the page's address. What the calendar does not have is no choice. */
export function choicesOf(search: string, page: Language, { categories, venues }: Lists): Choices {
  const given = new URLSearchParams(search);
  const [category, venue, language] = ['category', 'venue', 'language'].map((name) => given.get(name));
  return {
    category: categories.find(({ id }) => id === category)?.id ?? null,
    venue: venues.find(({ slug }) => slug === venue)?.slug ?? null,
    language: LANGUAGES.find((known) => known === language) ?? page,
  };
}

export function subscribe(context: Context): Section {
  const { language } = context;
  const texts = TEXTS[language];
  return {
    id: 'subscribe',
    title: texts.title,
    short: texts.short,
    intro: html`<p>${texts.intro}</p>`,
    content: html`${form(context)}${result(context)}
<h3>${texts.addresses}</h3>
${addresses(context)}
<h3 id="embed-code">${texts.embed}</h3>
${example('embed-code', embedCode(context))}<p>${texts.more}</p>
`,
  };
}

function form({ language, snapshot: { lists }, figures, subscription: { choices } }: Context): Html {
  const texts = TEXTS[language];
  const categories = lists.categories
    .filter(({ visible }) => visible)
    .map(
      (category): Option => [
        category.id,
        `${category.parent === -1 ? '' : '– '}${category[`name_${language}`]}`,
      ],
    );
  const chosen = lists.venues.filter(({ slug }) => slug === choices.venue);
  const labels = venueLabels(lists);
  const venues = [...new Set([...figures.choosable, ...chosen])].map(
    (venue): Option => [venue.slug, labels[lists.venues.indexOf(venue)] ?? venue.name],
  );
  const all: Option = ['', texts.all];
  return html`<form class="choices" method="get" action="./#subscribe">
<input type="hidden" name="lang" value="${language}">
${select('category', texts.category, [all, ...categories], choices.category)}
${select('venue', texts.venue, [all, ...venues], choices.venue)}
${select('language', texts.language, LANGUAGE_OPTIONS, choices.language)}
<button type="submit">${texts.make}</button>
</form>
`;
}

type Option = readonly [value: string, name: string];

const LANGUAGE_OPTIONS: readonly Option[] = [
  ['nb', 'Norsk'],
  ['en', 'English'],
];

function select(name: string, label: string, options: readonly Option[], chosen: string | null): Html {
  return html`<label>${label} <select name="${name}">
${options.map(([value, text]) => html`<option value="${value}"${value === (chosen ?? '') && html` selected`}>${text}</option>\n`)}</select></label>`;
}

function result({ language, subscription }: Context): Html {
  const texts = TEXTS[language];
  const { events, next } = subscription;
  return html`<p>${texts.found(writeNumber(events, language), events === 1)}</p>
<ul class="programme dated">
${next.map((event) => {
  const day = html`<time class="time" datetime="${formatDay(event.day)}">${writeDay(event.day, 'brief', language)}</time>`;
  return entry(event, day, language);
})}</ul>
`;
}

/** Relative to the page. */
export function feedLinks({ snapshot, subscription }: Context): readonly FeedLink[] {
  const { name } = snapshot.lists.licence;
  return FEEDS.map(({ file, type, kind }) => ({
    type,
    title: `${name} (${kind})`,
    address: `${file}${queryOf(subscription.choices)}`,
  }));
}

const FEEDS = [
  { file: 'events.ics', type: 'text/calendar', kind: 'iCalendar' },
  { file: 'events.rss', type: 'application/rss+xml', kind: 'RSS' },
  { file: 'events.jsonld', type: 'application/ld+json', kind: 'JSON-LD' },
] as const;

function queryOf(choices: Choices): string {
  const query = new URLSearchParams(parametersOf(choices)).toString();
  return query === '' ? '' : `?${query}`;
}

/** Norwegian is what feeds speak unless they are asked for another language. */
function parametersOf({ category, venue, language }: Choices): Readonly<Record<string, string>> {
  return {
    ...(category !== null && { categories: category }),
    ...(venue !== null && { venues: venue }),
    ...(language !== 'nb' && { lang: language }),
  };
}

function addresses({ address, language, subscription }: Context): Html {
  const texts = TEXTS[language];
  const query = queryOf(subscription.choices);
  const rows = FEEDS.map(({ file, kind }): readonly [string, Content] => {
    const url = `${address}/${file}${query}`;
    return [kind, html`<a href="${url}"><code>${url}</code></a>`];
  });
  const webcal = `${address}/events.ics${query}`.replace(/^https?:/, 'webcal:');
  return pairs([[texts.subscribe, html`<a href="${webcal}">${texts.open}</a>`], ...rows]);
}

function embedCode({ address, subscription: { choices } }: Context): string {
  const attributes = Object.entries({
    ...parametersOf(choices),
    lang: choices.language,
    limit: '5',
    heading: TEXTS[choices.language].heading,
  });
  const written = attributes.map(([name, value]) => ` ${name}="${html`${value}`.html}"`).join('');
  return `<script src="${address}/embed.js" defer></script>\n<almanakk-events${written}></almanakk-events>`;
}

const TEXTS = inEach({
  nb: {
    title: 'Abonner, del og bygg inn',
    short: 'Abonner',
    intro:
      'Kalenderen i din egen kalender, i en nyhetsleser eller på en nettside. Velg, så får du adressene.',
    category: 'Kategori',
    venue: 'Sted',
    language: 'Språk',
    all: 'Alle',
    make: 'Lag adressene',
    found: (count: string, isOne: boolean) =>
      html`<strong>${count}</strong> ${isOne ? 'kommende arrangement' : 'kommende arrangementer'}. De neste som begynner:`,
    addresses: 'Adresser',
    subscribe: 'Abonner',
    open: 'Åpne i kalenderprogrammet',
    embed: 'På en nettside',
    heading: 'Det skjer',
    more: html`Alle feltene i filteret kan stå i adressene og som attributter, som <code>period=WEEKEND</code> eller <code>free=true</code>. Kalenderprogrammer spør om igjen hver time.`,
  },
  en: {
    title: 'Subscribe, syndicate, embed',
    short: 'Subscribe',
    intro:
      'The calendar in a calendar of your own, in a feed reader or on a web page. Choose, and get the addresses.',
    category: 'Category',
    venue: 'Venue',
    language: 'Language',
    all: 'All',
    make: 'Make the addresses',
    found: (count, isOne) =>
      html`<strong>${count}</strong> ${isOne ? 'upcoming event' : 'upcoming events'}. The next ones to begin:`,
    addresses: 'Addresses',
    subscribe: 'Subscribe',
    open: 'Open in a calendar program',
    embed: 'On a web page',
    heading: 'What is on',
    more: html`Each field of the filter can stand in the addresses, and as an attribute, such as <code>period=WEEKEND</code> or <code>free=true</code>. Calendar programs ask again every hour.`,
  },
});
