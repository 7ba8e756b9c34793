<?php

/**
 * The lines of a list of hidden events: what an editor writes, and which slugs and ids it names. Sites without WordPress read the same lists:
 * `namesIn` and `nameInAddress` of docs/examples/event-page.php must find the same names in a line as `namesIn` here.
 */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** An address in a line. An address inside an id, as in `avis:https://scene.example/korkveld`, does not count. */
const ADDRESS = '~(?<![^\s(<"\'])https?://[^\s()<>"\']+~i';

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
    $firstWord = preg_split('/\s+/', $line)[0];
    $named = $found[0] === [] ? [$firstWord] : array_filter(array_map(nameIn(...), $found[0]), 'is_string');
    return array_values(array_unique([$line, ...$named]));
}

/** The slug or the id in the address of an event's page, on any site; null if there is none. */
function nameIn(string $address): ?string
{
    // The address may be the end of a sentence.
    $parts = explode('?', explode('#', rtrim($address, '.,;:!'))[0]);
    parse_str($parts[1] ?? '', $query);
    $slug = $query[EVENT_PARAMETER] ?? null;
    if (is_string($slug)) {
        return textOrNull($slug);
    }
    // After the scheme and the host.
    $path = array_slice(explode('/', rtrim($parts[0], '/')), 3);
    return textOrNull(rawurldecode(preg_replace('/\.html$/D', '', end($path) ?: '')));
}

/** Which lines a list has gained and lost. */
function changesBetween(array $before, array $after): array
{
    return ['added' => array_values(array_diff($after, $before)), 'removed' => array_values(array_diff($before, $after))];
}
