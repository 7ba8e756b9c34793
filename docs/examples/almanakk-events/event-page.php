<?php

/** The content of the page of events: an event with its dates, or a sentence in its place. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

const DAY_PATTERN = '~^\d{4}-\d\d-\d\d$~D';

/** The shortcode [almanakk_arrangement]. */
function showEvent(): string
{
    if (!defined('ALMANAKK_URL')) {
        return (string) noticesOf([problem('noAddress')]);
    }
    $texts = textsIn(get_locale());
    $found = Request::$opened ?? eventGiven();
    ['municipalities' => $municipalities, 'others' => $own] = defaults();
    $filter = $municipalities === [] ? [] : ['municipalities' => $municipalities];
    $all = linkToAll($own['home'] ?? addressOfAll($filter, $texts['language']), $texts);
    $content = $found['event'] === null ? withoutEvent($found, $texts) : withoutShortcodes(eventHtml($found['event'], $texts));
    return element('div', ['class' => 'almanakk', 'lang' => $texts['language']], $content, $all);
}

/** In place of an event: the reason, below the title of an event that is over. */
function withoutEvent(array $found, array $texts): string
{
    ['status' => $status, 'over' => $over] = $found;
    $gone = $over === null ? $texts['gone'] : "{$texts['ended']}.";
    $sentence = [200 => $texts['choose'], 404 => $texts['missing'], 410 => $gone, 503 => $texts['away']][$status];
    $title = $over === null ? null : textIn($over, 'title', $texts['language']);
    $heading = $title === null ? null : element('h2', ['lang' => langOf($title, $texts)], withoutShortcodes(esc_html($title['text'])));
    return $heading . element('p', [], esc_html($sentence));
}

/** The date that the address names, or else the next one, and then the others. */
function eventHtml(array $event, array $texts): string
{
    $dates = datesOf($event);
    $day = given(DATE_PARAMETER, DAY_PATTERN);
    $days = array_map(fn (array $date): string => substr($date['startDate'], 0, 10), $dates);
    $index = array_search($day, $days, true);
    $isMissed = $day !== null && $index === false;
    $hasPicture = !defined('ALMANAKK_EVENT_PICTURES') || \ALMANAKK_EVENT_PICTURES;
    return implode('', [
        $isMissed ? element('p', ['class' => 'almanakk-note'], esc_html($texts['otherDate'])) : null,
        element('p', ['class' => 'almanakk-date'], dateHtml($dates[(int) $index], $texts)),
        $hasPicture ? pictureOf($event['images'][0] ?? null, true) : null,
        descriptionOf($event, $texts),
        organizersOf($event, $texts),
        otherDates(array_diff_key($dates, [(int) $index => true]), $texts),
    ]);
}

/** The event on each of its dates, the next one first. */
function datesOf(array $event): array
{
    $next = ['repetitions' => []] + $event;
    return [$next, ...array_map(fn (array $repetition): array => $repetition + $next, $event['repetitions'])];
}

/** The calendar sends it as safe HTML. WordPress's own list of elements is a second lock. */
function descriptionOf(array $event, array $texts): ?string
{
    $description = textIn($event, 'desc', $texts['language']);
    if ($description === null) {
        return null;
    }
    return element('div', ['class' => 'almanakk-description', 'lang' => langOf($description, $texts)], wp_kses_post($description['text']));
}

/** Null if the calendar names none. */
function organizersOf(array $event, array $texts): ?string
{
    $names = joined(array_column($event['organizers'] ?? [], 'name'), ', ');
    return $names === null ? null : element('p', ['class' => 'almanakk-organizer'], esc_html("{$texts['organizer']} $names"));
}

/** Null if the event has only one date. */
function otherDates(array $dates, array $texts): ?string
{
    if ($dates === []) {
        return null;
    }
    $items = array_map(fn (array $date): string => element('li', [], dateHtml($date, $texts)), $dates);
    return element('h2', [], esc_html($texts['dates'])) . element('ul', ['class' => 'almanakk-dates'], ...$items);
}

/** One date: the time, its state if it is unusual, the place, the price, and where to buy tickets. */
function dateHtml(array $date, array $texts): string
{
    $states = [...statesOf($date, $texts), ...(isOn($date) ? [] : [$texts['ended']])];
    $address = textOrNull($date['venue']['address'] ?? null);
    // An address has its town.
    $place = placeOf($date, $texts, $address === null);
    return joined([
        element('time', ['datetime' => machineTimeOf($date)], esc_html(whenOf($date, $texts))),
        ...array_map(stateElement(...), $states),
        partOf('place', joined([$place, $address], ', ')),
        partOf('price', priceOf($date, $texts)),
        ticketsOf($date, $texts),
    ], '<br>');
}

/** Where to buy tickets; null if there are none. */
function ticketsOf(array $date, array $texts): ?string
{
    $shop = textOrNull($date['ticketsURL'] ?? null);
    $hasTickets = isOn($date) && !isOff($date) && !$date['eventSoldOut'];
    return $shop !== null && $hasTickets ? element('a', ['class' => 'almanakk-tickets', 'href' => $shop], esc_html($texts['tickets'])) : null;
}
