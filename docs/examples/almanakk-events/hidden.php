<?php

/** Decides which events are hidden here at once, whether or not the calendar responds. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** An address in a line. An address inside an id, as in `avis:https://scene.example/korkveld`, does not count. */
const ADDRESS = '~(?<![^\s(<"\'])https?://[^\s()<>"\']+~i';

/** `$names`: the slug and the id of an event, as far as they are known. */
function isHidden(?string ...$names): bool
{
    return array_intersect(array_filter($names), hiddenNames()) !== [];
}

/** The slugs and ids of the screen “Hide events” and of the lists for all sites. */
function hiddenNames(): array
{
    static $read = ['lines' => [], 'names' => []];
    $lines = [...hiddenEverywhere(), ...hiddenHere()['names']];
    if ($lines !== $read['lines']) {
        // A list of a hundred events asks for each of them.
        $read = ['lines' => $lines, 'names' => array_merge(...array_map(__NAMESPACE__ . '\namesIn', $lines))];
    }
    return $read['names'];
}

/** The lines of ALMANAKK_HIDDEN, for all sites of a network, and of the list at ALMANAKK_HIDDEN_URL, for all sites of a group. */
function hiddenEverywhere(): array
{
    $ofNetwork = defined('ALMANAKK_HIDDEN') ? preg_split('/[\s,]+/', (string) \ALMANAKK_HIDDEN) : [];
    return array_values(array_filter([...$ofNetwork, ...sharedList()['lines']]));
}

/** The lines of a list, each once. */
function linesIn(string $text): array
{
    // WordPress's database refuses texts in other encodings, such as remarks in Windows-1252. Slugs are ASCII.
    $readable = preg_match('//u', $text) === 1 ? $text : preg_replace('/[\x80-\xff]/', '?', $text);
    // Some editors begin a file with this mark. `\R` would also end a line within `Å`.
    $lines = array_map('trim', preg_split('/\r\n?|\n/', str_replace("\u{FEFF}", '', $readable)));
    return array_values(array_unique(array_diff($lines, [''])));
}

/**
 * The slugs and ids that a line names: by its addresses or, without one, by its first word. The rest is a remark, and so is a line that begins with
 * `#`. But some ids have blanks: the whole line may be one, too.
 */
function namesIn(string $line): array
{
    if ($line[0] === '#') {
        return [];
    }
    preg_match_all(ADDRESS, $line, $found);
    $named = array_map(__NAMESPACE__ . '\nameIn', $found[0]) ?: [preg_split('/\s+/', $line)[0]];
    return array_values(array_unique(array_diff([$line, ...$named], [''])));
}

/** The slug or the id in the address of an event's page, on any site; empty if there is none. */
function nameIn(string $address): string
{
    // The address may be the end of a sentence.
    $parts = explode('?', explode('#', rtrim($address, '.,;:!'))[0]);
    parse_str($parts[1] ?? '', $query);
    if (is_string($query['arrangement'] ?? null)) {
        return $query['arrangement'];
    }
    // After the scheme and the host.
    $path = array_slice(explode('/', rtrim($parts[0], '/')), 3);
    return rawurldecode(preg_replace('/\.html$/D', '', end($path) ?: ''));
}
