/**
 * The page for a browser whose address of a list's page is refused: by default the parameters in question, what was found, and the way
 * back. Programs get JSON, with the same status (D1).
 */
import { shortened } from '../../calendar/text.ts';
import type { Refusal } from '../../serve/graphql/refusal.ts';
import type { HttpRequest } from '../../serve/http/message.ts';
import { acceptsHtml } from '../../serve/http/negotiation.ts';
import { html } from '../page/html.ts';
import { type Menu, type StateOptions, statePage, UNAVAILABLE } from '../page/page.ts';
import { details } from '../page/parts.ts';
import { type ChosenLanguage, inEach, languageOf } from '../page/reader.ts';
import { LONGEST_NAME } from './query.ts';

type Request = Pick<HttpRequest, 'headers' | 'path' | 'search'>;

/** What the page says of a refusal. */
export type ExplainRefusal = (
  refusal: Refusal,
  request: Request & ChosenLanguage,
) => Partial<StateOptions> & Pick<StateOptions, 'title' | 'text'>;

/** Undefined if the request gets JSON. D14: so does a browser when the server has too much to do, at once and cheaply. */
export function refusalPage(
  refusal: Refusal,
  request: Request,
  { explain, menu }: { readonly explain: ExplainRefusal; readonly menu: Menu },
): Buffer | undefined {
  if (refusal.code === 'OVERLOADED' || !acceptsHtml(request.headers.accept)) return undefined;
  const chosen = languageOf(request);
  const given = new URLSearchParams(request.search);
  given.delete('key');
  const search = `${given}`;
  const said = explain(refusal, { ...request, ...chosen, search });
  const unavailable = refusal.code === 'SERVICE_UNAVAILABLE' && UNAVAILABLE[chosen.language];
  return Buffer.from(statePage({ ...chosen, menu, search, ...said, ...unavailable }).html);
}

export const explainList: ExplainRefusal = ({ code, errors }, { search, path, language }) => {
  const texts = TEXTS[language];
  const { invalidArgs, reasons = [], id } = errors[0]?.extensions ?? {};
  if (code !== 'BAD_USER_INPUT' || !Array.isArray(invalidArgs)) {
    const more = typeof id === 'string' && html`<p>${texts.id} <code>${id}</code></p>\n`;
    return { ...texts.failed, more };
  }
  const given = [...new URLSearchParams(search)];
  const names = new Set(invalidArgs.map(String));
  const isRefused = ([name]: readonly [string, string]) => names.has(name.slice(0, LONGEST_NAME));
  const items = given
    .filter((one) => isRefused(one) && one[1].trim() !== '')
    .slice(0, MOST_SHOWN)
    .map(
      ([name, value]) =>
        html`<li><code>${shortened(name, LONGEST)}</code>: <code>${shortened(value, LONGEST)}</code></li>\n`,
    );
  const rest = new URLSearchParams(given.filter((one) => !isRefused(one)));
  const back = `${path.slice(path.lastIndexOf('/') + 1)}${rest.size === 0 ? '' : `?${rest}`}`;
  const expected = Array.isArray(reasons) ? reasons.map((reason) => html`<li>${String(reason)}</li>\n`) : [];
  return {
    ...texts.unreadable,
    more: html`<ul>
${items}</ul>
<p><a href="${back}">${rest.size === 0 ? texts.whole : texts.without}</a></p>
${details(texts.expected, html`<ul lang="en">\n${expected}</ul>`)}`,
  };
};

/** Values, and UTF-16 units of each: an address may have 16,000 of them. */
const MOST_SHOWN = 20;
const LONGEST = 80;

const TEXTS = inEach({
  unreadable: [
    {
      title: 'Adressen kan ikke leses',
      text: 'Noe i adressen er skrevet på en annen måte enn kalenderen kan lese.',
    },
    {
      title: 'This address cannot be read',
      text: 'Something in the address is written in another way than the calendar can read.',
    },
  ],
  expected: ['Det som var ventet', 'What was expected'],
  without: ['Vis siden uten dette', 'Show the page without it'],
  whole: ['Vis siden uten valg', 'Show the page without choices'],
  failed: [
    {
      title: 'Siden kan ikke vises nå',
      text: 'Kalenderen fikk det ikke til. Prøv igjen om litt, eller be om færre arrangementer om gangen.',
    },
    {
      title: 'This page cannot be shown now',
      text: 'The calendar did not manage. Try again in a while, or ask for fewer events at a time.',
    },
  ],
  id: ['Feilen har nummeret', 'The number of the failure is'],
});
