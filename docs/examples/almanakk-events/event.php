<?php

/** An event in words: its title, its place, its price, what a visitor has to know of it, and whether it is over. */

declare(strict_types=1);

namespace Almanakk;

use DateTimeImmutable;
use DateTimeZone;

if (!defined('ABSPATH')) {
    exit;
}

/** Seconds. An event that ends in the small hours is one evening; without an end, an event is on for three hours. */
const HALF_A_DAY = 12 * 3600;
const OPEN_ENDED = 3 * 3600;

/** Whether the event, or one date of it, is not over. A cached list may be older than the end of an event. */
function isOn(array $event): bool
{
    $hasEnd = $event['endDate'] !== $event['startDate'];
    return strtotime($event['endDate']) + ($hasEnd ? 0 : OPEN_ENDED) > time();
}

/** Whether the date does not take place as announced. */
function isOff(array $event): bool
{
    return in_array($event['status'], ['CANCELLED', 'POSTPONED'], true);
}

/**
 * A field of an event in the reader's language or else in the other one, with the language that it is in. Null if the event has neither.
 *
 * @return ?array{text: string, lang: string}
 */
function textIn(array $event, string $field, string $language): ?array
{
    $texts = [
        ['text' => $event["{$field}_nb"], 'lang' => $event['norwegian'] ?? 'nb'],
        ['text' => $event["{$field}_en"], 'lang' => 'en'],
    ];
    foreach ($language === 'en' ? array_reverse($texts) : $texts as $text) {
        if (($text['text'] ?? '') !== '') {
            return $text;
        }
    }
    return null;
}

/** The `lang` of an element with such a text; null if it is the language of what is around it. */
function langOf(array $text, array $texts): ?string
{
    return $text['lang'] === $texts['language'] ? null : $text['lang'];
}

/** The name of the venue. `$hasMunicipality`: with the municipality, unless the name has it. Null if the place is unknown. */
function placeOf(array $event, array $texts, bool $hasMunicipality): ?string
{
    $name = textOrNull($event['venue']['name'] ?? null);
    $municipality = textOrNull($event['venue']['municipality'] ?? null);
    if ($name === null) {
        return $event['mode'] === 'online' ? $texts['online'] : null;
    }
    $isKnown = $municipality === null || str_contains($name, $municipality);
    return $hasMunicipality && !$isKnown ? "$name, $municipality" : $name;
}

/** Whether a visitor can come, and whether the date was moved. */
function statesOf(array $event, array $texts): array
{
    $state = match (true) {
        $event['status'] === 'CANCELLED' => $texts['cancelled'],
        $event['status'] === 'POSTPONED' => $texts['postponed'],
        $event['eventSoldOut'] => $texts['soldOut'],
        default => null,
    };
    return array_values(array_filter([$state, movedOf($event, $texts)], 'is_string'));
}

/** From which day the date was moved or, within a day, from what time; the old start may be unknown. Null if it was not moved. */
function movedOf(array $event, array $texts): ?string
{
    if ($event['status'] !== 'RESCHEDULED') {
        return null;
    }
    ['startDate' => $start, 'previousStartDate' => $previous] = $event;
    if ($previous === null) {
        return $texts['moved'];
    }
    $isSameDay = substr($previous, 0, 10) === substr($start, 0, 10);
    return $texts['movedFrom'] . ' ' . ($isSameDay ? $texts['clock'] . clockOf($previous, $texts) : dayOf($previous, $texts, $start));
}

