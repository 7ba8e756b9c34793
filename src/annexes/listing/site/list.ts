/** The list of the calendar's own site (I11): a form, the days to click on, and events under their days. */
import { formatDay, wallOf } from '../../../calendar/time.ts';
import { NEAR_SCRIPT } from '../../events/choices.ts';
import { type ListedLine, writeDays } from '../../events/days.ts';
import type { EventList } from '../../events/event-list.ts';
import { jsonLdScript } from '../../events/jsonld.ts';
import type { ListedImage } from '../../events/listed.ts';
import { municipalityNamed, municipalityValue } from '../../events/municipalities.ts';
import { conditionsOf, describe, writeNone } from '../../events/name.ts';
import { writeClock } from '../../page/dates.ts';
import { type Html, html, joined, trustedHtml } from '../../page/html.ts';
import { LIST_FILES, languageQuery } from '../../page/links.ts';
import type { Menu } from '../../page/menu.ts';
import { inEach, type Language, writeNumber } from '../../page/reader.ts';
import { alternates } from '../alternates.ts';
import { feedSearch, searchWith } from '../list-links.ts';
import { beyondLast, isBeyondLast, pageLinks } from '../list-pages.ts';
import { chips, pageWithout, writeRemoval } from './chips.ts';
import { countsFor, type RemovableCondition, type SiteCounts } from './counts.ts';
import { form } from './form.ts';
import { NOINDEX, sitePage } from './frame.ts';
import { siteHeading } from './heading.ts';
import { rowOf } from './row.ts';
import { STRIP_SCRIPT } from './strip.ts';
import { beginsWithin, isBounded, isOver } from './window.ts';

/** What the server has besides the list, for the page to link to. */
export interface Offered {
  readonly menu: Menu;
  readonly hasFeeds: boolean;
}

export async function writeList(list: EventList, offered: Offered): Promise<Iterable<string>> {
  const counts = await countsFor(list);
  const heading = siteHeading(list);
  const { listed, image } = writeEvents(list, counts);
  const chosen = list.total > 0 ? chips(list) : null;
  const content = html`<h1>${heading}</h1>
${form(list, counts)}<div id="results" tabindex="-1">
${foundIn(list, counts)}${chosen}${listed}${pageLinks(list)}</div>
${jsonLdOf(list)}`;
  const page = sitePage(list, {
    title: `${heading} – ${list.licence.name}`,
    description: isNarrowed(list) ? `${heading}. ${describe(list)}` : describe(list),
    canonical: canonicalOf(list),
    image,
    root: '',
    menu: offered.menu,
    content,
    skipTo: '#results',
    head: headTags(list, offered),
    foot: links(list, offered),
  });
  return [page.html];
}

interface WrittenEvents {
  readonly listed: Html;
  /** The first picture of an event, for previews of the page; null if none has a picture. */
  readonly image: ListedImage | null;
}

/** Each event is parsed once, while it is written: the list and its first picture come from one pass. */
function writeEvents(list: EventList, counts: SiteCounts): WrittenEvents {
  let image: ListedImage | null = null;
  const write = (line: ListedLine): Html => {
    image ??= line.event.image;
    return rowOf(line);
  };
  const beside = (day: number) => besideDay(day, list, counts);
  const days = [...writeDays(list, write, { beside })];
  return { listed: trustedHtml(days.join('')), image };
}

function headTags(list: EventList, { hasFeeds }: Offered): Html {
  const feeds = hasFeeds ? alternates(list, hasFeeds) : null;
  const noIndex = isEmptyChoice(list) ? NOINDEX : null;
  return html`${feeds}${noIndex}${NEAR_SCRIPT}${STRIP_SCRIPT}`;
}

/** The same selection has one address for search engines, whatever its language and heading, and however its municipality is spelled. */
function canonicalOf(list: EventList): string {
  const { server, parameters, page } = list;
  const changes: Record<string, string | null> = { lang: null, heading: null };
  // The first page is the address without a number.
  if (page === 0) changes.page = null;
  const municipality = municipalityNamed(parameters.get('municipality') ?? '', list.view);
  const value = municipality === undefined ? null : municipalityValue(municipality, list.view);
  if (value !== null) changes.municipality = value;
  return `${server}/events.html${searchWith(list, changes)}`;
}

const isNarrowed = (list: EventList): boolean => conditionsOf(list).length > 0;

/** Search engines leave out a list without events, unless it is that of the whole calendar. */
function isEmptyChoice(list: EventList): boolean {
  return list.events.length === 0 && (isNarrowed(list) || list.page > 0);
}

