<?php

/** An event and its dates as texts and HTML, for lists and for pages of events. */

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

/** A cached list may be older than the end of an event. */
function isOn(array $event): bool
{
    $hasEnd = $event['endDate'] !== $event['startDate'];
    return strtotime($event['endDate']) + ($hasEnd ? 0 : OPEN_ENDED) > time();
}

/** `$shown`: the texts, and what the shortcode asks for. */
function itemOf(array $event, array $shown): string
{
    $isOff = in_array($event['status'], ['CANCELLED', 'POSTPONED'], true);
    $title = textIn($event, 'title', $shown['language']) ?? ['text' => '', 'lang' => $shown['language']];
    $summary = textIn($event, 'summary', $shown['language']);
    $place = placeOf($event, $shown);
    $price = priceOf($event, $shown);
    $states = array_map(
        fn (string $state): string => '<strong class="almanakk-state">' . esc_html($state) . '</strong>',
        statesOf($event, $shown),
    );
    $start = $event['allDay'] ? substr($event['startDate'], 0, 10) : str_replace(' ', 'T', $event['startDate']);
    $parts = [
        $shown['hasPictures'] ? pictureOf($event['images'][0] ?? null) : '',
        '<a class="almanakk-title" href="' . esc_url(pageOf($event, $shown)) . '"' . langOf($title, $shown) . '>' . esc_html($title['text']) . '</a>',
        '<time datetime="' . esc_attr($start) . '">' . esc_html(whenOf($event, $shown)) . '</time>',
        $place === '' ? '' : '<span class="almanakk-place">' . esc_html($place) . '</span>',
        $price === '' ? '' : '<span class="almanakk-price">' . esc_html($price) . '</span>',
        ...$states,
        $summary === null ? '' : '<p class="almanakk-summary"' . langOf($summary, $shown) . '>' . esc_html($summary['text']) . '</p>',
    ];
    $class = $isOff ? 'almanakk-event almanakk-off' : 'almanakk-event';
    return "<li class=\"$class\">" . implode(' ', array_filter($parts)) . '</li>';
}

/** The text in the list's language or else in the other one, with its language. Null if there is neither. */
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

function langOf(array $text, array $shown): string
{
    return $text['lang'] === $shown['language'] ? '' : ' lang="' . esc_attr($text['lang']) . '"';
}

/** The newspaper's own page, or else the calendar's page for this date, in the language of the list. Pages on other sites have no page per date. */
function pageOf(array $event, array $shown): string
{
    if ($shown['link'] !== '') {
        return strtr($shown['link'], [
            '{slug}' => rawurlencode($event['event_slug']),
            '{id}' => rawurlencode($event['id']),
            '{date}' => substr($event['startDate'], 0, 10),
        ]);
    }
    $page = $event['occurrenceLink'] ?? null;
    return $page === null ? $event['eventLink'] : $page . (str_contains($page, '?') ? '&' : '?') . 'lang=' . $shown['language'];
}

/**
 * If the calendar has copies of it, readers load one of these, in the width that they need. Otherwise, they load the original from the organizer's
 * server, which does not learn the page. Empty without a picture, and if only the organizer's server has it. `$isCover`: at the top of a page.
 */
function pictureOf(?array $image, bool $isCover = false): string
{
    $sources = sourcesOf($image, $isCover);
    if ($sources === '') {
        return '';
    }
    [$width, $height] = [$image['width'] ?? null, $image['height'] ?? null];
    $measures = $width && $height ? ' width="' . (int) $width . '" height="' . (int) $height . '"' : '';
    $alt = esc_attr($image['alt'] ?? '');
    $credits = trim($image['credits'] ?? '');
    $caption = $credits === '' ? '' : '<figcaption>' . esc_html($credits) . '</figcaption>';
    // Many themes limit only the pictures of WordPress's own library.
    $fitting = ' style="max-width:100%;height:auto"';
    $loading = $isCover ? '' : ' loading="lazy"';
    $picture = "<img $sources alt=\"$alt\"$measures$fitting$loading decoding=\"async\" referrerpolicy=\"no-referrer\">";
    return "<figure class=\"almanakk-picture\">$picture$caption</figure>";
}

function sourcesOf(?array $image, bool $isCover): string
{
    $copies = $image['copies'] ?? null;
    if ($copies === null) {
        $addresses = [$image[$isCover ? 'urlLarge' : 'urlSmall'] ?? '', $image['urlLarge'] ?? '', $image['urlSmall'] ?? ''];
        $address = esc_url(array_values(array_filter($addresses))[0] ?? '');
        return $address === '' ? '' : "src=\"$address\"";
    }
    if ($copies === []) {
        return '';
    }
    $candidates = array_map(fn (array $copy): string => esc_url($copy['url']) . ' ' . (int) $copy['width'] . 'w', $copies);
    // With its measures, newer browsers see how wide it is in the theme: in a column of 150 pixels, the narrowest copy instead of the widest.
    $isMeasured = ($image['width'] ?? null) && ($image['height'] ?? null) && !$isCover;
    $sizes = ($isMeasured ? 'auto, ' : '') . '(max-width: 40rem) 100vw, 40rem';
    return 'src="' . esc_url($copies[0]['url']) . '" srcset="' . implode(', ', $candidates) . "\" sizes=\"$sizes\"";
}

