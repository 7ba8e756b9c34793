<?php

/** Asks the calendar, and caches its answers. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** Seconds for which a list is cached, and for which it is shown at most while the calendar does not answer, unless ALMANAKK_KEPT says otherwise. */
const FRESH = 60;
const KEPT = 86_400;
/** Seconds for which the addresses for search engines are cached. */
const HOUR = 3600;
/** Seconds to wait for the calendar, and to leave it alone after it did not answer: a page may have many lists. */
const TIMEOUT = 5;
const PAUSE = 30;
const MOST_BYTES = 4_000_000;

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

const OWN_EVENTS_QUERY = 'query WordPressSitemap($filter: Filter, $page: Int) {
  events(filter: $filter, pageSize: 1000, page: $page) { pageInfo { totalPages } data { eventLink updated_at } }
}';

const MENUS_QUERY = 'query WordPressMenus {
  events(pageSize: 1) { municipalities { name } }
  categories { id name_nb name_nn name_en visible }
}';

/** `data`: the `events` of one page of a list, whether it `hasMore`, and `hints`: problems with values that the calendar does not know. */
function listOf(array $filter, int $count, int $page): array
{
    $variables = ['filter' => (object) $filter, 'count' => $count, 'page' => $page - 1];
    return cached(LIST_QUERY . wp_json_encode($variables), function () use ($variables): array {
        ['data' => $data, 'hints' => $hints, 'problem' => $problem] = fetch(LIST_QUERY, $variables);
        $list = $data['events'] ?? null;
        if ($list === null) {
            return ['data' => null, 'problem' => $problem];
        }
        $asProblem = fn (array $hint): array =>
            ['hint', ['{name}' => $hint['argument'], '{found}' => $hint['value'], '{message}' => $hint['message']]];
        $found = ['events' => $list['data'], 'hasMore' => $list['hasMore'], 'hints' => array_map($asProblem, $hints)];
        return ['data' => $found, 'problem' => null];
    });
}

/** `data`: an `event` and its `jsonLd`. The problem of an event that the calendar does not have is `missing`. */
function eventOf(string $slug): array
{
    $language = languageOf(get_locale());
    return cached(EVENT_QUERY . $slug . $language, function () use ($slug, $language): array {
        ['data' => $data, 'problem' => $problem] = fetch(EVENT_QUERY, ['slug' => $slug]);
        $event = $data['eventBySlug'] ?? null;
        if ($event === null) {
            return ['data' => null, 'problem' => $problem ?? ['missing', []]];
        }
        $path = '/events.jsonld?lang=' . $language . '&event=' . rawurlencode($event['id']);
        $jsonLd = json_decode(ask($path)['body'] ?? '', true);
        return ['data' => ['event' => $event, 'jsonLd' => $jsonLd], 'problem' => null];
    });
}

/** The addresses of all events on pages of the calendar's list, from 0: their `links` with the moment of the last change, and how many `pages`. */
function addressesOn(int $page): ?array
{
    $municipalities = defaults()['municipalities'];
    $variables = ['filter' => ['municipalities' => $municipalities], 'page' => $page];
    $found = cached(OWN_EVENTS_QUERY . wp_json_encode($variables), function () use ($variables): array {
        ['data' => $data, 'problem' => $problem] = fetch(OWN_EVENTS_QUERY, $variables);
        $list = $data['events'] ?? null;
        $links = array_column($list['data'] ?? [], 'updated_at', 'eventLink');
        return ['data' => $list === null ? null : ['links' => $links, 'pages' => $list['pageInfo']['totalPages']], 'problem' => $problem];
    }, HOUR);
    return $found['data'];
}

/**
 * What `$fetch` returns, `data` or else a `problem`, from the cache, or else from the calendar. If that does not answer, the older data is used for a
 * day, and the calendar is asked again after a while. While one page view waits for the calendar, others use the older data.
 */
