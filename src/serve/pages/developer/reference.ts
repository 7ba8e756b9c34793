/** Queries, filter fields and an event's fields as the schema describes them, the taxonomy as it is now, and every error code. */
import {
  assertInputObjectType,
  assertObjectType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
} from 'graphql';
import type { ErrorCode } from '../../../calendar/errors.ts';
import type { Category } from '../../../calendar/model.ts';
import { STATUS } from '../../http/representation.ts';
import { writeNumber } from '../dates.ts';
import { breakable, type Content, type Html, html, withCode } from '../html.ts';
import { type InEach, inEach, type Language } from '../reader.ts';
import { type Section, table } from '../section.ts';
import type { Context } from './context.ts';
import { NORWEGIAN } from './norwegian.ts';

export function queries({ schema, language }: Context): Section {
  const texts = QUERIES[language];
  return {
    id: 'queries',
    title: texts.queries,
    intro: html`<p>${texts.queriesIntro}</p>`,
    content: reference(fieldsOf(schema.getQueryType()), language),
  };
}

export function filter({ schema, language }: Context): Section {
  const texts = QUERIES[language];
  const input = assertInputObjectType(schema.getType('Filter'));
  return {
    id: 'filter',
    title: texts.filter,
    intro: html`<p>${withCode(texts.filterIntro)}</p>`,
    content: reference(fieldsOf(input), language),
  };
}

/** What an event has. Of what is deprecated, the schema says what to use instead. */
export function eventFields({ schema, language }: Context): Section {
  const texts = QUERIES[language];
  const fields = fieldsOf(assertObjectType(schema.getType('Event')));
  return {
    id: 'event',
    title: texts.event,
    intro: html`<p>${withCode(texts.eventIntro)}</p>`,
    content: html`<div class="in-columns">${reference(
      fields.filter(({ deprecationReason }) => !deprecationReason),
      language,
    )}</div>`,
  };
}

interface Field {
  /** With the type that has it. */
  readonly path: string;
  readonly name: string;
  readonly signature: string;
  readonly description: string;
  readonly deprecationReason: string | undefined;
}

function fieldsOf(type: GraphQLObjectType | GraphQLInputObjectType | null | undefined): readonly Field[] {
  return Object.values(type?.getFields() ?? {}).map(
    (field: GraphQLField<unknown, unknown> | GraphQLInputField) => ({
      path: `${type}.${field.name}`,
      name: field.name,
      signature: signature(field),
      description: field.deprecationReason
        ? `Deprecated. ${field.deprecationReason}`
        : (field.description ?? ''),
      deprecationReason: field.deprecationReason ?? undefined,
    }),
  );
}

function signature(field: GraphQLField<unknown, unknown> | GraphQLInputField): string {
  if (!('args' in field)) return String(field.type);
  const { args, type } = field;
  const written = args.map(({ name, type: its }) => `${name}: ${its}`).join(', ');
  return written === '' ? String(type) : `(${written}): ${type}`;
}

/** English where there is nothing in the page's language, and marked as such. */
function reference(fields: readonly Field[], language: Language): Html {
  return html`<dl class="reference">
${fields.map(({ path, name, signature, description }) => {
  const own = language === 'nb' ? NORWEGIAN[path] : description;
  const text = own === undefined ? html`<span lang="en">${withCode(description)}</span>` : withCode(own);
  return html`<div><dt><code>${name}</code> <code class="type">${signature}</code></dt><dd>${text}</dd></div>
`;
})}</dl>`;
}

const QUERIES = inEach({
  nb: {
    queries: 'Spørringer',
    queriesIntro: 'Alt du kan spørre om. Tjenesten er bare til å lese fra.',
    filter: 'Filter',
    filterIntro: 'Feltene i `events(filter: …)`. Alle vilkår som er gitt, må være oppfylt.',
    event: 'Et arrangement',
    eventIntro:
      'Feltene i `Event`. Start, slutt, sted, billetter, avlyst og utsolgt gjelder den neste datoen; de andre står i `repetitions`.',
  },
  en: {
    queries: 'Queries',
    queriesIntro: 'All that can be asked. The service is read-only.',
    filter: 'Filter',
    filterIntro: 'The fields of `events(filter: …)`. All given conditions must hold.',
    event: 'An event',
    eventIntro:
      'The fields of `Event`. Start, end, venue, tickets, cancelled and sold out are those of the next date; `repetitions` has the others.',
  },
});

export function categories({ snapshot, figures, language }: Context): Section {
  const texts = CATEGORIES[language];
  const rowOf = (category: Category): readonly Content[] => {
    const { id, parent, visible, name_nb, name_en } = category;
    const hidden = !visible && html` <em class="mark">${texts.hidden}</em>`;
    return [
      html`<code class="${parent === -1 ? 'top' : 'sub'}">${breakable(id)}</code>`,
      html`${foreign(name_nb, 'nb', language)}${hidden}`,
      foreign(name_en, 'en', language),
      writeNumber(figures.hitsByCategory.get(id) ?? 0, language),
    ];
  };
  return {
    id: 'categories',
    title: texts.title,
    intro: html`<p>${withCode(texts.intro)}</p>`,
    content: table({
      caption: texts.caption,
      columns: [
        { name: 'id' },
        { name: texts.norwegian },
        { name: texts.english },
        { name: texts.events, isNumber: true },
      ],
      rows: snapshot.lists.categories.map(rowOf),
    }),
  };
}

