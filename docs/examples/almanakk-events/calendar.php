<?php

/** The calendar's lists, events and addresses, without those that are hidden here. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/**
 * One page of a list, from 1. `hints`: problems with values that the calendar does not know.
 *
 * @param Filter $filter
 * @return array{data: ?array{events: list<Event>, hasMore: bool, hints: list<Problem>}, problem: ?Problem}
 */
function listOf(array $filter, int $count, int $page): array
{
    $variables = ['filter' => (object) $filter, 'count' => $count, 'page' => $page - 1];
    $found = cached(LIST_QUERY . wp_json_encode($variables), fn (): array => fetchList($variables));
    if ($found['data'] !== null) {
        $isShown = fn (array $event): bool => !isHidden($event['event_slug'], $event['id']);
        $found['data']['events'] = array_values(array_filter($found['data']['events'], $isShown));
    }
    return $found;
}

/** The answer to LIST_QUERY, as `listOf` returns it. */
function fetchList(array $variables): array
{
    ['data' => $data, 'hints' => $hints, 'problem' => $problem] = query(LIST_QUERY, $variables);
    $list = $data['events'] ?? null;
    if ($list === null) {
        return ['data' => null, 'problem' => $problem];
    }
    $problems = array_map(
        fn (array $hint): array =>
            problem('hint', ['{name}' => $hint['argument'], '{found}' => $hint['value'], '{message}' => $hint['message']]),
        $hints,
    );
    return ['data' => ['events' => $list['data'], 'hasMore' => $list['hasMore'], 'hints' => $problems], 'problem' => null];
}

/**
 * An event and its JSON-LD. The problem of an event that the calendar never had is `missing`; that of one that is over, was removed or is hidden here
 * is `gone`. `over`: the titles of an event that is known to be over.
 *
 * @return array{data: ?array{event: Event, jsonLd: ?array}, problem: ?Problem, over: ?Titles}
 */
function eventOf(string $slug): array
{
    $gone = ['data' => null, 'problem' => problem('gone'), 'over' => null];
    if (isHidden($slug)) {
        return $gone;
    }
    $language = languageOf(get_locale());
    $found = cached(nameOfEvent($slug, $language), fn (): array => fetchEvent($slug, $language));
    // An event that was renamed, or that is hidden by its id.
    $event = ($found['data'] ?? $found['last'])['event'] ?? null;
    if ($event !== null && isHidden($event['event_slug'], $event['id'])) {
        return $gone;
    }
    if ($found['problem'] !== null && $found['problem']['code'] === 'gone') {
        if ($event !== null) {
            rememberTitles($slug, $event);
        }
        return ['over' => titlesOfOver($slug)] + $gone;
    }
    return $found + ['over' => null];
}

/** The name under which an event is cached. */
function nameOfEvent(string $slug, string $language): string
{
    return EVENT_QUERY . $slug . $language;
}

/** The answer to EVENT_QUERY, as `eventOf` returns it. */
function fetchEvent(string $slug, string $language): array
{
    ['data' => $data, 'problem' => $problem] = query(EVENT_QUERY, ['slug' => $slug]);
    $event = $data['eventBySlug'] ?? null;
    if ($event === null) {
        return ['data' => null, 'problem' => $problem ?? problemWithout($slug)];
    }
    $path = '/events.jsonld?lang=' . $language . '&event=' . rawurlencode($event['id']);
    $jsonLd = json_decode(ask($path)['body'] ?? '', true);
    return ['data' => ['event' => $event, 'jsonLd' => $jsonLd], 'problem' => null];
}

/** Why the calendar has no event with this slug. Its own page of the event knows whether there ever was one. */
function problemWithout(string $slug): array
{
    $status = ask('/events/' . rawurlencode($slug) . '.html', null, 'HEAD')['status'];
    return problem([404 => 'missing', 410 => 'gone'][$status] ?? 'noAnswer');
}

/**
 * Remembers the titles of an event that is over for a day. `$last`: the event as it was last seen.
 *
 * @param Event $last
 * @phpstan-type Titles array{title_nb: ?string, title_en: ?string, norwegian: ?string}
 */
function rememberTitles(string $slug, array $last): void
{
    // An event that was removed before its last date must no longer be named.
    if (array_filter([$last, ...$last['repetitions']], isOn(...)) === []) {
        $titles = array_intersect_key($last, ['title_nb' => 1, 'title_en' => 1, 'norwegian' => 1]);
        set_transient(keyOfTitles($slug), $titles, KEPT);
    }
}

/**
 * The titles of an event that is over; null if they are not remembered.
 *
 * @return ?Titles
 */
function titlesOfOver(string $slug): ?array
{
    return get_transient(keyOfTitles($slug)) ?: null;
}

/** The name of their transient. */
function keyOfTitles(string $slug): string
{
    return keyOf("over $slug");
}

/**
 * The addresses of the events of this site's municipalities on one page of the calendar's list, from 0. `links`: the moments of their last changes,
 * by address; `ids`: the events' ids, by address; `pages`: how many pages there are. Null if the calendar does not respond.
 *
 * @return ?array{links: array<string, ?string>, ids: array<string, string>, pages: int}
 */
function addressesOn(int $page): ?array
{
    $variables = ['filter' => ['municipalities' => defaults()['municipalities']], 'page' => $page];
    $fetch = function () use ($variables): array {
        ['data' => $data, 'problem' => $problem] = query(OWN_EVENTS_QUERY, $variables);
        $list = $data['events'] ?? null;
        if ($list === null) {
            return ['data' => null, 'problem' => $problem];
        }
        $links = array_column($list['data'], 'updated_at', 'eventLink');
        $ids = array_column($list['data'], 'id', 'eventLink');
        return ['data' => ['links' => $links, 'ids' => $ids, 'pages' => $list['pageInfo']['totalPages']], 'problem' => null];
    };
    return cached(OWN_EVENTS_QUERY . wp_json_encode($variables), $fetch, HOUR)['data'];
}

/**
 * The municipalities and categories of the calendar, for menus. Null without the calendar's address, and if it does not respond.
 *
 * @return ?array{
 *     events: array{municipalities: list<array{name: string}>},
 *     categories: list<array{id: string, name_nb: string, name_nn: ?string, name_en: ?string, visible: bool}>,
 * }
 */
function choicesOfCalendar(): ?array
{
    return defined('ALMANAKK_URL') ? cached(MENUS_QUERY, fn (): array => query(MENUS_QUERY, []))['data'] : null;
}

/** A text of the calendar's answer; null if it is not there, or empty. */
function textOrNull(mixed $value): ?string
{
    return is_string($value) && $value !== '' ? $value : null;
}
