<?php

/** What the plugin asks the calendar for, in GraphQL. Their names show in the calendar's log. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

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