const jsonLdOf = (list: EventList): Html => trustedHtml([...jsonLdScript(list)].join(''));

/** If the window has an end, the number of dates that start on the day, as in the line of days. Without an end, days are not counted. */
function besideDay(day: number, list: EventList, { listed }: SiteCounts): Html | null {
  const { query, from, language } = list;
  if (!isBounded(query.plan.conditions)) return null;
  const clock = writeClock(wallOf(from), language);
  const begins = beginsWithin(list, day) ? ` ${TEXTS[language].from(clock)}` : null;
  const count = writeFound(listed.get(formatDay(day)) ?? 0, language);
  return html`${begins} <span class="hits">${count}</span>`;
}

/** The number of hits, or the reason why there are none on this page. */
function foundIn(list: EventList, counts: SiteCounts): Html {
  const { language, total } = list;
  if (isBeyondLast(list)) return html`<div class="state">${beyondLast(list)}</div>\n`;
  if (total === 0) return nothingFound(list, counts);
  const { ongoing } = counts;
  const starting = writeFound(total - ongoing, language);
  const running = ongoing > 0 ? `, ${TEXTS[language].ongoing(writeNumber(ongoing, language))}` : null;
  return html`<p class="found">${starting}${running}</p>\n`;
}

/** `1 event`, `1,200 events`. */
function writeFound(count: number, language: Language): string {
  return TEXTS[language].found(count, writeNumber(count, language));
}

/** The filters that can be removed to find something. */
function nothingFound(list: EventList, { removable }: SiteCounts): Html {
  const { language } = list;
  const texts = TEXTS[language];
  // The whole calendar has no events.
  if (removable.length === 0) return html`<p>${writeNone(language)}</p>\n`;
  const helpful = removable.filter(({ hits }) => hits > 0);
  const removalOf = ({ names, words, hits }: RemovableCondition) => {
    const link = html`<a href="${pageWithout(names, list)}">${writeRemoval(words, language)}</a>`;
    return html`<li>${link} (${writeFound(hits, language)})</li>\n`;
  };
  // A link to a day is often opened later.
  const over = isOver(list.query.plan.conditions, list.now) ? html`<p>${texts.over}</p>\n` : null;
  return html`<div class="state"><h2>${texts.nothing}</h2>
${over}<p>${texts.tryWithout}</p>
<ul>
${helpful.map(removalOf)}<li><a href="events.html${languageQuery(list)}">${texts.everything}</a></li>
</ul></div>
`;
}

function links(list: EventList, { menu, hasFeeds }: Offered): Html {
  const texts = TEXTS[list.language];
  const search = feedSearch(list);
  const canSubscribe = menu.pages.includes('subscribe');
  const all = [
    canSubscribe ? html`<a href="subscribe${search}">${texts.subscribe}</a>` : null,
    hasFeeds ? html`<a href="${LIST_FILES.rss.file}${search}">RSS</a>` : null,
    html`<a href="events.html${searchWith(list, { view: 'plain' })}">${texts.plain}</a>`,
  ];
  const offered = all.filter((link) => link !== null);
  return html`<p class="feeds">${joined(offered, ' · ')}</p>\n`;
}

const TEXTS = inEach({
  found: [
    (count: number, written: string) => (count === 1 ? '1 arrangement' : `${written} arrangementer`),
    (count: number, written: string) => (count === 1 ? '1 event' : `${written} events`),
    (_: number, written: string) => `${written} arrangement`,
  ],
  ongoing: [
    (count: string) => `${count} pågår`,
    (count: string) => `${count} on now`,
    (count: string) => `${count} pågår`,
  ],
  from: [
    (time: string) => `fra kl. ${time}`,
    (time: string) => `from ${time}`,
    (time: string) => `frå kl. ${time}`,
  ],
  nothing: ['Ingen treff', 'No events match', 'Ingen treff'],
  over: ['Dette tidsrommet er passert.', 'This period is over.', 'Dette tidsrommet er passert.'],
  tryWithout: ['Prøv å fjerne et filter:', 'Try removing a filter:', 'Prøv å fjerne eit filter:'],
  everything: ['Vis alle arrangementer', 'Show all events', 'Vis alle arrangement'],
  subscribe: ['Abonner på dette utvalget', 'Subscribe to this selection', 'Abonner på dette utvalet'],
  plain: ['Til utskrift', 'For printing', 'Til utskrift'],
});
