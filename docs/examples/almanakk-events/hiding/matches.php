<?php

/** What a line of hidden events hides, in words, for the editor who wrote it. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** One sentence for each event that the line hides, and for each name in it that no event of the calendar has. */
function sentencesOf(string $line, array $texts): array
{
    if (namesIn($line) === []) {
        return [];
    }
    $hasAddress = preg_match(ADDRESS, $line) === 1;
    // A line with an address is no id.
    $names = array_values(array_diff(namesIn($line), $hasAddress ? [$line] : []));
    $matching = [];
    $missing = $names === [] ? [$texts['notAddress']] : [];
    foreach ($names as $index => $name) {
        ['events' => $events, 'absence' => $absence] = matchesOf($name);
        foreach ($events as $event) {
            $matching[$event['id']] = matchSentence($event, $name, $absence, $texts);
        }
        // The whole line, which comes before its first word, is hardly ever an id with blanks.
        $isWholeLine = !$hasAddress && $index === 0 && count($names) > 1;
        if ($events === [] && !$isWholeLine) {
            $missing[] = strtr($texts["hidden_$absence"], ['{name}' => $name]);
        }
    }
    $isFound = $matching !== [] && !$hasAddress;
    return [...array_values($matching), ...($isFound ? [] : $missing)];
}

/**
 * The events with this slug or id. `absence`: null if the calendar has them now, else `gone`, `missing` or `noAnswer`. Events that it does not have
 * now may still be known.
 *
 * @return array{events: list<FoundEvent>, absence: ?string}
 */
function matchesOf(string $name): array
{
    if (!defined('ALMANAKK_URL')) {
        return ['events' => [], 'absence' => 'noAnswer'];
    }
    $found = cached(HIDDEN_QUERY . $name, fn (): array => fetchMatches($name), HOUR);
    $events = $found['data'] ?? $found['last'] ?? shownBefore($name);
    if ($found['data'] !== null) {
        return ['events' => $events, 'absence' => null];
    }
    $code = $found['problem']['code'] ?? 'noAnswer';
    // The calendar refuses what can be neither a slug nor an id.
    return ['events' => $events, 'absence' => $code === 'refused' ? 'missing' : $code];
}

/** The answer to HIDDEN_QUERY: the events, each once. */
function fetchMatches(string $name): array
{
    ['data' => $data, 'problem' => $problem] = query(HIDDEN_QUERY, ['name' => $name]);
    $matches = array_filter([$data['bySlug'] ?? null, $data['byId'] ?? null]);
    if ($matches === []) {
        return ['data' => null, 'problem' => $problem ?? problemWithout($name)];
    }
    return ['data' => array_values(array_column($matches, null, 'id')), 'problem' => null];
}

/** The event as this site's page has shown it, if WordPress still has it. */
function shownBefore(string $slug): array
{
    $data = cachedData(nameOfEvent($slug, languageOf(get_locale())));
    return $data === null ? [] : [$data['event']];
}

/** Such as `Korkveld, fredag 20. november kl. 19.00 (flere datoer).`, and what an editor should do about the line. */
function matchSentence(array $event, string $name, ?string $absence, array $texts): string
{
    $title = textIn($event, 'title', $texts['language'])['text'] ?? $event['id'];
    $when = whenOf(['repetitions' => []] + $event, $texts);
    // English has capital letters in the names of days.
    $day = $texts['language'] === 'en' ? $when : lcfirst($when);
    $others = $event['repetitions'] === [] ? '' : ' (' . lcfirst($texts['dates']) . ')';
    $isRenamed = !in_array($name, [$event['id'], $event['event_slug']], true);
    $remark = match (true) {
        $absence === 'gone' => $texts['hidden_gone'],
        // Lists know an event only by its present slug.
        $isRenamed => strtr($texts['renamed'], ['{slug}' => $event['event_slug']]),
        default => null,
    };
    return joined(["$title, $day$others.", $remark], ' ');
}
