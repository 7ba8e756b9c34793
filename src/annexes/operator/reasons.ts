/** Why builds, feeds, copies, stores and emails failed, in plain words of the reader's language. */
import { type FailureCode, failureIn, filled } from '../../calendar/failures.ts';
import type { InEach } from '../page/reader.ts';
import { untranslated } from './words.ts';

/** A reason in plain words, with what it is about in front. A reason that is not known here stays in English, as it is in the log. */
export function plainly(reason: string, about = ''): InEach<string> {
  const before = about === '' ? '' : `${about}: `;
  const inWords = wordsOf(reason);
  if (inWords === null) return untranslated(before + reason);
  const { nb, en, nn } = inWords;
  return { nb: before + nb, en: before + en, nn: before + nn };
}

/** Failures come first: some contain names or cells from feeds, and these could contain a code. */
function wordsOf(reason: string): InEach<string> | null {
  const failure = failureIn(reason);
  if (failure !== null) {
    const { nb, en, nn } = WORDS[failure.code];
    const inWords = (text: string) => filled(text, failure.values);
    return { nb: inWords(nb), en: inWords(en), nn: inWords(nn) };
  }
  for (const { pattern, nb, en, nn } of CODES) {
    const [found] = pattern.exec(reason) ?? [];
    if (found === undefined) continue;
    const inWords = (text: string) => found.replace(pattern, text);
    return { nb: inWords(nb), en: inWords(en), nn: inWords(nn) };
  }
  return null;
}

interface Reason extends InEach<string> {
  /** Its groups are `$1`, `$2` and so on in the texts. */
  readonly pattern: RegExp;
}

const TOO_LATE: InEach<string> = {
  nb: 'svaret kom ikke i tide',
  en: 'the server did not answer in time',
  nn: 'svaret kom ikkje i tide',
};

const MUCH_LARGER: InEach<string> = {
  nb: 'kilden er plutselig mye større enn før; er det meningen, må driftsansvarlig bygge kalenderen med --force',
  en: 'the feed is suddenly much larger than before; if this is intended, build with --force',
  nn: 'kjelda er brått mykje større enn før; er det meininga, må driftsansvarleg byggje kalenderen med --force',
};

