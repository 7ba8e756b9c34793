/**
 * The page for a browser whose address of a list's page is refused: by default the parameters in question, what was found, and the way
 * back. Programs get JSON, with the same status (D1).
 */
import { shortened } from '../../calendar/display-text.ts';
import type { Refusal } from '../../serve/graphql/refusal.ts';
import type { HttpRequest } from '../../serve/http/message.ts';
import { acceptsHtml } from '../../serve/http/negotiation.ts';
import { type Content, type Html, html, joined } from '../page/html.ts';
import { type Menu, type StateOptions, statePage, UNAVAILABLE } from '../page/page.ts';
import { type ChosenLanguage, inEach, type Language, languageOf } from '../page/reader.ts';
import { LONGEST_NAME, type Parameters } from './query.ts';

type Request = Pick<HttpRequest, 'headers' | 'path' | 'search'>;

/** What the page says of a refusal. */
export type ExplainRefusal = (
  refusal: Refusal,
  request: Request & ChosenLanguage & { readonly parameters: Parameters },
) => Partial<StateOptions> & Pick<StateOptions, 'title' | 'text'>;

interface RefusalPageOptions {
  readonly explain: ExplainRefusal;
  readonly menu: Menu;
  /** All that the page's address may hold. */
  readonly parameters: Parameters;
}

/** Undefined if the request gets JSON. D14: so does a browser when the server has too much to do, at once and cheaply. */
export function refusalPage(
  refusal: Refusal,
  request: Request,
  { explain, menu, parameters }: RefusalPageOptions,
): Buffer | undefined {
  if (refusal.code === 'OVERLOADED' || !acceptsHtml(request.headers.accept)) return undefined;
  const chosen = languageOf(request);
  const given = new URLSearchParams(request.search);
  given.delete('key');
  const search = `${given}`;
  const explained = explain(refusal, { ...request, ...chosen, search, parameters });
  const unavailable = refusal.code === 'SERVICE_UNAVAILABLE' && UNAVAILABLE[chosen.language];
  return Buffer.from(statePage({ ...chosen, menu, search, ...explained, ...unavailable }).html);
}

export const explainList: ExplainRefusal = ({ code, errors }, { search, path, language, parameters }) => {
  const texts = TEXTS[language];
  const { invalidArgs, reasons, id } = errors[0]?.extensions ?? {};
  if (code !== 'BAD_USER_INPUT' || !Array.isArray(invalidArgs)) {
    const more = typeof id === 'string' && html`<p>${texts.id} <code>${id}</code></p>\n`;
    return { ...texts.failed, more };
  }
  const given = [...new URLSearchParams(search)];
  const names = new Set(invalidArgs.map(String));
  const isRefused = ([name]: readonly [string, string]) => names.has(name.slice(0, LONGEST_NAME));
  const refused = given.filter((one) => isRefused(one) && one[1].trim() !== '');
  const items = refused.slice(0, MOST_SHOWN).map(([name, value]) => {
    const isRepeated = refused.filter((other) => other[0] === name).length > 1;
    const advice =
      adviceOn(name, { parameters, language, isRepeated }) ??
      inEnglish(name, Array.isArray(reasons) ? reasons : []);
    return html`<li><code>${shortened(name, LONGEST)}</code>: <code>${shortened(value, LONGEST)}</code>. ${advice}</li>\n`;
  });
  const rest = new URLSearchParams(given.filter((one) => !isRefused(one)));
  const back = `${path.slice(path.lastIndexOf('/') + 1)}${rest.size === 0 ? '' : `?${rest}`}`;
  return {
    ...texts.unreadable,
    more: html`<ul>
${items}</ul>
<p><a href="${back}">${rest.size === 0 ? texts.whole : texts.without(refused.length)}</a></p>
`,
  };
};

interface Refused {
  readonly parameters: Parameters;
  readonly language: Language;
  readonly isRepeated: boolean;
}

/** What a reader can write in its place; undefined where only the endpoint's reason says it. */
function adviceOn(name: string, { parameters, language, isRepeated }: Refused): Content {
  const texts = TEXTS[language];
  const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (parameter === undefined) return texts.unknown;
  const { type, enum: values, items } = parameter.schema;
  if (type !== 'array' && isRepeated) return texts.single;
  const example = EXAMPLES[name];
  if (example !== undefined) return html`${texts.write} <code>${example}</code>.`;
  const known = type === 'boolean' ? ['true', 'false'] : (values ?? items?.enum ?? VALUES[name]);
  return (
    known &&
    html`${texts.known} ${joined(
      known.map((value) => html`<code>${value}</code>`),
      ', ',
    )}.`
  );
}

/** Of values whose schema is a text or numbers. */
const EXAMPLES: Readonly<Record<string, string>> = {
  fromDate: '2026-05-17',
  fromStartDate: '2026-05-17',
  untilDate: '2026-05-17',
  date: '2026-05-17T18:00',
  hoursRange: '18:00-23:59',
  near: '63.43,10.4,5',
  area: '63.4,63.5,10.3,10.5',
  age: '8',
  page: '1',
  pageSize: '24',
};

const VALUES: Readonly<Record<string, readonly string[]>> = { mode: ['online', 'offline'] };

/** The endpoint's own reason, which is in English. */
function inEnglish(name: string, reasons: readonly unknown[]): Html {
  const reason = reasons.map(String).find((one) => one.startsWith(`${name}: `));
  return html`<span lang="en">${reason?.slice(name.length + 2)}</span>`;
}

/** Values, and UTF-16 units of each: an address may have 16,000 of them. */
const MOST_SHOWN = 20;
const LONGEST = 80;

const TEXTS = inEach({
  unreadable: [
    { title: 'Adressen kan ikke leses', text: 'Kalenderen forstår ikke dette i adressen:' },
    {
      title: 'This address cannot be read',
      text: 'The calendar does not understand this part of the address:',
    },
  ],
  unknown: ['Dette filteret finnes ikke.', 'There is no such filter.'],
  single: ['Oppgi bare én verdi.', 'Give one value only.'],
  write: ['Skriv det slik:', 'Write it like this:'],
  known: ['Gyldige verdier:', 'Valid values:'],
  without: [
    (count: number): string =>
      count === 1 ? 'Vis siden uten dette filteret' : 'Vis siden uten disse filtrene',
    (count: number) =>
      count === 1 ? 'Show the page without this filter' : 'Show the page without these filters',
  ],
  whole: ['Fjern alle filtre', 'Remove all filters'],
  failed: [
    {
      title: 'Siden kan ikke vises nå',
      text: 'Noe gikk galt. Prøv igjen om litt, eller vis færre arrangementer om gangen.',
    },
    {
      title: 'This page cannot be shown now',
      text: 'Something went wrong. Try again in a moment, or show fewer events at a time.',
    },
  ],
  id: ['Feilnummer:', 'Error ID:'],
});
