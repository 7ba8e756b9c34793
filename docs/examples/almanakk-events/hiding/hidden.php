<?php

/** Which events are hidden here, whether or not the calendar responds. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** Whether an event is hidden. `$names`: its slug and its id, as far as they are known. */
function isHidden(?string ...$names): bool
{
    return array_intersect(array_filter($names), hiddenNames()) !== [];
}

/** The slugs and ids of the screen “Hide events”, of the lists for all sites, and of events that the calendar has just removed. */
function hiddenNames(): array
{
    static $read = ['lines' => [], 'names' => []];
    $lines = [...hiddenEverywhere(), ...siteList()['lines']];
    if ($lines !== $read['lines']) {
        // A list of a hundred events asks for each of them.
        $read = ['lines' => $lines, 'names' => array_merge(...array_map(namesIn(...), $lines))];
    }
    return [...$read['names'], ...removedNames()];
}

/** The lines of ALMANAKK_HIDDEN, for all sites of a network, and of the list at ALMANAKK_HIDDEN_URL, for all sites of a group. */
function hiddenEverywhere(): array
{
    $ofNetwork = defined('ALMANAKK_HIDDEN') ? preg_split('/[\s,]+/', (string) \ALMANAKK_HIDDEN) : [];
    return array_values(array_filter([...$ofNetwork, ...groupList()['lines']]));
}
