<?php

/**
 * Plugin Name: almanakk events
 * Description: Lists events of an almanakk calendar with the shortcode [almanakk], in the page itself, so that search engines see them.
 * Version: 1.0.0
 * Requires PHP: 8.1
 *
 * Copy this file to wp-content/plugins, write `define('ALMANAKK_URL', 'https://kalender.example');` into wp-config.php, and activate the plugin.
 * [almanakk kommune="Lillevik" kategori="MUSIC" stikkord="jul" periode="WEEKEND" antall="5"] limits the list; each value can be left out. `periode` is
 * TODAY, TOMORROW, WEEKEND or WEEK, as in the addresses of the calendar's lists. The shortcode cannot set the calendar's address; otherwise, anyone who
 * can write one could make this server fetch any URL.
 * The list is in the language of the site: Bokmål or Nynorsk. Its markup has classes, and no style of its own.
 */

declare(strict_types=1);

if (!defined('ABSPATH')) {
    exit;
}

/** How long a list is cached, and how long at most it is kept while the calendar is down, in seconds. */
const ALMANAKK_FRESH = 60;
const ALMANAKK_KEPT = 86_400;
/** Seconds to wait for the calendar. */
const ALMANAKK_TIMEOUT = 5;
const ALMANAKK_MOST = 50;

const ALMANAKK_QUERY = 'query WordPress($filter: Filter, $count: Int) {
  events(filter: $filter, pageSize: $count) {
    data {
      eventLink occurrenceLink title_nb title_en norwegian startDate endDate allDay status eventSoldOut venue { name municipality }
      ticketsInformation prices { price } occurrencePrices { price }
    }
  }
}';

const ALMANAKK_TEXTS = [
    'nb' => ['language' => 'nb', 'none' => 'Ingen arrangementer nå.', 'away' => 'Kalenderen svarer ikke nå.', 'cancelled' => 'Avlyst', 'postponed' => 'Utsatt', 'soldOut' => 'Utsolgt', 'free' => 'Gratis', 'from' => 'fra', 'all' => 'Hele kalenderen'],
    'nn' => ['language' => 'nn', 'none' => 'Ingen arrangement no.', 'away' => 'Kalenderen svarar ikkje no.', 'cancelled' => 'Avlyst', 'postponed' => 'Utsett', 'soldOut' => 'Utselt', 'free' => 'Gratis', 'from' => 'frå', 'all' => 'Heile kalenderen'],
];

add_shortcode('almanakk', 'almanakk_list');

/** WordPress passes a text instead of an array for a shortcode without values. */
function almanakk_list(array|string $written): string
{
    if (!defined('ALMANAKK_URL')) {
        error_log('almanakk: expected ALMANAKK_URL in wp-config.php, found none');
        return '';
    }
    $given = shortcode_atts(['kommune' => '', 'kategori' => '', 'stikkord' => '', 'periode' => '', 'antall' => '10'], (array) $written, 'almanakk');
    $filter = array_filter([
        'municipalities' => almanakk_values($given['kommune']),
        'categories' => almanakk_values($given['kategori']),
        'tag' => trim($given['stikkord']),
        'period' => strtoupper(trim($given['periode'])),
    ]);
    $count = max(1, min(ALMANAKK_MOST, (int) $given['antall']));
    $texts = ALMANAKK_TEXTS[get_locale() === 'nn_NO' ? 'nn' : 'nb'];
    $list = almanakk_events($filter, $count);
    if ($list === null) {
        return '<p class="almanakk-away">' . esc_html($texts['away']) . '</p>';
    }
    $events = array_filter($list, 'almanakk_is_on');
    if ($events === []) {
        return '<p class="almanakk-none">' . esc_html($texts['none']) . '</p>';
    }
    $items = array_map(fn (array $event): string => almanakk_item($event, $texts), $events);
    $all = '<a href="' . esc_url(almanakk_address_of_all($filter, $texts['language'])) . '">' . esc_html($texts['all']) . '</a>';
    return '<ul class="almanakk-events">' . implode('', $items) . '</ul><p class="almanakk-all">' . $all . '</p>';
}

/** The calendar's own list with the same filter. A page of the site can take its place: `define('ALMANAKK_HOME', 'https://avis.example/kalender');`. */
function almanakk_address_of_all(array $filter, string $language): string
{
    if (defined('ALMANAKK_HOME')) {
        return ALMANAKK_HOME;
    }
    $pairs = [];
    foreach ($filter as $name => $values) {
        foreach ((array) $values as $value) {
            $pairs[] = rawurlencode($name) . '=' . rawurlencode($value);
        }
    }
    $pairs[] = 'lang=' . $language;
    return rtrim(ALMANAKK_URL, '/') . '/events.html?' . implode('&', $pairs);
}

/** Several values have commas between them. */
function almanakk_values(string $written): array
{
    return array_values(array_filter(array_map('trim', explode(',', $written)), fn (string $value): bool => $value !== ''));
}

/**
 * A list from the cache, or else from the calendar. If that does not answer, an older list is used for a day, and the calendar is asked again after a
 * while. Null without such a list. While one page view waits for the calendar, others use the older list.
 */
