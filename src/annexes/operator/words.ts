/** Words of builds, feeds, servers and callers, and reasons of failures, in the reader's language. */
import { DROPPED } from '../../calendar/actions.ts';
import type { InEach } from '../page/reader.ts';

/** A word of another version stays as it is. */
export function termOf(word: string): InEach<string> {
  const [nb, en] = TERMS.get(word) ?? [word, word];
  return { nb, en };
}

/** G2: whether a finding, perhaps one of another version, is about something that is missing. */
export const isDropping = ({ action }: { readonly action: string }): boolean =>
  DROPPED.some((one) => one === action);

const TERMS: ReadonlyMap<string, readonly [nb: string, en: string]> = new Map([
  // What a build did to a record.
  ['dropped record', ['post utelatt', 'record dropped']],
  ['dropped series', ['rekke utelatt', 'series dropped']],
  ['dropped date', ['dato utelatt', 'date dropped']],
  ['dropped reference', ['henvisning utelatt', 'reference dropped']],
  ['retired unannounced', ['kategori nedlagt uten varsel', 'category retired without a notice']],
  ['cut rule', ['regel kortet ned', 'rule cut']],
  ['dropped value', ['enkeltverdi utelatt', 'single value dropped']],
  ['kept as tag', ['ord som ikke er noen kategori', 'word that is no category']],
  ['no category', ['arrangement uten kategori', 'event without a category']],
  ['merged', ['arrangement slått sammen', 'event merged']],
  ['likely same', ['trolig samme arrangement', 'likely the same event']],
  ['changed value', ['verdi endret', 'value changed']],
  ['made safe', ['verdi gjort trygg', 'value made safe']],
  ['cut text', ['tekst kortet ned', 'text cut']],
  ['migrated category', ['kategori byttet ut', 'category migrated']],
  ['over', ['nytt arrangement som alt er over', 'new event that is over']],
  ['identical copies', ['like kopier regnet som én', 'identical copies counted once']],
  ['tidied', ['støy ryddet bort', 'noise tidied away']],
  ['left out', ['privat eller avløst post', 'record private or replaced']],
  // Its lists of records.
  ['venues', ['steder', 'venues']],
  ['organizers', ['arrangører', 'organizers']],
  ['events', ['arrangementer', 'events']],
  ['postalCodes', ['postnumre', 'postal codes']],
  // Builds and feeds.
  ['rebuild', ['bygging', 'build']],
  ['pull', ['kopi', 'copy']],
  ['published', ['utgitt', 'published']],
  ['unchanged', ['uendret', 'unchanged']],
  ['ok', ['i orden', 'well']],
  ['stale', ['svikter, siste gode brukes', 'failing, its last good records are used']],
  ['failed', ['sviktet', 'failed']],
  // What a build changed.
  ['added', ['ny', 'added']],
  ['changed', ['endret', 'changed']],
  ['renamed', ['nytt navn', 'renamed']],
  ['removed', ['fjernet', 'removed']],
  // Servers and their callers.
  ['serving', ['I drift', 'Serving']],
  ['waiting', ['Venter på kalenderen', 'Waiting for the calendar']],
  ['stopping', ['På vei ned', 'Going down']],
  ['application', ['applikasjon', 'application']],
  ['anonymous', ['uten nøkkel', 'without a key']],
  ['operator', ['operatørens egne', "the operator's own"]],
]);

/** A reason in plain words, behind what it is about; one that is not known here stays as the log has it, in English. */
export function plainly(reason: string, about = ''): InEach<string> {
  const before = about === '' ? '' : `${about}: `;
  for (const [words, nb, en] of REASONS) {
    const [found] = words.exec(reason) ?? [];
    if (found !== undefined)
      return { nb: before + found.replace(words, nb), en: before + found.replace(words, en) };
  }
  return { nb: before + reason, en: before + reason };
}

/** Codes of Node, SQLite and HTTP, as messages hold them, and words of this program. `$1` stands for the name within them. */
const REASONS: readonly (readonly [words: RegExp, nb: string, en: string])[] = [
  [/\bECONNREFUSED\b/, 'ingen tjener svarer på adressen', 'no server answers at the address'],
  [/\b(ENOTFOUND|EAI_AGAIN)\b/, 'navnet i adressen er ukjent', 'the name in the address cannot be found'],
  [/\bE(SOCKET)?TIMEDOUT\b|time limit/, 'det kom ikke noe svar i tide', 'no answer came in time'],
  [/\b(ECONNRESET|EPIPE)\b|socket hang up/, 'forbindelsen ble brutt', 'the connection broke off'],
  [/\b(EHOSTUNREACH|ENETUNREACH)\b/, 'nettet dit er nede', 'the network to it is down'],
  [/certificate|\bCERT_/, 'tjenerens sertifikat gjelder ikke', 'the server’s certificate is not valid'],
  [
    /([^\s:][^:]{0,200}): expected room for \d+ bytes, found \d+, (\d+) too few/,
    'disken med $1 er full, det mangler $2 byte',
    'the disk of $1 is full, $2 bytes are missing',
  ],
  [/([^\s:][^:]{0,200}): (?:SQLITE_FULL|ENOSPC|EDQUOT)\b/, 'disken med $1 er full', 'the disk of $1 is full'],
  [/\b(ENOSPC|EDQUOT|SQLITE_FULL)\b/, 'disken er full', 'the disk is full'],
  [/\b(EACCES|EPERM|EROFS|SQLITE_READONLY)\b/, 'skriving er ikke tillatt der', 'no writing is allowed there'],
  [/\b(EIO|SQLITE_(IOERR|CORRUPT|NOTADB))\b/, 'fil eller disk er skadet', 'the file or the disk is damaged'],
  [
    /([^\s:][^:]{0,200}): it is not there; the nearest is (".{1,200}?")/,
    '$1 er ikke der; den nærmeste filen heter $2',
    '$1 is not there; the nearest file is $2',
  ],
  [/([^\s:][^:]{0,200}): it is not there/, '$1 er ikke der', '$1 is not there'],
  [/\bENOENT\b/, 'filen er ikke der', 'the file is not there'],
  [/([^\s:][^:]{0,200}): this user may not read it/, 'programmet får ikke lese $1', 'it may not read $1'],
  [/([^\s:][^:]{0,200}): it is a folder/, '$1 er en mappe', '$1 is a folder'],
  [
    /expected a public address/,
    'adressen er på et lukket nett, som ingenting hentes fra uten ALMANAKK_ALLOW_PRIVATE_FEEDS=true',
    'the address is in a private network, from which nothing is fetched without ALMANAKK_ALLOW_PRIVATE_FEEDS=true',
  ],
  [/\bE[MN]FILE\b/, 'for mange filer er åpne', 'too many files are open'],
  [/\bstatus (401|403)\b/, 'tjeneren krever rett nøkkel', 'the server lets nobody in without the right key'],
  [/\bstatus (404|410)\b/, 'tjeneren har ingenting på adressen', 'the server has nothing at the address'],
  [/\bstatus 429\b/, 'tjeneren vil spørres sjeldnere', 'the server wants to be asked less often'],
  [/\bstatus 5\d\d\b/, 'tjeneren der svikter', 'the server there fails'],
];
