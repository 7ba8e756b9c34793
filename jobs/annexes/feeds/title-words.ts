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
  return readState(title, meansStateOfEvent);
}

/** A sign apart from the rest makes any word certain; without one, the word itself must be certain. */
function meansStateOfEvent({
  needsSign = false,
  isAmbiguous = false,
  isApart,
  isInCapitals,
}: Found): boolean {
  if (isApart) return true;
  return !needsSign && (isInCapitals || !isAmbiguous);
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
  const stateOfSeries = stateOfEvent(series);
  if (title === '' || titleKey(title) === titleKey(series)) return { ...stateOfSeries, isOwn: false };
  const withAnyWord = readState(title, () => true);
  const restKey = titleKey(withAnyWord.rest);
  const namesOnlyState = restKey === '';
  const namesSeries = restKey === titleKey(stateOfSeries.rest) || restKey === titleKey(series);
  if (namesOnlyState || namesSeries) return { ...withAnyWord, isOwn: false };
  return { ...readState(title, meansStateOfOwnTitle), isOwn: true };
}

/** In a title of a date's own, only certain words that stand out count: the rest is a text of its own. */
function meansStateOfOwnTitle({
  needsSign = false,
  isAmbiguous = false,
  isApart,
  isInCapitals,
}: Found): boolean {
  return !needsSign && !isAmbiguous && (isApart || isInCapitals);
}

interface StateWord {
  readonly state: 'CANCELLED' | 'POSTPONED' | 'SOLD_OUT';
  /** Without a sign between, the rest may say when or where it is held: `Flyttet til biblioteket`. */
  readonly needsSign?: boolean;
  /** The word begins other titles, too: `Innstilt på suksess`. */
  readonly isAmbiguous?: boolean;
}

const WORDS: Readonly<Record<string, StateWord>> = {
  avlyst: { state: 'CANCELLED' },
  avlyses: { state: 'CANCELLED' },
  avlysast: { state: 'CANCELLED' },
  kansellert: { state: 'CANCELLED' },
  innstilt: { state: 'CANCELLED', isAmbiguous: true },
  utsatt: { state: 'POSTPONED', needsSign: true },
  utsett: { state: 'POSTPONED', needsSign: true },
  flyttet: { state: 'POSTPONED', needsSign: true },
  flytta: { state: 'POSTPONED', needsSign: true },
  canceled: { state: 'CANCELLED' },
  cancelled: { state: 'CANCELLED' },
  postponed: { state: 'POSTPONED', needsSign: true },
  inställt: { state: 'CANCELLED' },
  aflyst: { state: 'CANCELLED' },
  peruttu: { state: 'CANCELLED' },
  utsolgt: { state: 'SOLD_OUT' },
  utseld: { state: 'SOLD_OUT' },
  utselt: { state: 'SOLD_OUT' },
  'sold out': { state: 'SOLD_OUT' },
  'sold-out': { state: 'SOLD_OUT' },
};

/** A word at the beginning or at the end of a title, with the signs around it. */
const WORD = `(?<word>${Object.keys(WORDS).join('|')})`;
const GAP = '[^\\p{L}\\d]*';
const FIRST = new RegExp(`^${GAP}${WORD}(?![\\p{L}\\d])(?<gap>${GAP})`, 'iu');
const LAST = new RegExp(`(?<gap>(?<![^\\p{L}\\d])${GAP})(?<![\\p{L}\\d])${WORD}${GAP}$`, 'iu');

/** Characters: real titles are shorter (G12). A longer one is compared as it is: a series may have thousands of dates. */
const LONGEST_TITLE = 600;
/** `UTSOLGT – AVLYST: Konsert` */
const MOST_STATE_WORDS = 3;

/** A state word in a title. */
interface Found extends StateWord {
  /** Where the word and the signs around it begin and end. */
  readonly from: number;
  readonly to: number;
  /** Whether a sign stands between the word and the rest. */
  readonly isApart: boolean;
  /** Whether it is in capitals, in a title that has small letters. */
  readonly isInCapitals: boolean;
}

/** Takes state words from the ends of a title, as long as there are any that `isMeant` accepts. */
function readState(title: string, isMeant: (found: Found) => boolean): TitleState {
  if (title.length > LONGEST_TITLE) return { status: null, eventSoldOut: false, rest: title };
  const states: StateWord['state'][] = [];
  let rest = title.normalize('NFC').trim();
  while (states.length < MOST_STATE_WORDS) {
    const found = wordsAtEndsOf(rest, title).find(isMeant);
    if (found === undefined) break;
    states.push(found.state);
    const before = rest.slice(0, found.from).replace(/\s(?:er|blir|vert|is)$/i, '');
    rest = `${before} ${rest.slice(found.to)}`.trim();
  }
  return { status: statusBy(states), eventSoldOut: states.includes('SOLD_OUT'), rest };
}

/** The state words at the beginning and at the end of the rest of a title. */
function wordsAtEndsOf(rest: string, title: string): readonly Found[] {
  return [FIRST, LAST].flatMap((form) => wordIn(rest, form, title) ?? []);
}

function wordIn(rest: string, form: RegExp, title: string): Found | null {
  const match = form.exec(rest);
  const { word = '', gap = '' } = match?.groups ?? {};
  const stateWord = WORDS[word.toLowerCase()];
  if (match === null || stateWord === undefined) return null;
  return {
    ...stateWord,
    from: match.index,
    to: match.index + match[0].length,
    // A hyphen alone joins two words.
    isApart: gap !== '-' && /[\p{P}\p{S}]/u.test(gap),
    isInCapitals: word === word.toUpperCase() && title !== title.toUpperCase(),
  };
}

/** E12: a cancellation outweighs a postponement. */
function statusBy(states: readonly StateWord['state'][]): TitleState['status'] {
  if (states.includes('CANCELLED')) return 'CANCELLED';
  return states.includes('POSTPONED') ? 'POSTPONED' : null;
}

/** The key by which titles are compared. Signs do not count: `Kor!` is `Kor`. A title of signs alone, such as emoji, is compared as it is. */
function titleKey(title: string): string {
  if (title.length > LONGEST_TITLE) return title;
  const folded = fold(title);
  return wordsOf(folded).join(' ') || folded.trim();
}
