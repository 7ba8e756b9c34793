<?php

/** Events of this site that the calendar has removed: hidden there, or gone from their source. Caches for whole pages are told of these, too. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The option with the id of the calendar's `snapshot` that was read last, and the `slugs` of this site's events in it, by their ids. */
const KNOWN = 'almanakk_known_events';
/** The option with the removed events by their ids: their `slug`, and when it was noticed that they are gone (`at`, in seconds since 1970). */
const REMOVED = 'almanakk_removed_events';
/**
 * Seconds for which a removed event also counts as hidden: a page that is built from an older answer must not show it again. Then the action runs once
 * more, as for each event that is no longer hidden, and deletes pages that were being built when it ran first.
 */
const REMOVED_SECONDS = 600;
const MOST_REMOVED = 200;

/** Whether the site has code that empties caches. Without it, nobody has to know. */
function mustReadRemoved(): bool
{
    return defined('ALMANAKK_URL') && has_action('almanakk_hidden_changed') !== false;
}

/** The slugs and ids of the events that were removed in the last ten minutes. */
function removedNames(): array
{
    $names = [];
    foreach (removedEvents() as $id => ['slug' => $slug]) {
        // PHP turns a key such as `123` into a number.
        array_push($names, $slug, (string) $id);
    }
    return $names;
}

/** What REMOVED has of the last ten minutes. */
function removedEvents(): array
{
    $removed = get_option(REMOVED);
    return array_filter(is_array($removed) ? $removed : [], fn (array $event): bool => time() - $event['at'] < REMOVED_SECONDS);
}

/** Of the event of WP-Cron. If the calendar does not respond, or is built meanwhile, the next event asks for the same changes again. */
function readRemoved(): void
{
    if (!mustReadRemoved()) {
        return;
    }
    $known = get_option(KNOWN);
    ['snapshot' => $since, 'slugs' => $slugs] = is_array($known) ? $known : ['snapshot' => 'none', 'slugs' => []];
    $data = query(REMOVED_QUERY, ['since' => $since])['data'];
    $snapshot = $data['calendar']['snapshot']['id'] ?? $since;
    if ($snapshot === $since) {
        return;
    }
    // Null at first, after 90 days, and of a server that is a build behind the one that answered before.
    noteRemoved($data['changes'] ?? ['added' => [], 'removed' => []], $slugs);
    $slugsNow = slugsIn($snapshot);
    if ($slugsNow !== null) {
        // Only this function reads it, and it can be long.
        update_option(KNOWN, ['snapshot' => $snapshot, 'slugs' => $slugsNow], false);
    }
}

/** `$slugs`: of the events that the site had before these changes. An event that is back is no longer removed. */
function noteRemoved(array $changes, array $slugs): void
{
    $gone = array_intersect_key($slugs, array_flip($changes['removed']));
    if (count($gone) > MOST_REMOVED) {
        error_log('almanakk: ' . count($gone) . ' events were removed: almanakk_hidden_changed gets ' . MOST_REMOVED . ' of them. Empty all caches');
    }
    $noted = array_map(fn (string $slug): array => ['slug' => $slug, 'at' => time()], array_slice($gone, 0, MOST_REMOVED, true));
    update_option(REMOVED, array_diff_key(removedEvents() + $noted, array_flip($changes['added'])));
}

/** The slugs of the events in the site's municipalities, by their ids. Null if the calendar does not respond, or has another snapshot. */
function slugsIn(string $snapshot): ?array
{
    $slugs = [];
    $pages = 1;
    for ($page = 0; $page < $pages; $page++) {
        $variables = ['filter' => ['municipalities' => defaults()['municipalities']], 'page' => $page];
        $data = query(KNOWN_QUERY, $variables)['data'];
        if ($data === null || $data['calendar']['snapshot']['id'] !== $snapshot) {
            return null;
        }
        $pages = $data['events']['pageInfo']['totalPages'];
        $slugs += array_column($data['events']['data'], 'event_slug', 'id');
    }
    return $slugs;
}
