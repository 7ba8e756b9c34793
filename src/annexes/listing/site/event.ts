/** One event's page (I11, I12): what happened to its date, its picture, its card and its dates. */
import { osloDay } from '../../../calendar/time.ts';
import { parsedUrl } from '../../../calendar/urls.ts';
import { FEATURES } from '../../common/accessibility.ts';
import { marksOf } from '../../events/days.ts';
import { eventsIn } from '../../events/entries.ts';
import { type EventList, reachAt } from '../../events/event-list.ts';
import { jsonLdScript } from '../../events/jsonld.ts';
import { type ListedEvent, type ListedOccurrence, linkOf } from '../../events/listed.ts';
import { municipalityNamed, municipalityValue } from '../../events/municipalities.ts';
import { statesOf, warningOf, writeDayNear, writePlace, writePrices, writeWhen } from '../../events/words.ts';
import { type Content, type Html, html, joined, trustedHtml } from '../../page/html.ts';
import { LIST_FILES, languageQuery } from '../../page/links.ts';
import { langOf, pairs } from '../../page/parts.ts';
import { capitalized, inEach, writeNumber } from '../../page/reader.ts';
import { cardOf, SHARE_SCRIPT, type Subject } from './card.ts';
import { missing, noticeOf, type PageDate, pageDateOf, searchOfDate, searchOfList } from './event-date.ts';
import { NOINDEX, sitePage } from './frame.ts';
import type { Offered } from './list.ts';
import { coverOf } from './picture.ts';

/** Dates that a page shows at once. */
const MOST_DATES = 6;

export function writeEvent(list: EventList, offered: Offered): Iterable<string> {
  const pageDate = pageDateOf(list);
  const subject = subjectOf(list, pageDate);
  const { event, shownDate, address } = subject;
  const facts = [
    writeWhen(shownDate, list),
    writePlace(event, shownDate, list.language),
    event.summary?.text,
  ];
  return [
    sitePage(list, {
      title: titleOf(pageDate, subject),
      description: capitalized(facts.filter(Boolean).join(' · ')),
      canonical: event.link,
      isHere: shownDate.link !== null,
      address,
      image: event.image,
      root: '../',
      menu: offered.menu,
      content: contentOf(pageDate, subject, offered.hasFeeds),
      head: headOf(pageDate, event, offered.hasFeeds),
    }).html,
  ];
}

function subjectOf(list: EventList, { shownDate }: PageDate): Subject {
  const [entry] = eventsIn(list);
  if (entry === undefined) throw missing('an event');
  const { event } = entry;
  return { event, shownDate, list, address: linkOf(event, shownDate) };
}

function contentOf(pageDate: PageDate, subject: Subject, hasFeeds: boolean): Html {
  const { event, list } = subject;
  const { title } = event;
  return html`<article class="event">
<p class="back"><a href="../events.html${searchOfList(list)}">← ${TEXTS[list.language].all}</a></p>
${noticeOf(pageDate, list)}${bandOf(pageDate, list)}<h1${langOf(title, list.language)}>${title.text}</h1>
<div class="columns">
${figureOf(subject)}${cardOf(subject, hasFeeds)}<div class="about">
${descriptionOf(subject)}${datesOf(pageDate, subject)}${moreOf(subject)}</div>
</div>
${jsonLdOf(pageDate, list)}</article>`;
}

function figureOf({ event: { image }, list }: Subject): Html | null {
  const picture = coverOf(image, list);
  const credits = image?.credits ? html`<figcaption>${image.credits}</figcaption>` : null;
  return picture && html`<figure class="cover">${picture}${credits}</figure>\n`;
}

function descriptionOf({ event: { description }, list: { language } }: Subject): Html | null {
  if (description === null) return null;
  return html`<div class="description"${langOf(description, language)}>${trustedHtml(description.text)}</div>\n`;
}

/** `Avlyst: Vårkonsert – lørdag 14. februar – Kultur i Lillevik`. */
function titleOf({ dates, isInAddress, shownDate }: PageDate, { event, list }: Subject): string {
  const { language, licence } = list;
  const warning = warningOf(shownDate, language);
  const state = warning === null ? '' : `${warning}: `;
  const day = isInAddress && dates.length > 1 ? ` – ${writeDayNear(osloDay(shownDate.start), list)}` : '';
  return `${state}${event.title.text}${day} – ${licence.name}`;
}

function headOf({ missed }: PageDate, { id }: ListedEvent, hasFeeds: boolean): Html {
  const noIndex = missed !== null ? NOINDEX : null;
  const json = `../${LIST_FILES.json.file}?event=${encodeURIComponent(id)}`;
  const alternate = hasFeeds ? html`<link rel="alternate" type="application/json" href="${json}">\n` : null;
  return html`${noIndex}${alternate}${SHARE_SCRIPT}`;
}

/** For search engines: the date that the address names, else the next ones. */
function jsonLdOf({ isInAddress, shownNode }: PageDate, list: EventList): Html {
  const events = isInAddress ? [shownNode] : list.events;
  return trustedHtml([...jsonLdScript({ ...list, events, reach: reachAt(list.now) })].join(''));
}