function almanakk_events(array $filter, int $count): ?array
{
    $variables = ['filter' => (object) $filter, 'count' => $count];
    $key = 'almanakk_' . md5(ALMANAKK_URL . wp_json_encode($variables));
    $now = time();
    $known = get_transient($key);
    if (!is_array($known)) {
        $known = ['asked' => 0, 'answered' => 0, 'events' => null];
    }
    if ($now - $known['asked'] >= ALMANAKK_FRESH) {
        set_transient($key, ['asked' => $now] + $known, ALMANAKK_KEPT);
        $events = almanakk_fetch($variables);
        if ($events !== null) {
            $known = ['asked' => $now, 'answered' => $now, 'events' => $events];
            set_transient($key, $known, ALMANAKK_KEPT);
        }
    }
    return $now - $known['answered'] < ALMANAKK_KEPT ? $known['events'] : null;
}

/** Null, with a line in PHP's log, if the calendar does not answer as expected. */
function almanakk_fetch(array $variables): ?array
{
    $reply = wp_remote_post(rtrim(ALMANAKK_URL, '/') . '/graphQL', [
        'timeout' => ALMANAKK_TIMEOUT,
        'headers' => ['Content-Type' => 'application/json'],
        'body' => wp_json_encode(['query' => ALMANAKK_QUERY, 'variables' => $variables]),
    ]);
    if (is_wp_error($reply)) {
        error_log('almanakk: ' . $reply->get_error_message());
        return null;
    }
    $answer = json_decode(wp_remote_retrieve_body($reply), true);
    $events = $answer['data']['events']['data'] ?? null;
    if (!is_array($events)) {
        error_log('almanakk: expected events, found status ' . wp_remote_retrieve_response_code($reply));
        return null;
    }
    return $events;
}

/** A cached list may be older than the end of an event. Without an end, it is on for three hours. */
function almanakk_is_on(array $event): bool
{
    $hasEnd = $event['endDate'] !== $event['startDate'];
    return strtotime($event['endDate']) + ($hasEnd ? 0 : 3 * 3600) > time();
}

function almanakk_item(array $event, array $texts): string
{
    $isNorwegian = $event['title_nb'] !== null;
    $title = esc_html($isNorwegian ? $event['title_nb'] : $event['title_en'] ?? '');
    $language = $isNorwegian ? $event['norwegian'] ?? 'nb' : 'en';
    $link = '<a href="' . esc_url(almanakk_page_of($event, $texts['language'])) . '" lang="' . esc_attr($language) . '">' . $title . '</a>';
    $machine = almanakk_in_norway($event['allDay'] ? 'Y-m-d' : 'c', strtotime($event['startDate']));
    $time = '<time datetime="' . esc_attr($machine) . '">' . esc_html(almanakk_when($event)) . '</time>';
    $place = array_filter([$event['venue']['name'] ?? null, $event['venue']['municipality'] ?? null]);
    $state = match (true) {
        $event['status'] === 'CANCELLED' => $texts['cancelled'],
        $event['status'] === 'POSTPONED' => $texts['postponed'],
        $event['eventSoldOut'] => $texts['soldOut'],
        default => null,
    };
    $price = almanakk_price($event, $texts);
    $parts = array_filter([
        $link,
        $time,
        $place === [] ? null : '<span class="almanakk-place">' . esc_html(implode(', ', array_unique($place))) . '</span>',
        $price === null ? null : '<span class="almanakk-price">' . esc_html($price) . '</span>',
        $state === null ? null : '<strong class="almanakk-state">' . esc_html($state) . '</strong>',
    ]);
    return '<li>' . implode(' ', $parts) . '</li>';
}

/** The calendar's page of a date, in the language of the list. A page of another site has none of its own. */
function almanakk_page_of(array $event, string $language): string
{
    $page = $event['occurrenceLink'] ?? null;
    return $page === null ? $event['eventLink'] : $page . (str_contains($page, '?') ? '&' : '?') . 'lang=' . $language;
}

function almanakk_in_norway(string $format, int $instant): string
{
    return wp_date($format, $instant, new DateTimeZone('Europe/Oslo'));
}

/** The start, and the end if there is one. An event that ends in the small hours is one evening. */
function almanakk_when(array $event): string
{
    [$start, $end] = [strtotime($event['startDate']), strtotime($event['endDate'])];
    $format = $event['allDay'] ? 'l j. F' : 'l j. F \k\l. H.i';
    $from = almanakk_in_norway($format, $start);
    if ($end === $start) {
        return $from;
    }
    if (!$event['allDay'] && $end - $start <= 12 * 3600) {
        return $from . '–' . almanakk_in_norway('H.i', $end);
    }
    // An event of whole days ends at midnight.
    $until = almanakk_in_norway($format, $event['allDay'] ? $end - 1 : $end);
    return $until === $from ? $from : "$from – $until";
}

/** The lowest price; null if none is known. A date without prices has those of its event. */
function almanakk_price(array $event, array $texts): ?string
{
    if ($event['ticketsInformation'] === 'free') {
        return $texts['free'];
    }
    $prices = array_unique(array_filter(array_column($event['occurrencePrices'] ?? $event['prices'] ?? [], 'price'), 'is_int'));
    if ($prices === []) {
        return null;
    }
    $lowest = min($prices) . ' kr';
    return count($prices) === 1 ? $lowest : $texts['from'] . ' ' . $lowest;
}
