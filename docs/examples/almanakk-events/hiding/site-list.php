<?php

/** This site's own list of hidden events, which several editors may change at the same time. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The option with the list. */
const SITE_LIST = 'almanakk_hidden';
/** The lock of a request that is saving the list. */
const SITE_LIST_LOCK = 'almanakk_hidden';
/** Seconds after which the lock of a request that has died no longer counts. */
const LOCKED = 10;
/** Tenths of a second for which another request waits for the lock. */
const MOST_TRIES = 30;

/**
 * The list. `added`: by the line, the name of who added it (`by`), the id of this `user`, and when (`at`, in seconds since 1970). `by`, `user` and
 * `at`: of the last change; null before it. Older lines have no `user`.
 *
 * @phpstan-type Change array{by: string, user?: ?int, at: int}
 * @return array{lines: list<string>, added: array<string, Change>, by: ?string, user: ?int, at: ?int}
 */
function siteList(): array
{
    $saved = get_option(SITE_LIST);
    // The option has its lines in `names`.
    $known = is_array($saved) ? $saved : [];
    return [
        'lines' => $known['names'] ?? [],
        'added' => $known['added'] ?? [],
        'by' => $known['by'] ?? null,
        'user' => $known['user'] ?? null,
        'at' => $known['at'] ?? null,
    ];
}

/**
 * Applies what an editor has changed to the list as it is now: `$sent` are the lines of the form, and `$read` those with which it was opened. So it
 * keeps what somebody else has saved meanwhile, also in the same second.
 *
 * Returns the `own` changes, those made `meanwhile`, by whom and at what time the last of these was made, and whether the list is saved. Without
 * that, others were saving for too long (`isBusy`), other sites would refuse the list (`isTooLong`), or WordPress could not write. `isAnnounced`: all
 * caches have been told.
 *
 * @return array{own: array, meanwhile: array, by: ?string, at: ?int, isSaved: bool, isTooLong: bool, isBusy: bool, isAnnounced: bool}
 */
function saveSiteList(array $read, array $sent): array
{
    $isLocked = lockSiteList();
    try {
        $saved = mergeIntoSiteList($read, $sent, $isLocked);
    } finally {
        if ($isLocked) {
            \WP_Upgrader::release_lock(SITE_LIST_LOCK);
        }
    }
    // Without the lock: emptying a cache can take longer than other editors wait for it. Whoever saves again wants the next attempt now.
    $isAnnounced = !$saved['isSaved'] || announceHidden(true);
    return $saved + ['isBusy' => !$isLocked, 'isAnnounced' => $isAnnounced];
}

/** Waits for the request that is saving now. WordPress inserts the lock as a row with a unique name, so only one request gets it. */
function lockSiteList(): bool
{
    if (!class_exists('WP_Upgrader')) {
        require_once \ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
    }
    for ($tries = 0; $tries < MOST_TRIES; $tries++) {
        if (\WP_Upgrader::create_lock(SITE_LIST_LOCK, LOCKED)) {
            forgetOptions();
            return true;
        }
        usleep(100_000);
    }
    return false;
}

/** WordPress has read all options when this request began, and remembers which ones were not there. */
function forgetOptions(): void
{
    foreach (['alloptions', 'notoptions', SITE_LIST] as $name) {
        wp_cache_delete($name, 'options');
    }
}

/** Saves the merged list, unless `$mayWrite` is false. */
function mergeIntoSiteList(array $read, array $sent, bool $mayWrite): array
{
    $before = siteList();
    $own = changesBetween($read, $sent);
    $kept = array_diff($before['lines'], $own['removed']);
    $lines = array_values(array_unique([...$kept, ...$own['added']]));
    // A list that is too long already can become shorter.
    $isTooLong = $own['added'] !== [] && isServed() && strlen(servedText($lines)) > MOST_LIST_BYTES;
    if ($mayWrite && !$isTooLong && $lines !== $before['lines']) {
        writeSiteList($lines, $before);
    }
    return [
        'own' => $own,
        'meanwhile' => changesBetween($read, $before['lines']),
        'by' => $before['by'],
        'at' => $before['at'],
        // WordPress does not say whether its database took it.
        'isSaved' => siteList()['lines'] === $lines,
        'isTooLong' => $isTooLong,
    ];
}

/** Saves the lines, with the name and the id of this editor at those that are new. */
function writeSiteList(array $lines, array $before): void
{
    $user = wp_get_current_user();
    $change = ['by' => $user->display_name, 'user' => $user->ID, 'at' => time()];
    $new = array_fill_keys(array_diff($lines, $before['lines']), $change);
    $known = array_map(withoutDeletedUser(...), array_intersect_key($before['added'], array_flip($lines)));
    update_option(SITE_LIST, ['names' => $lines, 'added' => $new + $known] + $change);
}
