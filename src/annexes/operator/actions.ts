/** What a build did to a record: its words in the reader's language, and how much it harms. */
import { DROPPED } from '../common/upkeep.ts';
import type { InEach } from '../page/reader.ts';

/** An action of another version has no words here. */
export function wordsOf(action: string): InEach<string> {
  const [nb, en] = (Object.hasOwn(ACTIONS, action) && ACTIONS[action]) || [action, action];
  return { nb, en };
}

/** What harms most first; an action of another version is the last. */
export function byHarm(left: Done, right: Done): number {
  return harmOf(left) - harmOf(right);
}

interface Done {
  readonly action: string;
}

function harmOf({ action }: Done): number {
  const place = Object.keys(ACTIONS).indexOf(action);
  return place === -1 ? Number.MAX_SAFE_INTEGER : place;
}

/** G2, as little as possible is dropped, and it is named. */
export const isDropping = ({ action }: Done): boolean => DROPPING.includes(action);

const DROPPING = DROPPED.map((kind) => `dropped ${kind}`);

const ACTIONS: Readonly<Record<string, readonly [nb: string, en: string]>> = {
  'dropped record': ['post utelatt', 'record dropped'],
  'dropped series': ['rekke utelatt', 'series dropped'],
  'dropped date': ['dato utelatt', 'date dropped'],
  'dropped reference': ['henvisning utelatt', 'reference dropped'],
  'retired unannounced': ['kategori nedlagt uten varsel', 'category retired without a notice'],
  'cut rule': ['regel kortet ned', 'rule cut'],
  'dropped value': ['enkeltverdi utelatt', 'single value dropped'],
  'kept as tag': ['ord som ikke er noen kategori', 'word that is no category'],
  'no category': ['arrangement uten kategori', 'event without a category'],
  merged: ['arrangement slått sammen', 'event merged'],
  'likely same': ['trolig samme arrangement', 'likely the same event'],
  'changed value': ['verdi endret', 'value changed'],
  'made safe': ['verdi gjort trygg', 'value made safe'],
  'cut text': ['tekst kortet ned', 'text cut'],
  'migrated category': ['kategori byttet ut', 'category migrated'],
  over: ['nytt arrangement som alt er over', 'new event that is over'],
  'left out': ['privat eller avløst post', 'record private or replaced'],
};
