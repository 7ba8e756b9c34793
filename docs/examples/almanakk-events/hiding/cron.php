<?php

/** WP-Cron: reads the lists each minute, so that a change is noticed while all pages come from a cache, and repeats what a cache has not been told. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The event of WP-Cron. */
const READ_EVENT = 'almanakk_read_hidden';
/** Its schedule. */
const EACH_MINUTE = 'almanakk_minute';

/** The schedules that WordPress knows, with one of a minute. */
function withMinutes(mixed $schedules): array
{
    return [EACH_MINUTE => ['interval' => FRESH, 'display' => 'almanakk']] + (is_array($schedules) ? $schedules : []);
}

/** The event exists while events can be hidden outside WordPress, or while a cache has not been told of a change. */
function scheduleReading(): void
{
    $isScheduled = wp_next_scheduled(READ_EVENT) !== false;
    $canChangeElsewhere = defined('ALMANAKK_HIDDEN_URL') || defined('ALMANAKK_HIDDEN') || mustReadRemoved();
    $isNeeded = $canChangeElsewhere || array_filter(notAnnounced(hiddenNames())) !== [];
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

/** When the plugin is deactivated. `$isOnNetwork`: on all sites of a network, for which WordPress calls this only once. */
function endReadingEverywhere(mixed $isOnNetwork): void
{
    if (!$isOnNetwork) {
        endReading();
        return;
    }
    // All of them: by default, get_sites returns 100.
    foreach (get_sites(['fields' => 'ids', 'number' => 0]) as $site) {
        switch_to_blog($site);
        endReading();
        restore_current_blog();
    }
}

/** The event. A list that a page view has read less than a minute ago is read again: otherwise, every second event would find it too new. */
function readHiddenNow(): void
{
    delete_transient(LIST_READ);
    groupList();
    announceHidden();
}
