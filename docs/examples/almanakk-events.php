<?php

/**
 * Plugin Name: almanakk events
 * Description: Lists events of an almanakk calendar with the shortcode [almanakk], in the page itself, so that search engines see them.
 * Version: 1.0.0
 * Requires PHP: 8.1
 *
 * Copy this file to wp-content/plugins, write `define('ALMANAKK_URL', 'https://kalender.example');` into wp-config.php, and activate the plugin.
 * [almanakk kommune="Lillevik" kategori="MUSIC" stikkord="jul" antall="5"] limits the list; each value can be left out. The address of the calendar is
 * no part of the shortcode, because otherwise everyone who can write one could have this server fetch other addresses.
 * The list is in the language of the site: Bokmål or Nynorsk. Its markup has classes, and no style of its own.
 */

declare(strict_types=1);

if (!defined('ABSPATH')) {
    exit;
}

/** Seconds for which a list is used again, and for which it is used at most while the calendar does not answer. */
const ALMANAKK_FRESH = 300;
const ALMANAKK_KEPT = 86_400;
/** Seconds to wait for the calendar. */
const ALMANAKK_TIMEOUT = 5;
const ALMANAKK_MOST = 50;

const ALMANAKK_QUERY = 'query WordPress($filter: Filter, $count: Int) {
  events(filter: $filter, pageSize: $count) {
    data { eventLink title_nb title_en norwegian startDate endDate allDay status eventSoldOut venue { name municipality } }
  }
}';

const ALMANAKK_TEXTS = [
    'nb' => ['none' => 'Ingen arrangementer nå.', 'away' => 'Kalenderen svarer ikke nå.', 'cancelled' => 'Avlyst', 'postponed' => 'Utsatt', 'soldOut' => 'Utsolgt'],
    'nn' => ['none' => 'Ingen arrangement no.', 'away' => 'Kalenderen svarar ikkje no.', 'cancelled' => 'Avlyst', 'postponed' => 'Utsett', 'soldOut' => 'Utselt'],
];

add_shortcode('almanakk', 'almanakk_list');

/** WordPress passes a text instead of an array for a shortcode without values. */
function almanakk_list(array|string $written): string
{
    if (!defined('ALMANAKK_URL')) {
        error_log('almanakk: expected ALMANAKK_URL in wp-config.php, found none');
        return '';
    }
    $given = shortcode_atts(['kommune' => '', 'kategori' => '', 'stikkord' => '', 'antall' => '10'], (array) $written, 'almanakk');
    $filter = array_filter([
        'municipalities' => almanakk_values($given['kommune']),
        'categories' => almanakk_values($given['kategori']),
        'tag' => trim($given['stikkord']),
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
    return '<ul class="almanakk-events">' . implode('', $items) . '</ul>';
}

/** Several values have commas between them. */
function almanakk_values(string $written): array
{
    return array_values(array_filter(array_map('trim', explode(',', $written)), fn (string $value): bool => $value !== ''));
}

/**
 * A list from the cache, or else from the calendar. If that does not answer, an older list is used for a day, and the calendar is asked again after a
 * while. Null without such a list.
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
        $events = almanakk_fetch($variables);
        $known = $events === null ? ['asked' => $now] + $known : ['asked' => $now, 'answered' => $now, 'events' => $events];
        set_transient($key, $known, ALMANAKK_KEPT);
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
    $link = '<a href="' . esc_url($event['eventLink']) . '" lang="' . esc_attr($language) . '">' . $title . '</a>';
    $inNorway = fn (string $format): string => wp_date($format, strtotime($event['startDate']), new DateTimeZone('Europe/Oslo'));
    [$machine, $human] = $event['allDay'] ? ['Y-m-d', 'l j. F'] : ['c', 'l j. F \k\l. H.i'];
    $time = '<time datetime="' . esc_attr($inNorway($machine)) . '">' . esc_html($inNorway($human)) . '</time>';
    $place = array_filter([$event['venue']['name'] ?? null, $event['venue']['municipality'] ?? null]);
    $state = match (true) {
        $event['status'] === 'CANCELLED' => $texts['cancelled'],
        $event['status'] === 'POSTPONED' => $texts['postponed'],
        $event['eventSoldOut'] => $texts['soldOut'],
        default => null,
    };
    $parts = array_filter([
        $link,
        $time,
        $place === [] ? null : '<span class="almanakk-place">' . esc_html(implode(', ', array_unique($place))) . '</span>',
        $state === null ? null : '<strong class="almanakk-state">' . esc_html($state) . '</strong>',
    ]);
    return '<li>' . implode(' ', $parts) . '</li>';
}
