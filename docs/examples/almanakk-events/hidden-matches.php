<?php

/** The events that a line of hidden events matches, for the editor who wrote it. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

const HIDDEN_QUERY = 'query WordPressHidden($name: String!) {
  bySlug: eventBySlug(eventSlug: $name) { ...Found }
  byId: eventByID(eventID: $name) { ...Found }
}
fragment Found on Event { id event_slug title_nb title_en norwegian startDate endDate allDay repetitions(first: 1) { startDate } }';

/** One sentence for each event that the line hides, and for each name in it that no event of the calendar has. */
function sentencesOf(string $line, array $texts): array
{
    if (namesIn($line) === []) {
        return [];
    }
    $hasAddress = preg_match(ADDRESS, $line) === 1;
    // A line with an address is no id.
    $names = array_values(array_diff(namesIn($line), $hasAddress ? [$line] : []));
    $sentences = [];
    $missing = $names === [] ? [$texts['notAddress']] : [];
    foreach ($names as $index => $name) {
        ['events' => $events, 'problem' => $problem] = matchesOf($name);
        foreach ($events as $event) {
            $sentences[$event['id']] = sentenceOf($event, $name, $problem, $texts);
        }
        // The whole line, which comes before its first word, is hardly ever an id with blanks.
        $isWholeLine = !$hasAddress && $index === 0 && count($names) > 1;
        if ($events === [] && !$isWholeLine) {
            $missing[] = strtr($texts["hidden_$problem"], ['{name}' => $name]);
        }
    }
    return $hasAddress || $sentences === [] ? [...array_values($sentences), ...$missing] : array_values($sentences);
}

/** `problem`: `gone`, `missing` or `noAnswer`; empty if the calendar has such events now. Otherwise, `events` may still be known. */
function matchesOf(string $name): array
{
    if (!defined('ALMANAKK_URL')) {
        return ['events' => [], 'problem' => 'noAnswer'];
    }
    $found = cached(HIDDEN_QUERY . $name, function () use ($name): array {
        ['data' => $data, 'problem' => $problem] = fetch(HIDDEN_QUERY, ['name' => $name]);
        $events = array_values(array_column(array_filter([$data['bySlug'] ?? null, $data['byId'] ?? null]), null, 'id'));
        return $events === [] ? ['data' => null, 'problem' => $problem ?? problemWithout($name)] : ['data' => $events, 'problem' => null];
    }, HOUR);
    $problem = $found['data'] === null ? $found['problem'][0] ?? 'noAnswer' : '';
    // The calendar refuses what can be neither a slug nor an id.
    return ['events' => $found['data'] ?? $found['last'] ?? shownBefore($name), 'problem' => $problem === 'refused' ? 'missing' : $problem];
}

/** The event as this site's page has shown it, if WordPress still has it. */
function shownBefore(string $slug): array
{
    $known = get_transient(keyOf(EVENT_QUERY . $slug . languageOf(get_locale())));
    return is_array($known) && $known['data'] !== null ? [unpacked($known['data'])['event']] : [];
}

/** Such as `Korkveld, fredag 20. november kl. 19.00 (flere datoer)`. */
function sentenceOf(array $event, string $name, string $problem, array $texts): string
{
    $title = textIn($event, 'title', $texts['language'])['text'] ?? $event['id'];
    $when = whenOf(['repetitions' => []] + $event, $texts);
    // English has capital letters in the names of days.
    $when = $texts['language'] === 'en' ? $when : lcfirst($when);
    $others = $event['repetitions'] === [] ? '' : ' (' . lcfirst($texts['dates']) . ')';
    $isRenamed = !in_array($name, [$event['id'], $event['event_slug']], true);
    $remark = match (true) {
        $problem === 'gone' => " {$texts['hidden_gone']}",
        // Lists know an event only by its present slug.
        $isRenamed => ' ' . strtr($texts['renamed'], ['{slug}' => $event['event_slug']]),
        default => '',
    };
    return "$title, $when$others.$remark";
}
