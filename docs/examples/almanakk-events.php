<?php

/**
 * Plugin Name: almanakk events
 * Description: Lists events of an almanakk calendar with the shortcode [almanakk], in the page itself, so that search engines see them.
 * Version: 2.0.0
 * Requires at least: 6.0
 * Requires PHP: 8.1
 * License: MIT
 * Update URI: false
 *
 * Install: copy this file to wp-content/plugins, write the address of the calendar into wp-config.php, and activate the plugin. In
 * wp-content/mu-plugins, it is active at once. Update: replace the file. The list of plugins shows its version; WordPress never replaces it.
 *
 *     define('ALMANAKK_URL', 'https://kalender.example');
 *     // Optional: your own event pages, your own calendar page, and an application key of the calendar.
 *     define('ALMANAKK_LINK', 'https://avisen.example/arrangement/{slug}?dato={date}');
 *     define('ALMANAKK_HOME', 'https://avisen.example/kalender');
 *     define('ALMANAKK_KEY', '…');
 *
 * Use: write [almanakk kommune="Lillevik" kategori="MUSIC" periode="WEEKEND" antall="5" bilder] in a page, or in the block "Shortcode". Every
 * value can be left out. The names are those of the embed's attributes, in any case, and these Norwegian ones: kommune, kategori, stikkord, sok,
 * sted, arrangor, periode, gratis, alder, antall, overskrift, bilder, sprak, lenke, hjem. Lists have commas between their values, `ids` blanks.
 * Editors who are logged in see what is wrong with a shortcode; others never do.
 *
 * A shortcode cannot set the calendar's address: otherwise, anyone who can write one could make this server fetch any URL. The language is that
 * of the site: Bokmål, Nynorsk or English. The markup has classes and no style of its own.
 */

declare(strict_types=1);

namespace Almanakk;

use DateTimeImmutable;
use DateTimeZone;

if (!defined('ABSPATH')) {
    exit;
}

/** How long a list is cached, and how long at most it is kept while the calendar is down, in seconds. */
const FRESH = 60;
const KEPT = 86_400;
/** Seconds to wait for the calendar, and to leave it alone after it did not answer: a page may have many lists. */
const TIMEOUT = 5;
const PAUSE = 30;
const MOST = 100;
const MOST_BYTES = 4_000_000;
/** Seconds. An event that ends in the small hours is one evening; without an end, an event is on for three hours. */
const HALF_A_DAY = 12 * 3600;
const OPEN_ENDED = 3 * 3600;

/** Each field of the filter by its kind, as in the embed. */
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
const OTHERS = ['limit' => 'number', 'lang' => 'text', 'heading' => 'text', 'pictures' => 'flag', 'link' => 'text', 'home' => 'text'];
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
    'sprak' => 'lang',
    'lenke' => 'link',
    'hjem' => 'home',
];

const QUERY = 'query WordPress($filter: Filter, $count: Int) {
  events(filter: $filter, pageSize: $count) {
    data {
      id event_slug eventLink occurrenceLink title_nb title_en summary_nb summary_en norwegian mode
      startDate endDate allDay status previousStartDate eventSoldOut
      venue { name municipality } images { urlSmall urlLarge alt credits width height }
      ticketsInformation prices { price } occurrencePrices { price } repetitions(first: 20) { startDate }
    }
  }
}';

const TEXTS = [
    'nb' => [
        'weekdays' => ['søndag', 'mandag', 'tirsdag', 'onsdag', 'torsdag', 'fredag', 'lørdag'],
        'months' => ['januar', 'februar', 'mars', 'april', 'mai', 'juni', 'juli', 'august', 'september', 'oktober', 'november', 'desember'],
        'none' => 'Ingen arrangementer nå.',
        'away' => 'Kalenderen svarer ikke nå.',
        'cancelled' => 'Avlyst',
        'postponed' => 'Utsatt',
        'soldOut' => 'Utsolgt',
        'moved' => 'Flyttet',
        'movedFrom' => 'Flyttet fra',
        'clock' => 'kl. ',
        'until' => 'Til og med',
        'also' => 'også',
        'online' => 'På nett',
        'free' => 'Gratis',
        'all' => 'Hele kalenderen',
        'forEditors' => 'Bare redaktører ser dette:',
    ],
    'nn' => [
        'weekdays' => ['søndag', 'måndag', 'tysdag', 'onsdag', 'torsdag', 'fredag', 'laurdag'],
        'none' => 'Ingen arrangement no.',
        'away' => 'Kalenderen svarar ikkje no.',
        'postponed' => 'Utsett',
        'soldOut' => 'Utselt',
        'moved' => 'Flytta',
        'movedFrom' => 'Flytta frå',
        'all' => 'Heile kalenderen',
        'forEditors' => 'Berre redaktørar ser dette:',
    ],
    'en' => [
        'weekdays' => ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
        'months' => ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'],
        'none' => 'No events at the moment.',
        'away' => 'The calendar is not responding.',
        'cancelled' => 'Cancelled',
        'postponed' => 'Postponed',
        'soldOut' => 'Sold out',
        'moved' => 'Moved',
        'movedFrom' => 'Moved from',
        'clock' => '',
        'until' => 'Until',
        'also' => 'also',
        'online' => 'Online',
        'free' => 'Free',
        'all' => 'The whole calendar',
        'forEditors' => 'Only editors see this:',
    ],
];

