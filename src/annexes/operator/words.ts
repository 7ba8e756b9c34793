/** Words of builds, feeds, servers and callers, and reasons of failures, in the reader's language. */
import { DROPPED } from '../../calendar/actions.ts';
import type { InBoth } from '../page/reader.ts';

/** A word of another version stays as it is. */
export function termOf(word: string): InBoth<string> {
  const [nb, en] = TERMS.get(word) ?? [word, word];
  return { nb, en };
}

/** G2: whether a finding, perhaps one of another version, is about something that is missing. */
export const isDropping = ({ action }: { readonly action: string }): boolean =>
  DROPPED.some((one) => one === action);

const TERMS: ReadonlyMap<string, readonly [nb: string, en: string]> = new Map([
  // The actions of a build on a record.
  ['dropped record', ['oppføring utelatt', 'record dropped']],
  ['dropped series', ['serie utelatt', 'series dropped']],
  ['dropped date', ['dato utelatt', 'date dropped']],
  ['dropped reference', ['referanse utelatt', 'reference dropped']],
  ['retired unannounced', ['kategori nedlagt uten varsel', 'category retired without a notice']],
  ['cut rule', ['regel kortet ned', 'rule cut']],
  ['dropped value', ['verdi utelatt', 'value dropped']],
  ['kept as tag', ['ord som ikke er en kategori', 'word that is not a category']],
  ['no category', ['arrangement uten kategori', 'event without a category']],
  ['merged', ['arrangement slått sammen', 'event merged']],
  ['likely same', ['trolig samme arrangement', 'likely the same event']],
  ['changed value', ['verdi endret', 'value changed']],
  ['made safe', ['verdi gjort trygg', 'value made safe']],
  ['cut text', ['tekst kortet ned', 'text cut']],
  ['migrated category', ['kategori byttet ut', 'category migrated']],
  ['over', ['nytt arrangement som allerede er over', 'new event that is over']],
  ['identical copies', ['like kopier regnet som én', 'identical copies counted once']],
  ['tidied', ['støy ryddet bort', 'noise removed']],
  ['left out', ['oppføring som ikke er brukt', 'record that is not used']],
  // Its lists of records.
  ['venues', ['steder', 'venues']],
  ['organizers', ['arrangører', 'organizers']],
  ['events', ['arrangementer', 'events']],
  ['postalCodes', ['postnumre', 'postal codes']],
  ['notices', ['varsler', 'notices']],
  ['categories', ['kategorier', 'categories']],
  // Builds and feeds.
  ['rebuild', ['bygging', 'build']],
  ['pull', ['kopi', 'copy']],
  ['published', ['publisert', 'published']],
  ['unchanged', ['uendret', 'unchanged']],
  ['ok', ['i orden', 'OK']],
  ['corrections', ['retteark', 'correction sheet']],
  ['stale', ['feiler; siste gyldige data brukes', 'failing; its last valid data is used']],
  ['failed', ['mislyktes', 'failed']],
  // The changes that a build made.
  ['added', ['nye', 'added']],
  ['changed', ['endrede', 'changed']],
  ['renamed', ['med nytt navn', 'renamed']],
  ['removed', ['fjernede', 'removed']],
  // Servers and their callers.
  ['serving', ['I drift', 'Serving']],
  ['waiting', ['Venter på kalenderen', 'Waiting for the calendar']],
  ['stopping', ['Stopper', 'Shutting down']],
  ['application', ['applikasjon', 'application']],
  ['anonymous', ['uten nøkkel', 'without a key']],
  ['operator', ['operatørens egne', "the operator's own"]],
]);

/** A reason in plain words, after what it is about; one that is not known here stays as the log has it, in English. */
export function plainly(reason: string, about = ''): InBoth<string> {
  const before = about === '' ? '' : `${about}: `;
  for (const [words, nb, en] of REASONS) {
    const [found] = words.exec(reason) ?? [];
    if (found !== undefined)
      return { nb: before + found.replace(words, nb), en: before + found.replace(words, en) };
  }
  return { nb: before + reason, en: before + reason };
}

