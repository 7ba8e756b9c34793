/** The calendar elsewhere: subscribed to, as a feed, on somebody's page. Choices make the addresses, with no script. */
import { formatDay } from '../../../calendar/time.ts';
import type { Lists } from '../../../snapshot/meta.ts';
import type { Snapshot } from '../../../snapshot/open.ts';
import { selectNodes } from '../../query/select.ts';
import { viewAt } from '../../query/view.ts';
import { writeDay, writeNumber } from '../dates.ts';
import { type Content, type Html, html } from '../html.ts';
import type { FeedLink } from '../page.ts';
import { type InEach, inEach, LANGUAGES, type Language } from '../reader.ts';
import { pairs, type Section } from '../section.ts';
import { type Choices, type Context, nextEvents, type Option, type Subscription } from './context.ts';
import { titleIn } from './opening.ts';

/** Of the page's address. What the calendar does not have is no choice. */
export function choicesOf(search: string, { categories, venues }: Lists): Choices {
  const given = new URLSearchParams(search);
  const [category, venue, language] = ['category', 'venue', 'language'].map((name) => given.get(name));
  return {
    category: categories.find(({ id }) => id === category)?.id ?? null,
    venue: venues.find(({ slug }) => slug === venue)?.slug ?? null,
    language: LANGUAGES.find((known) => known === language) ?? null,
  };
}

const NEXT = 3;
/** Who looks for another venue finds it by its slug. */
const MOST_VENUES = 200;

export async function subscriptionAt(
  snapshot: Snapshot,
  choices: Choices,
  now: number,
): Promise<Subscription> {
  const view = viewAt(snapshot, now);
  const { category, venue } = choices;
  const selection = {
    ...(category !== null && { categories: [category] }),
    ...(venue !== null && { venues: [venue] }),
  };
  const all = await selectNodes(view, {}, now);
  const chosen = await selectNodes(view, selection, now);
  const { events, until } = await nextEvents(view, selection, { now, count: NEXT });
  const busiest = view.facets.entries(all.counts(), 'venues', MOST_VENUES);
  const places = [...busiest.map(({ ordinal }) => ordinal)].sort((left, right) => left - right);
  const venues = places.flatMap((place) => view.lists.venues[place] ?? []);
  const known = venues.some(({ slug }) => slug === venue);
  const other = known ? undefined : view.lists.venues.find(({ slug }) => slug === venue);
  return {
    choices,
    events: chosen.total,
    next: events,
    venues: [...venues, ...(other === undefined ? [] : [other])].map(({ slug, name }) => ({
      value: slug,
      name,
    })),
    until,
  };
}

export function subscribe(context: Context): Section {
  const { language } = context;
  const texts = TEXTS[language];
  return {
    id: 'subscribe',
    title: texts.title,
    intro: html`<p>${texts.intro}</p>`,
    content: html`${form(context)}${result(context)}
<h3>${texts.addresses}</h3>
${addresses(context)}
<h3 id="embed-code">${texts.embed}</h3>
<pre class="example" role="region" aria-labelledby="embed-code" tabindex="0"><code>${embedCode(context)}</code></pre>
<p>${texts.more}</p>
`,
  };
}

function form({ language, snapshot, subscription }: Context): Html {
  const texts = TEXTS[language];
  const { choices, venues } = subscription;
  const categories = snapshot.lists.categories
    .filter(({ visible }) => visible)
    .map(({ id, name_nb, name_en, parent }) => ({
      value: id,
      name: `${parent === -1 ? '' : '– '}${language === 'nb' ? name_nb : name_en}`,
    }));
  const languages = LANGUAGES.map((value) => ({ value, name: texts.languages[value] }));
  return html`<form class="choices" method="get" action="./#subscribe">
<input type="hidden" name="lang" value="${language}">
${select('category', texts.category, [{ value: '', name: texts.all }, ...categories], choices.category)}
${select('venue', texts.venue, [{ value: '', name: texts.all }, ...venues], choices.venue)}
${select('language', texts.language, languages, choices.language ?? language)}
<button type="submit">${texts.make}</button>
</form>
`;
}

