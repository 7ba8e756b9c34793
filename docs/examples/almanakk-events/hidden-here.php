<?php

/** The list of hidden events of this site, which several editors may change at the same time. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The name of the option and of its screen. */
const HIDDEN = 'almanakk_hidden';
/** Seconds after which the lock of a request that has died no longer counts, and tenths of a second for which another one waits. */
const LOCKED = 10;
const MOST_TRIES = 30;

/**
 * `names`: the lines, with addresses, slugs and ids; `added`: by the line, who added it (`by`) and when (`at`, in seconds since 1970); `by` and `at`:
 * of the last change, or an empty text and 0.
 */
function hiddenHere(): array
{
    $saved = get_option(HIDDEN);
    return (is_array($saved) ? $saved : []) + ['names' => [], 'added' => [], 'by' => '', 'at' => 0];
}

/**
 * Applies what an editor has changed to the list as it is now: `$sent` are the lines of the form, and `$read` those with which it was opened. So it
 * keeps what somebody else has saved meanwhile, also in the same second. Returns the `own` changes, those made `meanwhile`, `by` whom and `at` what
 * time the last of these was made, and whether the list `isSaved`, whether others were saving for too long (`isBusy`), whether other sites would
 * refuse the list (`isTooLong`), and whether all caches have been told (`isAnnounced`).
 */
function saveHidden(array $read, array $sent): array
{
    $isLocked = lockHidden();
    try {
        $saved = merge($read, $sent, $isLocked);
    } finally {
        if ($isLocked) {
            \WP_Upgrader::release_lock(HIDDEN);
        }
    }
    // Without the lock: emptying a cache can take longer than other editors wait for it. Whoever saves again wants the next attempt now.
    return $saved + ['isBusy' => !$isLocked, 'isAnnounced' => !$saved['isSaved'] || announceHidden(true)];
}

/** Waits for the request that is saving now. WordPress inserts the lock as a row with a unique name, so only one request gets it. */
function lockHidden(): bool
{
    if (!class_exists('WP_Upgrader')) {
        require_once \ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
    }
    for ($tries = 0; $tries < MOST_TRIES; $tries++) {
        if (\WP_Upgrader::create_lock(HIDDEN, LOCKED)) {
            // WordPress has read all options when this request began, and remembers which ones were not there.
            foreach (['alloptions', 'notoptions', HIDDEN] as $name) {
                wp_cache_delete($name, 'options');
            }
            return true;
        }
        usleep(100_000);
    }
    return false;
}

function merge(array $read, array $sent, bool $mayWrite): array
{
    $before = hiddenHere();
    $own = changesBetween($read, $sent);
    $names = array_values(array_unique([...array_diff($before['names'], $own['removed']), ...$own['added']]));
    // A list that is too long already can become shorter.
    $isTooLong = $own['added'] !== [] && servedAddress() !== '' && strlen(servedText($names)) > SHARED_MOST_BYTES;
    if ($mayWrite && !$isTooLong && $names !== $before['names']) {
        $change = ['by' => wp_get_current_user()->display_name, 'at' => time()];
        $added = array_fill_keys(array_diff($names, $before['names']), $change) + array_intersect_key($before['added'], array_flip($names));
        update_option(HIDDEN, ['names' => $names, 'added' => $added] + $change);
    }
    return [
        'own' => $own,
        'meanwhile' => changesBetween($read, $before['names']),
        'by' => $before['by'],
        'at' => $before['at'],
        // WordPress does not say whether its database took it.
        'isSaved' => hiddenHere()['names'] === $names,
        'isTooLong' => $isTooLong,
    ];
}

function changesBetween(array $before, array $after): array
{
    return ['added' => array_values(array_diff($after, $before)), 'removed' => array_values(array_diff($before, $after))];
}
