/**
 * The page for a browser whose address of a list's page is invalid: the parameters in question, what was expected and found, and the way
 * back. Programs get JSON, with the same status (D1).
 */
import { isObject } from '../../calendar/json.ts';
import type { Refusal } from '../../serve/graphql/refusal.ts';
import type { HttpRequest } from '../../serve/http/message.ts';
import { acceptsHtml } from '../../serve/http/negotiation.ts';
import { type Content, html } from '../page/html.ts';
import { frame, type PageName, table, UNAVAILABLE } from '../page/page.ts';
import { type InEach, inEach, type Language, languageOf } from '../page/reader.ts';
import { LONGEST_NAME, type Parameters } from './query.ts';

interface RefusalPageOptions {
  /** Path of the list. */
  readonly path: string;
  readonly parameters: Parameters;
  /** Called once the server answers. */
  readonly menu: () => readonly PageName[];
}

/** Undefined if the request gets JSON. D14: so does a browser when the server has too much to do, at once and cheaply. */
export type RefusalPage = (
  refusal: Refusal,
  request: Pick<HttpRequest, 'headers' | 'path' | 'search'>,
) => Buffer | undefined;

export function createRefusalPage({ path, parameters, menu }: RefusalPageOptions): RefusalPage {
  return (refusal, request) => {
    if (refusal.code === 'OVERLOADED' || !acceptsHtml(request.headers.accept)) return undefined;
    const chosen = languageOf(request);
    const given = new URLSearchParams(request.search);
    given.delete('key');
    const { title, text, more } = contentOf(refusal, { path, parameters, given, language: chosen.language });
    const content = html`<div class="state">
<h1>${title}</h1>
<p class="lede">${text}</p>
${more}</div>`;
    const about = { title: `${title} – almanakk`, description: text, page: null, menu: menu(), content };
    return Buffer.from(frame({ ...chosen, ...about, search: `${given}` }).html);
  };
}

interface Given extends Pick<RefusalPageOptions, 'path' | 'parameters'> {
  readonly given: URLSearchParams;
  readonly language: Language;
}

interface Said {
  readonly title: string;
  readonly text: string;
  readonly more?: Content;
}

function contentOf({ code, errors }: Refusal, { given, ...list }: Given): Said {
  const texts = TEXTS[list.language];
  if (code === 'SERVICE_UNAVAILABLE') return UNAVAILABLE[list.language];
  const { invalidArgs, id } = errors[0]?.extensions ?? {};
  if (code !== 'BAD_USER_INPUT' || !Array.isArray(invalidArgs)) {
    const more = typeof id === 'string' && html`<p>${texts.id} <code>${id}</code></p>\n`;
    return { ...texts.failed, more };
  }
  const names = new Set(invalidArgs.map(String));
  const isRefused = ([name]: readonly [string, string]) => names.has(name.slice(0, LONGEST_NAME));
  const rows = [...names].map((name): readonly Content[] => {
    const found = [...given].flatMap(([own, value]) =>
      own.slice(0, LONGEST_NAME) === name && value.trim() !== '' ? value : [],
    );
    const written = found
      .slice(0, MOST_SHOWN)
      .map((value, place) => html`${place > 0 && ' '}<code>${shortened(value)}</code>`);
    return [html`<code>${name}</code>`, expectedOf(name, found.length, list), written];
  });
  const rest = new URLSearchParams([...given].filter((one) => !isRefused(one)));
  const back = `${list.path.slice(1)}${rest.size === 0 ? '' : `?${rest}`}`;
  return {
    ...texts.unreadable,
    more: html`${table({ caption: texts.caption, columns: texts.columns, rows, isCards: true })}<p><a href="${back}">${rest.size === 0 ? texts.whole : texts.without}</a></p>\n`,
  };
}

/** Values of one parameter, and UTF-16 units of each: an address may have 16,000 of them. */
const MOST_SHOWN = 3;
const LONGEST = 80;

const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

function expectedOf(name: string, count: number, { parameters, language }: Omit<Given, 'given'>): string {
  const texts = EXPECTED[language];
  if (!Object.hasOwn(parameters, name)) return texts.unknown;
  const { schema = {} } = parameters[name] ?? {};
  const { type, items, minimum, ...own }: { readonly [key: string]: unknown } = { ...schema };
  if (count > 1 && type !== 'array') return texts.one;
  const text = FORMS[language][name];
  if (text !== undefined) return text;
  if (type === 'boolean') return texts.flag;
  if (type === 'integer') return texts.whole(Number(minimum));
  const words = isObject(items) ? items.enum : own.enum;
  return `${type === 'array' ? texts.some : texts.oneOf} ${Array.isArray(words) ? words.join(', ') : ''}`;
}

const DAY: readonly [nb: string, en: string] = [
  'en dag, med eller uten klokkeslett, som 2026-05-17 eller 2026-05-17 19:30',
  'a day, with a time or without one, such as 2026-05-17 or 2026-05-17 19:30',
];

/** For parameters whose schema says too little. */
const FORMS: InEach<Readonly<Record<string, string>>> = inEach({
  fromDate: DAY,
  untilDate: DAY,
  fromStartDate: DAY,
  hoursRange: ['to klokkeslett, som 18:00-23:59', 'two times, such as 18:00-23:59'],
  mode: ['online eller offline', 'online or offline'],
  near: [
    'bredde, lengde og kilometer, som 63.43,10.4,5; kilometer over 0 og høyst 1000',
    'latitude, longitude and kilometres, such as 63.43,10.4,5; kilometres above 0, at most 1000',
  ],
  area: [
    'laveste og høyeste bredde, laveste og høyeste lengde, som 63.3,63.5,10.2,10.6',
    'lowest and highest latitude, lowest and highest longitude, such as 63.3,63.5,10.2,10.6',
  ],
});

const EXPECTED = inEach({
  unknown: ['ikke noe: adressen har ikke et slikt felt', 'nothing: the address has no such field'],
  one: ['bare én verdi', 'one value only'],
  flag: ['true eller false', 'true or false'],
  some: ['noen av', 'some of'],
  oneOf: ['én av', 'one of'],
  whole: [
    (least: number) => `et helt tall, ${least} eller mer`,
    (least: number) => `a whole number of ${least} or more`,
  ],
});

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
  caption: ['Det som ikke kan leses', 'What cannot be read'],
  columns: [
    ['Felt', 'Forventet', 'Funnet'],
    ['Field', 'Expected', 'Found'],
  ],
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
