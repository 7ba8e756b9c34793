/** The address of an event's page (A17): the event that has it, and what a reader finds where there is none. */
import { refuse } from '../../../serve/graphql/refusal.ts';
import { isPublishedAt } from '../../../snapshot/visibility.ts';
import type { IsFor, PageSteps } from '../../events/format.ts';
import { type ExplainRefusal, explainList } from '../../events/refusal-page.ts';
import { html } from '../../page/html.ts';
import { languageQuery } from '../../page/links.ts';
import type { Menu } from '../../page/menu.ts';
import { inEach } from '../../page/reader.ts';
import { NOINDEX, SITE_STYLESHEET } from './frame.ts';

/** A17: slugs, of at most 80 characters. */
const PATH = /^\/events\/([a-z0-9-]{1,80})\.html$/;

export const isEventPage: IsFor = ({ path }) => PATH.test(path);

/** The event that has or had the slug; if there is none, whether an event ever had it. A9: one that is not public yet never had it. */
export const eventOf: NonNullable<PageSteps['eventOf']> = async (path, { snapshot, now }) => {
  const slug = slugIn(path);
  const ordinal = snapshot.ordinalBySlug(slug);
  const isPublic = ordinal !== null && isPublishedAt(snapshot.columns, ordinal, now);
  const [event] = isPublic ? await snapshot.eventNames([ordinal]) : [];
  if (event !== undefined) return event.id;
  return snapshot.isGoneSlug(slug)
    ? refuse('GONE', 'This event is over, or was taken out of the calendar.')
    : refuse('NOT_FOUND', 'There is no event at this address.');
};

/** `menu`: of the calendar's own site. */
export const explainGone =
  (menu: () => Menu): ExplainRefusal =>
  (refusal, request) => {
    const { path, language } = request;
    const texts = TEXTS[language];
    const common = {
      ending: '',
      menu: menu(),
      root: '../',
      script: HEAD,
    };
    const isGone = refusal.code === 'GONE';
    if (!isGone && refusal.code !== 'NOT_FOUND') return { ...common, ...explainList(refusal, request) };
    const text = isGone ? texts.gone : texts.unknown;
    const words = wordsOfSlug(slugIn(path));
    const search = languageQuery(request, { searchTerm: words });
    const all = languageQuery(request);
    return {
      ...common,
      ...text,
      more: html`<ul>
<li><a href="../events.html${search}">${texts.search(words)}</a></li>
<li><a href="../events.html${all}">${texts.all}</a></li>
</ul>
`,
    };
  };

const HEAD = html`<link rel="stylesheet" href="../${SITE_STYLESHEET.file}">
${NOINDEX}`;

const slugIn = (path: string): string => PATH.exec(path)?.[1] ?? '';

/** A slug may end in a number that distinguishes it from others. */
const wordsOfSlug = (slug: string): string => slug.replace(/-\d+$/, '').replaceAll('-', ' ');

const TEXTS = inEach({
  gone: [
    {
      title: 'Arrangementet vises ikke lenger',
      text: 'Det er over eller fjernet. Søk videre:',
    },
    {
      title: 'This event is no longer listed',
      text: 'It is over or was removed. Find something else:',
    },
    {
      title: 'Arrangementet blir ikkje vist lenger',
      text: 'Det er over eller fjerna. Søk vidare:',
    },
  ],
  unknown: [
    {
      title: 'Vi fant ikke arrangementet',
      text: 'Adressen kan være skrevet feil. Søk videre:',
    },
    {
      title: 'We could not find this event',
      text: 'The address may be misspelt. Find something else:',
    },
    {
      title: 'Vi fann ikkje arrangementet',
      text: 'Adressa kan vere skriven feil. Søk vidare:',
    },
  ],
  search: [
    (words: string) => `Søk etter «${words}»`,
    (words: string) => `Search for “${words}”`,
    (words: string) => `Søk etter «${words}»`,
  ],
  all: ['Alle arrangementer', 'All events', 'Alle arrangement'],
});
