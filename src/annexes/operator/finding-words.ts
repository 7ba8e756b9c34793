/** The expected and found values of frequent findings (G2), in Norwegian. Reports are written in English, by any version. */
import { duplicatesInNorwegian } from './duplicate-words.ts';
import { expectedForm, foundForm } from './finding-forms.ts';

/** The sentence about a finding in Norwegian; null unless all of its parts are known. `found` is null if it is not disclosed. */
export function inNorwegian(expected: string, found: string | null): string | null {
  return duplicatesInNorwegian(expected, found) ?? sentenceOf(expected, found);
}

function sentenceOf(expected: string, found: string | null): string | null {
  const [what, nearest = ''] = expected.split(NEAREST);
  const wanted = EXPECTED.get(what ?? '') ?? expectedForm(expected);
  if (wanted === undefined) return null;
  const hint = nearest === '' ? '' : `; det nærmeste er ${nearest}`;
  if (found === null) return `Forventet ${wanted}${hint}.`;
  const present = FOUND.get(found) ?? foundForm(found) ?? (isValue(found) ? found : undefined);
  return present === undefined ? null : `Forventet ${wanted}, men fant ${present}${hint}.`;
}

/** Before the nearest known name, which `withNearest` adds. */
const NEAREST = /; the nearest is (?=".{0,200}"$)/;

/** Values of records are quoted as JSON, and the same in each language; a long one is cut. */
const isValue = (found: string): boolean => /^(?:".*["…]|-?\d[\d.]*|true|false|null|[[{].*)$/s.test(found);

export const FOUND: ReadonlyMap<string, string> = new Map([
  ['nothing', 'ingenting'],
  ['none', 'ingen'],
  ['neither', 'ingen av delene'],
  ['one that is left out', 'et som er utelatt'],
  ["one of the folder's own records", 'et fra kalenderens egen mappe'],
  ['one without a municipality', 'et uten kommune'],
  ['one that is also in a place without a municipality', 'et som også er på et sted uten kommune'],
  ['events of others', 'arrangementer fra andre'],
  ['none in the last 400 days', 'ingen de siste 400 dagene'],
]);

export const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['a title', 'en tittel'],
  ['a title in Norwegian or English', 'en tittel på norsk eller engelsk'],
  ['a unique id', 'en id som ingen andre har'],
  ['a string', 'en tekst'],
  ['a string that is not blank', 'en tekst'],
  ['true or false', 'true eller false'],
  ['ja or nei', 'ja eller nei'],
  ['ja, nei or a word such as Normal or Privat', 'ja, nei eller et ord som Normal eller Privat'],
  ['a row that is public', 'en rad som er publisert'],
  ['a whole number', 'et helt tall'],
  ['a whole number, 0 or more', 'et helt tall, 0 eller mer'],
  ['an http or https URL', 'en nettadresse som begynner med https:// eller http://'],
  ['an absolute http or https URL', 'en fullstendig nettadresse som begynner med https:// eller http://'],
  ['the http or https URL of an image', 'nettadressen til et bilde'],
  ['the http or https URL of an image, or ingen', 'nettadressen til et bilde, eller ordet ingen'],
  ['a price such as 150 or 149,50, or gratis', 'en pris som 150 eller 149,50, eller gratis'],
  [
    'a price such as 150 or 149,50, or gratis (the text is kept)',
    'en pris som 150 eller 149,50, eller gratis (teksten vises som den er)',
  ],
  ['a name, not an email address', 'et navn, ikke en e-postadresse'],
  ['a future date', 'en dato frem i tid'],
  ['a date such as 14.02.2027 kl. 19.00', 'en dato som 14.02.2027 kl. 19.00'],
  [
    'a date or time such as 20260517 or 20260517T193000',
    'en dato eller et tidspunkt som 20260517 eller 20260517T193000',
  ],
  [
    'a datetime such as "2026-05-17 19:30" or a date such as "2026-05-17"',
    'et tidspunkt som "2026-05-17 19:30" eller en dato som "2026-05-17"',
  ],
  ['an end after the start', 'en slutt som er etter starten'],
  ['a duration such as PT1H30M', 'en varighet som PT1H30M'],
  ['minutes, or hours and minutes such as 1:30', 'minutter, eller timer og minutter som 1:30'],
  ['a date that no earlier row of the event has', 'en dato som ingen tidligere rad for arrangementet har'],
  [
    'an event that is kept (this row is one of its dates)',
    'at arrangementet er med (denne raden er en av datoene)',
  ],
  ['at least one date that is not excluded', 'minst én dato som ikke er unntatt'],
  ['the id of a venue', 'id-en til et sted'],
  ['the id or the name of a venue', 'id-en til et sted, eller navnet på det'],
  ['the id or the name of an organizer', 'id-en til en arrangør, eller navnet på den'],
  [
    'the name or number of a municipality that postal-codes.tsv lists',
    'navnet på eller nummeret til en kommune i postal-codes.tsv',
  ],
  ['an event with a place', 'et arrangement med et sted'],
  [
    'a place where only feeds of this sheet have events',
    'et sted der bare kildene til dette arket har arrangementer',
  ],
  ['the id of an event of this build', 'id-en til et arrangement i kalenderen'],
  ['an event that is approved', 'et arrangement som er godkjent'],
  [
    'a decision on an event of a feed with "needsApproval"',
    'en avgjørelse om et arrangement fra en kilde med "needsApproval"',
  ],
  [
    "the id of an event, or the address of the event's page",
    'id-en til et arrangement, eller adressen til siden om arrangementet',
  ],
  [
    'the address of a page that an earlier snapshot has',
    'adressen til en side som kalenderen hadde før denne oppdateringen',
  ],
  ['the name of a place', 'navnet på et sted'],
  [
    'a place that neither venues.json nor an earlier row has',
    'et sted som verken står i venues.json eller i en tidligere rad',
  ],
  ['another event than that of the row', 'et annet arrangement enn det raden gjelder'],
  ['a row that also says what to change', 'en rad som også sier hva som skal endres'],
  [
    'a date such as 14.02.2031 or 14.02.2031 kl. 19.00, or several with commas between them',
    'en dato som 14.02.2031 eller 14.02.2031 kl. 19.00, eller flere med komma mellom',
  ],
  [
    'a time of day such as 19.30, or with a date such as 14.02.2031 kl. 19.30',
    'et klokkeslett som 19.30, eller med dato, som 14.02.2031 kl. 19.30',
  ],
  [
    'avlyst, utsatt, utsolgt, ikke utsolgt or som planlagt',
    'avlyst, utsatt, utsolgt, ikke utsolgt eller som planlagt',
  ],
  ['the id of an organizer', 'id-en til en arrangør'],
  ['each organizer once', 'hver arrangør én gang'],
  ['a category of the licence', 'en kategori i kalenderen'],
  ['at least one category of the licence', 'minst én kategori i kalenderen'],
  ['a name or an address beside it', 'et navn eller en adresse i tillegg'],
  ['a latitude and a longitude such as 63.83 and 10.05', 'breddegrad og lengdegrad, som 63.83 og 10.05'],
  ['markup that only formats text', 'bare formatering av tekst'],
]);