function foreign(text: string, its: Language, language: Language): Content {
  return its === language ? text : html`<span lang="${its}">${text}</span>`;
}

const CATEGORIES = inEach({
  nb: {
    title: 'Kategorier',
    intro:
      'Slik spørringen `categories` svarer nå. Filtrer på id, og hent navnene på nytt hver gang: en lisens kan bytte ut hele inndelingen.',
    caption: 'Kategorier og underkategorier med antall kommende arrangementer',
    norwegian: 'Norsk',
    english: 'Engelsk',
    events: 'Antall',
    hidden: 'skjult',
  },
  en: {
    title: 'Categories',
    intro:
      'As the `categories` query answers now. Filter by id, and read the labels anew on every run: a licence can replace its whole taxonomy.',
    caption: 'Categories and subcategories with the number of upcoming events',
    norwegian: 'Norwegian',
    english: 'English',
    events: 'Events',
    hidden: 'hidden',
  },
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
    content: table({
      caption: texts.caption,
      columns: [{ name: 'extensions.code' }, { name: 'HTTP', isNumber: true }, { name: texts.when }],
      rows,
    }),
  };
}

const isPublic = (code: string): code is ErrorCode => code in STATUS;

const PUBLIC_CODES: readonly ErrorCode[] = Object.keys(STATUS).filter(isPublic);

/** When a client gets it. */
export const MEANINGS: Partial<Readonly<Record<ErrorCode, InEach<string>>>> = {
  BAD_REQUEST: {
    nb: 'Kroppen er ikke JSON (`Malformed JSON body`), `query` mangler, eller en GET kom uten `Gateway-Require-Preflight: true`.',
    en: 'The body is not JSON (`Malformed JSON body`), `query` is missing, or a GET came without `Gateway-Require-Preflight: true`.',
  },
  BAD_USER_INPUT: {
    nb: 'En verdi kan ikke leses: negativ `page`, ukjent `mode`, feil dato. `extensions.invalidArgs` navngir argumentene.',
    en: 'A value cannot be read: a negative `page`, an unknown `mode`, a wrong date. `extensions.invalidArgs` names the arguments.',
  },
  GRAPHQL_PARSE_FAILED: { nb: 'Spørringen er ikke GraphQL.', en: 'The query is not GraphQL.' },
  GRAPHQL_VALIDATION_FAILED: {
    nb: 'Et felt eller argument finnes ikke, eller en verdi har feil type.',
    en: 'A field or argument does not exist, or a value has the wrong type.',
  },
  QUERY_TOO_COMPLEX: {
    nb: 'Svaret kunne blitt for stort. Meldingen sier hvilken grense og hvor mye.',
    en: 'The answer could become too large. The message names the limit and the figure.',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    nb: 'Tjeneren kjenner ikke spørringen bak `sha256Hash`. Send den en gang til, med `query`.',
    en: 'The server does not know the query behind `sha256Hash`. Send it once more, with `query`.',
  },
  NOT_FOUND: { nb: 'Det er ingenting på denne adressen.', en: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: {
    nb: 'Feil metode; `Allow` sier hvilke som går.',
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
    nb: 'Flere kall enn kvoten tillater. `Retry-After` sier når det går igjen.',
    en: 'More calls than the quota allows. `Retry-After` says when there are more.',
  },
  HEADERS_TOO_LARGE: {
    nb: 'Adressen og hodefeltene er for lange til sammen.',
    en: 'The URL and headers are too long together.',
  },
  SERVICE_UNAVAILABLE: {
    nb: 'Kalenderen er ikke åpen ennå. Prøv igjen om litt.',
    en: 'The calendar is not open yet. Try again in a moment.',
  },
  TIMEOUT: {
    nb: 'Svaret tok for lang tid og ble avbrutt.',
    en: 'The answer took too long and was interrupted.',
  },
  INTERNAL_SERVER_ERROR: {
    nb: 'Noe uventet. Oppgi `extensions.id` når du melder fra.',
    en: 'Something unforeseen. Quote `extensions.id` when you report it.',
  },
};

const ERRORS = inEach({
  nb: {
    title: 'Feil',
    intro: 'Se etter `errors` i hvert svar, også med HTTP 200: noen felt kan ha svart, andre ikke.',
    caption: 'Koder, og HTTP-statusen de kommer med',
    when: 'Når',
  },
  en: {
    title: 'Errors',
    intro:
      'Look for `errors` in every answer, also with HTTP 200: some fields may have answered and others not.',
    caption: 'Codes, and the HTTP status they come with',
    when: 'When',
  },
});