/** Codes of Node, SQLite and HTTP, as messages hold them, and words of this program. `$1` is the name within them. */
const REASONS: readonly (readonly [words: RegExp, nb: string, en: string])[] = [
  [/\bECONNREFUSED\b/, 'ingen server svarer på adressen', 'no server answers at the address'],
  [/\b(ENOTFOUND|EAI_AGAIN)\b/, 'navnet i adressen er ukjent', 'the name in the address cannot be found'],
  [/\bE(SOCKET)?TIMEDOUT\b|time limit/, 'svaret kom ikke i tide', 'the server did not answer in time'],
  [/\b(ECONNRESET|EPIPE)\b|socket hang up/, 'forbindelsen ble brutt', 'the connection was lost'],
  [/\b(EHOSTUNREACH|ENETUNREACH)\b/, 'nettverket er nede', 'the network is down'],
  [/certificate|\bCERT_/, 'serverens sertifikat er ikke gyldig', 'the server’s certificate is not valid'],
  [
    /([^\s:][^:]{0,200}): expected room for \d+ bytes, found \d+, (\d+) too few/,
    'disken med $1 er full; det mangler $2 byte',
    'the disk with $1 is full; $2 more bytes are needed',
  ],
  [
    /([^\s:][^:]{0,200}): (?:SQLITE_FULL|ENOSPC|EDQUOT)\b/,
    'disken med $1 er full',
    'the disk with $1 is full',
  ],
  [/\b(ENOSPC|EDQUOT|SQLITE_FULL)\b/, 'disken er full', 'the disk is full'],
  [
    /\b(EACCES|EPERM|EROFS|SQLITE_READONLY)\b/,
    'programmet har ikke skrivetilgang',
    'the program has no permission to write there',
  ],
  [
    /\b(EIO|SQLITE_(IOERR|CORRUPT|NOTADB))\b/,
    'filen eller disken er skadet',
    'the file or the disk is damaged',
  ],
  [
    /([^\s:][^:]{0,200}): it is not there; the nearest is (".{1,200}?")/,
    '$1 finnes ikke; filen som ligner mest, heter $2',
    '$1 does not exist; the nearest file is $2',
  ],
  [/([^\s:][^:]{0,200}): it is not there/, '$1 finnes ikke', '$1 does not exist'],
  [/\bENOENT\b/, 'filen finnes ikke', 'the file does not exist'],
  [
    /([^\s:][^:]{0,200}): this user may not read it/,
    'programmet har ikke lesetilgang til $1',
    'the program has no permission to read $1',
  ],
  [
    /expected the column (.{1,80}), which had values before, found none of this name/,
    'kolonnen $1 mangler; har den fått et nytt navn, må den få tilbake det gamle',
    'the column $1 is missing; if it was renamed, rename it back',
  ],
  [
    /expected a first row that names the column Id /,
    'den første raden mangler kolonnen Id, eller en kolonne som sier hva som skal endres',
    'the first row lacks the column Id, or one that says what to change',
  ],
  [
    /expected a first row that names the column Sted/,
    'den første raden mangler kolonnen Sted',
    'the first row lacks the column Sted',
  ],
  [
    /expected the sheet (".{1,80}?")(?:; the nearest is ".{0,200}?")?, found/,
    'arbeidsboken har ikke arket $1',
    'the workbook does not have the sheet $1',
  ],
  [
    /found a workbook with a password/,
    'arbeidsboken har passord; fjern det, eller lagre den som CSV',
    'the workbook has a password; remove it, or save the workbook as CSV',
  ],
  [
    /found an old workbook \(\.xls\)/,
    'arbeidsboken er i et gammelt format (.xls); lagre den som .xlsx',
    'the workbook is in an old format (.xls); save it as .xlsx',
  ],
  [
    /expected a table as CSV or \.xlsx, found HTML or XML/,
    'adressen gir en nettside i stedet for filen; kanskje kreves det innlogging',
    'the address returns a page instead of the file; it may require a login',
  ],
  [/([^\s:][^:]{0,200}): it is a folder/, '$1 er en mappe', '$1 is a folder'],
  [
    /expected a public address/,
    'adressen er i et privat nettverk; sett ALMANAKK_ALLOW_PRIVATE_FEEDS=true for å hente derfra',
    'the address is in a private network; set ALMANAKK_ALLOW_PRIVATE_FEEDS=true to fetch from it',
  ],
  [
    /expected the calendar with the licence id (".{1,80}?"), found (".{1,80}?")/,
    'der ligger kalenderen $2, ikke $1',
    'the calendar there is $2, not $1',
  ],
  [/\bE[MN]FILE\b/, 'for mange filer er åpne', 'too many files are open'],
  [/\bstatus (401|403)\b/, 'serveren krever gyldig nøkkel', 'the server requires a valid key'],
  [/\bstatus (404|410)\b/, 'serveren finner ikke adressen', 'the server has nothing at the address'],
  [/\bstatus 429\b/, 'serveren får for mange forespørsler', 'the server gets too many requests'],
  [/\bstatus 5\d\d\b/, 'intern feil på serveren', 'the server there has failed'],
];
