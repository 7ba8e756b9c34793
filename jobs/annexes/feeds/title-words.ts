/** L0: words in titles that say that a date, or a whole event, is cancelled or sold out. */
import { escapeText } from 'entities/escape';
import type { JsonObject } from '../../../src/calendar/json.ts';
import { fold, wordsOf } from '../../../src/calendar/text.ts';
import { DAY, formatOslo } from '../../../src/calendar/time.ts';

export interface TitleState {
  /** Null if it says nothing of it. */
  readonly status: 'CANCELLED' | 'POSTPONED' | null;
  readonly eventSoldOut: boolean;
  /** The title without these words. */
  readonly rest: string;
}

/** The `expected` of a finding about a date with another title. */
export const THE_SAME_TITLE =
  'the title of the series (this one stands before the description, with its time)';
/** The `expected` of a finding about a postponed date. */
export const A_NEW_DATE = 'a date on which it is held (without another one it is shown as postponed)';

/** The state of an event by its own title. */
export function stateOfEvent(title: string): TitleState {
  return readState(
    title,
    ({ word, isApart, isLoud }) => isApart || (!POSTPONED.has(word) && (isLoud || !LOOSE.has(word))),
  );
}

/** What a title says besides: rows and pages with it are of one event. */
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
  if (['', keyOf(whole.rest), keyOf(series)].includes(keyOf(bare.rest))) return { ...bare, isOwn: false };
  const isSure = ({ word, isApart, isLoud }: Found) =>
    !POSTPONED.has(word) && !LOOSE.has(word) && (isApart || isLoud);
  return { ...readState(title, isSure), isOwn: true };
}

/** The title of one date, which its event does not have. */
export interface DateTitle {
  /** Instant. */
  readonly start: number;
  readonly isAllDay: boolean;
  readonly title: string;
}

interface DateTitles {
  readonly titles: readonly DateTitle[];
  /** Instant of the build: titles of dates that are over are left out. */
  readonly now: number;
  readonly language: 'nb' | 'en';
}

/** Enough for a season; a description has no end otherwise. */
const MOST_TITLES = 50;

/** Dates have no titles: each that differs from the event's becomes a line before its descriptions. */
export function withDateTitles(fields: JsonObject, { titles, now, language }: DateTitles): JsonObject {
  const lines = titles
    .filter(({ start }) => start + DAY > now)
    .sort((left, right) => left.start - right.start)
    .slice(0, MOST_TITLES)
    .map(({ start, isAllDay, title }) => {
      const length = isAllDay ? 'YYYY-MM-DD'.length : 'YYYY-MM-DD HH:mm'.length;
      return `${formatOslo(start).slice(0, length)}: ${title}`;
    });
  if (lines.length === 0) return fields;
  const written = (['desc_nb', 'desc_en'] as const).filter((name) => typeof fields[name] === 'string');
  const names = written.length === 0 ? [`desc_${language}`] : written;
  const before = (text: string) =>
    /<[a-z]/i.test(text)
      ? `<p>${lines.map(escapeText).join('<br>')}</p>${text}`
      : `${lines.join('\n')}\n\n${text}`.trim();
  const described = names.map((name) => [name, before(String(fields[name] ?? ''))]);
  return { ...fields, ...Object.fromEntries(described) };
}

const SOLD_OUT = new Set(['utsolgt', 'sold out', 'sold-out']);
/** Without a sign between, the rest may say when or where it is held: `Flyttet til biblioteket`. */
const POSTPONED = new Set(['utsatt', 'flyttet', 'postponed']);
/** It begins other titles, too: `Innstilt på suksess`. */
const LOOSE = new Set(['innstilt']);
const WORD =
  '(?<word>avlyst|avlyses|kansellert|innstilt|utsatt|flyttet|cancell?ed|postponed|inställt|aflyst|peruttu|utsolgt|sold[ -]out)';
const GAP = '[^\\p{L}\\d]*';
const FIRST = new RegExp(`^${GAP}${WORD}(?![\\p{L}\\d])(?<gap>${GAP})`, 'iu');
const LAST = new RegExp(`(?<gap>(?<![^\\p{L}\\d])${GAP})(?<![\\p{L}\\d])${WORD}${GAP}$`, 'iu');

/** Characters: real titles are shorter (G12). A longer one is compared as it is: a series may have thousands of dates. */
const LONGEST = 600;
/** `UTSOLGT – AVLYST: Konsert` */
const MOST_WORDS = 3;

interface Found {
  /** In small letters. */
  readonly word: string;
  /** Whether a sign stands between the word and the rest. */
  readonly isApart: boolean;
  /** Whether it is in capitals, in a title that has small letters. */
  readonly isLoud: boolean;
}

function readState(title: string, isMeant: (found: Found) => boolean): TitleState {
  const words: string[] = [];
  const isLong = title.length > LONGEST;
  let rest = isLong ? title : title.normalize('NFC').trim();
  while (words.length < MOST_WORDS && !isLong) {
    const match = [FIRST.exec(rest), LAST.exec(rest)].find((found) => {
      const { word = '', gap = '' } = found?.groups ?? {};
      const isLoud = word === word.toUpperCase() && title !== title.toUpperCase();
      // A hyphen alone joins two words.
      const isApart = gap !== '-' && /[\p{P}\p{S}]/u.test(gap);
      return word !== '' && isMeant({ word: word.toLowerCase(), isApart, isLoud });
    });
    if (match === undefined || match === null) break;
    words.push((match.groups?.word ?? '').toLowerCase());
    const before = rest.slice(0, match.index).replace(/\s(?:er|is)$/i, '');
    rest = `${before} ${rest.slice(match.index + match[0].length)}`.trim();
  }
  return {
    status: statusBy(words),
    eventSoldOut: words.some((word) => SOLD_OUT.has(word)),
    rest,
  };
}

/** E12: that it is cancelled says more than that it was to be moved. */
function statusBy(words: readonly string[]): TitleState['status'] {
  if (words.some((word) => !SOLD_OUT.has(word) && !POSTPONED.has(word))) return 'CANCELLED';
  return words.some((word) => POSTPONED.has(word)) ? 'POSTPONED' : null;
}

/** Signs do not count: `Kor!` is `Kor`. A title of signs alone, such as emoji, is compared as it is. */
function keyOf(title: string): string {
  if (title.length > LONGEST) return title;
  const folded = fold(title);
  return wordsOf(folded).join(' ') || folded.trim();
}
