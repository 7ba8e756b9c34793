<?php

/**
 * Event pages of a newspaper, rendered on its own server, so that search engines see the event. It needs PHP 8.2 or later, with
 * `allow_url_fopen`, which is on by default.
 * `CALENDAR=http://localhost:4000 php -S localhost:3000 event-page.php` shows them at http://localhost:3000/arrangement/SLUG.
 * On your web server, with or without WordPress, rewrite all addresses below /arrangement/ to this file. Set `CALENDAR` and `SITE` below, and
 * put your masthead into `frame`.
 * Titles in the embed lead here with link="https://avisen.example/arrangement/{slug}?dato={date}".
 * `event-page.mjs` shows the same pages in Node.
 */

declare(strict_types=1);

define('CALENDAR', getenv('CALENDAR') ?: 'http://localhost:4000');
define('SITE', getenv('SITE') ?: 'http://localhost:3000');

/** PHP waits at most this long for the connection, and then each time for more data. */
const SECONDS = 5;

const DATE_FIELDS = 'startDate startTime allDay status previousStartDate eventSoldOut ticketsURL venue { name address }';
const QUERY = 'query EventPage($slug: String!) {
  eventBySlug(eventSlug: $slug) {
    id event_slug title_nb title_en summary_nb desc_nb desc_en norwegian mode organizers { name } images { urlLarge alt credits }
    ticketsInformation prices { price } occurrencePrices { price }
    ' . DATE_FIELDS . ' repetitions(first: 20) { ' . DATE_FIELDS . ' occurrencePrices: prices { price } }
  }
}';

// Not every PHP has the extension `intl`, which knows these names.
const WEEKDAYS = ['søndag', 'mandag', 'tirsdag', 'onsdag', 'torsdag', 'fredag', 'lørdag'];
const MONTHS = [
    'januar', 'februar', 'mars', 'april', 'mai', 'juni', 'juli', 'august', 'september', 'oktober', 'november', 'desember',
];

// PHP only warns if it cannot connect, or if a field is missing. An exception leads to `unavailable` instead of half a page.
set_error_handler(
    fn (int $level, string $text, string $file, int $line) => throw new ErrorException($text, 0, $level, $file, $line),
    E_WARNING,
);

try {
    $answer = answerTo($_SERVER['REQUEST_URI']);
} catch (Throwable $error) {
    $answer = unavailable($error);
}
http_response_code($answer['status']);
// The newspaper's own cache may keep a page for a minute.
$common = ['Content-Type' => 'text/html; charset=utf-8', 'Cache-Control' => 'public, max-age=60'];
foreach ($answer['headers'] + $common as $name => $value) {
    header("$name: $value");
}
// PHP leaves out the body if the request is a HEAD.
echo $answer['body'];

/** The answer for an address of this site, such as `/arrangement/korkveld?dato=2026-11-20`. */
function answerTo(string $url): array
{
    $parts = explode('?', $url);
    $search = $parts[1] ?? '';
    $slug = preg_match('~^/arrangement/([A-Za-z0-9_-]+)\z~', $parts[0], $match) ? $match[1] : null;
    $event = $slug === null ? null : fetchEvent($slug);
    if ($event === null) {
        return missing($slug === null ? 404 : statusWithout($slug));
    }
    $address = SITE . '/arrangement/' . rawurlencode($event['event_slug']);
    // Nothing else of the request gets into the answer.
    $day = preg_match('~(?:^|&)dato=(\d{4}-\d\d-\d\d)(?:&|\z)~', $search, $match) ? $match[1] : null;
    // The event has been renamed, or the link is an old one.
    if ($event['event_slug'] !== $slug) {
        $location = $address . ($day === null ? '' : "?dato=$day");
        return ['status' => 301, 'headers' => ['Location' => $location], 'body' => ''];
    }
    $jsonLd = fetchJsonLd($event['id'], $address);
    return ['status' => 200, 'headers' => [], 'body' => pageOf($event, $address, $day, $jsonLd)];
}

/** Null if no upcoming event has or had this slug. */
function fetchEvent(string $slug): ?array
{
    $content = json_encode(['query' => QUERY, 'variables' => ['slug' => $slug]], JSON_THROW_ON_ERROR);
    $request = ['method' => 'POST', 'header' => 'Content-Type: application/json', 'content' => $content];
    $answer = json_decode(ask('/graphQL', $request)['body'], associative: true, flags: JSON_THROW_ON_ERROR);
    if (isset($answer['errors'])) {
        $reasonsOf = fn (array $error): array => $error['extensions']['reasons'] ?? [$error['message']];
        throw new RuntimeException(implode("\n", array_merge(...array_map($reasonsOf, $answer['errors']))));
    }
    return $answer['data']['eventBySlug'];
}

