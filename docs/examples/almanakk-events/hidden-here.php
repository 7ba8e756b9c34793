<?php

/** The list of hidden events of this site, which several editors may change at the same time. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The name of the option and of its screen. */
const HIDDEN = 'almanakk_hidden';

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
 * keeps what somebody else has saved meanwhile. Returns the `own` changes, those made `meanwhile`, `by` whom and `at` what time the last of these was
 * made, and whether the list `isSaved`.
 */
function saveHidden(array $read, array $sent): array
{
    $before = hiddenHere();
    $own = changesBetween($read, $sent);
    $names = array_values(array_unique([...array_diff($before['names'], $own['removed']), ...$own['added']]));
    if ($names !== $before['names']) {
        $change = ['by' => wp_get_current_user()->display_name, 'at' => time()];
        $added = array_fill_keys(array_diff($names, $before['names']), $change) + array_intersect_key($before['added'], array_flip($names));
        update_option(HIDDEN, ['names' => $names, 'added' => $added] + $change);
        announceHidden();
    }
    return [
        'own' => $own,
        'meanwhile' => changesBetween($read, $before['names']),
        'by' => $before['by'],
        'at' => $before['at'],
        // WordPress does not say whether its database took it.
        'isSaved' => hiddenHere()['names'] === $names,
    ];
}

function changesBetween(array $before, array $after): array
{
    return ['added' => array_values(array_diff($after, $before)), 'removed' => array_values(array_diff($before, $after))];
}
