/** Queries, filter fields and an event's fields as the schema describes them, the present taxonomy, and every error code. */
import {
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import type { ErrorCode } from '../../../calendar/errors.ts';
import { norwegianOf } from '../../../calendar/fields.ts';
import type { Category } from '../../../calendar/model.ts';
import { norwegian } from '../../../serve/graphql/schema.ts';
import { STATUS } from '../../../serve/http/replies.ts';
import { breakable, type Content, type Html, html, withCode } from '../../page/html.ts';
import { details, type Section, table } from '../../page/parts.ts';
import { type InEach, inEach, type Language, writeNumber } from '../../page/reader.ts';
import type { Context } from './context.ts';

/** A section of the fields of types: folded, because it is long: names are visible, their meanings open on demand. */
export const fieldsOfTypes =
  (id: keyof typeof TYPES) =>
  ({ schema, language }: Context): Section => {
    const { show, [id]: title, [`${id}Intro` as const]: intro } = QUERIES[language];
    const types = TYPES[id].map((name) => ({ name, fields: fieldsOf(schema, name) }));
    const there = types.filter(({ fields }) => fields.length > 0);
    // A section of one type names its fields.
    const isOne = types.length === 1;
    const named = there.flatMap(({ name, fields }) => (isOne ? fields.filter(isCurrent) : [{ name }]));
    const content = there.map(({ name, fields }) => [
      !isOne && html`<h3 id="type-${name}"><code>${name}</code></h3>\n`,
      // For deprecated fields of an event the schema names the replacement.
      id === 'event'
        ? html`<div class="in-columns">${reference(name, fields.filter(isCurrent), language)}</div>`
        : reference(name, fields, language),
      !isOne && '\n',
    ]);
    return {
      id,
      title,
      intro: html`<p>${withCode(intro)}</p>`,
      content: html`<p class="names">${named.map(({ name }) => html`<code>${name}</code> `)}</p>
${details(show, content)}`,
    };
  };

const isCurrent = ({ deprecationReason }: Field): boolean => !deprecationReason;

/** The others are what the answers consist of besides events, and the words that arguments take. */
const TYPES = {
  queries: ['Query'],
  filter: ['Filter'],
  event: ['Event'],
  types: [
    'EventConnection',
    'PageInfo',
    'Repetition',
    'Venue',
    'Organizer',
    'Image',
    'Price',
    'Category',
    'VenueFacet',
    'DayFacet',
    'AccessibilityFacet',
    'Near',
    'Area',
    'Period',
    'Accessibility',
  ],
};

type Field = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLEnumValue;

function fieldsOf(schema: GraphQLSchema, typeName: string): readonly Field[] {
  const type = schema.getType(typeName);
  if (isEnumType(type)) return type.getValues();
  return isObjectType(type) || isInputObjectType(type) ? Object.values<Field>(type.getFields()) : [];
}

function signature(field: Field): string {
  if (!('type' in field)) return '';
  if (!('args' in field)) return String(field.type);
  const { args, type } = field;
  const written = args.map(({ name, type: its }) => `${name}: ${its}`).join(', ');
  return written === '' ? String(type) : `(${written}): ${type}`;
}

/** In English, and marked as such, if there is no description in the page's language. */
function reference(typeName: string, fields: readonly Field[], language: Language): Html {
  return html`<dl class="reference">
${fields.map((field) => {
  const { name, deprecationReason } = field;
  const english = deprecationReason ? `Deprecated. ${deprecationReason}` : (field.description ?? '');
  const ours = norwegian.get(`${typeName}.${name}`) ?? norwegianOf(typeName, name);
  const own = language === 'nb' ? ours : english;
  const text = own === undefined ? html`<span lang="en">${withCode(english)}</span>` : withCode(own);
  return html`<div><dt><code>${name}</code> <code class="type">${signature(field)}</code></dt><dd>${text}</dd></div>
`;
})}</dl>`;
}

const QUERIES = inEach({
  show: ['Vis hva de betyr', 'Show what they mean'],
  queries: ['Spørringer', 'Queries'],
  queriesIntro: [
    'Alt du kan spørre om. Tjenesten kan bare leses.',
    'All that can be asked. The service is read-only.',
  ],
  filter: ['Filter', 'Filter'],
  filterIntro: [
    'Feltene i `events(filter: …)`. Alle vilkår du gir, må være oppfylt.',
    'The fields of `events(filter: …)`. All given conditions must hold.',
  ],
  event: ['Et arrangement', 'An event'],
  eventIntro: [
    'Feltene i `Event`. Start, slutt, sted, billetter, avlyst og utsolgt gjelder den neste datoen; de andre står i `repetitions`.',
    'The fields of `Event`. Start, end, venue, tickets, cancelled and sold out are those of the next date; `repetitions` has the others.',
  ],
  types: ['Andre typer', 'Other types'],
  typesIntro: [
    'Resten av det svarene består av, og verdiene argumentene godtar.',
    'What answers consist of besides, and the words that arguments take.',
  ],
});

export function categories({ snapshot, hitsByCategory, language }: Context): Section {
  const texts = CATEGORIES[language];
  const rowOf = (category: Category): readonly Content[] => {
    const { id, parent, visible, name_nb, name_en } = category;
    const hidden = !visible && html` <em class="mark">${texts.hidden}</em>`;
    return [
      html`<code class="${parent === -1 ? 'top' : 'sub'}">${breakable(id)}</code>`,
      html`${foreign(name_nb, 'nb', language)}${hidden}`,
      foreign(name_en, 'en', language),
      writeNumber(hitsByCategory.get(id) ?? 0, language),
    ];
  };
  return {
    id: 'categories',
    title: texts.title,
    intro: html`<p>${withCode(texts.intro)}</p>`,
    content: details(
      texts.show(snapshot.lists.categories.length),
      table({
        caption: texts.caption,
        columns: ['id', texts.norwegian, texts.english, texts.events],
        figures: [3],
        rows: snapshot.lists.categories.map(rowOf),
      }),
    ),
  };
}

function foreign(text: string, its: Language, language: Language): Content {
  return its === language ? text : html`<span lang="${its}">${text}</span>`;
}

const CATEGORIES = inEach({
  title: ['Kategorier', 'Categories'],
  intro: [
    'Slik spørringen `categories` svarer nå. Filtrer på id, og hent navnene på nytt hver gang: en lisens kan bytte ut hele inndelingen.',
    'As the `categories` query answers now. Filter by id, and read the labels anew on every run: a licence can replace its whole taxonomy.',
  ],
  show: [(count: number) => `Vis alle ${count}`, (count: number) => `Show all ${count}`],
  caption: [
    'Kategorier og underkategorier med antall kommende arrangementer',
    'Categories and subcategories with the number of upcoming events',
  ],
  norwegian: ['Norsk', 'Norwegian'],
  english: ['Engelsk', 'English'],
  events: ['Antall', 'Events'],
  hidden: ['skjult', 'hidden'],
});

export function errors({ language }: Context): Section {
  const texts = ERRORS[language];
  const rows = PUBLIC_CODES.map((code) => [
    html`<code>${breakable(code)}</code>`,
    STATUS[code],
    withCode(MEANINGS[code]?.[language] ?? ''),
  ]);
  return {
    id: 'errors',
    title: texts.title,
    intro: html`<p>${withCode(texts.intro)}</p>`,
    content: html`<dl class="reference">
${(['reasons', 'reason'] as const).map((name) => html`<div><dt><code>extensions.${name}</code></dt><dd>${withCode(texts[name])}</dd></div>\n`)}</dl>
${details(texts.show, table({ caption: texts.caption, columns: ['extensions.code', 'HTTP', texts.when], figures: [1], rows }))}`,
  };
}

const isPublic = (code: string): code is ErrorCode => code in STATUS;

const PUBLIC_CODES: readonly ErrorCode[] = Object.keys(STATUS).filter(isPublic);

/** When a client gets the code. */
export const MEANINGS: Partial<Readonly<Record<ErrorCode, InEach<string>>>> = {
  BAD_REQUEST: {
    nb: 'Kroppen er ikke JSON (`Malformed JSON body`), `query` mangler, eller en GET kom uten `Gateway-Require-Preflight: true`.',
    en: 'The body is not JSON (`Malformed JSON body`), `query` is missing, or a GET came without `Gateway-Require-Preflight: true`.',
  },
  BAD_USER_INPUT: {
    nb: 'En verdi kan ikke leses: negativ `page`, ukjent `mode`, ugyldig dato. `extensions.invalidArgs` navngir argumentene, `extensions.reasons` sier hvorfor.',
    en: 'A value cannot be read: a negative `page`, an unknown `mode`, a wrong date. `extensions.invalidArgs` names the arguments, `extensions.reasons` says why.',
  },
  GRAPHQL_PARSE_FAILED: { nb: 'Spørringen er ikke GraphQL.', en: 'The query is not GraphQL.' },
  GRAPHQL_VALIDATION_FAILED: {
    nb: 'Et felt eller argument finnes ikke, eller en verdi har feil type.',
    en: 'A field or argument does not exist, or a value has the wrong type.',
  },
  QUERY_TOO_COMPLEX: {
    nb: 'Svaret kan bli for stort. Meldingen navngir grensen og tallet.',
    en: 'The answer could become too large. The message names the limit and the figure.',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    nb: 'Serveren kjenner ikke spørringen til `sha256Hash`. Send den på nytt, med `query`.',
    en: 'The server does not know the query of this `sha256Hash`. Send it again, with `query`.',
  },
  GONE: {
    nb: 'Øyeblikksbildet i `since` er ukjent eller mer enn 90 dager gammelt. Hent alt på nytt.',
    en: 'The snapshot in `since` is not known, or more than 90 days old. Fetch all again.',
  },
  NOT_FOUND: { nb: 'Adressen finnes ikke.', en: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: {
    nb: 'Feil metode; `Allow` sier hvilke som er tillatt.',
    en: 'Wrong method; `Allow` says which ones there are.',
  },
  REQUEST_TIMEOUT: {
    nb: 'Forespørselen brukte for lang tid på å komme frem.',
    en: 'The request took too long to arrive.',
  },
  PAYLOAD_TOO_LARGE: { nb: 'Kroppen er over 256 KiB.', en: 'The body is over 256 KiB.' },
  UNSUPPORTED_MEDIA_TYPE: {
    nb: 'Kroppen må sendes som `Content-Type: application/json`.',
    en: 'The body must be sent as `Content-Type: application/json`.',
  },
  RATE_LIMITED: {
    nb: 'Flere kall enn kvoten tillater. `Retry-After` sier når du kan prøve igjen.',
    en: 'More calls than the quota allows. `Retry-After` says when there are more.',
  },
  OVERLOADED: {
    nb: 'Kalenderen har for mye å gjøre akkurat nå. `Retry-After` sier når det er verdt å prøve igjen.',
    en: 'The calendar has too much to do right now. `Retry-After` says when to try again.',
  },
  HEADERS_TOO_LARGE: {
    nb: 'Adressen og hodefeltene er for lange til sammen.',
    en: 'The URL and headers are too long together.',
  },
  SERVICE_UNAVAILABLE: {
    nb: 'Kalenderen er ikke klar ennå. Prøv igjen om litt.',
    en: 'The calendar is not open yet. Try again in a moment.',
  },
  TIMEOUT: {
    nb: 'Svaret tok for lang tid og ble avbrutt.',
    en: 'The answer took too long and was interrupted.',
  },
  INTERNAL_SERVER_ERROR: {
    nb: 'Noe uventet gikk galt. Oppgi `extensions.id` når du melder fra.',
    en: 'Something unforeseen. Quote `extensions.id` when you report it.',
  },
};

const ERRORS = inEach({
  title: ['Feil', 'Errors'],
  intro: [
    'Se etter `errors` i hvert svar, også med HTTP 200: noen felt kan ha svart, andre ikke.',
    'Look for `errors` in every answer, also with HTTP 200: some fields may have answered and others not.',
  ],
  reasons: [
    'Hva som er galt med hvert argument, og et gyldig eksempel. Vis dette når det finnes, ellers `message`.',
    'What is wrong with each argument, and a right form. Show this first, and `message` where there is none.',
  ],
  reason: [
    'Hvor JSON-feilen i kroppen er: linje, kolonne og hva som var ventet.',
    'Where the body stops being JSON: line, column and what was expected.',
  ],
  show: ['Vis alle kodene', 'Show all codes'],
  caption: ['Koder, og HTTP-statusen de kommer med', 'Codes, and the HTTP status they come with'],
  when: ['Når', 'When'],
});