add_shortcode('almanakk', __NAMESPACE__ . '\show');

/** WordPress passes a text instead of an array for a shortcode without values. */
function show(array|string $written): string
{
    ['filter' => $filter, 'others' => $others, 'problems' => $problems] = read(is_array($written) ? $written : []);
    $language = languageOf($others['lang'] ?? get_locale());
    // Nynorsk has the other words of Bokmål.
    $texts = ['language' => $language] + TEXTS[$language] + TEXTS['nb'];
    $content = content($filter, $others, $texts, $problems);
    $notices = '';
    foreach (current_user_can('edit_posts') ? $problems : [] as $problem) {
        $notices .= '<p class="almanakk-problem">' . esc_html("{$texts['forEditors']} $problem") . '</p>';
    }
    $heading = trim($others['heading'] ?? '');
    if ($heading === '') {
        return '<div class="almanakk" lang="' . $language . '">' . $content . $notices . '</div>';
    }
    $id = wp_unique_id('almanakk-');
    $label = "<h2 class=\"almanakk-heading\" id=\"$id\">" . esc_html($heading) . '</h2>';
    return "<section class=\"almanakk\" lang=\"$language\" aria-labelledby=\"$id\">$label$content$notices</section>";
}

/** `nn_NO` is Nynorsk, and English has many countries. Other languages get Bokmål. */
function languageOf(string $locale): string
{
    $language = strtolower(substr($locale, 0, 2));
    return isset(TEXTS[$language]) ? $language : 'nb';
}

/** The values of a shortcode: those of the filter, the others, and what is wrong with them. */
function read(array $written): array
{
    $kinds = FIELDS + OTHERS;
    $names = array_combine(array_map('strtolower', array_keys($kinds)), array_keys($kinds)) + NORWEGIAN;
    $found = ['filter' => [], 'others' => [], 'problems' => []];
    foreach ($written as $key => $value) {
        // A word without a value has a number for its name.
        [$given, $text] = is_int($key) ? [$value, 'true'] : [$key, trim($value)];
        $name = $names[strtolower($given)] ?? null;
        if ($name === null) {
            $found['problems'][] = "expected a name such as kommune or categories, found \"$given\"";
            continue;
        }
        $read = valueOf($text, $kinds[$name]);
        if ($text !== '' && $read === null) {
            $found['problems'][] = "$given: expected " . expectedOf($kinds[$name]) . ", found \"$text\"";
        } elseif ($text !== '') {
            $found[isset(FIELDS[$name]) ? 'filter' : 'others'][$name] = $name === 'period' ? strtoupper($read) : $read;
        }
    }
    return $found;
}

/** Null for a value that cannot be read. */
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

function expectedOf(string|array $kind): string
{
    if (is_array($kind)) {
        return implode(',', $kind);
    }
    return $kind === 'flag' ? 'true or false' : 'a whole number';
}

/** The list, or a sentence in its place. Adds to `$problems`. */
function content(array $filter, array $others, array $texts, array &$problems): string
{
    if (!defined('ALMANAKK_URL')) {
        $problems[] = 'expected ALMANAKK_URL in wp-config.php, found none';
        error_log('almanakk: ' . end($problems));
        return '';
    }
    $count = max(1, min(MOST, $others['limit'] ?? 10));
    ['events' => $list, 'problem' => $problem] = listOf($filter, $count);
    if ($problem !== null) {
        $problems[] = $problem;
    }
    if ($list === null) {
        return '<p class="almanakk-away">' . esc_html($texts['away']) . '</p>';
    }
    $events = array_filter($list, __NAMESPACE__ . '\isOn');
    if ($events === []) {
        return '<p class="almanakk-none">' . esc_html($texts['none']) . '</p>';
    }
    $link = $others['link'] ?? (defined('ALMANAKK_LINK') ? \ALMANAKK_LINK : '');
    if ($link !== '' && !preg_match('~^(https?:/)?/.*\{(slug|id)\}~', $link)) {
        $problems[] = "link: expected an address with {slug} or {id}, found \"$link\"";
        $link = '';
    }
    $shown = $texts + [
        'link' => $link,
        'hasPictures' => $others['pictures'] ?? false,
        'hasMunicipality' => !isset($filter['municipality']) && count($filter['municipalities'] ?? []) !== 1,
    ];
    $items = array_map(fn (array $event): string => itemOf($event, $shown), $events);
    $home = $others['home'] ?? addressOfAll($filter, $texts['language']);
    $all = '<a href="' . esc_url($home) . '">' . esc_html($texts['all']) . '</a>';
    return '<ul class="almanakk-events">' . implode('', $items) . '</ul><p class="almanakk-all">' . $all . '</p>';
}

