<?php

/** The values of a shortcode, and what is wrong with them. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** Each field of the filter by its kind, as in the embed: a word, or the names of several numbers. */
const FIELDS = [
    'ids' => 'words',
    'categories' => 'list',
    'notCategories' => 'list',
    'searchTerm' => 'text',
    'tag' => 'text',
    'superEvent' => 'text',
    'mode' => 'text',
    'onlyFeatured' => 'flag',
    'onlyFeaturedSpecialEvent' => 'flag',
    'venues' => 'list',
    'venueSlug' => 'text',
    'municipality' => 'text',
    'municipalities' => 'list',
    'postalCodes' => 'list',
    'near' => ['latitude', 'longitude', 'km'],
    'area' => ['minLatitude', 'maxLatitude', 'minLongitude', 'maxLongitude'],
    'organizers' => 'list',
    'organizerSlug' => 'text',
    'accessibility' => 'list',
    'age' => 'number',
    'free' => 'flag',
    'cancelledNotIncluded' => 'flag',
    'soldOutNotIncluded' => 'flag',
    'period' => 'text',
    'fromDate' => 'text',
    'fromStartDate' => 'text',
    'untilDate' => 'text',
    'hoursRange' => 'text',
    'groupRepetitionsByDay' => 'flag',
];
/** The values that say how to show the list, by their kinds. */
const OTHERS = [
    'limit' => 'number',
    'lang' => 'text',
    'heading' => 'text',
    'pictures' => 'flag',
    'paging' => 'flag',
    'link' => 'text',
    'home' => 'text',
];
/** The names of some of them in Bokmål and in Nynorsk. */
const NORWEGIAN = [
    'kommune' => 'municipalities',
    'kategori' => 'categories',
    'stikkord' => 'tag',
    'sok' => 'searchTerm',
    'sted' => 'venues',
    'arrangor' => 'organizers',
    'periode' => 'period',
    'gratis' => 'free',
    'alder' => 'age',
    'antall' => 'limit',
    'overskrift' => 'heading',
    'bilder' => 'pictures',
    'sider' => 'paging',
    'sprak' => 'lang',
    'lenke' => 'link',
    'hjem' => 'home',
    'stad' => 'venues',
    'tal' => 'limit',
    'bilete' => 'pictures',
    'lenkje' => 'link',
    'heim' => 'home',
];

/** Fields that determine the events of a list, whatever the site's own municipalities are. */
const PLACES = ['ids', 'superEvent', 'municipality', 'municipalities', 'postalCodes', 'venues', 'venueSlug', 'near', 'area'];
/** A word in place of municipalities, for the whole calendar. */
const EVERYWHERE = ['alle', 'all'];

const PERIODS = ['TODAY', 'TOMORROW', 'WEEKEND', 'WEEK'];

/**
 * Like `readShortcode`, with the site's own values in place of those that the shortcode leaves out.
 *
 * @param array<string|int, string> $written
 */
function readWithDefaults(array $written): array
{
    ['filter' => $filter, 'others' => $others, 'spelledAs' => $spelledAs, 'problems' => $problems] = readShortcode($written);
    $own = defaults();
    $towns = array_map('strtolower', $filter['municipalities'] ?? []);
    $isEverywhere = count($towns) === 1 && in_array($towns[0], EVERYWHERE, true);
    $hasPlaces = array_intersect_key($filter, array_flip(PLACES)) !== [];
    if ($isEverywhere) {
        unset($filter['municipalities']);
    } elseif (!$hasPlaces && $own['municipalities'] !== []) {
        $filter['municipalities'] = $own['municipalities'];
    }
    return [
        'filter' => $filter,
        'others' => $others + $own['others'],
        'spelledAs' => $spelledAs + $own['spelledAs'],
        'problems' => $problems,
    ];
}

/**
 * The values of a shortcode: the filter, the other values, how it spells the name of each (`spelledAs`), and the problems with them.
 *
 * @phpstan-type Filter array<key-of<FIELDS>, string|int|bool|list<string>|array<string, float>>
 * @phpstan-type Others array{limit?: int, lang?: string, heading?: string, pictures?: bool, paging?: bool, link?: string, home?: string}
 * @param array<string|int, string> $written
 * @return array{filter: Filter, others: Others, spelledAs: array<string, string>, problems: list<Problem>}
 */
function readShortcode(array $written): array
{
    $kinds = FIELDS + OTHERS;
    $names = array_combine(array_map('strtolower', array_keys($kinds)), array_keys($kinds)) + NORWEGIAN;
    $found = ['filter' => [], 'others' => [], 'spelledAs' => [], 'problems' => []];
    foreach ($written as $key => $value) {
        // A word without a value has a number for its name.
        [$given, $text] = is_int($key) ? [$value, 'true'] : [$key, trim($value)];
        $name = $names[strtolower($given)] ?? null;
        if ($name === null) {
            $found['problems'][] = problem('wrongName', ['{found}' => $given, '{nearest}' => nearest($given, array_keys($names))]);
            continue;
        }
        $found['spelledAs'][$name] = $given;
        $read = $name === 'period' ? periodIn($text) : valueOf($text, $kinds[$name]);
        if ($text === '') {
            continue;
        }
        if ($read === null) {
            $found['problems'][] = problem(wrongValue($name, $kinds[$name]), ['{name}' => $name, '{found}' => $text]);
        } else {
            $found[isset(FIELDS[$name]) ? 'filter' : 'others'][$name] = $read;
        }
    }
    return $found;
}

/** The name that differs in the fewest letters, or null if all differ in more than two, or a short word in more than one. */
function nearest(string $given, array $names): ?string
{
    $distances = array_map(fn (string $name): int => levenshtein(strtolower(substr($given, 0, 100)), $name), $names);
    $least = min($distances);
    return $least > (strlen($given) < 5 ? 1 : 2) ? null : $names[array_search($least, $distances, true)];
}

/** Null for another word. */
function periodIn(string $text): ?string
{
    $period = strtoupper($text);
    return in_array($period, PERIODS, true) ? $period : null;
}

/** A value of a kind of FIELDS or OTHERS; null if it cannot be read. */
function valueOf(string $text, string|array $kind): mixed
{
    $parts = array_values(array_filter(array_map('trim', explode(',', $text)), fn (string $part): bool => $part !== ''));
    if (is_array($kind)) {
        $isComplete = count($parts) === count($kind) && array_filter($parts, 'is_numeric') === $parts;
        return $isComplete ? array_combine($kind, array_map('floatval', $parts)) : null;
    }
    return match ($kind) {
        'list' => $parts,
        'words' => preg_split('/\s+/', $text),
        'flag' => ['true' => true, 'ja' => true, '1' => true, 'false' => false, 'nei' => false, '0' => false][strtolower($text)] ?? null,
        'number' => preg_match('/^-?\d{1,6}$/', $text) ? (int) $text : null,
        'text' => $text,
    };
}

/** The name of the text that says how to write such a value. */
function wrongValue(string $name, string|array $kind): string
{
    return match (true) {
        $name === 'period' => 'wrongPeriod',
        $name === 'near' => 'wrongNear',
        $name === 'area' => 'wrongArea',
        $kind === 'flag' => 'wrongFlag',
        default => 'wrongNumber',
    };
}