function cached(string $name, callable $fetch, int $fresh = FRESH): array
{
    // WordPress would keep a transient of 0 seconds for ever.
    $kept = max($fresh, defined('ALMANAKK_KEPT') ? (int) \ALMANAKK_KEPT : KEPT);
    // Another name than before they were packed.
    $key = 'almanakk_packed_' . md5(\ALMANAKK_URL . $name);
    $now = time();
    $known = get_transient($key);
    if (!is_array($known)) {
        $known = ['asked' => 0, 'answered' => 0, 'data' => null, 'problem' => ['noAnswer', []]];
    }
    if ($now - $known['asked'] >= $fresh && get_transient('almanakk_pause') === false) {
        // The first page view has nothing that others could use meanwhile: they ask as well.
        if ($known['data'] !== null) {
            set_transient($key, ['asked' => $now] + $known, $kept);
        }
        ['data' => $data, 'problem' => $problem] = $fetch();
        if ($problem !== null && $problem[0] === 'missing') {
            // Not cached: addresses can be made up without end. An event that was taken down is no longer shown.
            delete_transient($key);
            return ['data' => null, 'problem' => $problem];
        }
        $known = ['asked' => $now, 'problem' => $problem] + $known;
        if ($data !== null) {
            $known = ['answered' => $now, 'data' => packed($data)] + $known;
        }
        set_transient($key, $known, $kept);
    }
    $isFresh = $known['data'] !== null && $now - $known['answered'] < $kept;
    return ['data' => $isFresh ? unpacked($known['data']) : null] + $known;
}

/** For a text column of WordPress's database. Search engines read the page of each event: one of the sample's takes 1.9 kB instead of 18. */
function packed(array $data): string
{
    $json = wp_json_encode($data);
    return function_exists('gzdeflate') ? base64_encode(gzdeflate($json)) : $json;
}

function unpacked(string $packed): ?array
{
    // JSON of an array begins with a character that Base64 does not have.
    return json_decode(in_array($packed[0], ['{', '['], true) ? $packed : (string) gzinflate((string) base64_decode($packed, true)), true);
}

/** The `data` of a query and its `hints`, or the `problem` if the calendar does not answer as expected; PHP's log has its reason. */
function fetch(string $query, array $variables): array
{
    ['status' => $status, 'body' => $body] = ask('/graphQL', wp_json_encode(['query' => $query, 'variables' => (object) $variables]));
    $answer = json_decode($body ?? '', true);
    if (is_array($answer['data'] ?? null)) {
        return ['data' => $answer['data'], 'hints' => $answer['extensions']['hints'] ?? [], 'problem' => null];
    }
    $failed = ['data' => null, 'hints' => [], 'problem' => ['noAnswer', []]];
    if ($body === null) {
        return $failed;
    }
    $error = $answer['errors'][0] ?? [];
    $reasons = implode('; ', $error['extensions']['reasons'] ?? [$error['message'] ?? 'no JSON with data']);
    error_log('almanakk: ' . \ALMANAKK_URL . "/graphQL: expected data, found HTTP $status: $reasons");
    $isOurs = ($error['extensions']['code'] ?? '') === 'BAD_USER_INPUT' || $status === 400;
    return $isOurs ? ['problem' => ['refused', ['{found}' => $reasons]]] + $failed : $failed;
}

/** The calendar's answer: its `status` and its `body`, which is null if there is none. A POST if there is something to send. */
function ask(string $path, ?string $sent = null): array
{
    $address = rtrim(\ALMANAKK_URL, '/') . $path;
    $reply = wp_remote_request($address, [
        'method' => $sent === null ? 'GET' : 'POST',
        'timeout' => TIMEOUT,
        'limit_response_size' => MOST_BYTES,
        'headers' => ['Content-Type' => 'application/json'] + (defined('ALMANAKK_KEY') ? ['X-Api-Key' => \ALMANAKK_KEY] : []),
        'body' => $sent,
    ]);
    $isAnswered = !is_wp_error($reply);
    $status = $isAnswered ? (int) wp_remote_retrieve_response_code($reply) : 0;
    // A list that the calendar refuses says nothing about other lists.
    if (!$isAnswered || $status >= 500) {
        set_transient('almanakk_pause', 1, PAUSE);
    }
    if (!$isAnswered) {
        error_log("almanakk: $address: " . $reply->get_error_message());
    }
    return ['status' => $status, 'body' => $isAnswered ? wp_remote_retrieve_body($reply) : null];
}
