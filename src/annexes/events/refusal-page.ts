/**
 * The page that a browser gets if the address of a list is refused: by default it names the refused parameters with their values, and links
 * to the list without them. Programs get JSON, with the same status (D1).
 */
import { shortened } from '../../calendar/display-text.ts';
import type { Refusal } from '../../serve/graphql/refusal.ts';
import type { HttpRequest } from '../../serve/http/message.ts';
import { acceptsHtml } from '../../serve/http/negotiation.ts';
import { type Content, type Html, html, joined } from '../page/html.ts';
import type { Menu } from '../page/menu.ts';
import { type ChosenLanguage, inEach, type Language, languageOf } from '../page/reader.ts';
import { type StateOptions, statePage, UNAVAILABLE } from '../page/state-page.ts';
import type { Parameters } from './parameters.ts';
import { shownName } from './query.ts';

type Request = Pick<HttpRequest, 'headers' | 'path' | 'search'>;

interface RefusedRequest extends Request, ChosenLanguage {
  /** All that the page's address may hold. */
  readonly parameters: Parameters;
}

/** The texts of the page about a refusal. */
export type ExplainRefusal = (refusal: Refusal, request: RefusedRequest) => Explanation;

type Explanation = Partial<StateOptions> & Pick<StateOptions, 'title' | 'text'>;

interface RefusalPageOptions {
  readonly explain: ExplainRefusal;
  readonly menu: Menu;
  /** All that the page's address may hold. */
  readonly parameters: Parameters;
}

/** Undefined if the request gets JSON. D14: an overloaded server sends JSON to browsers, too, because that is fast and cheap. */
export function refusalPage(
  refusal: Refusal,
  request: Request,
  { explain, menu, parameters }: RefusalPageOptions,
): Buffer | undefined {
  if (refusal.code === 'OVERLOADED' || !acceptsHtml(request.headers.accept)) return undefined;
  const chosen = languageOf(request, menu.language);
  const search = `${new URLSearchParams(request.search)}`;
  const explained = explain(refusal, { ...request, ...chosen, search, parameters });
  const unavailable = refusal.code === 'SERVICE_UNAVAILABLE' && UNAVAILABLE[chosen.language];
  return Buffer.from(statePage({ ...chosen, menu, search, ...explained, ...unavailable }).html);
}

export const explainList: ExplainRefusal = (refusal, request) => {
  const { code, errors } = refusal;
  const { invalidArgs, reasons, id } = errors[0]?.extensions ?? {};
  if (code === 'BAD_USER_INPUT' && Array.isArray(invalidArgs))
    return explainParameters(request, {
      names: new Set(invalidArgs.map(String)),
      reasons: Array.isArray(reasons) ? reasons.map(String) : [],
    });
  const texts = TEXTS[request.language];
  const more = typeof id === 'string' ? html`<p>${texts.id} <code>${id}</code></p>\n` : null;
  return { ...texts.failed, more };
};

interface RefusedParameters {
  /** As `shownName` writes them. */
  readonly names: ReadonlySet<string>;
  /** The endpoint's own, in English: `age: expected a whole number`. */
  readonly reasons: readonly string[];
}

interface Given {
  readonly name: string;
  readonly value: string;
}

function explainParameters(
  { search, path, language, parameters }: RefusedRequest,
  { names, reasons }: RefusedParameters,
): Explanation {
  const texts = TEXTS[language];
  const given = [...new URLSearchParams(search)].map(([name, value]): Given => ({ name, value }));
  const isRefused = ({ name }: Given) => names.has(shownName(name));
  const refused = given.filter((one) => isRefused(one) && one.value.trim() !== '');
  const items = refused.slice(0, MOST_SHOWN).map(({ name, value }) => {
    const isRepeated = refused.filter((other) => other.name === name).length > 1;
    const advice = adviceOn(name, { parameters, language, isRepeated }) ?? inEnglish(name, reasons);
    return html`<li><code>${shortened(name, LONGEST)}</code>: <code>${shortened(value, LONGEST)}</code>. ${advice}</li>\n`;
  });
  const accepted = given.filter((one) => !isRefused(one));
  // An empty link at `/` would lead to the refused address again.
  const page = path.slice(path.lastIndexOf('/') + 1) || './';
  const query = new URLSearchParams(accepted.map(({ name, value }) => [name, value]));
  const address = accepted.length === 0 ? page : `${page}?${query}`;
  const text = accepted.length === 0 ? texts.whole : texts.without(refused.length);
  return {
    ...texts.unreadable,
    more: html`<ul>
${items}</ul>
<p><a href="${address}">${text}</a></p>
`,
  };
}

interface AdviceOptions {
  readonly parameters: Parameters;
  readonly language: Language;
  readonly isRepeated: boolean;
}

/** The values that a reader can write instead; undefined if only the endpoint's reason names them. */
function adviceOn(name: string, { parameters, language, isRepeated }: AdviceOptions): Content {
  const texts = TEXTS[language];
  const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (parameter === undefined) return texts.unknown;
  const { type, enum: values, items } = parameter.schema;
  if (type !== 'array' && isRepeated) return texts.single;
  const example = EXAMPLES[name];
  if (example !== undefined) return html`${texts.write} <code>${example}</code>.`;
  const valid = type === 'boolean' ? ['true', 'false'] : (values ?? items?.enum ?? VALUES[name]);
  if (valid === undefined) return undefined;
  const codes = valid.map((value) => html`<code>${value}</code>`);
  return html`${texts.valid} ${joined(codes, ', ')}.`;
}

/** Examples of values whose schema is a text or numbers. */
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
function inEnglish(name: string, reasons: readonly string[]): Html {
  const reason = reasons.find((one) => one.startsWith(`${name}: `));
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
    { title: 'Adressa kan ikkje lesast', text: 'Kalenderen forstår ikkje dette i adressa:' },
  ],
  unknown: ['Dette filteret finnes ikke.', 'There is no such filter.', 'Dette filteret finst ikkje.'],
  single: ['Oppgi bare én verdi.', 'Give one value only.', 'Oppgi berre éin verdi.'],
  write: ['Skriv det slik:', 'Write it like this:', 'Skriv det slik:'],
  valid: ['Gyldige verdier:', 'Valid values:', 'Gyldige verdiar:'],
  without: [
    (count: number): string =>
      count === 1 ? 'Vis siden uten dette filteret' : 'Vis siden uten disse filtrene',
    (count: number) =>
      count === 1 ? 'Show the page without this filter' : 'Show the page without these filters',
    (count: number) => (count === 1 ? 'Vis sida utan dette filteret' : 'Vis sida utan desse filtera'),
  ],
  whole: ['Fjern alle filtre', 'Remove all filters', 'Fjern alle filter'],
  failed: [
    {
      title: 'Siden kan ikke vises nå',
      text: 'Noe gikk galt. Prøv igjen om litt, eller vis færre arrangementer om gangen.',
    },
    {
      title: 'This page cannot be shown now',
      text: 'Something went wrong. Try again in a moment, or show fewer events at a time.',
    },
    {
      title: 'Sida kan ikkje visast no',
      text: 'Noko gjekk gale. Prøv igjen om litt, eller vis færre arrangement om gongen.',
    },
  ],
  id: ['Feilnummer:', 'Error ID:', 'Feilnummer:'],
});
