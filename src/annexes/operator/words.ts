/** Words of builds, feeds, servers and callers, in the reader's language. */
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
  operator: ['driftens egne', "the operator's own", 'frå drifta'],
};

const TERMS: ReadonlyMap<string, Words> = new Map([
  ...Object.entries<Words>(ACTION_WORDS),
  ...Object.entries(OTHER_WORDS),
]);
