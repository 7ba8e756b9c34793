/**
 * Event pages by their addresses, and the page for one that has none: what there is in its place (A17, a published slug stays with its id).
 */
import { refuse } from '../../../serve/graphql/refusal.ts';
import type { Format } from '../../events/endpoint.ts';
import type { ExplainRefusal } from '../../events/refusal-page.ts';
import { html } from '../../page/html.ts';
import type { PageName } from '../../page/page.ts';
import { inEach } from '../../page/reader.ts';
import { SITE_STYLESHEET } from './frame.ts';

/** A17: slugs, of at most 80 characters. */
const PATH = /^\/events\/([a-z0-9-]{1,80})\.html$/;

export const isEventPage: Format['isFor'] = ({ path }) => PATH.test(path);

/** The event that has the slug, or had it; else whether any had. */
export const eventOf: NonNullable<Format['eventOf']> = async (
  path,
  { eventNames, ordinalBySlug, isGoneSlug },
) => {
  const slug = PATH.exec(path)?.[1] ?? '';
  const ordinal = ordinalBySlug(slug);
  const [event] = ordinal === null ? [] : await eventNames([ordinal]);
  if (event !== undefined) return event.id;
  return isGoneSlug(slug)
    ? refuse('GONE', 'This event is over, or was taken out of the calendar.')
    : refuse('NOT_FOUND', 'There is no event at this address.');
};

/** `menu`: of the calendar's own site. */
export const explainGone =
  (menu: () => readonly PageName[]): ExplainRefusal =>
  ({ code }, { path, language, inAddress }) => {
    const texts = TEXTS[language];
    const own = inAddress ? { lang: language } : {};
    const words = (PATH.exec(path)?.[1] ?? '').replace(/-\d+$/, '').replaceAll('-', ' ');
    const like = new URLSearchParams({ searchTerm: words, ...own });
    return {
      ...texts[code === 'GONE' ? 'gone' : 'unknown'],
      ending: '',
      menu: menu(),
      root: '../',
      script: html`<link rel="stylesheet" href="../${SITE_STYLESHEET.file}">\n<meta name="robots" content="noindex">\n`,
      more: html`<ul>
<li><a href="../events.html?${like.toString()}">${texts.like(words)}</a></li>
<li><a href="../events.html?${new URLSearchParams(own).toString()}">${texts.all}</a></li>
</ul>
`,
    };
  };

const TEXTS = inEach({
  gone: [
    {
      title: 'Arrangementet er over',
      text: 'Det er holdt, eller tatt ut av kalenderen. Her er det som skjer nå:',
    },
    {
      title: 'This event is over',
      text: 'It has taken place, or was taken out of the calendar. This is what is on now:',
    },
  ],
  unknown: [
    {
      title: 'Dette arrangementet finnes ikke',
      text: 'Adressen er skrevet feil, eller arrangementet er ikke i kalenderen. Her er det som skjer:',
    },
    {
      title: 'This event does not exist',
      text: 'The address is misspelt, or the event is not in the calendar. This is what is on:',
    },
  ],
  like: [(words: string) => `Søk etter «${words}»`, (words: string) => `Search for “${words}”`],
  all: ['Alle arrangementer', 'All events'],
});
