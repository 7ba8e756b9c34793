<?php

/** Tells caches for whole pages when events are hidden or shown again: with a cached page, this plugin does not run. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The option with the slugs and ids that the action has announced as hidden. */
const ANNOUNCED = 'almanakk_hidden_announced';
/** The event of WP-Cron that reads the list of a group, so that a change is noticed while all pages come from a cache, and that repeats the action. */
const READ_EVENT = 'almanakk_read_hidden';
const EACH_MINUTE = 'almanakk_minute';

/**
 * Runs the action `almanakk_hidden_changed` with the slugs and ids that were `$added` and `$removed` since it last succeeded, if there are any. False
 * if a cache's own code fails: the reason is in PHP's log, and the next minute repeats the action.
 */
function announceHidden(): bool
{
    $names = array_values(array_unique(hiddenNames()));
    ['added' => $added, 'removed' => $removed] = notAnnounced($names);
    if ($added === [] && $removed === []) {
        return true;
    }
    try {
        do_action('almanakk_hidden_changed', $added, $removed);
    } catch (\Throwable $error) {
        error_log("almanakk: almanakk_hidden_changed: {$error->getMessage()}");
        return false;
    }
    update_option(ANNOUNCED, $names);
    return true;
}

/** What has changed in these slugs and ids since the action last succeeded. */
function notAnnounced(array $names): array
{
    $announced = get_option(ANNOUNCED);
    return changesBetween(is_array($announced) ? $announced : [], $names);
}

function withMinutes(mixed $schedules): array
{
    return [EACH_MINUTE => ['interval' => FRESH, 'display' => 'almanakk']] + (is_array($schedules) ? $schedules : []);
}

function scheduleReading(): void
{
    $isScheduled = wp_next_scheduled(READ_EVENT) !== false;
    $isNeeded = defined('ALMANAKK_HIDDEN_URL') || defined('ALMANAKK_HIDDEN') || array_filter(notAnnounced(hiddenNames())) !== [];
    if ($isNeeded && !$isScheduled) {
        wp_schedule_event(time(), EACH_MINUTE, READ_EVENT);
    }
    if (!$isNeeded && $isScheduled) {
        endReading();
    }
}

function endReading(): void
{
    wp_clear_scheduled_hook(READ_EVENT);
}

/** A list that a page view has read less than a minute ago is read again: otherwise, every second event of WP-Cron would find it too new. */
function readHiddenNow(): void
{
    delete_transient(SHARED_ASKED);
    sharedList();
    announceHidden();
}
