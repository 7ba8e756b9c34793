/** Every code that a client may see, by the table that the server answers with. */
import type { ErrorCode } from '../../../calendar/errors.ts';
import { STATUS } from '../../http/errors.ts';
import { breakable, html, withCode } from '../html.ts';
import type { InEach } from '../language.ts';
import { type Section, table } from '../section.ts';
import type { Context } from './context.ts';

export function errors({ language }: Context): Section {
  const texts = TEXTS[language];
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

export const PUBLIC_CODES: readonly ErrorCode[] = Object.keys(STATUS).filter(isPublic);

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

const TEXTS: InEach<Readonly<Record<'title' | 'intro' | 'caption' | 'when', string>>> = {
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
};
