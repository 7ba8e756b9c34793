<?php

/** What the plugin asks the calendar for, in GraphQL. Their names show in the calendar's log. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/**
 * The shapes of the answers. In every file of the plugin, `$event` is an Event, and `$image` is one of its pictures. `$date` is an Event on one of its
 * dates, as `datesOf` returns it. An event of a list lacks the descriptions and the organizers, and only the start of its `repetitions` is known.
 *
 * @phpstan-type Venue array{name: string, address: ?string, municipality: ?string}
 * @phpstan-type Copy array{url: string, width: int}
 * @phpstan-type Image array{urlSmall: ?string, urlLarge: ?string, copies: ?list<Copy>, alt: ?string, credits: ?string, width: ?int, height: ?int}
 * @phpstan-type EventDate array{
 *     startDate: string, endDate: string, allDay: bool, status: string, previousStartDate: ?string, eventSoldOut: bool, ticketsURL: ?string,
 *     venue: ?Venue, occurrencePrices: ?list<array{price: int}>,
 * }
 * @phpstan-type Event EventDate & array{
 *     id: string, event_slug: string, eventLink: string, occurrenceLink: ?string, title_nb: ?string, title_en: ?string, summary_nb: ?string,
 *     summary_en: ?string, norwegian: ?string, mode: ?string, images: ?list<Image>, ticketsInformation: ?string, prices: ?list<array{price: int}>,
 *     desc_nb?: ?string, desc_en?: ?string, organizers?: list<array{name: string}>, repetitions: list<EventDate>,
 * }
 * @phpstan-type FoundEvent array{
 *     id: string, event_slug: string, title_nb: ?string, title_en: ?string, norwegian: ?string, startDate: string, endDate: string, allDay: bool,
 *     repetitions: list<array{startDate: string}>,
 * }
 */

/** Of an event and of each of its dates. */
const DATE_FIELDS = 'startDate endDate allDay status previousStartDate eventSoldOut ticketsURL venue { name address municipality }';
const EVENT_FIELDS = 'id event_slug eventLink occurrenceLink title_nb title_en summary_nb summary_en norwegian mode
    images { urlSmall urlLarge copies { url width } alt credits width height }
    ticketsInformation prices { price } occurrencePrices { price } ' . DATE_FIELDS;
const LIST_QUERY = 'query WordPressList($filter: Filter, $count: Int, $page: Int) {
  events(filter: $filter, pageSize: $count, page: $page) {
    hasMore data { ' . EVENT_FIELDS . ' repetitions(first: 20) { startDate } }
  }
}';
const EVENT_QUERY = 'query WordPressEvent($slug: String!) {
  eventBySlug(eventSlug: $slug) {
    ' . EVENT_FIELDS . ' desc_nb desc_en organizers { name }
    repetitions(first: 100) { ' . DATE_FIELDS . ' occurrencePrices: prices { price } }
  }
}';
/** Of the sitemap. */
const OWN_EVENTS_QUERY = 'query WordPressSitemap($filter: Filter, $page: Int) {
  events(filter: $filter, pageSize: 1000, page: $page) { pageInfo { totalPages } data { id eventLink updated_at } }
}';
/** What builds have changed since a snapshot. */
const REMOVED_QUERY = 'query WordPressRemoved($since: String!) {
  calendar { snapshot { id } } changes(since: $since) { added removed }
}';
/** The events of the site in a snapshot. */
const KNOWN_QUERY = 'query WordPressKnown($filter: Filter, $page: Int) {
  calendar { snapshot { id } }
  events(filter: $filter, pageSize: 1000, page: $page) { pageInfo { totalPages } data { id event_slug } }
}';
/** Of the block and of the settings. */
const MENUS_QUERY = 'query WordPressMenus {
  events(pageSize: 1) { municipalities { name } }
  categories { id name_nb name_nn name_en visible }
}';
/** The events with a slug or an id that an editor hides. */
const HIDDEN_QUERY = 'query WordPressHidden($name: String!) {
  bySlug: eventBySlug(eventSlug: $name) { ...Found }
  byId: eventByID(eventID: $name) { ...Found }
}
fragment Found on Event { id event_slug title_nb title_en norwegian startDate endDate allDay repetitions(first: 1) { startDate } }';
