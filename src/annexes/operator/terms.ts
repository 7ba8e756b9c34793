/** Words of builds, feeds, servers and callers in the reader's language. */
import { DROPPED } from '../common/upkeep.ts';
import type { InEach } from '../page/reader.ts';

/** A word of another version stays as it is. */
export function termOf(word: string): InEach<string> {
  const [nb, en] = TERMS.get(word) ?? [word, word];
  return { nb, en };
}

/** G2, as little as possible is dropped, and it is named. */
export const isDropping = ({ action }: { readonly action: string }): boolean => DROPPING.includes(action);

const DROPPING = DROPPED.map((kind) => `dropped ${kind}`);

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