/** The start, and the end if there is one. For an event that began on an earlier day, the last day. */
function whenOf(array $event, array $texts): string
{
    ['startDate' => $start, 'endDate' => $end, 'allDay' => $allDay] = $event;
    $startDay = substr($start, 0, 10);
    $lastDay = lastDayOf($end);
    // Only the clocks are shown, so they count, even on the day on which they change.
    $seconds = strtotime(substr($end, 0, 19) . ' UTC') - strtotime(substr($start, 0, 19) . ' UTC');
    $isLong = $seconds > ($allDay ? 0 : HALF_A_DAY) && $lastDay !== $startDay;
    if ($isLong && $startDay < today()) {
        return "{$texts['until']} " . dayOf($lastDay, $texts);
    }
    $from = ucfirst($allDay ? dayOf($start, $texts) : momentOf($start, $texts));
    if ($isLong) {
        $hasClock = !$allDay && !isMidnight($end);
        return "$from – " . ($hasClock ? momentOf($end, $texts) : dayOf($lastDay, $texts));
    }
    $until = $allDay || $seconds === 0 ? '' : '–' . clockOf($end, $texts);
    return $from . $until . ($allDay ? '' : alsoAt($event, $texts));
}

/** Midnight is the end of the day before it. */
function lastDayOf(string $end): string
{
    $day = substr($end, 0, 10);
    return isMidnight($end) ? (new DateTimeImmutable($day))->modify('-1 day')->format('Y-m-d') : $day;
}

/** By the clock of Norway, in which the calendar writes. */
function isMidnight(string $datetime): bool
{
    return substr($datetime, 11, 5) === '00:00';
}

/** The further times of the same day, such as `, også 22.00`. */
function alsoAt(array $event, array $texts): string
{
    $day = substr($event['startDate'], 0, 10);
    $starts = array_column($event['repetitions'] ?? [], 'startDate');
    $ofDay = array_filter($starts, fn (string $start): bool => substr($start, 0, 10) === $day);
    return implode('', array_map(fn (string $start): string => ", {$texts['also']} " . clockOf($start, $texts), $ofDay));
}

/** `fredag 20. november kl. 19.00`. */
function momentOf(string $datetime, array $texts): string
{
    $beforeClock = ($texts['language'] === 'en' ? ', ' : ' ') . $texts['clock'];
    return dayOf($datetime, $texts) . $beforeClock . clockOf($datetime, $texts);
}

/** `fredag 20. november`, with the year if it is not that of `$near`: today. The calendar writes datetimes in Norwegian time, so this day is Norway's. */
function dayOf(string $datetime, array $texts, ?string $near = null): string
{
    $day = new DateTimeImmutable(substr($datetime, 0, 10));
    $weekday = $texts['weekdays'][(int) $day->format('w')];
    $number = $day->format('j') . ($texts['language'] === 'en' ? '' : '.');
    $month = $texts['months'][(int) $day->format('n') - 1];
    $year = $day->format('Y') === substr($near ?? today(), 0, 4) ? '' : ' ' . $day->format('Y');
    return "$weekday $number $month$year";
}

/** The day in Norway, as the calendar writes it. */
function today(): string
{
    return (new DateTimeImmutable('@' . time()))->setTimezone(new DateTimeZone('Europe/Oslo'))->format('Y-m-d');
}

/** `19.00`; in English `19:00`. */
function clockOf(string $datetime, array $texts): string
{
    $clock = substr($datetime, 11, 5);
    return $texts['language'] === 'en' ? $clock : str_replace(':', '.', $clock);
}

/** The start for the `datetime` of a `<time>`. */
function machineTimeOf(array $event): string
{
    return $event['allDay'] ? substr($event['startDate'], 0, 10) : str_replace(' ', 'T', $event['startDate']);
}

/** From the lowest to the highest, such as `150–250 kr`; null if nothing is known. Free tickets are for companions or small children. */
function priceOf(array $event, array $texts): ?string
{
    if ($event['ticketsInformation'] === 'free') {
        return $texts['free'];
    }
    $paid = array_filter(array_column($event['occurrencePrices'] ?? $event['prices'] ?? [], 'price'));
    if ($event['ticketsInformation'] !== 'ticketsInfo' || $paid === []) {
        return null;
    }
    $separator = $texts['language'] === 'en' ? ',' : "\u{a0}";
    $ends = array_unique([min($paid), max($paid)]);
    return implode('–', array_map(fn (int $price): string => number_format($price, 0, ',', $separator), $ends)) . "\u{a0}kr";
}
