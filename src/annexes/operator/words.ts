/** Words of builds, feeds, servers and callers, and reasons of failures, in the reader's language. */
import type { Action } from '../../calendar/actions.ts';
import type { InEach } from '../page/reader.ts';

/** A word of another version stays as it is. */
export function termOf(word: string): InEach<string> {
  const known = TERMS.get(word);
  if (known === undefined) return untranslated(word);
  const [nb, en, nn] = known;
  return { nb, en, nn };
}

/** A name or a text that is the same in each language. */
export const untranslated = (text: string): InEach<string> => ({ nb: text, en: text, nn: text });

/** In Bokmål, English and Nynorsk. */
type Words = readonly [nb: string, en: string, nn: string];

/** G2: the actions of a build on a record. */
const ACTION_WORDS = {
  'dropped record': ['oppføring utelatt', 'record dropped', 'oppføring utelaten'],
  'dropped series': ['serie utelatt', 'series dropped', 'serie utelaten'],
  'dropped date': ['dato utelatt', 'date dropped', 'dato utelaten'],
  'dropped reference': ['referanse utelatt', 'reference dropped', 'referanse utelaten'],
  'retired unannounced': [
    'kategori nedlagt uten varsel',
    'category retired without a notice',
    'kategori nedlagd utan varsel',
  ],
  'cut rule': ['regel kortet ned', 'rule cut', 'regel korta ned'],
  'dropped value': ['verdi utelatt', 'value dropped', 'verdi utelaten'],
  'kept as tag': [
    'ord som ikke er en kategori',
    'word that is not a category',
    'ord som ikkje er ein kategori',
  ],
  'no category': ['arrangement uten kategori', 'event without a category', 'arrangement utan kategori'],
  merged: ['arrangement slått sammen', 'event merged', 'arrangement slått saman'],
  'likely same': ['trolig samme arrangement', 'likely the same event', 'truleg same arrangement'],
  'changed value': ['verdi endret', 'value changed', 'verdi endra'],
  'made safe': ['verdi gjort trygg', 'value made safe', 'verdi gjord trygg'],
  'cut text': ['tekst kortet ned', 'text cut', 'tekst korta ned'],
  'migrated category': ['kategori byttet ut', 'category migrated', 'kategori bytt ut'],
  over: [
    'nytt arrangement som allerede er over',
    'new event that is over',
    'nytt arrangement som alt er over',
  ],
  'identical copies': [
    'like kopier regnet som én',
    'identical copies counted once',
    'like kopiar rekna som éin',
  ],
  tidied: ['støy ryddet bort', 'noise removed', 'støy rydda bort'],
  'left out': ['oppføring som ikke er brukt', 'record that is not used', 'oppføring som ikkje er brukt'],
} satisfies Readonly<Record<Action, Words>>;

const OTHER_WORDS: Readonly<Record<string, Words>> = {
  // The lists of records of a source.
  venues: ['steder', 'venues', 'stader'],
  organizers: ['arrangører', 'organizers', 'arrangørar'],
  events: ['arrangementer', 'events', 'arrangement'],
  postalCodes: ['postnumre', 'postal codes', 'postnummer'],
  notices: ['varsler', 'notices', 'varsel'],
  categories: ['kategorier', 'categories', 'kategoriar'],
  // Builds and feeds.
  rebuild: ['bygging', 'build', 'bygging'],
  pull: ['kopi', 'copy', 'kopi'],
  published: ['publisert', 'published', 'publisert'],
  unchanged: ['uendret', 'unchanged', 'uendra'],
  ok: ['i orden', 'OK', 'i orden'],
  corrections: ['retteark', 'correction sheet', 'retteark'],
  feeds: ['kildeliste', 'list of feeds', 'kjeldeliste'],
  stale: [
    'feiler; siste gyldige data brukes',
    'failing; its last valid data is used',
    'feilar; siste gyldige data blir brukte',
  ],
  failed: ['mislyktes', 'failed', 'mislukka'],
  // The changes that a build made.
  added: ['nye', 'added', 'nye'],
  changed: ['endrede', 'changed', 'endra'],
  renamed: ['med nytt navn', 'renamed', 'med nytt namn'],
  removed: ['fjernede', 'removed', 'fjerna'],
  // Servers and their callers.
  serving: ['I drift', 'Serving', 'I drift'],
  waiting: ['Venter på kalenderen', 'Waiting for the calendar', 'Ventar på kalenderen'],
  stopping: ['Stopper', 'Shutting down', 'Stoppar'],
  application: ['applikasjon', 'application', 'applikasjon'],
  anonymous: ['uten nøkkel', 'without a key', 'utan nøkkel'],
  operator: ['operatørens egne', "the operator's own", 'frå operatøren sjølv'],
};