/** The calendar's own list with the same filter, unless a page of the site takes its place. */
function addressOfAll(array $filter, string $language): string
{
    if (defined('ALMANAKK_HOME')) {
        return \ALMANAKK_HOME;
    }
    $pairs = [];
    foreach ($filter as $name => $value) {
        // `near` is one value, and a list is several.
        $values = is_array(FIELDS[$name]) ? [implode(',', $value)] : (array) $value;
        foreach ($values as $one) {
            $text = is_bool($one) ? ($one ? 'true' : 'false') : (string) $one;
            $pairs[] = rawurlencode($name) . '=' . rawurlencode($text);
        }
    }
    $pairs[] = 'lang=' . $language;
    return rtrim(\ALMANAKK_URL, '/') . '/events.html?' . implode('&', $pairs);
}

/**
 * The events from the cache, or else from the calendar. If that does not answer, the older events are used for a day, and the calendar is asked again
 * after a while; null without such events. While one page view waits for the calendar, others use the older events. `problem`: of the last request.
 */
function listOf(array $filter, int $count): array
{
    $variables = ['filter' => (object) $filter, 'count' => $count];
    $key = 'almanakk_' . md5(\ALMANAKK_URL . QUERY . wp_json_encode($variables));
    $now = time();
    $known = get_transient($key);
    if (!is_array($known)) {
        $known = ['asked' => 0, 'answered' => 0, 'events' => null, 'problem' => null];
    }
    if ($now - $known['asked'] >= FRESH && get_transient('almanakk_pause') === false) {
        set_transient($key, ['asked' => $now] + $known, KEPT);
        ['events' => $events, 'problem' => $problem] = fetch($variables);
        $known = ['asked' => $now, 'problem' => $problem] + $known;
        if ($events !== null) {
            $known = ['answered' => $now, 'events' => $events] + $known;
        } else {
            error_log("almanakk: $problem");
        }
        set_transient($key, $known, KEPT);
    }
    return $now - $known['answered'] < KEPT ? $known : ['events' => null] + $known;
}

/** The events, or the problem if the calendar does not answer as expected. */
function fetch(array $variables): array
{
    $address = rtrim(\ALMANAKK_URL, '/') . '/graphQL';
    $reply = wp_remote_post($address, [
        'timeout' => TIMEOUT,
        'limit_response_size' => MOST_BYTES,
        'headers' => ['Content-Type' => 'application/json'] + (defined('ALMANAKK_KEY') ? ['X-Api-Key' => \ALMANAKK_KEY] : []),
        'body' => wp_json_encode(['query' => QUERY, 'variables' => $variables]),
    ]);
    $isAnswered = !is_wp_error($reply);
    $status = $isAnswered ? (int) wp_remote_retrieve_response_code($reply) : 0;
    // A list that the calendar refuses says nothing about other lists.
    if (!$isAnswered || $status >= 500) {
        set_transient('almanakk_pause', 1, PAUSE);
    }
    if (!$isAnswered) {
        return ['events' => null, 'problem' => "$address: " . $reply->get_error_message()];
    }
    $answer = json_decode(wp_remote_retrieve_body($reply), true);
    $events = $answer['data']['events']['data'] ?? null;
    if (is_array($events)) {
        return ['events' => $events, 'problem' => null];
    }
    $error = $answer['errors'][0] ?? [];
    $reasons = $error['extensions']['reasons'] ?? [$error['message'] ?? 'no JSON with events'];
    return ['events' => null, 'problem' => "$address: expected events, found HTTP $status: " . implode('; ', $reasons)];
}

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

/** In Norwegian or English, as the list is, or else in the other one, with the language that it is in. Null without either. */
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

/** The newspaper's own page, or else the calendar's page of this date, in the language of the list. A page of another site has none of its own. */
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

/** The reader's browser loads it from the organizer's server, which does not learn the page. Empty without a picture. */
function pictureOf(?array $image): string
{
    $address = esc_url(($image['urlSmall'] ?? '') ?: ($image['urlLarge'] ?? ''));
    if ($address === '') {
        return '';
    }
    [$width, $height] = [$image['width'] ?? null, $image['height'] ?? null];
    $size = $width && $height ? ' width="' . (int) $width . '" height="' . (int) $height . '"' : '';
    $alt = esc_attr($image['alt'] ?? '');
    $credits = trim($image['credits'] ?? '');
    $caption = $credits === '' ? '' : '<figcaption>' . esc_html($credits) . '</figcaption>';
    $picture = "<img src=\"$address\" alt=\"$alt\"$size loading=\"lazy\" decoding=\"async\" referrerpolicy=\"no-referrer\">";
    return "<figure class=\"almanakk-picture\">$picture$caption</figure>";
}

/** With the municipality, unless the name or the filter says it. */
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

/** The start, and the end if there is one; of an event that began on an earlier day, the last day. */
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