/** With the municipality, unless the name or the filter already gives it. */
function placeOf(array $event, array $shown): string
{
    $name = $event['venue']['name'] ?? '';
    $municipality = $event['venue']['municipality'] ?? '';
    if ($name === '') {
        return $event['mode'] === 'online' ? $shown['online'] : '';
    }
    $isNamed = !$shown['hasMunicipality'] || $municipality === '' || str_contains($name, $municipality);
    return $isNamed ? $name : "$name, $municipality";
}

/** Whether a visitor can come, and whether the date was moved. */
function statesOf(array $event, array $shown): array
{
    $state = match (true) {
        $event['status'] === 'CANCELLED' => $shown['cancelled'],
        $event['status'] === 'POSTPONED' => $shown['postponed'],
        $event['eventSoldOut'] => $shown['soldOut'],
        default => '',
    };
    return array_values(array_filter([$state, movedOf($event, $shown)]));
}

/** The old day or, if it is the same, the old time. The old start may be unknown. */
function movedOf(array $event, array $shown): string
{
    $previous = $event['previousStartDate'] ?? null;
    if ($previous === null) {
        return $event['status'] === 'RESCHEDULED' ? $shown['moved'] : '';
    }
    $isSameDay = substr($previous, 0, 10) === substr($event['startDate'], 0, 10);
    return $shown['movedFrom'] . ' ' . ($isSameDay ? $shown['clock'] . clockOf($previous, $shown) : dayOf($previous, $shown));
}

/** The start, and the end if there is one. For an event that began on an earlier day, the last day. */
function whenOf(array $event, array $shown): string
{
    ['startDate' => $start, 'endDate' => $end, 'allDay' => $allDay] = $event;
    $seconds = strtotime($end) - strtotime($start);
    // Midnight is the end of the day before it.
    $isAtMidnight = substr($end, 11, 5) === '00:00';
    $lastDay = $isAtMidnight ? (new DateTimeImmutable(substr($end, 0, 10)))->modify('-1 day')->format('Y-m-d') : substr($end, 0, 10);
    $isLong = $seconds > ($allDay ? 0 : HALF_A_DAY) && $lastDay !== substr($start, 0, 10);
    if ($isLong && substr($start, 0, 10) < today()) {
        return "{$shown['until']} " . dayOf($lastDay, $shown);
    }
    $before = ($shown['language'] === 'en' ? ', ' : ' ') . $shown['clock'];
    $from = ucfirst(dayOf($start, $shown)) . ($allDay ? '' : $before . clockOf($start, $shown));
    if ($isLong) {
        $until = dayOf($lastDay, $shown);
        return "$from – $until" . ($allDay || $isAtMidnight ? '' : $before . clockOf($end, $shown));
    }
    $clock = $allDay || $seconds === 0 ? '' : '–' . clockOf($end, $shown);
    $others = array_filter(
        array_column($event['repetitions'] ?? [], 'startDate'),
        fn (string $other): bool => !$allDay && substr($other, 0, 10) === substr($start, 0, 10),
    );
    $also = array_map(fn (string $other): string => ", {$shown['also']} " . clockOf($other, $shown), $others);
    return $from . $clock . implode('', $also);
}

/** `fredag 20. november`, with the year if it is another one. The calendar writes datetimes in Norwegian time, so this day is Norway's. */
function dayOf(string $datetime, array $shown): string
{
    $day = new DateTimeImmutable(substr($datetime, 0, 10));
    $year = $day->format('Y') === substr(today(), 0, 4) ? '' : ' ' . $day->format('Y');
    $number = $day->format('j') . ($shown['language'] === 'en' ? '' : '.');
    return "{$shown['weekdays'][(int) $day->format('w')]} $number {$shown['months'][(int) $day->format('n') - 1]}$year";
}

/** In Norway. */
function today(): string
{
    return (new DateTimeImmutable('@' . time()))->setTimezone(new DateTimeZone('Europe/Oslo'))->format('Y-m-d');
}

function clockOf(string $datetime, array $shown): string
{
    $clock = substr($datetime, 11, 5);
    return $shown['language'] === 'en' ? $clock : str_replace(':', '.', $clock);
}

/** From the lowest to the highest, such as `150–250 kr`; empty if nothing is known. Free tickets are for companions or small children. */
function priceOf(array $event, array $shown): string
{
    if ($event['ticketsInformation'] === 'free') {
        return $shown['free'];
    }
    $paid = array_filter(array_column($event['occurrencePrices'] ?? $event['prices'] ?? [], 'price'));
    if ($event['ticketsInformation'] !== 'ticketsInfo' || $paid === []) {
        return '';
    }
    $separator = $shown['language'] === 'en' ? ',' : "\u{a0}";
    $ends = array_unique([min($paid), max($paid)]);
    return implode('–', array_map(fn (int $price): string => number_format($price, 0, ',', $separator), $ends)) . "\u{a0}kr";
}
