<?php

/** Asks the calendar, and caches its answers. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** Seconds for which a list is cached, and for which it is shown if the calendar does not respond, unless ALMANAKK_KEPT says otherwise. */
const FRESH = 60;
const KEPT = 86_400;
/** Seconds for which the addresses for search engines are cached. */
const HOUR = 3600;
/** Seconds to wait for the calendar, and to wait before the next request if it does not respond: a page may have many lists. */
const TIMEOUT = 5;
const PAUSE = 30;
const MOST_BYTES = 4_000_000;
/** The transient with the names of events that the calendar does not have: only the latest, because anyone can invent any number of addresses. */
const ABSENT = 'almanakk_absent';
const MOST_ABSENT = 100;
/** The option that counts how often the cache was emptied. */
const CACHE_NUMBER = 'almanakk_cache_number';

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
  events(filter: $filter, pageSize: 1000, page: $page) { pageInfo { totalPages } data { id eventLink updated_at } }
}';

const MENUS_QUERY = 'query WordPressMenus {
  events(pageSize: 1) { municipalities { name } }
  categories { id name_nb name_nn name_en visible }
}';

/** `data`: the `events` of one page of a list, whether it `hasMore`, and `hints`: problems with values that the calendar does not know. */
function listOf(array $filter, int $count, int $page): array
{
    $variables = ['filter' => (object) $filter, 'count' => $count, 'page' => $page - 1];
    $found = cached(LIST_QUERY . wp_json_encode($variables), function () use ($variables): array {
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
    if ($found['data'] !== null) {
        $isShown = fn (array $event): bool => !isHidden($event['event_slug'], $event['id']);
        $found['data']['events'] = array_values(array_filter($found['data']['events'], $isShown));
    }
    return $found;
}

/**
 * `data`: an `event` and its `jsonLd`. The problem of an event that the calendar never had is `missing`; that of one that is over, was removed or is
 * hidden here is `gone`. `over`: the titles of an event that is known to be over.
 */
function eventOf(string $slug): array
{
    $gone = ['data' => null, 'problem' => ['gone', []], 'over' => null];
    if (isHidden($slug)) {
        return $gone;
    }
    $language = languageOf(get_locale());
    $found = cached(EVENT_QUERY . $slug . $language, function () use ($slug, $language): array {
        ['data' => $data, 'problem' => $problem] = fetch(EVENT_QUERY, ['slug' => $slug]);
        $event = $data['eventBySlug'] ?? null;
        if ($event === null) {
            return ['data' => null, 'problem' => $problem ?? problemWithout($slug)];
        }
        $path = '/events.jsonld?lang=' . $language . '&event=' . rawurlencode($event['id']);
        $jsonLd = json_decode(ask($path)['body'] ?? '', true);
        return ['data' => ['event' => $event, 'jsonLd' => $jsonLd], 'problem' => null];
    });
    // An event that was renamed, or that is hidden by its id.
    $event = $found['data']['event'] ?? $found['last']['event'] ?? null;
    if ($event !== null && isHidden($event['event_slug'], $event['id'])) {
        return $gone;
    }
    $isGone = ($found['problem'][0] ?? '') === 'gone';
    return $isGone ? ['over' => titlesOfOver($slug, $event)] + $gone : $found + ['over' => null];
}

/** The calendar's own page of an event knows whether there ever was one. */
function problemWithout(string $slug): array
{
    $status = ask('/events/' . rawurlencode($slug) . '.html', null, 'HEAD')['status'];
    return [[404 => 'missing', 410 => 'gone'][$status] ?? 'noAnswer', []];
}

/** The titles of an event that is over, for a day. Null for an event that was removed before its last date, which must no longer be named. */
function titlesOfOver(string $slug, ?array $last): ?array
{
    $key = keyOf("over $slug");
    if ($last !== null && array_filter([$last, ...$last['repetitions']], __NAMESPACE__ . '\isOn') === []) {
        set_transient($key, array_intersect_key($last, ['title_nb' => 1, 'title_en' => 1, 'norwegian' => 1]), KEPT);
    }
    return get_transient($key) ?: null;
}

/**
 * The addresses of all events on pages of the calendar's list, from 0: their `links` with the moment of the last change, their `ids`, and how many
 * `pages` there are.
 */
function addressesOn(int $page): ?array
{
    $municipalities = defaults()['municipalities'];
    $variables = ['filter' => ['municipalities' => $municipalities], 'page' => $page];
    $found = cached(OWN_EVENTS_QUERY . wp_json_encode($variables), function () use ($variables): array {
        ['data' => $data, 'problem' => $problem] = fetch(OWN_EVENTS_QUERY, $variables);
        $list = $data['events'] ?? null;
        if ($list === null) {
            return ['data' => null, 'problem' => $problem];
        }
        $links = array_column($list['data'], 'updated_at', 'eventLink');
        $ids = array_column($list['data'], 'id', 'eventLink');
        return ['data' => ['links' => $links, 'ids' => $ids, 'pages' => $list['pageInfo']['totalPages']], 'problem' => null];
    }, HOUR);
    return $found['data'];
}

/**
 * The `data` or the `problem` that `$fetch` returns, from the cache or else from the calendar. If the calendar does not respond, older data is used
 * for a day, and the calendar is asked again after a while. While one page view waits for the calendar, others use the older data. `last`: the data
 * of something that the calendar no longer has.
 */
function cached(string $name, callable $fetch, int $fresh = FRESH): array
{
    // WordPress would keep a transient of 0 seconds forever.
    $kept = max($fresh, defined('ALMANAKK_KEPT') ? (int) \ALMANAKK_KEPT : KEPT);
    $key = keyOf($name);
    $now = time();
    $known = get_transient($key);
    if (!is_array($known)) {
        $known = ['asked' => 0, 'answered' => 0, 'data' => null, 'problem' => ['noAnswer', []]];
    }
    $absent = $known['data'] === null ? absentBefore($key, $now) : null;
    if ($absent !== null) {
        return ['data' => null, 'problem' => [$absent, []], 'last' => null];
    }
    if ($now - $known['asked'] >= $fresh && get_transient('almanakk_pause') === false) {
        // At the first page view, there is no older data that others could use in the meantime, so they ask as well.
        if ($known['data'] !== null) {
            set_transient($key, ['asked' => $now] + $known, $kept);
        }
        ['data' => $data, 'problem' => $problem] = $fetch();
        if ($problem !== null && in_array($problem[0], ['missing', 'gone'], true)) {
            // An event that was taken down is no longer shown.
            delete_transient($key);
            keepAbsent($key, $problem[0], $now);
            $last = $known['data'] === null ? null : unpacked($known['data']);
            return ['data' => null, 'problem' => $problem, 'last' => $last];
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

/** `missing` or `gone`, if the calendar has said so in the last minute; null otherwise. */
function absentBefore(string $key, int $now): ?string
{
    ['problem' => $problem, 'at' => $at] = absentNames()[$key] ?? ['problem' => null, 'at' => 0];
    return $now - $at < FRESH ? $problem : null;
}

function absentNames(): array
{
    $names = get_transient(ABSENT);
    return is_array($names) ? $names : [];
}

/** One row in WordPress's database for all of them, of at most a hundred names. */
function keepAbsent(string $key, string $problem, int $now): void
{
    $others = array_filter(absentNames(), fn (array $name): bool => $now - $name['at'] < FRESH);
    unset($others[$key]);
    $latest = array_slice($others, 1 - MOST_ABSENT, null, true);
    set_transient(ABSENT, $latest + [$key => ['problem' => $problem, 'at' => $now]], FRESH);
}

/** The name under which WordPress caches it. A new number of the cache empties the cache, wherever WordPress keeps it. */
function keyOf(string $name): string
{
    return 'almanakk_packed_' . md5(\ALMANAKK_URL . (get_option(CACHE_NUMBER) ?: '') . $name);
}

/** For a text column of WordPress's database. Search engines read the page of each event: one event of the sample takes 1.9 kB instead of 18. */
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

/**
 * The `data` of a query and its `hints`, or the `problem` if the calendar does not answer as expected; PHP's log has the reason. If there are errors,
 * a null does not mean that there is no such event.
 */
function fetch(string $query, array $variables): array
{
    ['status' => $status, 'body' => $body] = ask('/graphQL', wp_json_encode(['query' => $query, 'variables' => (object) $variables]));
    $answer = json_decode($body ?? '', true);
    if (is_array($answer['data'] ?? null) && !isset($answer['errors'])) {
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

/** The calendar's answer: its `status` and its `body`, which is null if there is none. Sends a POST if there is something to send. */
function ask(string $path, ?string $sent = null, string $method = 'GET'): array
{
    $address = rtrim(\ALMANAKK_URL, '/') . $path;
    $reply = wp_remote_request($address, [
        'method' => $sent === null ? $method : 'POST',
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
