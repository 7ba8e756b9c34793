/** L0: titles of single dates that differ from the title of their event. */
import { escapeText } from 'entities/escape';
import type { JsonObject } from '../../../src/calendar/json.ts';
import { DAY, formatOslo } from '../../../src/calendar/time.ts';

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

/** Enough for a season, and a bound on the description. */
const MOST_TITLES = 50;

/** Dates have no titles: each that differs from the event's becomes a line before its descriptions. */
export function withDateTitles(fields: JsonObject, { titles, now, language }: DateTitles): JsonObject {
  const lines = titles
    .filter(({ start }) => !isOver(start, now))
    .sort((left, right) => left.start - right.start)
    .slice(0, MOST_TITLES)
    .map(({ start, isAllDay, title }) => {
      const length = isAllDay ? 'YYYY-MM-DD'.length : 'YYYY-MM-DD HH:mm'.length;
      return `${formatOslo(start).slice(0, length)}: ${title}`;
    });
  if (lines.length === 0) return fields;
  const written = (['desc_nb', 'desc_en'] as const).filter((name) => typeof fields[name] === 'string');
  const names = written.length === 0 ? [`desc_${language}`] : written;
  const described = names.map((name) => [name, withLines(lines, String(fields[name] ?? ''))]);
  return { ...fields, ...Object.fromEntries(described) };
}

/** Ends are not known here. A title that is shown a day too long does no harm; one that is missing during the date does. */
function isOver(start: number, now: number): boolean {
  return start + DAY <= now;
}

function withLines(lines: readonly string[], text: string): string {
  const isMarkup = /<[a-z]/i.test(text);
  const asMarkup = () => `<p>${lines.map(escapeText).join('<br>')}</p>${text}`;
  const asText = () => `${lines.join('\n')}\n\n${text}`.trim();
  return isMarkup ? asMarkup() : asText();
}
