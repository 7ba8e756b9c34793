/** G2: words in titles that could give events a category. */
import { addToGroup } from '../../src/calendar/groups.ts';
import { wordsOf } from '../../src/calendar/search-term.ts';
import { fold } from '../../src/calendar/text.ts';
import type { EventRecord } from '../records.ts';
import type { Proposals } from '../report/summary.ts';

/** Titles whose words are counted: more titles would hardly add other words. */
const MOST_TITLES = 50_000;
/** Words that are proposed. */
const MOST_PROPOSED = 10;
/** Least events of a word that is proposed. */
const FEWEST_EVENTS = 3;
/** Characters of a word that is counted. */
const SHORTEST_WORD = 3;

interface WordProposals {
  readonly add: (record: EventRecord) => void;
  readonly proposals: () => Pick<Proposals, 'uncategorised' | 'titleWords'>;
}

/** Finds the words in titles by which most events without a category could get one. */
export function createWordProposals(): WordProposals {
  const byWord = new Map<string, number[]>();
  let uncategorised = 0;

  function add({ title_nb, title_en }: EventRecord): void {
    const event = uncategorised++;
    if (event >= MOST_TITLES) return;
    for (const word of new Set(wordsOf(fold(title_nb ?? title_en ?? '')))) {
      if (word.length < SHORTEST_WORD || COMMON.has(word) || /\p{N}/u.test(word)) continue;
      addToGroup(byWord, word, event);
    }
  }

  /** The word that reaches most events, then the one that reaches most of the rest, and so on. */
  function proposals(): ReturnType<WordProposals['proposals']> {
    const reached = new Set<number>();
    /** The events of each word, without those that were reached when it was last looked at. */
    const candidates = new Map([...byWord].filter(([, events]) => events.length >= FEWEST_EVENTS));
    const titleWords: Proposals['titleWords'][number][] = [];
    while (titleWords.length < MOST_PROPOSED) {
      let best: WordEvents = { word: '', events: [] };
      for (const [word, earlier] of candidates) {
        if (earlier.length <= best.events.length) continue;
        const events = earlier.filter((event) => !reached.has(event));
        candidates.set(word, events);
        if (events.length > best.events.length) best = { word, events };
      }
      if (best.events.length < FEWEST_EVENTS) break;
      for (const event of best.events) reached.add(event);
      titleWords.push({ word: best.word, events: best.events.length });
    }
    return { uncategorised, titleWords };
  }

  return { add, proposals };
}

interface WordEvents {
  readonly word: string;
  readonly events: readonly number[];
}

/** Folded words that do not describe an event. */
const COMMON = new Set(
  (
    'and the for with from our your you all new free open day night week weekly monthly annual event events at in of to on by ' +
    'med til for fra ved som kan har vil den det deg oss alle ny nye apen apent dag kveld uke veke hver kvar ein ei utan arrangement pa og av ' +
    'monday tuesday wednesday thursday friday saturday sunday mandag tirsdag onsdag torsdag fredag lordag sondag tysdag laurdag sundag ' +
    'january february march april may june july august september october november december ' +
    'januar februar mars mai juni juli oktober desember'
  ).split(' '),
);
