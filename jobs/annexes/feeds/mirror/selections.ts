/** The fields that a mirror asks for: all that calendars of this version have, those of 1.0.0, or those of the interface. */
import { onOneLine } from '../../../../src/calendar/display-text.ts';
import { type Field, lacking, namesOf } from '../../../../src/calendar/field.ts';
import {
  EVENT as PLAIN_OF_EVENTS,
  ORGANIZER as PLAIN_OF_ORGANIZERS,
  VENUE as PLAIN_OF_VENUES,
} from '../../../../src/calendar/fields.ts';

type Names = readonly string[];

/** The plain fields that a mirror asks for. */
const plainIn = (table: Readonly<Record<string, Field>>): Names => namesOf(lacking(table, 'mirror'));

export const LOCATION: Names = ['latitude', 'longitude'];
export const VENUE: Names = ['id', 'name', 'slug', ...plainIn(PLAIN_OF_VENUES)];
export const ORGANIZER: Names = ['id', 'name', 'slug', ...plainIn(PLAIN_OF_ORGANIZERS)];
export const CATEGORY: Names = ['id', 'name_nb', 'name_en', 'name_nn', 'slug_nb', 'slug_en', 'visible'];
export const PRICE: Names = ['type', 'price', 'name_nb', 'name_en'];
export const IMAGE: Names = [
  'urlSmall',
  'urlLarge',
  'alt',
  'caption',
  'credits',
  'focusX',
  'focusY',
  'width',
  'height',
];

/** Fields of an event that a native record has under the same name. */
export const PLAIN: Names = [
  'eventLink',
  'title_nb',
  'title_en',
  'desc_nb',
  'desc_en',
  'ticketsInformation',
  'tags',
  ...plainIn(PLAIN_OF_EVENTS),
];

/** Fields that a repetition may have of its own, and that an event has of the shown occurrence. */
export const OCCURRENCE: Names = [
  'startDate',
  'endDate',
  'startTime',
  'duration',
  'ticketsURL',
  'allDay',
  'eventCancelled',
  'status',
  'previousStartDate',
  'eventSoldOut',
];

/** The selection set that a mirror requests for each kind of entry, with its braces. */
export interface Selections {
  readonly event: string;
  readonly venue: string;
  readonly organizer: string;
  readonly category: string;
}

/** Calendars of this version have every field. */
export const OWN_SELECTIONS: Selections = ownSelections();

/** The fields of version 1.0.0; later additions are left out. */
export const RELEASED_SELECTIONS: Selections = releasedSelections();

/** Any other calendar has at least the fields of the interface. */
export const BASE_SELECTIONS: Selections = baseSelections();

function ownSelections(): Selections {
  const venue = `{ ${VENUE.join(' ')} location { ${LOCATION.join(' ')} } }`;
  const organizer = `{ ${ORGANIZER.join(' ')} }`;
  const category = `{ ${CATEGORY.join(' ')} subcategories { ${CATEGORY.join(' ')} } }`;
  const occurrence = `${OCCURRENCE.join(' ')} venue ${venue}`;
  const prices = `{ ${PRICE.join(' ')} }`;
  const event = `{ id event_slug super_event mode categories ${PLAIN.join(' ')} ${occurrence} organizers ${organizer}
    images { ${IMAGE.join(' ')} } prices ${prices} occurrencePrices ${prices}
    repetitions { ${occurrence} prices ${prices} } }`;
  return { event: onOneLine(event), venue, organizer, category };
}

function releasedSelections(): Selections {
  const venue =
    '{ id name slug address postalCode municipality accessibility location { latitude longitude } }';
  const organizer = '{ id name slug website }';
  const names = 'id name_nb name_en slug_nb slug_en visible';
  const prices = '{ type price name_nb name_en }';
  const occurrence = `startDate endDate startTime duration ticketsURL allDay eventCancelled eventSoldOut venue ${venue}`;
  const event = `{ id event_slug super_event mode categories eventLink title_nb title_en desc_nb desc_en ticketsInformation tags
    minimumAge maximumAge cancellationPeriod views publishingDate ticketsFromDate created_at updated_at registrationEnabled
    availableTickets activeTickets maxBookingDate maxBookingTime paymentMethod isSuperEvent isFeaturedEvent moreInfoURL
    streamingURL facebookURL venueNote ageRestriction accessibility ${occurrence} organizers ${organizer}
    images { urlSmall urlLarge alt caption credits focusX focusY width height } prices ${prices}
    repetitions { ${occurrence} prices ${prices} } }`;
  const category = `{ ${names} subcategories { ${names} } }`;
  return { event: onOneLine(event), venue, organizer, category };
}

function baseSelections(): Selections {
  const venue = '{ id name slug address location { latitude longitude } }';
  const organizer = '{ id name slug website }';
  const prices = 'prices { type price name_nb name_en }';
  const images = 'images { urlSmall urlLarge alt focusX focusY width height }';
  const event = `{ id event_slug eventLink title_nb title_en startDate endDate startTime duration categories tags mode
    venue ${venue} organizers ${organizer} ${images} ${prices}
    repetitions { startDate endDate startTime venue { name } ${prices} }
    ticketsInformation ticketsURL eventCancelled eventSoldOut minimumAge maximumAge cancellationPeriod views
    publishingDate ticketsFromDate created_at updated_at }`;
  const category = '{ id name_nb name_en slug_nb slug_en visible }';
  return { event: onOneLine(event), venue, organizer, category };
}

/** The base selection for each day of an event: a list by days shows fields that the repetitions of an event lack. */
export const BASE_DAY = `{ id startDate duration ticketsURL eventCancelled eventSoldOut venue ${BASE_SELECTIONS.venue} }`;