/** 410 if the event is over or was removed; 404 if there never was one. */
function statusWithout(string $slug): int
{
    $status = ask("/events/$slug.html", ['method' => 'HEAD'])['status'];
    if ($status !== 404 && $status !== 410) {
        throw new RuntimeException("expected 404 or 410 for $slug, found $status");
    }
    return $status;
}

/** Each date as schema.org describes it, with the address of this page. Texts cannot close the script element that it is put into. */
function fetchJsonLd(string $id, string $url): string
{
    $json = ask('/events.jsonld?lang=nb&event=' . rawurlencode($id))['body'];
    // Objects stay objects: in an array, PHP would write an empty one as `[]`.
    $list = json_decode($json, flags: JSON_THROW_ON_ERROR);
    foreach ($list->{'@graph'} as $event) {
        $event->url = $url;
    }
    $written = json_encode($list, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR);
    return str_replace('<', '\u003c', $written);
}

/** The calendar's answer: its `status` and its `body`. */
function ask(string $path, array $options = []): array
{
    // Answers to refused queries have a body too: it says why.
    $http = $options + ['timeout' => SECONDS, 'ignore_errors' => true];
    $stream = fopen(CALENDAR . $path, 'r', false, stream_context_create(['http' => $http]));
    $body = stream_get_contents($stream);
    ['timed_out' => $isCut, 'wrapper_data' => $headers] = stream_get_meta_data($stream);
    if ($isCut) {
        throw new RuntimeException("expected all of $path, found no more data within " . SECONDS . ' seconds');
    }
    // After a redirect, the headers of both answers are here.
    $statusLines = preg_grep('~^HTTP/\S+ \d{3}~', $headers);
    return ['status' => (int) explode(' ', end($statusLines))[1], 'body' => $body];
}

function pageOf(array $event, string $address, ?string $day, string $jsonLd): string
{
    $title = htmlOf($event['title_nb'] ?? $event['title_en']);
    $summary = htmlOf($event['summary_nb'] ?? $event['title_nb'] ?? $event['title_en']);
    $canonical = htmlOf($address);
    $image = $event['images'][0] ?? null;
    $hasPicture = !empty($image['urlLarge']);
    $ogImage = $hasPicture ? '<meta property="og:image" content="' . htmlOf($image['urlLarge']) . '">' : '';
    $head = <<<HTML
        <link rel="canonical" href="$canonical">
        <meta name="description" content="$summary">
        <meta property="og:title" content="$title">
        <meta property="og:url" content="$canonical">
        $ogImage
        <script type="application/ld+json">$jsonLd</script>
        HTML;
    $picture = $hasPicture ? pictureOf($image) : '';
    $language = empty($event['desc_nb']) ? 'en' : $event['norwegian'];
    // Descriptions are sanitised HTML; everything else is text.
    $description = $event['desc_nb'] ?? $event['desc_en'] ?? '';
    $items = array_map(fn (array $date) => dateOf($date, $event, $day), [$event, ...$event['repetitions']]);
    $dates = implode('', $items);
    $names = htmlOf(implode(', ', array_column($event['organizers'], 'name')));
    $organizers = $names === '' ? '' : "<h2>Arrangør</h2><p>$names</p>";
    $content = <<<HTML
        <h1>$title</h1>
        $picture
        <div lang="$language">$description</div>
        <h2>Tid og sted</h2>
        <ul>$dates</ul>
        $organizers
        HTML;
    return frame($title, $head, $content);
}

function pictureOf(array $image): string
{
    $caption = empty($image['credits']) ? '' : '<figcaption>' . htmlOf($image['credits']) . '</figcaption>';
    $address = htmlOf($image['urlLarge']);
    $description = htmlOf($image['alt']);
    return "<figure><img src=\"$address\" alt=\"$description\" referrerpolicy=\"no-referrer\">$caption</figure>";
}