/** Each failure of this program in plain words, with its values in braces. */
const WORDS: Readonly<Record<FailureCode, InEach<string>>> = {
  listedRow: {
    nb: 'rad {row} i kildelisten {list} kan ikke brukes; rett {found} under {column}',
    en: 'row {row} of the list {list} cannot be used; in the column {column}, expected {expected}, found {found}',
    nn: 'rad {row} i kjeldelista {list} kan ikkje brukast; rett {found} under {column}',
  },
  missingWithNearest: {
    nb: '{file} finnes ikke; filen som ligner mest, heter {nearest}',
    en: '{file} does not exist; the nearest file is {nearest}',
    nn: '{file} finst ikkje; fila som liknar mest, heiter {nearest}',
  },
  missing: {
    nb: '{file} finnes ikke',
    en: '{file} does not exist',
    nn: '{file} finst ikkje',
  },
  notAllowed: {
    nb: 'programmet har ikke lesetilgang til {file}',
    en: 'the program has no permission to read {file}',
    nn: 'programmet har ikkje lesetilgang til {file}',
  },
  folder: {
    nb: '{file} er en mappe',
    en: '{file} is a folder',
    nn: '{file} er ei mappe',
  },
  noFolder: {
    nb: '{file} finnes ikke; en del av stien er ikke en mappe',
    en: '{file} does not exist; a part of its path is not a folder',
    nn: '{file} finst ikkje; ein del av stien er ikkje ei mappe',
  },
  circle: {
    nb: 'lenken {file} går i ring',
    en: 'the symbolic links at {file} form a loop',
    nn: 'lenkja {file} går i ring',
  },
  longName: {
    nb: 'navnet på {file} er for langt',
    en: 'the name of {file} is too long',
    nn: 'namnet på {file} er for langt',
  },
  manyFiles: {
    nb: '{file} kan ikke leses fordi for mange filer er åpne',
    en: '{file} cannot be read because too many files are open',
    nn: '{file} kan ikkje lesast fordi for mange filer er opne',
  },
  badDisk: {
    nb: 'disken kan ikke lese {file}',
    en: 'the disk cannot read {file}',
    nn: 'disken kan ikkje lese {file}',
  },
  noRoom: {
    nb: 'disken med {folder} er full; det mangler {missing} byte',
    en: 'the disk that holds {folder} is full; {missing} more bytes are needed',
    nn: 'disken med {folder} er full; det manglar {missing} byte',
  },
  noEnd: TOO_LATE,
  noByte: TOO_LATE,
  lateFeeds: TOO_LATE,
  lateAnswers: TOO_LATE,
  tooLarge: {
    nb: 'filen er for stor; grensen er {bytes} byte',
    en: 'the file is too large; the limit is {bytes} bytes',
    nn: 'fila er for stor; grensa er {bytes} byte',
  },
  manyRedirects: {
    nb: 'adressen sender videre for mange ganger; kanskje kreves det innlogging',
    en: 'the address redirects too often; it may require a login',
    nn: 'adressa sender vidare for mange gonger; kanskje krevst det innlogging',
  },
  privateOfList: {
    nb: 'adressen er i et privat nettverk; bare sources.json kan ha slike adresser',
    en: 'the address is in a private network; only sources.json may have such addresses',
    nn: 'adressa er i eit privat nettverk; berre sources.json kan ha slike adresser',
  },
  privateAddress: {
    nb: 'adressen er i et privat nettverk; sett ALMANAKK_ALLOW_PRIVATE_FEEDS=true for å hente derfra',
    en: 'the address is in a private network; set ALMANAKK_ALLOW_PRIVATE_FEEDS=true to fetch from it',
    nn: 'adressa er i eit privat nettverk; set ALMANAKK_ALLOW_PRIVATE_FEEDS=true for å hente derifrå',
  },
  lostColumn: {
    nb: 'kolonnen {column} mangler; har den fått et nytt navn, må den få tilbake det gamle',
    en: 'the column {column} is missing; if it was renamed, rename it back',
    nn: 'kolonnen {column} manglar; har han fått eit nytt namn, må han få att det gamle',
  },
  emptied: {
    nb: 'kilden er tom, men hadde {had} oppføringer; er det meningen, må driftsansvarlig sette «mayBeEmpty»',
    en: 'the feed is empty, but had {had} entries; if this is intended, set "mayBeEmpty" or build with --force',
    nn: 'kjelda er tom, men hadde {had} oppføringar; er det meininga, må driftsansvarleg setje «mayBeEmpty»',
  },
  cutOff: {
    nb: 'kilden er ufullstendig; slutten mangler',
    en: 'the feed is incomplete; its end is missing',
    nn: 'kjelda er ufullstendig; slutten manglar',
  },
  muchLarger: MUCH_LARGER,
  manyMoreDates: MUCH_LARGER,
  muchSmaller: {
    nb: 'kilden har plutselig bare {has} av {had} kommende arrangementer; kalenderen viser alle {had} i ett døgn; skal de andre bort straks, må driftsansvarlig bygge kalenderen med --force',
    en: 'the feed suddenly has only {has} of {had} upcoming events; the calendar shows all {had} for one day; to remove the others at once, build with --force',
    nn: 'kjelda har brått berre {has} av {had} kommande arrangement; kalenderen viser alle {had} i eitt døgn; skal dei andre bort straks, må driftsansvarleg byggje kalenderen med --force',
  },
  pageForTable: {
    nb: 'adressen svarer med en nettside i stedet for filen; kanskje kreves det innlogging',
    en: 'the address returns a page instead of the file; it may require a login',
    nn: 'adressa svarar med ei nettside i staden for fila; kanskje krevst det innlogging',
  },
  pageForCalendar: {
    nb: 'adressen svarer med en nettside i stedet for en kalender; kanskje kreves det innlogging',
    en: 'the address returns a page instead of a calendar; it may require a login',
    nn: 'adressa svarar med ei nettside i staden for ein kalender; kanskje krevst det innlogging',
  },
  noContent: {
    nb: 'filen er tom',
    en: 'the file is empty',
    nn: 'fila er tom',
  },
  noCalendar: {
    nb: 'det ligger ingen kalender på adressen',
    en: 'there is no calendar at the address',
    nn: 'det ligg ingen kalender på adressa',
  },
  openQuote: {
    nb: 'arket har et anførselstegn som ikke er lukket',
    en: 'the sheet has a quotation mark that is not closed',
    nn: 'arket har eit hermeteikn som ikkje er lukka',
  },
  noIdColumn: {
    nb: 'den første raden mangler kolonnen Id, eller en kolonne som sier hva som skal endres',
    en: 'the first row lacks the column Id, or a column that says what to change',
    nn: 'den første rada manglar kolonnen Id, eller ein kolonne som seier kva som skal endrast',
  },
  noPlaceColumn: {
    nb: 'den første raden mangler kolonnen Sted',
    en: 'the first row lacks the column Sted',
    nn: 'den første rada manglar kolonnen Stad',
  },
  noAddressColumn: {
    nb: 'den første raden mangler kolonnen Navn eller Adresse',
    en: 'the first row lacks the column Navn (name) or Adresse (address)',
    nn: 'den første rada manglar kolonnen Namn eller Adresse',
  },
  noSheet: {
    nb: 'arbeidsboken har ikke arket {sheet}',
    en: 'the workbook does not have the sheet {sheet}',
    nn: 'arbeidsboka har ikkje arket {sheet}',
  },
  lockedWorkbook: {
    nb: 'arbeidsboken har passord; fjern det, eller lagre den som CSV',
    en: 'the workbook has a password; remove it, or save the workbook as CSV',
    nn: 'arbeidsboka har passord; fjern det, eller lagre ho som CSV',
  },
  oldWorkbook: {
    nb: 'arbeidsboken er i et gammelt format (.xls); lagre den som .xlsx',
    en: 'the workbook is in an old format (.xls); save it as .xlsx',
    nn: 'arbeidsboka er i eit gammalt format (.xls); lagre ho som .xlsx',
  },
  damagedWorkbook: {
    nb: 'arbeidsboken er skadet; lagre den på nytt',
    en: 'the workbook is damaged; save it again',
    nn: 'arbeidsboka er skadd; lagre ho på nytt',
  },
  otherCalendar: {
    nb: 'der ligger kalenderen {stored}, ikke {local}',
    en: 'the store contains the calendar {stored}, not {local}',
    nn: 'der ligg kalenderen {stored}, ikkje {local}',
  },
};