function select(name: string, label: string, options: readonly Option[], chosen: string | null): Html {
  return html`<label>${label} <select name="${name}">
${options.map((option) => html`<option value="${option.value}"${option.value === (chosen ?? '') && html` selected`}>${option.name}</option>\n`)}</select></label>`;
}

function result({ language, subscription }: Context): Html {
  const texts = TEXTS[language];
  const { events, next } = subscription;
  return html`<p>${texts.found(writeNumber(events, language), events === 1)}</p>
<ul class="programme dated">
${next.map(({ title, link, day, venue }) => {
  const shown = titleIn(title, language);
  const foreign = shown.language !== language && html` lang="${shown.language}"`;
  const name = html`<span${foreign}>${shown.text}</span>`;
  return html`<li><time class="time" datetime="${formatDay(day)}">${writeDay(day, 'brief', language)}</time>
<span class="what">${link === null ? name : html`<a href="${link}">${name}</a>`}
${venue !== null && html`<span class="where">${venue}</span>`}</span></li>
`;
})}</ul>
`;
}

/** Relative to the page. */
export function feedLinks({ snapshot, language, subscription }: Context): readonly FeedLink[] {
  const { name } = snapshot.lists.licence;
  return FEEDS.map(({ file, type, kind }) => ({
    type,
    title: `${name} (${kind})`,
    address: `${file}${queryOf(subscription.choices, language)}`,
  }));
}

const FEEDS = [
  { file: 'events.ics', type: 'text/calendar', kind: 'iCalendar' },
  { file: 'events.rss', type: 'application/rss+xml', kind: 'RSS' },
  { file: 'events.jsonld', type: 'application/ld+json', kind: 'JSON-LD' },
] as const;

function queryOf(choices: Choices, language: Language): string {
  const query = new URLSearchParams(parametersOf(choices, language)).toString();
  return query === '' ? '' : `?${query}`;
}

/** Norwegian is what feeds speak unless they are asked for another language. */
function parametersOf(
  { category, venue, language }: Choices,
  page: Language,
): Readonly<Record<string, string>> {
  const spoken = language ?? page;
  return {
    ...(category !== null && { categories: category }),
    ...(venue !== null && { venues: venue }),
    ...(spoken !== 'nb' && { lang: spoken }),
  };
}

function addresses({ address, language, subscription }: Context): Html {
  const texts = TEXTS[language];
  const query = queryOf(subscription.choices, language);
  const rows = FEEDS.map(({ file, kind }): readonly [string, Content] => {
    const url = `${address}/${file}${query}`;
    return [kind, html`<a href="${url}"><code>${url}</code></a>`];
  });
  const webcal = `${address}/events.ics${query}`.replace(/^https?:/, 'webcal:');
  return pairs([[texts.subscribe, html`<a href="${webcal}">${texts.open}</a>`], ...rows]);
}

function embedCode({ address, language, subscription }: Context): string {
  const { choices } = subscription;
  const attributes = Object.entries({
    ...parametersOf(choices, language),
    lang: choices.language ?? language,
    limit: '5',
    heading: TEXTS[choices.language ?? language].heading,
  });
  const written = attributes.map(([name, value]) => ` ${name}="${html`${value}`.html}"`).join('');
  return `<script src="${address}/embed.js" defer></script>\n<almanakk-events${written}></almanakk-events>`;
}

const LANGUAGE_NAMES: InEach<string> = { nb: 'Norsk', en: 'English' };

const TEXTS = inEach({
  nb: {
    title: 'Abonner, del og bygg inn',
    intro:
      'Kalenderen i din egen kalender, i en nyhetsleser eller på en nettside. Velg, så får du adressene.',
    category: 'Kategori',
    venue: 'Sted',
    language: 'Språk',
    languages: LANGUAGE_NAMES,
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
    intro:
      'The calendar in a calendar of your own, in a feed reader or on a web page. Choose, and get the addresses.',
    category: 'Category',
    venue: 'Venue',
    language: 'Language',
    languages: LANGUAGE_NAMES,
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
