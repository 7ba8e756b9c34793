/** What an event's occurrences point into (see columns `ticketsURL` and `prices`): each different text once. */
import type { Price } from '../../src/calendar/model.ts';
import { ABSENT } from '../../src/snapshot/columns.ts';
import type { OccurrenceTexts } from '../../src/snapshot/fragments.ts';
import type { EventRecord, Reporter } from '../records.ts';
import type { TextPlaces } from './rows.ts';

export interface TextLists extends OccurrenceTexts {
  readonly placesOf: (texts: OwnTexts) => TextPlaces;
}

export interface OwnTexts {
  readonly ticketsURL: string | null;
  readonly prices: readonly Price[] | null;
}

export function createTextLists({ origin, id }: EventRecord, report: Reporter): TextLists {
  const ticketsURLs: string[] = [];
  const priceLists: (readonly Price[])[] = [];
  const places = new Map<string, number>();

  function placeIn<Text>(list: Text[], text: Text | null, field: string): number {
    if (text === null) return ABSENT;
    const key = `${field} ${JSON.stringify(text)}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    if (list.length === ABSENT) {
      const expected = `at most ${ABSENT} different values in the dates of one event`;
      report.complain({ action: 'changed value', origin, id, field, expected, found: 'more' });
      return ABSENT;
    }
    places.set(key, list.length);
    return list.push(text) - 1;
  }

  return {
    ticketsURLs,
    priceLists,
    placesOf: ({ ticketsURL, prices }) => ({
      ticketsURL: placeIn(ticketsURLs, ticketsURL, 'dates[].ticketsURL'),
      prices: placeIn(priceLists, prices, 'dates[].prices'),
    }),
  };
}
