/**
 * An event of the list. `display` is what its line depends on besides the event: `language`, the template `link` of the page's own event
 * pages, `hasPictures`, and `showsMunicipality`.
 */
import { linkTo, ownLink, pageOf } from './links.js';
import { make } from './make.js';
import { statesOf } from './states.js';
import { featuresIn, wordsIn } from './texts.js';
import { clockText, dayAndMonth, timesOf } from './times.js';

export function itemOf(event, display) {
  const summary = localText('p', 'summary', { event, display });
  if (summary) summary.className = 'summary';
  return make(
    'li',
    { className: event.eventCancelled ? 'off' : '' },
    timeOf(event, display),
    make(
      'div',
      {},
      pictureOf(event.images, display),
      make('p', {}, titleOf(event, display), ...notesOf(event, display)),
      factsOf(event, display),
      summary,
      accessibilityOf(event.accessibility, display),
    ),
  );
}

function timeOf(event, { language }) {
  const { locale, until, also } = wordsIn(language);
  const { isRunning, day, lastDay, clocks, others, dateTime } = timesOf(event, Date.now());
  const clocksOf = (times) => times.map((text) => clockText(text, language));
  const named = dayAndMonth(day, language);
  const time = clocksOf(clocks).join('–');
  const hasOthers = time !== '' && others.length > 0;
  const list = new Intl.ListFormat(locale).format(clocksOf(others));
  const dayOf = (textContent) => make('span', { className: 'day', textContent });
  return make(
    'time',
    { dateTime },
    isRunning ? `${until} ` : null,
    dayOf(isRunning ? named : capitalized(named)),
    time === '' ? null : ' ',
    make('span', { className: 'clock', textContent: time }),
    hasOthers ? `, ${also} ${list}` : null,
    ...(lastDay === null ? [] : [' – ', dayOf(dayAndMonth(lastDay, language))]),
  );
}

function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function pictureOf([image], { hasPictures }) {
  if (!hasPictures || !linkTo(image?.urlSmall).href) return null;
  return make('img', { src: image.urlSmall, alt: image.alt ?? '', loading: 'lazy' });
}

function titleOf(event, display) {
  const title = localText('a', 'title', { event, display }) ?? make('a');
  const ownPage = ownLink(display.link, event);
  Object.assign(title, ownPage ? { href: ownPage } : linkTo(pageOf(event, display.language)));
  title.dataset.id = event.occurrenceID;
  return title;
}

/** What readers must know before they go there. */
function notesOf(event, { language }) {
  return statesOf(event, language).map((textContent) => make('span', { className: 'note', textContent }));
}

/** The place and the price; null if neither is known. */
function factsOf(event, display) {
  const { online } = wordsIn(display.language);
  const place = placeOf(event.venue, display) ?? (event.mode === 'online' ? online : null);
  const price = priceOf(event, display);
  const facts = [place, price && make('span', { className: 'price', textContent: price })].filter(Boolean);
  if (facts.length === 0) return null;
  return make('p', { className: 'place' }, ...facts.flatMap((fact) => [' · ', fact]).slice(1));
}

/** With the municipality, unless the name says it. */
function placeOf(venue, { showsMunicipality }) {
  if (!venue) return null;
  const { name, municipality } = venue;
  const isNamed = !showsMunicipality || !municipality || name.includes(municipality);
  return isNamed ? name : `${name}, ${municipality}`;
}

/** Free tickets are for members, companions or small children. */
function priceOf({ ticketsInformation, prices, occurrencePrices }, { language }) {
  const { locale, free } = wordsIn(language);
  if (ticketsInformation === 'free') return free;
  const all = (occurrencePrices ?? prices).flatMap(({ price }) => price || []);
  if (ticketsInformation !== 'ticketsInfo' || all.length === 0) return null;
  const ends = [...new Set([Math.min(...all), Math.max(...all)])];
  return `${ends.map((price) => price.toLocaleString(locale)).join('–')} kr`;
}

/**
 * An element with a text of an event: in Norwegian or English, as the reader's language is, else in the other one. `lang` names a language
 * that is not the reader's. Null without either text.
 */
function localText(element, field, { event, display: { language } }) {
  const texts = [
    [event[`${field}_nb`], event.norwegian ?? 'nb'],
    [event[`${field}_en`], 'en'],
  ];
  if (language === 'en') texts.reverse();
  const [textContent, lang] = texts.find(([text]) => text) ?? [];
  if (!textContent) return null;
  return make(element, { textContent, ...(lang !== language && { lang }) });
}

function accessibilityOf(words, { language }) {
  const features = featuresIn(language);
  const known = words.flatMap((word) => features[word] ?? []);
  if (known.length === 0) return null;
  const items = known.map((textContent) => make('span', { textContent }));
  return make('p', { className: 'access' }, ...items);
}
