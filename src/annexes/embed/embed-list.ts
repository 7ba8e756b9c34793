/**
 * `/embed.json` (I5): the list that the element shows. A browser sends this GET from any page without a preflight, and every cache can
 * answer it.
 */
import { Output } from '../../serve/graphql/output.ts';
import { project } from '../../serve/graphql/project.ts';
import type { SelectedField, Selections } from '../../serve/graphql/selection.ts';
import { EVENT_TYPE } from '../../serve/graphql/types.ts';
import { hintsFor } from '../../serve/query/hints.ts';
import type { EventNode } from '../../serve/query/nodes.ts';
import { described, FLAG, listOf, OBJECT, objectOf, TEXT } from '../common/json-schema.ts';
import type { EventList } from '../events/event-list.ts';
import type { Format } from '../events/format.ts';
import { namesMunicipality } from '../events/municipalities.ts';
import { pictureAt } from '../events/pictures.ts';
import { coverImageOf } from '../events/values.ts';

export const EMBED_LIST: Format = {
  path: '/embed.json',
  about:
    'The list that the element of `/embed.js` shows. It changes with the element; other programs should not read it.',
  answer: {
    about: 'A page of events with the fields that the element shows.',
    schema: objectOf({
      calendar: objectOf({ name: TEXT, siteUrl: TEXT, language: TEXT }),
      showsMunicipality: described('Whether the places can be in several municipalities.', FLAG),
      hints: described('Values of the filter that no event can match.', listOf(TEXT)),
      events: described('Each with some fields of `events`.', listOf(OBJECT)),
    }),
  },
  type: 'application/json; charset=utf-8',
  write: writeEmbedList,
};

function* writeEmbedList(list: EventList): Generator<string> {
  const { licence, query, view } = list;
  const hints = hintsFor(query.plan.conditions, view);
  const head = JSON.stringify({
    calendar: { name: licence.name, siteUrl: licence.siteUrl, language: licence.language },
    showsMunicipality: namesMunicipality(list),
    hints: hints.map(({ message }) => message),
  });
  yield `${head.slice(0, -1)},"events":[`;
  let separator = '\n';
  for (const node of list.events) {
    yield separator + jsonOf(node, list);
    separator = ',\n';
  }
  yield '\n]}\n';
}

function jsonOf(node: EventNode, list: EventList): string {
  const out = new Output();
  SHOWN_EVENT.write(node, out);
  const event = Buffer.concat(out.end()).toString();
  return `${event.slice(0, -1)},"images":${JSON.stringify(picturesOf(node, list))}}`;
}

/** The element shows the first one. I17: in a width that fits its list. */
function picturesOf(node: EventNode, list: EventList): readonly object[] {
  const cover = coverImageOf(node);
  return cover === null ? [] : [{ urlSmall: pictureAt(cover.small, 320, list), alt: cover.alt }];
}

/** Further times of a day are few. */
const MOST_REPETITIONS = 20;

const SHOWN_EVENT = project(EVENT_TYPE, [
  ...fields(
    'id',
    'event_slug',
    'occurrenceID',
    'title_nb',
    'title_en',
    'summary_nb',
    'summary_en',
    'norwegian',
  ),
  ...fields('eventLink', 'occurrenceLink', 'startDate', 'endDate', 'allDay', 'mode', 'accessibility'),
  ...fields('eventCancelled', 'eventSoldOut', 'status', 'previousStartDate', 'ticketsInformation'),
  field('venue', fields('name', 'municipality')),
  field('prices', fields('price')),
  field('occurrencePrices', fields('price')),
  { ...field('repetitions', fields('startDate')), first: MOST_REPETITIONS },
]);

function fields(...names: readonly string[]): Selections {
  return names.map((name) => field(name));
}

function field(name: string, selections: Selections = []): SelectedField {
  return { key: name, name, selections };
}