const TERMS: ReadonlyMap<string, Words> = new Map([
  ...Object.entries<Words>(ACTION_WORDS),
  ...Object.entries(OTHER_WORDS),
]);

/** A reason in plain words, after what it is about; one that is not known here stays as the log has it, in English. */
export function plainly(reason: string, about = ''): InEach<string> {
  const before = about === '' ? '' : `${about}: `;
  for (const [words, nb, en, nn] of REASONS) {
    const [found] = words.exec(reason) ?? [];
    if (found === undefined) continue;
    const inWords = (text: string) => before + found.replace(words, text);
    return { nb: inWords(nb), en: inWords(en), nn: inWords(nn) };
  }
  return untranslated(before + reason);
}

/**
 * Codes of Node, SQLite and HTTP, as messages hold them, and words of this program: above each of these is the file whose text it is. `$1`
 * is the name within them.
 */
const REASONS: readonly (readonly [words: RegExp, nb: string, en: string, nn: string])[] = [
  [
    /\bECONNREFUSED\b/,
    'ingen server svarer på adressen',
    'no server answers at the address',
    'ingen server svarer på adressa',
  ],
  [
    /\b(ENOTFOUND|EAI_AGAIN)\b/,
    'navnet i adressen er ukjent',
    'the name in the address cannot be found',
    'namnet i adressa er ukjent',
  ],
  [
    // The last three: jobs/kit/deadline.ts and jobs/annexes/feeds/refresh.ts
    /\bE(SOCKET)?TIMEDOUT\b|time limit|expected (?:all of it|a byte|all feeds together) within \d+ s/,
    'svaret kom ikke i tide',
    'the server did not answer in time',
    'svaret kom ikkje i tide',
  ],
  [
    /\b(ECONNRESET|EPIPE)\b|socket hang up/,
    'forbindelsen ble brutt',
    'the connection was lost',
    'sambandet blei brote',
  ],
  [/\b(EHOSTUNREACH|ENETUNREACH)\b/, 'nettverket er nede', 'the network is down', 'nettverket er nede'],
  [
    /certificate|\bCERT_/,
    'serverens sertifikat er ikke gyldig',
    'the server’s certificate is not valid',
    'sertifikatet til serveren er ikkje gyldig',
  ],
  // jobs/room.ts
  [
    /([^\s:][^:]{0,200}): expected room for \d+ bytes, found \d+, (\d+) too few/,
    'disken med $1 er full; det mangler $2 byte',
    'the disk with $1 is full; $2 more bytes are needed',
    'disken med $1 er full; det manglar $2 byte',
  ],
  [
    /([^\s:][^:]{0,200}): (?:SQLITE_FULL|ENOSPC|EDQUOT)\b/,
    'disken med $1 er full',
    'the disk with $1 is full',
    'disken med $1 er full',
  ],
  [/\b(ENOSPC|EDQUOT|SQLITE_FULL)\b/, 'disken er full', 'the disk is full', 'disken er full'],
  [
    /\b(EACCES|EPERM|EROFS|SQLITE_READONLY)\b/,
    'programmet har ikke skrivetilgang',
    'the program has no permission to write there',
    'programmet har ikkje skrivetilgang',
  ],
  [
    /\b(EIO|SQLITE_(IOERR|CORRUPT|NOTADB))\b/,
    'filen eller disken er skadet',
    'the file or the disk is damaged',
    'fila eller disken er skadd',
  ],
  // src/calendar/errors.ts and jobs/annexes/feeds/source-file.ts
  [
    /([^\s:][^:]{0,200}): it is not there; the nearest is (".{1,200}?")/,
    '$1 finnes ikke; filen som ligner mest, heter $2',
    '$1 does not exist; the nearest file is $2',
    '$1 finst ikkje; fila som liknar mest, heiter $2',
  ],
  // src/calendar/errors.ts
  [/([^\s:][^:]{0,200}): it is not there/, '$1 finnes ikke', '$1 does not exist', '$1 finst ikkje'],
  [/\bENOENT\b/, 'filen finnes ikke', 'the file does not exist', 'fila finst ikkje'],
  // src/calendar/errors.ts
  [
    /([^\s:][^:]{0,200}): this user may not read it/,
    'programmet har ikke lesetilgang til $1',
    'the program has no permission to read $1',
    'programmet har ikkje lesetilgang til $1',
  ],
  // jobs/annexes/feeds/growth.ts
  [
    /expected the column (.{1,80}), which had values before, found none of this name/,
    'kolonnen $1 mangler; har den fått et nytt navn, må den få tilbake det gamle',
    'the column $1 is missing; if it was renamed, rename it back',
    'kolonnen $1 manglar; har han fått eit nytt namn, må han få att det gamle',
  ],
  // jobs/annexes/feeds/corrections/sheet-columns.ts
  [
    /expected a first row that names the column Id /,
    'den første raden mangler kolonnen Id, eller en kolonne som sier hva som skal endres',
    'the first row lacks the column Id, or one that says what to change',
    'den første rada manglar kolonnen Id, eller ein kolonne som seier kva som skal endrast',
  ],
  // jobs/annexes/feeds/venues/sheet-columns.ts
  [
    /expected a first row that names the column Sted/,
    'den første raden mangler kolonnen Sted',
    'the first row lacks the column Sted',
    'den første rada manglar kolonnen Stad',
  ],
  // jobs/annexes/feeds/lists/sheet-columns.ts
  [
    /expected a first row that names the columns Navn and Adresse/,
    'den første raden mangler kolonnen Navn eller Adresse',
    'the first row lacks the column Navn (name) or Adresse (address)',
    'den første rada manglar kolonnen Namn eller Adresse',
  ],
  // jobs/annexes/feeds/lists/sheet.ts
  [
    /^feed (\S{1,64}):(\d+) (.{1,200}?): expected (.+), found (.+)$/s,
    'rad $2 i kildelisten $1 kan ikke brukes; rett $5 under $3',
    'row $2 of the list $1 cannot be used; under $3, expected $4, found $5',
    'rad $2 i kjeldelista $1 kan ikkje brukast; rett $5 under $3',
  ],
  // jobs/annexes/feeds/workbooks/parts.ts
  [
    /expected the sheet (".{1,80}?")(?:; the nearest is ".{0,200}?")?, found/,
    'arbeidsboken har ikke arket $1',
    'the workbook does not have the sheet $1',
    'arbeidsboka har ikkje arket $1',
  ],
  // jobs/annexes/feeds/workbooks/workbook.ts
  [
    /found a workbook with a password/,
    'arbeidsboken har passord; fjern det, eller lagre den som CSV',
    'the workbook has a password; remove it, or save the workbook as CSV',
    'arbeidsboka har passord; fjern det, eller lagre ho som CSV',
  ],
  // jobs/annexes/feeds/workbooks/workbook.ts
  [
    /found an old workbook \(\.xls\)/,
    'arbeidsboken er i et gammelt format (.xls); lagre den som .xlsx',
    'the workbook is in an old format (.xls); save it as .xlsx',
    'arbeidsboka er i eit gammalt format (.xls); lagre ho som .xlsx',
  ],
  // jobs/annexes/feeds/documents.ts
  [
    /expected a table as CSV or \.xlsx, found HTML or XML/,
    'adressen svarer med en nettside i stedet for filen; kanskje kreves det innlogging',
    'the address returns a page instead of the file; it may require a login',
    'adressa svarar med ei nettside i staden for fila; kanskje krevst det innlogging',
  ],
  // This and the next one: jobs/annexes/feeds/documents.ts
  [
    /expected BEGIN:VCALENDAR, found HTML or XML/,
    'adressen svarer med en nettside i stedet for en kalender; kanskje kreves det innlogging',
    'the address returns a page instead of a calendar; it may require a login',
    'adressa svarar med ei nettside i staden for ein kalender; kanskje krevst det innlogging',
  ],
  [/expected a (?:calendar|table|page), found nothing/, 'filen er tom', 'the file is empty', 'fila er tom'],
  // jobs/annexes/feeds/ical/calendar.ts
  [
    /expected BEGIN:VCALENDAR, found none/,
    'det ligger ingen kalender på adressen',
    'there is no calendar at the address',
    'det ligg ingen kalender på adressa',
  ],
  // This and the next three: jobs/annexes/feeds/growth.ts
  [
    /expected (?:events|corrections|venues|feeds), as before \((\d+)\), found none/,
    'kilden er tom, men hadde $1 oppføringer; er det meningen, må driftsansvarlig sette «mayBeEmpty»',
    'the feed is empty, but had $1 entries; if this is intended, set "mayBeEmpty" or build with --force',
    'kjelda er tom, men hadde $1 oppføringar; er det meininga, må driftsansvarleg setje «mayBeEmpty»',
  ],
  [
    /expected a whole feed, as before, found one that is cut off/,
    'kilden er ufullstendig; slutten mangler',
    'the feed is incomplete; its end is missing',
    'kjelda er ufullstendig; slutten manglar',
  ],
  [
    /expected not more than \d+ (?:times what was there before|dates).{0,200}/s,
    'kilden er plutselig mye større enn før; er det meningen, må driftsansvarlig bygge kalenderen med --force',
    'the feed is suddenly much larger than before; if this is intended, build with --force',
    'kjelda er brått mykje større enn før; er det meininga, må driftsansvarleg byggje kalenderen med --force',
  ],
  [
    /expected at least half of the (\d+) upcoming events that were there before, found (\d+).{0,100}/s,
    'kilden har plutselig bare $2 av $1 kommende arrangementer; kalenderen viser alle $1 i ett døgn; skal de andre bort straks, må driftsansvarlig bygge kalenderen med --force',
    'the feed suddenly has only $2 of $1 upcoming events; the calendar shows all $1 for one day; to remove the others at once, build with --force',
    'kjelda har brått berre $2 av $1 kommande arrangement; kalenderen viser alle $1 i eitt døgn; skal dei andre bort straks, må driftsansvarleg byggje kalenderen med --force',
  ],
  // This and the next one: jobs/kit/fetch.ts
  [
    /expected at most (\d+) bytes, found more/,
    'filen er for stor; grensen er $1 byte',
    'the file is too large; the limit is $1 bytes',
    'fila er for stor; grensa er $1 byte',
  ],
  [
    /expected at most \d+ redirects, found more/,
    'adressen sender videre for mange ganger; kanskje kreves det innlogging',
    'the address redirects too often; it may require a login',
    'adressa sender vidare for mange gonger; kanskje krevst det innlogging',
  ],
  // jobs/annexes/feeds/csv/sheet.ts
  [
    /expected a closing quote, found the end of the sheet/,
    'arket har et anførselstegn som ikke er lukket',
    'the sheet has a quotation mark that is not closed',
    'arket har eit hermeteikn som ikkje er lukka',
  ],
  // jobs/annexes/feeds/workbooks/workbook.ts and parts.ts
  [
    /expected a complete workbook \(\.xlsx\), found a damaged one/,
    'arbeidsboken er skadet; lagre den på nytt',
    'the workbook is damaged; save it again',
    'arbeidsboka er skadd; lagre ho på nytt',
  ],
  // src/calendar/errors.ts
  [/([^\s:][^:]{0,200}): it is a folder/, '$1 er en mappe', '$1 is a folder', '$1 er ei mappe'],
  // jobs/kit/public-address.ts and jobs/annexes/feeds/fetch.ts
  [
    /expected a public address.*; a list of feeds may not name those/,
    'adressen er i et privat nettverk; bare sources.json kan ha slike adresser',
    'the address is in a private network; only sources.json may have such addresses',
    'adressa er i eit privat nettverk; berre sources.json kan ha slike adresser',
  ],
  // jobs/kit/public-address.ts
  [
    /expected a public address/,
    'adressen er i et privat nettverk; sett ALMANAKK_ALLOW_PRIVATE_FEEDS=true for å hente derfra',
    'the address is in a private network; set ALMANAKK_ALLOW_PRIVATE_FEEDS=true to fetch from it',
    'adressa er i eit privat nettverk; set ALMANAKK_ALLOW_PRIVATE_FEEDS=true for å hente derifrå',
  ],
  // jobs/annexes/store/foreign.ts
  [
    /expected the calendar with the licence id (".{1,80}?"), found (".{1,80}?")/,
    'der ligger kalenderen $2, ikke $1',
    'the calendar there is $2, not $1',
    'der ligg kalenderen $2, ikkje $1',
  ],
  [/\bE[MN]FILE\b/, 'for mange filer er åpne', 'too many files are open', 'for mange filer er opne'],
  // This and the next three: jobs/kit/s3.ts, jobs/annexes/feeds/fetch.ts and jobs/annexes/pull/download.ts
  [
    /\b(?:status|(?:HTTP|status) 200, found) (401|403)\b/,
    'serveren krever gyldig nøkkel',
    'the server requires a valid key',
    'serveren krev gyldig nøkkel',
  ],
  [
    /\b(?:status|(?:HTTP|status) 200, found) (404|410)\b/,
    'serveren finner ikke adressen',
    'the server has nothing at the address',
    'serveren finn ikkje adressa',
  ],
  [
    /\b(?:status|(?:HTTP|status) 200, found) 429\b/,
    'serveren får for mange forespørsler',
    'the server gets too many requests',
    'serveren får for mange førespurnader',
  ],
  [
    /\b(?:status|(?:HTTP|status) 200, found) 5\d\d\b/,
    'intern feil på serveren',
    'that server has an internal error',
    'intern feil på serveren',
  ],
];
