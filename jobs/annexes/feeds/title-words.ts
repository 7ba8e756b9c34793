/** L0: words in titles that say that a date, or a whole event, is cancelled or sold out. */

import { wordsOf } from '../../../src/calendar/search-term.ts';
import { fold } from '../../../src/calendar/text.ts';

export interface TitleState {
  /** Null if the title names neither state. */
  readonly status: 'CANCELLED' | 'POSTPONED' | null;
  readonly eventSoldOut: boolean;
  /** The title without these words. */
  readonly rest: string;
}

/** The `expected` of a finding about a date with another title. */
export const THE_SAME_TITLE =
  'the title of the series (this title is put before the description, with its date)';
/** The `expected` of a finding about a postponed date. */
export const A_NEW_DATE = 'a new date (without one, it is shown as postponed)';

/** The state of an event by its own title. */
export function stateOfEvent(title: string): TitleState {
  return readState(title, ({ needsSign = false, isAmbiguous = false, isApart, isLoud }) => {
    if (isApart) return true;
    return !needsSign && (isLoud || !isAmbiguous);
  });
}

/** The title without its state words. Entries that share it belong to one event. */
export function titleWithoutState(title: string): string {
  return stateOfEvent(title).rest || title;
}

/**
 * The state of one date of a series; a date without a title has that of its series. `isOwn`: its title says something that the title of
 * the series does not.
 */
export function stateOfDate(title: string, series: string): TitleState & { readonly isOwn: boolean } {
  const whole = stateOfEvent(series);
  if (title === '' || keyOf(title) === keyOf(series)) return { ...whole, isOwn: false };
  const bare = readState(title, () => true);
  const bareKey = keyOf(bare.rest);
  const namesOnlyState = bareKey === '';
  const namesSeries = bareKey === keyOf(whole.rest) || bareKey === keyOf(series);
  if (namesOnlyState || namesSeries) return { ...bare, isOwn: false };
  const isSure = ({ needsSign = false, isAmbiguous = false, isApart, isLoud }: Found) =>
    !needsSign && !isAmbiguous && (isApart || isLoud);
  return { ...readState(title, isSure), isOwn: true };
}

interface StateWord {
  readonly says: 'CANCELLED' | 'POSTPONED' | 'SOLD_OUT';
  /** Without a sign between, the rest may say when or where it is held: `Flyttet til biblioteket`. */
  readonly needsSign?: boolean;
  /** It begins other titles, too: `Innstilt på suksess`. */
  readonly isAmbiguous?: boolean;
}

const WORDS: Readonly<Record<string, StateWord>> = {
  avlyst: { says: 'CANCELLED' },
  avlyses: { says: 'CANCELLED' },
  kansellert: { says: 'CANCELLED' },
  innstilt: { says: 'CANCELLED', isAmbiguous: true },
  utsatt: { says: 'POSTPONED', needsSign: true },
  flyttet: { says: 'POSTPONED', needsSign: true },
  canceled: { says: 'CANCELLED' },
  cancelled: { says: 'CANCELLED' },
  postponed: { says: 'POSTPONED', needsSign: true },
  inställt: { says: 'CANCELLED' },
  aflyst: { says: 'CANCELLED' },
  peruttu: { says: 'CANCELLED' },
  utsolgt: { says: 'SOLD_OUT' },
  'sold out': { says: 'SOLD_OUT' },
  'sold-out': { says: 'SOLD_OUT' },
};

const WORD = `(?<word>${Object.keys(WORDS).join('|')})`;
const GAP = '[^\\p{L}\\d]*';
const FIRST = new RegExp(`^${GAP}${WORD}(?![\\p{L}\\d])(?<gap>${GAP})`, 'iu');
const LAST = new RegExp(`(?<gap>(?<![^\\p{L}\\d])${GAP})(?<![\\p{L}\\d])${WORD}${GAP}$`, 'iu');

/** Characters: real titles are shorter (G12). A longer one is compared as it is: a series may have thousands of dates. */
const LONGEST = 600;
/** `UTSOLGT – AVLYST: Konsert` */
const MOST_WORDS = 3;

interface Found extends StateWord {
  /** Where the word and the signs around it begin and end. */
  readonly from: number;
  readonly to: number;
  /** Whether a sign stands between the word and the rest. */
  readonly isApart: boolean;
  /** Whether it is in capitals, in a title that has small letters. */
  readonly isLoud: boolean;
}

function readState(title: string, isMeant: (found: Found) => boolean): TitleState {
  const states: StateWord['says'][] = [];
  const isLong = title.length > LONGEST;
  let rest = isLong ? title : title.normalize('NFC').trim();
  while (states.length < MOST_WORDS && !isLong) {
    const found = [FIRST, LAST].flatMap((form) => wordIn(rest, form, title)).find(isMeant);
    if (found === undefined) break;
    states.push(found.says);
    const before = rest.slice(0, found.from).replace(/\s(?:er|is)$/i, '');
    rest = `${before} ${rest.slice(found.to)}`.trim();
  }
  return { status: statusBy(states), eventSoldOut: states.includes('SOLD_OUT'), rest };
}

/** The word that the form finds in the rest of a title; empty without one. */
function wordIn(rest: string, form: RegExp, title: string): readonly Found[] {
  const match = form.exec(rest);
  const { word = '', gap = '' } = match?.groups ?? {};
  const stateWord = WORDS[word.toLowerCase()];
  if (match === null || stateWord === undefined) return [];
  return [
    {
      ...stateWord,
      from: match.index,
      to: match.index + match[0].length,
      // A hyphen alone joins two words.
      isApart: gap !== '-' && /[\p{P}\p{S}]/u.test(gap),
      isLoud: word === word.toUpperCase() && title !== title.toUpperCase(),
    },
  ];
}

/** E12: a cancellation outweighs a postponement. */
function statusBy(states: readonly StateWord['says'][]): TitleState['status'] {
  if (states.includes('CANCELLED')) return 'CANCELLED';
  return states.includes('POSTPONED') ? 'POSTPONED' : null;
}

/** Signs do not count: `Kor!` is `Kor`. A title of signs alone, such as emoji, is compared as it is. */
function keyOf(title: string): string {
  if (title.length > LONGEST) return title;
  const folded = fold(title);
  return wordsOf(folded).join(' ') || folded.trim();
}
