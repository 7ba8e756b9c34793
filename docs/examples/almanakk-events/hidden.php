<?php

/** Events that this site hides at once, whether the calendar responds or not. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The slugs and ids of the screen “Hide events” and of ALMANAKK_HIDDEN, which is for all sites of a network. */
function hiddenNames(): array
{
    $ofAll = defined('ALMANAKK_HIDDEN') ? preg_split('/[\s,]+/', (string) \ALMANAKK_HIDDEN) : [];
    $written = array_filter([...$ofAll, ...hiddenHere()['names']]);
    // Some ids have slashes.
    return [...$written, ...array_map(__NAMESPACE__ . '\nameIn', $written)];
}

/** The slug or the id in the address of an event's page, on any site. */
function nameIn(string $written): string
{
    $parts = explode('?', explode('#', trim($written))[0]);
    parse_str($parts[1] ?? '', $query);
    if (is_string($query['arrangement'] ?? null)) {
        return $query['arrangement'];
    }
    $path = explode('/', rtrim($parts[0], '/'));
    return rawurldecode(preg_replace('/\.html$/D', '', end($path)));
}

/** `$names`: the slug and the id of an event, as far as they are known. */
function isHidden(?string ...$names): bool
{
    return array_intersect(array_filter($names), hiddenNames()) !== [];
}