/** One date in Norwegian time, wherever this server is. `$day`: that of the link which led here. */
function dateOf(array $date, array $event, ?string $day): string
{
    $current = substr($date['startDate'], 0, 10) === $day ? ' aria-current="date"' : '';
    $start = htmlOf(str_replace(' ', 'T', $date['startDate']));
    $when = htmlOf(whenOf($date['startDate'], $date['allDay'] ? '' : $date['startTime']));
    $warning = warningOf($date);
    $states = array_filter([$warning, movedOf($date)]);
    $notes = array_map(fn (string $state) => '<strong>' . htmlOf($state) . '</strong>', $states);
    if (!empty($date['ticketsURL']) && $warning === '') {
        $notes[] = '<a href="' . htmlOf($date['ticketsURL']) . '">Billetter</a>';
    }
    $marks = implode(' ', $notes);
    $venue = $date['venue'];
    $place = implode(', ', array_filter([$venue['name'] ?? '', $venue['address'] ?? '']));
    if ($place === '' && $event['mode'] === 'online') {
        $place = 'Digitalt';
    }
    $facts = htmlOf(implode(' · ', array_filter([$place, pricesOf($date, $event)])));
    return <<<HTML
        <li$current><time datetime="$start">$when</time>
        $marks
        <br><small>$facts</small></li>
        HTML;
}

/** `fredag 20. november 2026 kl. 19.00`, of `2026-11-20 19:00:00+01:00` and `19:00`; without a time if `$time` is empty. */
function whenOf(string $datetime, string $time): string
{
    // The calendar writes datetimes in Norwegian time, so this day is Norway's.
    $day = new DateTimeImmutable(substr($datetime, 0, 10));
    $weekday = WEEKDAYS[(int) $day->format('w')];
    $month = MONTHS[(int) $day->format('n') - 1];
    $clock = $time === '' ? '' : ' kl. ' . str_replace(':', '.', $time);
    return "$weekday {$day->format('j')}. $month {$day->format('Y')}$clock";
}

/** Why a visitor cannot come. Such a date gets no link to tickets. */
function warningOf(array $date): string
{
    return match ($date['status']) {
        'CANCELLED' => 'Avlyst',
        'POSTPONED' => 'Utsatt',
        default => $date['eventSoldOut'] ? 'Utsolgt' : '',
    };
}

/** A date that was moved takes place. Its old start may be unknown. */
function movedOf(array $date): string
{
    if ($date['status'] !== 'RESCHEDULED') {
        return '';
    }
    $previous = $date['previousStartDate'];
    if ($previous === null) {
        return 'Flyttet';
    }
    return 'Flyttet fra ' . whenOf($previous, $date['allDay'] ? '' : substr($previous, 11, 5));
}

/** `Gratis`, or prices from the lowest to the highest, such as `150–250 kr`; empty if nothing is known. */
function pricesOf(array $date, array $event): string
{
    if ($event['ticketsInformation'] === 'free') {
        return 'Gratis';
    }
    if ($event['ticketsInformation'] !== 'ticketsInfo') {
        return '';
    }
    // An unknown price is null. Free tickets are for companions or small children.
    $paid = array_filter(array_column($date['occurrencePrices'] ?? $event['prices'], 'price'));
    if ($paid === []) {
        return '';
    }
    $ends = array_unique([min($paid), max($paid)]);
    // As Norwegians write it: a blank that does not break between thousands.
    $written = array_map(fn (int $price) => number_format($price, 0, ',', "\u{a0}"), $ends);
    return implode('–', $written) . "\u{a0}kr";
}

function missing(int $status): array
{
    $text = $status === 410 ? 'Arrangementet er over eller fjernet.' : 'Vi fant ikke arrangementet.';
    $body = frame($text, '', "<h1>$text</h1><p><a href=\"/\">Til forsiden</a></p>");
    return ['status' => $status, 'headers' => [], 'body' => $body];
}

function unavailable(Throwable $error): array
{
    error_log((string) $error);
    $text = 'Arrangementet kan ikke vises nå. Prøv igjen om litt.';
    $headers = ['Retry-After' => '60', 'Cache-Control' => 'no-store'];
    return ['status' => 503, 'headers' => $headers, 'body' => frame($text, '', "<h1>$text</h1>")];
}

/** The newspaper's own page, with its masthead and its stylesheet. */
function frame(string $title, string $head, string $content): string
{
    return <<<HTML
        <!doctype html>
        <html lang="nb">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>$title – Lillevik avis</title>
        $head
        <style>
        body { margin: 0 auto; max-width: 42rem; padding: 1.5rem 1rem; font: 1.0625rem/1.6 Georgia, serif; overflow-wrap: anywhere; }
        img { display: block; width: 100%; height: auto; }
        figure { margin: 0; }
        [aria-current] { font-weight: bold; }
        </style>
        </head>
        <body><main>$content</main></body>
        </html>

        HTML;
}

/** Text as HTML, in elements and in attributes. */
function htmlOf(?string $text): string
{
    return htmlspecialchars($text ?? '', ENT_QUOTES, 'UTF-8');
}
