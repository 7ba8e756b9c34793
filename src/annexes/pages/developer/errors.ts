/** The error codes that clients get: the HTTP status of each, and its meaning. */
import type { ErrorCode } from '../../../calendar/errors.ts';
import { STATUS } from '../../../serve/http/replies.ts';
import { breakable, html, withCode } from '../../page/html.ts';
import { details, type Section, table } from '../../page/parts.ts';
import { type InBoth, inBoth } from '../../page/reader.ts';
import type { DeveloperPageContext } from './context.ts';

export function errors({ language }: DeveloperPageContext): Section {
  const texts = TEXTS[language];
  const rows = PUBLIC_CODES.map((code) => [
    html`<code>${breakable(code)}</code>`,
    STATUS[code],
    withCode(MEANINGS[code]?.[language] ?? ''),
  ]);
  const codes = table({
    caption: texts.caption,
    columns: ['extensions.code', 'HTTP', texts.when],
    figures: [1],
    rows,
  });
  const extension = (name: string, text: string) =>
    html`<div><dt><code>extensions.${name}</code></dt><dd>${withCode(text)}</dd></div>\n`;
  return {
    id: 'errors',
    title: texts.title,
    intro: html`<p>${withCode(texts.intro)}</p>`,
    content: html`<dl class="reference">
${extension('reasons', texts.reasons)}${extension('reason', texts.reason)}</dl>
${details(texts.show, codes)}`,
  };
}

const isPublic = (code: string): code is ErrorCode => code in STATUS;

const PUBLIC_CODES: readonly ErrorCode[] = Object.keys(STATUS).filter(isPublic);

/** When a client gets the code. */
export const MEANINGS: Partial<Readonly<Record<ErrorCode, InBoth<string>>>> = {
  BAD_REQUEST: {
    nb: 'Innholdet i forespørselen er ikke JSON (`Malformed JSON body`), `query` mangler, eller en GET kom uten `Gateway-Require-Preflight: true`.',
    en: 'The body is not JSON (`Malformed JSON body`), `query` is missing, or a GET came without `Gateway-Require-Preflight: true`.',
  },
  BAD_USER_INPUT: {
    nb: 'En verdi kan ikke leses: negativ `page`, ukjent `mode`, ugyldig dato. `extensions.invalidArgs` navngir argumentene, og `extensions.reasons` sier hvorfor.',
    en: 'A value cannot be read: a negative `page`, an unknown `mode`, an invalid date. `extensions.invalidArgs` names the arguments, and `extensions.reasons` explains why.',
  },
  GRAPHQL_PARSE_FAILED: { nb: 'Spørringen er ikke GraphQL.', en: 'The query is not GraphQL.' },
  GRAPHQL_VALIDATION_FAILED: {
    nb: 'Et felt eller argument finnes ikke, eller en verdi har feil type.',
    en: 'A field or argument does not exist, or a value has the wrong type.',
  },
  QUERY_TOO_COMPLEX: {
    nb: 'Svaret kan bli for stort. Meldingen sier hvor grensen går, og hvor stor spørringen er.',
    en: 'The response could become too large. The message gives the limit and the size of the query.',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    nb: 'Serveren kjenner ikke spørringen til `sha256Hash`. Send den på nytt, med `query`.',
    en: 'The server does not have a query with this `sha256Hash`. Send the request again with `query`.',
  },
  GONE: {
    nb: 'Øyeblikksbildet i `since` er ukjent eller mer enn 90 dager gammelt. Hent alt på nytt.',
    en: 'The snapshot in `since` is unknown or more than 90 days old. Fetch everything again.',
  },
  NOT_FOUND: { nb: 'Adressen finnes ikke.', en: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: {
    nb: 'Feil metode; `Allow` sier hvilke som er tillatt.',
    en: 'Wrong method; `Allow` lists the allowed ones.',
  },
  REQUEST_TIMEOUT: {
    nb: 'Forespørselen brukte for lang tid på å komme frem.',
    en: 'The request took too long to arrive.',
  },
  PAYLOAD_TOO_LARGE: { nb: 'Innholdet i forespørselen er over 256 KiB.', en: 'The body is over 256 KiB.' },
  UNSUPPORTED_MEDIA_TYPE: {
    nb: 'Innholdet i forespørselen må sendes som `Content-Type: application/json`.',
    en: 'The body must be sent as `Content-Type: application/json`.',
  },
  RATE_LIMITED: {
    nb: 'Flere kall enn kvoten tillater. `Retry-After` sier når du kan prøve igjen.',
    en: 'More requests than the quota allows. `Retry-After` says when you can try again.',
  },
  OVERLOADED: {
    nb: 'Kalenderen har for mye å gjøre akkurat nå. `Retry-After` sier når det er verdt å prøve igjen.',
    en: 'The calendar has too much to do right now. `Retry-After` says when to try again.',
  },
  HEADERS_TOO_LARGE: {
    nb: 'Adressen og hodefeltene er for lange til sammen.',
    en: 'The URL and the headers together are too long.',
  },
  SERVICE_UNAVAILABLE: {
    nb: 'Kalenderen er ikke klar ennå. Prøv igjen om litt.',
    en: 'The calendar is not ready yet. Try again in a moment.',
  },
  TIMEOUT: {
    nb: 'Svaret tok for lang tid og ble avbrutt.',
    en: 'The response took too long, so the server stopped it.',
  },
  INTERNAL_SERVER_ERROR: {
    nb: 'Noe uventet gikk galt. Oppgi `extensions.id` når du melder fra.',
    en: 'An unexpected error. Quote `extensions.id` when you report it.',
  },
};

const TEXTS = inBoth({
  title: ['Feil', 'Errors'],
  intro: [
    'Se etter `errors` i hvert svar, også ved HTTP 200: Noen felt kan ha feilet selv om andre er i orden.',
    'Check every response for `errors`, even with HTTP 200: some fields can fail while others succeed.',
  ],
  reasons: [
    'Hva som er galt med hvert argument, og et gyldig eksempel. Vis dette når det finnes, ellers `message`.',
    'What is wrong with each argument, and a valid example. Show this if it is present, otherwise `message`.',
  ],
  reason: [
    'Hvor JSON-feilen i forespørselen er: linjen, kolonnen og hva som skulle ha stått der.',
    'Where the JSON of the body is invalid: the line, the column and what was expected.',
  ],
  show: ['Vis alle kodene', 'Show all codes'],
  caption: ['Koder, og HTTP-statusen de kommer med', 'Codes, and the HTTP status they come with'],
  when: ['Når', 'When'],
});