/** Statuses of other servers, and codes and words of Node, OpenSSL and SQLite. The first one that matches is used. */
const CODES: readonly Reason[] = [
  {
    pattern: /\b(?:status|(?:HTTP|status) 200, found) (401|403)\b/,
    nb: 'serveren krever gyldig nøkkel',
    en: 'the server requires a valid key',
    nn: 'serveren krev gyldig nøkkel',
  },
  {
    pattern: /\b(?:status|(?:HTTP|status) 200, found) (404|410)\b/,
    nb: 'serveren finner ikke adressen',
    en: 'the server finds nothing at the address',
    nn: 'serveren finn ikkje adressa',
  },
  {
    pattern: /\b(?:status|(?:HTTP|status) 200, found) 429\b/,
    nb: 'serveren får for mange forespørsler',
    en: 'the server has received too many requests',
    nn: 'serveren får for mange førespurnader',
  },
  {
    pattern: /\b(?:status|(?:HTTP|status) 200, found) 5\d\d\b/,
    nb: 'intern feil på serveren',
    en: 'the other server has an internal error',
    nn: 'intern feil på serveren',
  },
  {
    pattern: /\bECONNREFUSED\b/,
    nb: 'ingen server svarer på adressen',
    en: 'no server answers at the address',
    nn: 'ingen server svarar på adressa',
  },
  {
    pattern: /\b(ENOTFOUND|EAI_AGAIN)\b/,
    nb: 'navnet i adressen er ukjent',
    en: 'the host name in the address cannot be found',
    nn: 'namnet i adressa er ukjent',
  },
  {
    pattern: /\bE(SOCKET)?TIMEDOUT\b/,
    nb: 'svaret kom ikke i tide',
    en: 'the server did not answer in time',
    nn: 'svaret kom ikkje i tide',
  },
  {
    pattern: /\b(ECONNRESET|EPIPE)\b|socket hang up/,
    nb: 'forbindelsen ble brutt',
    en: 'the connection was lost',
    nn: 'sambandet vart brote',
  },
  {
    pattern: /\b(EHOSTUNREACH|ENETUNREACH)\b/,
    nb: 'nettverket er nede',
    en: 'the network is down',
    nn: 'nettverket er nede',
  },
  // A code in parentheses, as jobs/kit/fetch-problem.ts adds it, or OpenSSL's words alone, as nodemailer passes them on.
  {
    pattern:
      /\((?:\w{0,40}CERT\w{0,40}|UNABLE_TO_VERIFY_LEAF_SIGNATURE)\)|^(?:certificate has expired|self-signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate|Hostname\/IP does not match certificate's altnames)/,
    nb: 'serverens sertifikat er ikke gyldig',
    en: 'the server’s certificate is not valid',
    nn: 'sertifikatet til serveren er ikkje gyldig',
  },
  // Before the code without a name.
  {
    pattern: /(?<!\S)([^\s:][^:]{0,200}): (?:SQLITE_FULL|ENOSPC|EDQUOT)\b/,
    nb: 'disken med $1 er full',
    en: 'the disk that holds $1 is full',
    nn: 'disken med $1 er full',
  },
  {
    pattern: /\b(ENOSPC|EDQUOT|SQLITE_FULL)\b/,
    nb: 'disken er full',
    en: 'the disk is full',
    nn: 'disken er full',
  },
  {
    pattern: /\b(EACCES|EPERM|EROFS|SQLITE_READONLY)\b/,
    nb: 'programmet har ikke skrivetilgang',
    en: 'the program has no write permission',
    nn: 'programmet har ikkje skrivetilgang',
  },
  {
    pattern: /\b(EIO|SQLITE_(IOERR|CORRUPT|NOTADB))\b/,
    nb: 'filen eller disken er skadet',
    en: 'the file or the disk is damaged',
    nn: 'fila eller disken er skadd',
  },
  {
    pattern: /\bENOENT\b/,
    nb: 'filen finnes ikke',
    en: 'the file does not exist',
    nn: 'fila finst ikkje',
  },
  {
    pattern: /\bE[MN]FILE\b/,
    nb: 'for mange filer er åpne',
    en: 'too many files are open',
    nn: 'for mange filer er opne',
  },
];
