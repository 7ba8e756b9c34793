/** Why builds, feeds, copies, stores and emails failed, in plain words of the reader's language. */
import type { InEach } from '../page/reader.ts';
import { untranslated } from './words.ts';

/** A reason in plain words, with what it is about in front. A reason that is not known here stays in English, as it is in the log. */
export function plainly(reason: string, about = ''): InEach<string> {
  const before = about === '' ? '' : `${about}: `;
  for (const { pattern, nb, en, nn } of REASONS) {
    const [found] = pattern.exec(reason) ?? [];
    if (found === undefined) continue;
    const inWords = (text: string) => before + found.replace(pattern, text);
    return { nb: inWords(nb), en: inWords(en), nn: inWords(nn) };
  }
  return untranslated(before + reason);
}

interface Reason extends InEach<string> {
  /** Its groups are `$1`, `$2` and so on in the texts. */
  readonly pattern: RegExp;
}

/** Texts of this program, each with the file that writes it. The first one that matches is used. */
const TEXTS: readonly Reason[] = [
  // jobs/annexes/feeds/lists/sheet.ts. First, because it ends with a cell of the sheet, which may be any other text.
  {
    pattern: /^feed (\S{1,64}):(\d+) (.{1,200}?): expected (.+), found (.+)$/s,
    nb: 'rad $2 i kildelisten $1 kan ikke brukes; rett $5 under $3',
    en: 'row $2 of the list $1 cannot be used; in the column $3, expected $4, found $5',
    nn: 'rad $2 i kjeldelista $1 kan ikkje brukast; rett $5 under $3',
  },
  // src/calendar/errors.ts with the addition of jobs/annexes/feeds/source-file.ts. Before the text without this addition.
  {
    pattern: unreadable(/it is not there; the nearest is (".{1,200}?")/),
    nb: '$1 finnes ikke; filen som ligner mest, heter $2',
    en: '$1 does not exist; the nearest file is $2',
    nn: '$1 finst ikkje; fila som liknar mest, heiter $2',
  },
  // src/calendar/errors.ts
  {
    pattern: unreadable(/it is not there/),
    nb: '$1 finnes ikke',
    en: '$1 does not exist',
    nn: '$1 finst ikkje',
  },
  // src/calendar/errors.ts
  {
    pattern: unreadable(/this user may not read it/),
    nb: 'programmet har ikke lesetilgang til $1',
    en: 'the program has no permission to read $1',
    nn: 'programmet har ikkje lesetilgang til $1',
  },
  // src/calendar/errors.ts
  {
    pattern: unreadable(/it is a folder/),
    nb: '$1 er en mappe',
    en: '$1 is a folder',
    nn: '$1 er ei mappe',
  },
  // src/calendar/errors.ts
  {
    pattern: unreadable(/a part of its path is not a folder/),
    nb: '$1 finnes ikke; en del av stien er ikke en mappe',
    en: '$1 does not exist; a part of its path is not a folder',
    nn: '$1 finst ikkje; ein del av stien er ikkje ei mappe',
  },
  // src/calendar/errors.ts
  {
    pattern: unreadable(/its links lead in a circle/),
    nb: 'lenken $1 går i ring',
    en: 'the symbolic links at $1 form a loop',
    nn: 'lenkja $1 går i ring',
  },
  // src/calendar/errors.ts
  {
    pattern: unreadable(/its name is too long/),
    nb: 'navnet på $1 er for langt',
    en: 'the name of $1 is too long',
    nn: 'namnet på $1 er for langt',
  },
  // src/calendar/errors.ts
  {
    pattern: unreadable(/too many files are open/),
    nb: '$1 kan ikke leses fordi for mange filer er åpne',
    en: '$1 cannot be read because too many files are open',
    nn: '$1 kan ikkje lesast fordi for mange filer er opne',
  },
  // src/calendar/errors.ts
  {
    pattern: unreadable(/the disk cannot read it/),
    nb: 'disken kan ikke lese $1',
    en: 'the disk cannot read $1',
    nn: 'disken kan ikkje lese $1',
  },
  // jobs/room.ts
  {
    pattern: /([^\s:][^:]{0,200}): expected room for \d+ bytes, found \d+, (\d+) too few/,
    nb: 'disken med $1 er full; det mangler $2 byte',
    en: 'the disk that holds $1 is full; $2 more bytes are needed',
    nn: 'disken med $1 er full; det manglar $2 byte',
  },
  // jobs/kit/deadline.ts, jobs/annexes/feeds/refresh.ts and request-budget.ts
  {
    pattern: /expected (?:all of it|a byte|all (?:feeds|answers) together) within \d+ s/,
    nb: 'svaret kom ikke i tide',
    en: 'the server did not answer in time',
    nn: 'svaret kom ikkje i tide',
  },
  // jobs/kit/fetch.ts
  {
    pattern: /expected at most (\d+) bytes, found more/,
    nb: 'filen er for stor; grensen er $1 byte',
    en: 'the file is too large; the limit is $1 bytes',
    nn: 'fila er for stor; grensa er $1 byte',
  },
  // jobs/kit/fetch.ts
  {
    pattern: /expected at most \d+ redirects, found more/,
    nb: 'adressen sender videre for mange ganger; kanskje kreves det innlogging',
    en: 'the address redirects too often; it may require a login',
    nn: 'adressa sender vidare for mange gonger; kanskje krevst det innlogging',
  },
  // jobs/kit/public-address.ts with the addition of jobs/annexes/feeds/fetch.ts. Before the text without this addition.
  {
    pattern: /expected a public address.*; a list of feeds may not name those/,
    nb: 'adressen er i et privat nettverk; bare sources.json kan ha slike adresser',
    en: 'the address is in a private network; only sources.json may have such addresses',
    nn: 'adressa er i eit privat nettverk; berre sources.json kan ha slike adresser',
  },
  // jobs/kit/public-address.ts
  {
    pattern: /expected a public address/,
    nb: 'adressen er i et privat nettverk; sett ALMANAKK_ALLOW_PRIVATE_FEEDS=true for å hente derfra',
    en: 'the address is in a private network; set ALMANAKK_ALLOW_PRIVATE_FEEDS=true to fetch from it',
    nn: 'adressa er i eit privat nettverk; set ALMANAKK_ALLOW_PRIVATE_FEEDS=true for å hente derifrå',
  },
  // jobs/annexes/feeds/growth.ts
  {
    pattern: /expected the column (.{1,80}), which had values before, found none of this name/,
    nb: 'kolonnen $1 mangler; har den fått et nytt navn, må den få tilbake det gamle',
    en: 'the column $1 is missing; if it was renamed, rename it back',
    nn: 'kolonnen $1 manglar; har han fått eit nytt namn, må han få att det gamle',
  },
  // jobs/annexes/feeds/growth.ts
  {
    pattern: /expected (?:events|corrections|venues|feeds), as before \((\d+)\), found none/,
    nb: 'kilden er tom, men hadde $1 oppføringer; er det meningen, må driftsansvarlig sette «mayBeEmpty»',
    en: 'the feed is empty, but had $1 entries; if this is intended, set "mayBeEmpty" or build with --force',
    nn: 'kjelda er tom, men hadde $1 oppføringar; er det meininga, må driftsansvarleg setje «mayBeEmpty»',
  },
  // jobs/annexes/feeds/growth.ts
  {
    pattern: /expected a whole feed, as before, found one that is cut off/,
    nb: 'kilden er ufullstendig; slutten mangler',
    en: 'the feed is incomplete; its end is missing',
    nn: 'kjelda er ufullstendig; slutten manglar',
  },
  // jobs/annexes/feeds/growth.ts
  {
    pattern: /expected not more than \d+ (?:times what was there before|dates).{0,200}/s,
    nb: 'kilden er plutselig mye større enn før; er det meningen, må driftsansvarlig bygge kalenderen med --force',
    en: 'the feed is suddenly much larger than before; if this is intended, build with --force',
    nn: 'kjelda er brått mykje større enn før; er det meininga, må driftsansvarleg byggje kalenderen med --force',
  },
  // jobs/annexes/feeds/growth.ts
  {
    pattern:
      /expected at least half of the (\d+) upcoming events that were there before, found (\d+).{0,100}/s,
    nb: 'kilden har plutselig bare $2 av $1 kommende arrangementer; kalenderen viser alle $1 i ett døgn; skal de andre bort straks, må driftsansvarlig bygge kalenderen med --force',
    en: 'the feed suddenly has only $2 of $1 upcoming events; the calendar shows all $1 for one day; to remove the others at once, build with --force',
    nn: 'kjelda har brått berre $2 av $1 kommande arrangement; kalenderen viser alle $1 i eitt døgn; skal dei andre bort straks, må driftsansvarleg byggje kalenderen med --force',
  },
  // jobs/annexes/feeds/documents.ts
  {
    pattern: /expected a table as CSV or \.xlsx, found HTML or XML/,
    nb: 'adressen svarer med en nettside i stedet for filen; kanskje kreves det innlogging',
    en: 'the address returns a page instead of the file; it may require a login',
    nn: 'adressa svarar med ei nettside i staden for fila; kanskje krevst det innlogging',
  },
  // jobs/annexes/feeds/documents.ts
  {
    pattern: /expected BEGIN:VCALENDAR, found HTML or XML/,
    nb: 'adressen svarer med en nettside i stedet for en kalender; kanskje kreves det innlogging',
    en: 'the address returns a page instead of a calendar; it may require a login',
    nn: 'adressa svarar med ei nettside i staden for ein kalender; kanskje krevst det innlogging',
  },
  // jobs/annexes/feeds/documents.ts
  {
    pattern: /expected a (?:calendar|table|page), found nothing/,
    nb: 'filen er tom',
    en: 'the file is empty',
    nn: 'fila er tom',
  },
  // jobs/annexes/feeds/ical/calendar.ts
  {
    pattern: /expected BEGIN:VCALENDAR, found none/,
    nb: 'det ligger ingen kalender på adressen',
    en: 'there is no calendar at the address',
    nn: 'det ligg ingen kalender på adressa',
  },
  // jobs/annexes/feeds/csv/sheet.ts
  {
    pattern: /expected a closing quote, found the end of the sheet/,
    nb: 'arket har et anførselstegn som ikke er lukket',
    en: 'the sheet has a quotation mark that is not closed',
    nn: 'arket har eit hermeteikn som ikkje er lukka',
  },
  // jobs/annexes/feeds/corrections/sheet-columns.ts
  {
    pattern: /expected a first row that names the column Id /,
    nb: 'den første raden mangler kolonnen Id, eller en kolonne som sier hva som skal endres',
    en: 'the first row lacks the column Id, or a column that says what to change',
    nn: 'den første rada manglar kolonnen Id, eller ein kolonne som seier kva som skal endrast',
  },
  // jobs/annexes/feeds/venues/sheet-columns.ts
  {
    pattern: /expected a first row that names the column Sted/,
    nb: 'den første raden mangler kolonnen Sted',
    en: 'the first row lacks the column Sted',
    nn: 'den første rada manglar kolonnen Stad',
  },
  // jobs/annexes/feeds/lists/sheet-columns.ts
  {
    pattern: /expected a first row that names the columns Navn and Adresse/,
    nb: 'den første raden mangler kolonnen Navn eller Adresse',
    en: 'the first row lacks the column Navn (name) or Adresse (address)',
    nn: 'den første rada manglar kolonnen Namn eller Adresse',
  },
  // jobs/annexes/feeds/workbooks/parts.ts
  {
    pattern: /expected the sheet (".{1,80}?")(?:; the nearest is ".{0,200}?")?, found/,
    nb: 'arbeidsboken har ikke arket $1',
    en: 'the workbook does not have the sheet $1',
    nn: 'arbeidsboka har ikkje arket $1',
  },
  // jobs/annexes/feeds/workbooks/workbook.ts
  {
    pattern: /found a workbook with a password/,
    nb: 'arbeidsboken har passord; fjern det, eller lagre den som CSV',
    en: 'the workbook has a password; remove it, or save the workbook as CSV',
    nn: 'arbeidsboka har passord; fjern det, eller lagre ho som CSV',
  },
  // jobs/annexes/feeds/workbooks/workbook.ts
  {
    pattern: /found an old workbook \(\.xls\)/,
    nb: 'arbeidsboken er i et gammelt format (.xls); lagre den som .xlsx',
    en: 'the workbook is in an old format (.xls); save it as .xlsx',
    nn: 'arbeidsboka er i eit gammalt format (.xls); lagre ho som .xlsx',
  },
  // jobs/annexes/feeds/workbooks/workbook.ts and parts.ts
  {
    pattern: /expected a complete workbook \(\.xlsx\), found a damaged one/,
    nb: 'arbeidsboken er skadet; lagre den på nytt',
    en: 'the workbook is damaged; save it again',
    nn: 'arbeidsboka er skadd; lagre ho på nytt',
  },
  // jobs/annexes/store/foreign.ts
  {
    pattern: /expected the calendar with the licence id (".{1,80}?"), found (".{1,80}?")/,
    nb: 'der ligger kalenderen $2, ikke $1',
    en: 'the store contains the calendar $2, not $1',
    nn: 'der ligg kalenderen $2, ikkje $1',
  },
  // jobs/kit/s3.ts, jobs/annexes/feeds/fetch.ts and jobs/annexes/pull/download.ts
  {
    pattern: /\b(?:status|(?:HTTP|status) 200, found) (401|403)\b/,
    nb: 'serveren krever gyldig nøkkel',
    en: 'the server requires a valid key',
    nn: 'serveren krev gyldig nøkkel',
  },
  // jobs/kit/s3.ts, jobs/annexes/feeds/fetch.ts and jobs/annexes/pull/download.ts
  {
    pattern: /\b(?:status|(?:HTTP|status) 200, found) (404|410)\b/,
    nb: 'serveren finner ikke adressen',
    en: 'the server finds nothing at the address',
    nn: 'serveren finn ikkje adressa',
  },
  // jobs/kit/s3.ts, jobs/annexes/feeds/fetch.ts and jobs/annexes/pull/download.ts
  {
    pattern: /\b(?:status|(?:HTTP|status) 200, found) 429\b/,
    nb: 'serveren får for mange forespørsler',
    en: 'the server has received too many requests',
    nn: 'serveren får for mange førespurnader',
  },
  // jobs/kit/s3.ts, jobs/annexes/feeds/fetch.ts and jobs/annexes/pull/download.ts
  {
    pattern: /\b(?:status|(?:HTTP|status) 200, found) 5\d\d\b/,
    nb: 'intern feil på serveren',
    en: 'the other server has an internal error',
    nn: 'intern feil på serveren',
  },
];

/** Codes and words of Node, OpenSSL and SQLite. The first one that matches is used. */
const CODES: readonly Reason[] = [
  {
    pattern: /\bECONNREFUSED\b/,
    nb: 'ingen server svarer på adressen',
    en: 'no server answers at the address',
    nn: 'ingen server svarer på adressa',
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
    nn: 'sambandet blei brote',
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
    pattern: /([^\s:][^:]{0,200}): (?:SQLITE_FULL|ENOSPC|EDQUOT)\b/,
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

/** The texts come first: some contain names or cells from feeds, and these could contain a code. */
const REASONS = [...TEXTS, ...CODES];

/** A text of `readingFault`, after the name of a feed's file, a file in the source folder, or the source folder itself. */
function unreadable(fault: RegExp): RegExp {
  const named = '(?:expected a readable source folder at )?([^\\s:][^:]{0,200}?)';
  const before = '(?:: (?:expected a readable file, but )?|, but )';
  return new RegExp(named + before + fault.source);
}