/** The status banner of the shown date, with the next date that takes place. */
function bandOf({ dates, shownDate }: PageDate, list: EventList): Html | null {
  const { language } = list;
  const states = statesOf(shownDate, language);
  if (states.length === 0) return null;
  const isOff = warningOf(shownDate, language) !== null;
  const isLaterAndOn = (date: ListedOccurrence) =>
    date.start > shownDate.start && warningOf(date, language) === null;
  const next = isOff ? dates.find(isLaterAndOn) : undefined;
  const when = html`<span>${capitalized(writeWhen(shownDate, list))}</span>`;
  const instead = next === undefined ? null : nextDate(next, list);
  return html`<p class="${isOff ? 'band' : 'band moved'}"><strong>${states.join(' · ')}</strong> ${when}${instead}</p>\n`;
}

function nextDate(date: ListedOccurrence, list: EventList): Html {
  const link = html`<a href="${searchOfDate(date, list)}">${writeWhen(date, list)}</a>`;
  return html` <span>${TEXTS[list.language].next} ${link}</span>`;
}

/** All dates, when there are several; each is a link to its own page. The shown date and those around it are in view. */
function datesOf({ dates, shownDate }: PageDate, subject: Subject): Html | null {
  if (dates.length < 2) return null;
  const { language } = subject.list;
  const texts = TEXTS[language];
  const shownAt = dates.findIndex(({ id }) => id === shownDate.id);
  const first = windowAround(shownAt, dates.length);
  const inView = dates.slice(first, first + MOST_DATES);
  const folded = dates.filter((date) => !inView.includes(date));
  const itemOf = (date: ListedOccurrence) => dateItem(date, subject);
  const summary = texts.moreDates(folded.length, writeNumber(folded.length, language));
  const moreDates = html`<details><summary>${summary}</summary><ul class="dates">
${folded.map(itemOf)}</ul></details>
`;
  return html`<h2>${texts.dates}</h2>
<ul class="dates">
${inView.map(itemOf)}</ul>
${folded.length > 0 ? moreDates : null}`;
}

/** Begins one date before the shown one, or earlier near the end, so that the list always has the same length. */
const windowAround = (shownAt: number, count: number): number =>
  Math.max(0, Math.min(shownAt - 1, count - MOST_DATES));

/** A date, with its place and prices where they are not those of the shown date. */
function dateItem(date: ListedOccurrence, { event, shownDate, list }: Subject): Html {
  const { language } = list;
  const place = date.venue?.id === shownDate.venue?.id ? '' : writePlace(event, date, language);
  const prices = writePrices(event, date, language);
  const differingPrices = prices === writePrices(event, shownDate, language) ? '' : prices;
  const more = [place, differingPrices].filter((text) => text !== '');
  const differing = more.length > 0 ? html`<span class="differing">${more.join(' · ')}</span>` : null;
  const current = date.id === shownDate.id ? html` aria-current="date"` : null;
  const link = html`<a href="${searchOfDate(date, list)}"${current}>${capitalized(writeWhen(date, list))}</a>`;
  return html`<li>${link}${marksOf(date, language)}${differing}</li>\n`;
}

/** Omits unknown values. */
function moreOf({ event, shownDate, list }: Subject): Html {
  const { language } = list;
  const texts = TEXTS[language];
  const { source, moreInfoURL } = event;
  const organizers = event.organizers.map(({ name, website }) => linked(website, name));
  const categories = event.categories.map(({ id, label }) =>
    linked(`../events.html${languageQuery(list, { categories: id })}`, label),
  );
  return pairs([
    [texts.accessibility, shownDate.accessibility.map((word) => FEATURES[word][language]).join(', ')],
    [texts.organizer, joined(organizers, ', ')],
    [texts.category, joined(categories, ', ')],
    [texts.municipality, municipalityOf(shownDate, list)],
    [texts.source, source && linked(source.url, source.name)],
    [texts.more, moreInfoURL && linked(moreInfoURL, null)],
  ]);
}

/** Linked to its list, which search engines find by such links. */
function municipalityOf({ venue }: ListedOccurrence, list: EventList): Content {
  const municipality = municipalityNamed(venue?.municipalityNumber ?? venue?.municipality ?? '', list.view);
  if (municipality === undefined) return null;
  const value = municipalityValue(municipality, list.view);
  const address = value === null ? null : `../events.html${languageQuery(list, { municipality: value })}`;
  return linked(address, municipality.name);
}

/** A link named by its text or, without one, by its host; the text alone without an address. */
function linked(address: string | null, text: string | null): Content {
  if (address === null) return text;
  return html`<a href="${address}">${text ?? hostOf(address)}</a>`;
}

const hostOf = (url: string): string => parsedUrl(url)?.host ?? url;

const TEXTS = inEach({
  all: ['Alle arrangementer', 'All events', 'Alle arrangement'],
  next: ['Neste:', 'Next:', 'Neste:'],
  accessibility: ['Tilgjengelighet', 'Accessibility', 'Tilgjenge'],
  organizer: ['Arrangør', 'Organizer', 'Arrangør'],
  category: ['Kategori', 'Category', 'Kategori'],
  municipality: ['Kommune', 'Municipality', 'Kommune'],
  more: ['Mer informasjon', 'More information', 'Meir informasjon'],
  source: ['Kilde', 'Source', 'Kjelde'],
  dates: ['Alle datoer', 'All dates', 'Alle datoar'],
  moreDates: [
    (count: number, written: string) => (count === 1 ? '1 dato til' : `${written} datoer til`),
    (count: number, written: string) => (count === 1 ? '1 more date' : `${written} more dates`),
    (count: number, written: string) => (count === 1 ? '1 dato til' : `${written} datoar til`),
  ],
});
