<?php

/** Tells caches for whole pages when events are hidden or shown again: with a cached page, this plugin does not run. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The option with the slugs and ids that the action has announced as hidden. */
const ANNOUNCED = 'almanakk_hidden_announced';
/** The transient with the `names` that an attempt has not announced, the `delay` before the next one in seconds, and `until` when it lasts. */
const ATTEMPT = 'almanakk_hidden_attempt';
/** Seconds. Each failure doubles the delay, up to this. Otherwise, an expired token for one cache would empty the others every minute. */
const LONGEST_DELAY = 3600;
/** Seconds. WP-Cron does not begin each minute at the same second. */
const EARLY = 30;

/**
 * Runs the action `almanakk_hidden_changed` with the slugs and ids that were `$added` and `$removed` since it last succeeded, if there are any. False
 * if a cache fails: the reasons are in PHP's log, and the action is repeated after 1, 2, 4 … at most 60 minutes. `$isAtOnce`: without waiting
 * for that.
 */
function announceHidden(bool $isAtOnce = false): bool
{
    $names = array_values(array_unique(hiddenNames()));
    ['added' => $added, 'removed' => $removed] = notAnnounced($names);
    if ($added === [] && $removed === []) {
        delete_transient(ATTEMPT);
        return true;
    }
    $last = get_transient(ATTEMPT);
    $isRepeated = is_array($last) && $last['names'] === $names;
    if ($isRepeated && !$isAtOnce && time() < $last['until']) {
        return false;
    }
    $delay = $isRepeated ? min(2 * $last['delay'], LONGEST_DELAY) : FRESH;
    // Before the action, because a cache's code may take too long and be ended.
    set_transient(ATTEMPT, ['names' => $names, 'delay' => $delay, 'until' => time() + $delay - EARLY], 2 * LONGEST_DELAY);
    $problems = problemsOfCaches($added, $removed);
    if ($problems !== []) {
        error_log('almanakk: almanakk_hidden_changed: ' . implode('; ', $problems) . "; the next attempt is after $delay seconds");
        return false;
    }
    update_option(ANNOUNCED, $names);
    delete_transient(ATTEMPT);
    return true;
}

/** Runs the action. An error of another plugin's code ends it; the caches that this plugin knows note their problems instead, so that it goes on. */
function problemsOfCaches(array $added, array $removed): array
{
    Request::$notPurged = [];
    try {
        do_action('almanakk_hidden_changed', $added, $removed);
    } catch (\Throwable $error) {
        return [...Request::$notPurged, $error->getMessage()];
    }
    return Request::$notPurged;
}

/** What has changed in these slugs and ids since the action last succeeded. */
function notAnnounced(array $names): array
{
    $announced = get_option(ANNOUNCED);
    return changesBetween(is_array($announced) ? $announced : [], $names);
}
