<?php

/**
 * A newspaper's own pages for events, rendered on its own server, so that search engines see them:
 * - /arrangementer lists events by municipality and category
 * - /arrangement/SLUG shows one event
 * - /sitemap-arrangementer.xml has the addresses of both for search engines
 * It needs PHP 8.2 or later, with the extension `curl`, or with `allow_url_fopen`, which is on by default.
 * `CALENDAR=http://localhost:4000 php -S localhost:3000 event-page.php` shows them at http://localhost:3000/arrangementer. `TOWNS=Lillevik,Storvik`
 * limits the list to the newspaper's own municipalities. On your web server, with or without WordPress, rewrite these addresses to this file. Set
 * `CALENDAR`, `SITE`, `NEWSPAPER`, `LANGUAGE` and `TOWNS` below, and put your masthead into `frame`. If the calendar does not respond, pages that
 * were shown before stay for a day. `HIDDEN`, or a line in the file that `HIDDEN_FILE` names, takes an event down at once, even then.
 * Set "eventPages": "https://avisen.example/arrangement/{slug}" in the calendar's licence.json: these pages are then the canonical ones, and all
 * links lead here. `event-page.mjs` shows the same pages in Node.
 */

declare(strict_types=1);

define('CALENDAR', getenv('CALENDAR') ?: 'http://localhost:4000');
define('SITE', getenv('SITE') ?: 'http://localhost:3000');
// `nn` for pages in Nynorsk.
define('LANGUAGE', getenv('WRITTEN_NORWEGIAN') ?: 'nb');
define('NEWSPAPER', getenv('NEWSPAPER') ?: 'Lillevik avis');
define('TOWNS', listIn('TOWNS'));
// Events to hide: their addresses, slugs or ids, with commas or blanks between them.
define('HIDDEN', preg_split('/[\s,]+/', getenv('HIDDEN') ?: ''));
// A file with more events to hide, one on each line. It is read for each page view, so you need not reload the server.
define('HIDDEN_FILE', getenv('HIDDEN_FILE') ?: '');
// The address of such a file for all sites of a group. It must not be on the calendar's machine.
define('HIDDEN_URL', getenv('ALMANAKK_HIDDEN_URL') ?: '');
// Only PHP's user may have write access to this folder: descriptions in it become HTML.
define('CACHE', getenv('CACHE_FOLDER') ?: sys_get_temp_dir() . '/almanakk-' . md5(__FILE__));

/** Seconds to wait for the calendar: for all requests of a page together, and for all requests of the sitemap. */
const SECONDS = 5;
const SITEMAP_SECONDS = 30;
/** Seconds to wait for the list at `HIDDEN_URL`, at most once a minute, and its maximum size. */
const HIDDEN_SECONDS = 2;
const HIDDEN_MOST_BYTES = 65_536;
/** The first line of the list. Without it, an empty file, or an error page that a server sends with status 200, would show all events again. */
const HIDDEN_MARK = '# almanakk hidden events';
/** Seconds for which an answer is used again, normally and if the calendar does not respond. `PAUSE`: before the calendar is asked again then. */
const FRESH = 60;
const SITEMAP_FRESH = 3600;
const KEPT = 86_400;
const PAUSE = 30;
/** Events of a list, and dates of an event. */
const PER_PAGE = 20;
/** Seconds. An event that ends in the small hours is one evening. */
const HALF_A_DAY = 12 * 3600;

const DATE_FIELDS = 'startDate endDate startTime allDay status previousStartDate eventSoldOut ticketsURL
    venue { name address }';
const EVENT_FIELDS = 'id event_slug eventLink title_nb title_en mode ticketsInformation prices { price }
    occurrencePrices { price } ' . DATE_FIELDS;
const EVENT_QUERY = 'query EventPage($slug: String!) {
  eventBySlug(eventSlug: $slug) {
    ' . EVENT_FIELDS . ' summary_nb desc_nb desc_en norwegian organizers { name }
    images { urlLarge copies { url width } alt credits width height }
    repetitions { ' . DATE_FIELDS . ' occurrencePrices: prices { price } }
  }
}';
const LIST_QUERY = 'query EventList($filter: Filter, $own: Filter, $page: Int) {
  events(filter: $filter, page: $page, pageSize: ' . PER_PAGE . ') {
    totalCount pageInfo { totalPages } data { ' . EVENT_FIELDS . ' }
  }
  all: events(filter: $own, pageSize: 1) { municipalities { name } }
  categories { id name_nb name_nn visible }
}';
const SITEMAP_QUERY = 'query Sitemap($own: Filter, $page: Int) {
  events(filter: $own, page: $page, pageSize: 1000) { hasMore municipalities { name } data { id eventLink updated_at } }
}';

const TEXTS_BY_LANGUAGE = [
    // Not every PHP has the extension `intl`, which knows the names of weekdays.
    'nb' => [
        'weekdays' => ['søndag', 'mandag', 'tirsdag', 'onsdag', 'torsdag', 'fredag', 'lørdag'],
        'events' => 'arrangementer',
        'allEvents' => 'Alle arrangementer',
        'dates' => 'Tid og sted',
        'previous' => 'Forrige',
        'tickets' => 'Billetter',
        'postponed' => 'Utsatt',
        'soldOut' => 'Utsolgt',
        'moved' => 'Flyttet',
        'movedFrom' => 'Flyttet fra',
        'gone' => 'Arrangementet er over eller fjernet.',
        'missing' => 'Vi fant ikke siden.',
        'unavailable' => 'Arrangementene kan ikke vises nå. Prøv igjen om litt.',
    ],
    'nn' => [
        'weekdays' => ['søndag', 'måndag', 'tysdag', 'onsdag', 'torsdag', 'fredag', 'laurdag'],
        'events' => 'arrangement',
        'allEvents' => 'Alle arrangement',
        'dates' => 'Tid og stad',
        'previous' => 'Førre',
        'tickets' => 'Billettar',
        'postponed' => 'Utsett',
        'soldOut' => 'Utselt',
        'moved' => 'Flytta',
        'movedFrom' => 'Flytta frå',
        'gone' => 'Arrangementet er over eller fjerna.',
        'missing' => 'Vi fann ikkje sida.',
        'unavailable' => 'Arrangementa kan ikkje visast no. Prøv igjen om litt.',
    ],
];
define('TEXTS', TEXTS_BY_LANGUAGE[LANGUAGE]);
// Both languages have these names of months.
const MONTHS = [
    'januar', 'februar', 'mars', 'april', 'mai', 'juni', 'juli', 'august', 'september', 'oktober', 'november', 'desember',
];

// PHP only warns if it cannot connect, or if a field is missing. An exception leads to `unavailable` instead of half a page.
set_error_handler(
    fn (int $level, string $text, string $file, int $line) => throw new ErrorException($text, 0, $level, $file, $line),
    E_WARNING,
);

define('DEADLINE', microtime(true) + (str_starts_with($_SERVER['REQUEST_URI'], '/sitemap') ? SITEMAP_SECONDS : SECONDS));

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

/** The parts of a comma-separated setting. */
function listIn(string $name): array
{
    return array_values(array_filter(array_map('trim', explode(',', getenv($name) ?: ''))));
}

/** The answer for an address of this site, such as `/arrangement/korkveld?dato=2026-11-20`. */
function answerTo(string $url): array
{
    $parts = explode('?', $url);
    parse_str($parts[1] ?? '', $given);
    // `?side[]=2` is a list.
    $query = array_filter($given, 'is_string');
    // Before the calendar is asked, which may take all the time of this page view.
    isHidden();
    if (($query['almanakk_hidden'] ?? '') === 'copy') {
        return answerWithState();
    }
    if (preg_match('~^/arrangement/([A-Za-z0-9_-]+)\z~', $parts[0], $match)) {
        return answerWithEvent($match[1], $query);
    }
    return match ($parts[0]) {
        '/arrangementer' => answerWithList($query),
        '/sitemap-arrangementer.xml' => answerWithSitemap(),
        default => missing(404),
    };
}

/** The number of a page, from 1; 1 for anything else. */
function pageIn(array $query): int
{
    return preg_match('~^[1-9]\d{0,4}\z~', $query['side'] ?? '') ? (int) $query['side'] : 1;
}

function answerWithEvent(string $slug, array $query): array
{
    if (isHidden($slug)) {
        return missing(410);
    }
    $found = cached("event $slug", function () use ($slug): ?array {
        $event = fetchData(EVENT_QUERY, ['slug' => $slug])['eventBySlug'];
        return $event === null ? null : ['event' => $event, 'jsonLd' => fetchJsonLd($event['id'])];
    });
    if ($found === null) {
        return missing(statusWithout($slug));
    }
    ['event' => $event, 'jsonLd' => $jsonLd] = $found;
    if (isHidden($event['event_slug'], $event['id'])) {
        return missing(410);
    }
    // Nothing else of the request gets into the answer.
    $day = preg_match('~^\d{4}-\d\d-\d\d\z~', $query['dato'] ?? '') ? $query['dato'] : null;
    // The event has been renamed, or the link is an old one.
    if ($event['event_slug'] !== $slug) {
        $location = SITE . addressOf($event) . ($day === null ? '' : "?dato=$day");
        return ['status' => 301, 'headers' => ['Location' => $location], 'body' => ''];
    }
    $page = isset($query['side']) ? pageIn($query) : null;
    return ['status' => 200, 'headers' => [], 'body' => eventPage($event, $day, $jsonLd, $page)];
}

/** `$names`: the slug and the id of an event, as far as they are known. */
function isHidden(string ...$names): bool
{
    static $hidden = null;
    $hidden ??= array_fill_keys(hiddenNames(), true);
    return array_intersect_key($hidden, array_flip($names)) !== [];
}

function hiddenNames(): array
{
    return array_merge(...array_map(namesIn(...), [...HIDDEN, ...linesOfFile(), ...sharedList()['lines']]));
}

/**
 * The slugs and ids that a line names: by its addresses or, without one, by its first word. The rest is a remark, and so is a line that begins with
 * `#`. But some ids have blanks: the whole line may be one, too. Some contain an address, as in `avis:https://scene.example/korkveld`: that is none.
 */
function namesIn(string $line): array
{
    if (str_starts_with($line, '#')) {
        return [];
    }
    preg_match_all('~(?<![^\s(<"\'])https?://[^\s()<>"\']+~i', $line, $found);
    $named = array_map(nameInAddress(...), $found[0]) ?: [preg_split('/\s+/', $line)[0]];
    return array_diff([$line, ...$named], ['']);
}

/** The slug or the id in the address of an event's page, on any site; empty if there is none. */
function nameInAddress(string $address): string
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

/** If the file cannot be read, the lines that were read last apply. PHP's log has the reason. */
function linesOfFile(): array
{
    if (HIDDEN_FILE === '') {
        return [];
    }
    $known = readCache(HIDDEN_FILE) ?? ['at' => 0, 'lines' => []];
    try {
        $lines = linesIn(file_get_contents(HIDDEN_FILE));
    } catch (Throwable $error) {
        error_log("HIDDEN_FILE: {$error->getMessage()}");
        $lines = $known['lines'];
    }
    // The cache deletes what was written a day ago.
    if ($lines !== $known['lines'] || time() - $known['at'] > KEPT / 2) {
        writeCache(HIDDEN_FILE, ['at' => time(), 'lines' => $lines]);
    }
    return $lines;
}

/**
 * The list for all sites of a group: its last good copy (`lines`), and since when it could not be read, or 0. Each attempt writes the file with the
 * copy again, so the cache does not delete it as too old.
 */
function sharedList(): array
{
    $none = ['asked' => 0, 'since' => 0, 'lines' => []];
    if (HIDDEN_URL === '') {
        return $none;
    }
    $known = (readCache(HIDDEN_URL) ?? []) + $none;
    if (time() - $known['asked'] < FRESH) {
        return $known;
    }
    $known['asked'] = time();
    // While this page view waits for the list, others use the older one.
    writeCache(HIDDEN_URL, $known);
    try {
        $known = ['since' => 0, 'lines' => fetchSharedLines()] + $known;
    } catch (Throwable $error) {
        $known['since'] = $known['since'] ?: time();
        // Who knows the address can read what was taken down.
        error_log('ALMANAKK_HIDDEN_URL: ' . str_replace(HIDDEN_URL, 'the list', $error->getMessage()));
    }
    writeCache(HIDDEN_URL, $known);
    return $known;
}

/** For checks from outside: for how long the list of the group could not be read, or 0 if it was read within the last minute. */
function answerWithState(): array
{
    ['since' => $since] = sharedList();
    $state = ['list' => HIDDEN_URL === '' ? 'none' : 'copy', 'failingSeconds' => $since === 0 ? 0 : max(1, time() - $since)];
    return [
        'status' => 200,
        'headers' => ['Content-Type' => 'application/json', 'Cache-Control' => 'no-store'],
        'body' => json_encode($state),
    ];
}

function fetchSharedLines(): array
{
    if (!preg_match('~^(https://|http://(localhost|127\.0\.0\.1)[:/])~', HIDDEN_URL)) {
        throw new RuntimeException('expected an address that begins with https://, found another one');
    }
    $limits = ['deadline' => min(DEADLINE, microtime(true) + HIDDEN_SECONDS), 'limit' => HIDDEN_MOST_BYTES];
    ['status' => $status, 'body' => $text] = request(HIDDEN_URL, $limits);
    if ($status !== 200) {
        throw new RuntimeException('expected status 200 of ' . HIDDEN_URL . ", found $status");
    }
    if (strlen($text) > HIDDEN_MOST_BYTES) {
        throw new RuntimeException('expected at most ' . HIDDEN_MOST_BYTES . ' bytes of ' . HIDDEN_URL . ', found more');
    }
    $lines = linesIn($text);
    if ($lines[0] !== HIDDEN_MARK) {
        throw new RuntimeException('expected the first line ' . HIDDEN_MARK . ' of ' . HIDDEN_URL . ', found ' . substr($lines[0], 0, 60));
    }
    return $lines;
}

function linesIn(string $text): array
{
    // The cache has JSON, which takes no other encoding, such as that of a remark in Windows-1252. Slugs are ASCII.
    $readable = preg_match('//u', $text) === 1 ? $text : preg_replace('/[\x80-\xff]/', '?', $text);
    // Some editors begin a file with this mark. `\R` would also end a line within `Å`.
    return array_map('trim', preg_split('/\r\n?|\n/', str_replace("\u{FEFF}", '', $readable)));
}

/** Each date as schema.org describes it. No text in it can close the script element that it is put into. */
function fetchJsonLd(string $id): string
{
    ['status' => $status, 'body' => $body] = ask('/events.jsonld?lang=' . LANGUAGE . '&event=' . rawurlencode($id));
    if ($status !== 200) {
        throw new RuntimeException("expected the dates of $id, found status $status");
    }
    return $body;
}

/** An event's address on this site. */
function addressOf(array $event): string
{
    return '/arrangement/' . rawurlencode($event['event_slug']);
}

/** A category's name on these pages. */
function nameIn(array $category): string
{
    return LANGUAGE === 'nn' ? $category['name_nn'] ?? $category['name_nb'] : $category['name_nb'];
}

function answerWithList(array $query): array
{
    $town = ($query['kommune'] ?? '') ?: null;
    $category = ($query['kategori'] ?? '') ?: null;
    $page = pageIn($query);
    $name = LIST_QUERY . json_encode([$page, $town, $category, TOWNS]);
    $list = cached($name, fn (): ?array => fetchList($town, $category, $page));
    if ($list === null) {
        return missing(404);
    }
    ['events' => $events, 'chosen' => $chosen, 'pages' => $pages, 'towns' => $towns, 'choices' => $choices] = $list;
    $events['data'] = array_filter($events['data'], fn (array $event): bool => !isHidden($event['event_slug'], $event['id']));
    $body = listPage($events, $town, $chosen, $page, $pages, $towns, $choices);
    return ['status' => 200, 'headers' => [], 'body' => $body];
}

/** The events of a list, the chosen category, and what a reader can choose. Null if there is no such list. */
function fetchList(?string $town, ?string $category, int $page): ?array
{
    $own = ['municipalities' => TOWNS];
    $filter = ['municipalities' => $town ? [$town] : TOWNS, 'categories' => $category ? [$category] : []];
    $data = fetchData(LIST_QUERY, ['filter' => $filter, 'own' => $own, 'page' => $page - 1]);
    $towns = TOWNS ?: array_column($data['all']['municipalities'], 'name');
    $visible = array_values(array_filter($data['categories'], fn (array $one): bool => $one['visible']));
    $choices = array_map(fn (array $one): array => ['id' => $one['id'], 'name' => nameIn($one)], $visible);
    $chosen = array_column($choices, null, 'id')[$category ?? ''] ?? null;
    $pages = max(1, $data['events']['pageInfo']['totalPages']);
    // Search engines would otherwise find any number of addresses.
    if (($town && !in_array($town, $towns, true)) || ($category && !$chosen) || $page > $pages) {
        return null;
    }
    return ['events' => $data['events'], 'chosen' => $chosen, 'pages' => $pages, 'towns' => $towns, 'choices' => $choices];
}

/** A list's address on this site. */
function listAddress(?string $town, ?array $chosen = null, int $page = 1): string
{
    // Null is left out.
    $query = ['kommune' => $town, 'kategori' => $chosen['id'] ?? null, 'side' => $page > 1 ? $page : null];
    return rtrim('/arrangementer?' . http_build_query($query), '?');
}

/** The lists, and the events whose canonical pages are here: other newspapers of the calendar have their own. */
function answerWithSitemap(): array
{
    $entries = '';
    foreach (cached(SITEMAP_QUERY . json_encode(TOWNS), fetchAddresses(...), SITEMAP_FRESH) as [$address, $changed, $id]) {
        if (isHidden(basename($address), $id)) {
            continue;
        }
        $lastmod = $changed === null ? '' : '<lastmod>' . str_replace(' ', 'T', $changed) . '</lastmod>';
        $entries .= '<url><loc>' . htmlOf($address) . "</loc>$lastmod</url>\n";
    }
    $body = <<<XML
        <?xml version="1.0" encoding="UTF-8"?>
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        $entries</urlset>

        XML;
    return ['status' => 200, 'headers' => ['Content-Type' => 'application/xml; charset=utf-8'], 'body' => $body];
}

/** The addresses of the sitemap. Each has the moment of its last change, or null, and the id of its event, if it has one. */
function fetchAddresses(): array
{
    $addresses = [];
    $towns = TOWNS;
    $page = 0;
    // A sitemap has at most 50,000 addresses.
    do {
        $events = fetchData(SITEMAP_QUERY, ['own' => ['municipalities' => TOWNS], 'page' => $page])['events'];
        $towns = $towns ?: array_column($events['municipalities'], 'name');
        foreach ($events['data'] as $event) {
            if (str_starts_with($event['eventLink'], SITE . '/arrangement/')) {
                $addresses[] = [$event['eventLink'], $event['updated_at'], $event['id']];
            }
        }
        $page++;
    } while ($events['hasMore'] && $page < 50);
    $lists = array_map(fn (?string $town): array => [SITE . listAddress($town), null, ''], [null, ...$towns]);
    return array_slice([...$lists, ...$addresses], 0, 50_000);
}

/**
 * What `$fetch` returns, from the cache or else from the calendar. If that does not respond, older data is used. Null, as for an event that the
 * calendar does not have, is not cached: addresses can be made up without end.
 */
function cached(string $name, callable $fetch, int $fresh = FRESH): ?array
{
    $now = time();
    $known = readCache($name) ?? ['asked' => 0, 'answered' => 0, 'data' => null];
    $older = $now - $known['answered'] < KEPT ? $known['data'] : null;
    $isPaused = $now < (readCache('pause')['until'] ?? 0);
    if ($older !== null && ($isPaused || $now - $known['asked'] < $fresh)) {
        return $older;
    }
    if ($isPaused) {
        throw new RuntimeException('expected an answer from ' . CALENDAR . ', which did not respond a moment ago');
    }
    if ($older !== null) {
        // While this page view waits for the calendar, others use the older data.
        writeCache($name, ['asked' => $now] + $known);
    }
    try {
        $data = $fetch();
    } catch (Throwable $error) {
        if ($older === null) {
            throw $error;
        }
        error_log((string) $error);
        return $older;
    }
    writeCache($name, $data === null ? null : ['asked' => $now, 'answered' => $now, 'data' => $data]);
    return $data;
}

function readCache(string $name): ?array
{
    try {
        $file = cacheFile($name);
        return $file !== null && is_file($file) ? json_decode(file_get_contents($file), true) : null;
    } catch (Throwable) {
        // Another page view has just deleted it.
        return null;
    }
}

/** Null deletes the entry. Without a cache, every page view needs the calendar. */
function writeCache(string $name, ?array $content): void
{
    try {
        $file = cacheFile($name);
        if ($file !== null && $content !== null) {
            $new = $file . '.' . bin2hex(random_bytes(4));
            file_put_contents($new, json_encode($content, JSON_THROW_ON_ERROR));
            rename($new, $file);
        } elseif ($file !== null && is_file($file)) {
            unlink($file);
        }
        $others = $file !== null && random_int(1, 100) === 1 ? glob(CACHE . '/*') : [];
        array_map('unlink', array_filter($others, fn (string $other): bool => filemtime($other) < time() - KEPT));
    } catch (Throwable $error) {
        error_log((string) $error);
    }
}

/** Null if the folder cannot be used. In a shared folder, another user of the machine could have created it first. */
function cacheFile(string $name): ?string
{
    static $isOwn = null;
    if ($isOwn === null) {
        if (!is_dir(CACHE)) {
            mkdir(CACHE, 0700, true);
        }
        // Not every PHP has the extension `posix`, which knows the user.
        $user = fstat(tmpfile())['uid'];
        $isOwn = !is_link(CACHE) && fileowner(CACHE) === $user && (fileperms(CACHE) & 0002) === 0;
        if (!$isOwn) {
            error_log("expected a folder of user $user that others cannot write to, found " . CACHE . ': nothing is cached');
        }
    }
    return $isOwn ? CACHE . '/' . md5(CALENDAR . SITE . LANGUAGE . $name) : null;
}

function fetchData(string $query, array $variables): array
{
    $content = json_encode(['query' => $query, 'variables' => $variables], JSON_THROW_ON_ERROR);
    $request = ['method' => 'POST', 'header' => 'Content-Type: application/json', 'content' => $content];
    $answer = json_decode(ask('/graphQL', $request)['body'], associative: true, flags: JSON_THROW_ON_ERROR);
    if (isset($answer['errors'])) {
        $reasonsOf = fn (array $error): array => $error['extensions']['reasons'] ?? [$error['message']];
        throw new RuntimeException(implode("\n", array_merge(...array_map($reasonsOf, $answer['errors']))));
    }
    return $answer['data'];
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

/** The calendar's answer: its `status` and its `body`. */
function ask(string $path, array $options = []): array
{
    $address = CALENDAR . $path;
    try {
        $answer = request($address, $options);
    } catch (Throwable $error) {
        writeCache('pause', ['until' => time() + PAUSE]);
        throw $error;
    }
    if ($answer['status'] >= 500) {
        writeCache('pause', ['until' => time() + PAUSE]);
    }
    return $answer;
}

/** `$options`: the options of PHP's HTTP context, a `deadline` other than the page's, and a `limit` in bytes, after which reading may stop. */
function request(string $address, array $options): array
{
    return function_exists('curl_init') ? askWithCurl($address, $options) : askWithStream($address, $options);
}

function secondsLeft(string $address, array $options): float
{
    $seconds = ($options['deadline'] ?? DEADLINE) - microtime(true);
    return $seconds > 0 ? $seconds : throw new RuntimeException("expected all of $address in time, found only a part");
}

function askWithCurl(string $address, array $options): array
{
    $curl = curl_init($address);
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $options['method'] ?? 'GET',
        CURLOPT_NOBODY => ($options['method'] ?? '') === 'HEAD',
        CURLOPT_HTTPHEADER => isset($options['header']) ? [$options['header']] : [],
        CURLOPT_TIMEOUT_MS => (int) ceil(1000 * secondsLeft($address, $options)),
        CURLOPT_FOLLOWLOCATION => true,
        CURLOPT_MAXFILESIZE => $options['limit'] ?? 0,
        CURLOPT_RETURNTRANSFER => true,
    ] + (isset($options['content']) ? [CURLOPT_POSTFIELDS => $options['content']] : []));
    $body = curl_exec($curl);
    if ($body === false) {
        throw new RuntimeException("$address: " . curl_error($curl));
    }
    return ['status' => curl_getinfo($curl, CURLINFO_RESPONSE_CODE), 'body' => $body];
}

/** PHP waits anew for each part of the headers, so only curl also limits the time for these. */
function askWithStream(string $address, array $options): array
{
    // Answers to refused queries have a body too: it says why.
    $http = $options + ['timeout' => secondsLeft($address, $options), 'ignore_errors' => true];
    $stream = fopen($address, 'r', false, stream_context_create(['http' => $http]));
    $body = '';
    while (!feof($stream) && strlen($body) <= ($options['limit'] ?? PHP_INT_MAX)) {
        $left = secondsLeft($address, $options);
        stream_set_timeout($stream, (int) $left, (int) (1_000_000 * fmod($left, 1)));
        $body .= fread($stream, 65_536);
    }
    // After a redirect, the headers of both answers are here.
    $statusLines = preg_grep('~^HTTP/\S+ \d{3}~', stream_get_meta_data($stream)['wrapper_data']);
    return ['status' => (int) explode(' ', end($statusLines))[1], 'body' => $body];
}

/** The events of a list, with a form for other lists. */
function listPage(array $events, ?string $town, ?array $chosen, int $page, int $pages, array $towns, array $choices): string
{
    $place = $town === null ? '' : " i $town";
    $heading = htmlOf("Det skjer$place" . ($chosen === null ? '' : ": {$chosen['name']}"));
    $canonical = htmlOf(SITE . listAddress($town, $chosen, $page));
    $townOptions = optionsOf(array_combine($towns, $towns), $town);
    $categoryOptions = optionsOf(array_column($choices, 'name', 'id'), $chosen['id'] ?? null);
    $items = '';
    foreach ($events['data'] as $event) {
        $items .= '<li><a href="' . addressOf($event) . '">' . titleOf($event) . '</a><br>' . dateOf($event, $event) . '</li>';
    }
    $count = number_format($events['totalCount'], 0, ',', "\u{a0}");
    $total = $count === '1' ? '1 arrangement' : "$count " . TEXTS['events'];
    $links = pageLinks($page, $pages, fn (int $other): string => listAddress($town, $chosen, $other));
    $content = <<<HTML
        <h1>$heading</h1>
        <form>
        <label>Kommune <select name="kommune">$townOptions</select></label>
        <label>Kategori <select name="kategori">$categoryOptions</select></label>
        <button>Vis</button>
        </form>
        <p>$total</p>
        <ul>$items</ul>
        $links
        HTML;
    return frame($heading, "<link rel=\"canonical\" href=\"$canonical\">", $content);
}

/** `$names`: by the values of the options. */
function optionsOf(array $names, ?string $selected): string
{
    $options = '';
    foreach (['' => 'Alle'] + $names as $value => $name) {
        $mark = (string) $value === ($selected ?? '') ? ' selected' : '';
        $options .= '<option value="' . htmlOf((string) $value) . "\"$mark>" . htmlOf($name) . '</option>';
    }
    return $options;
}

function titleOf(array $event): string
{
    return htmlOf($event['title_nb'] ?? $event['title_en']);
}

/** `$day`: that of the link which led here. `$page`: of the dates; null for the one with this day. */
function eventPage(array $event, ?string $day, string $jsonLd, ?int $page): string
{
    $texts = TEXTS;
    $title = titleOf($event);
    $summary = htmlOf($event['summary_nb'] ?? $event['title_nb'] ?? $event['title_en']);
    $canonical = htmlOf($event['eventLink']);
    $image = $event['images'][0] ?? null;
    $copies = $image['copies'] ?? [];
    $preview = end($copies)['url'] ?? $image['urlLarge'] ?? '';
    $ogImage = $preview === '' ? '' : '<meta property="og:image" content="' . htmlOf($preview) . '">';
    $head = <<<HTML
        <link rel="canonical" href="$canonical">
        <meta name="description" content="$summary">
        <meta property="og:title" content="$title">
        <meta property="og:url" content="$canonical">
        $ogImage
        <script type="application/ld+json">$jsonLd</script>
        HTML;
    $picture = $image === null ? '' : pictureOf($image);
    $language = empty($event['desc_nb']) ? 'en' : $event['norwegian'];
    // Descriptions are sanitised HTML; everything else is text.
    $description = $event['desc_nb'] ?? $event['desc_en'] ?? '';
    $dates = [$event, ...$event['repetitions']];
    $days = array_map(fn (array $date): string => substr($date['startDate'], 0, 10), $dates);
    $pages = (int) ceil(count($dates) / PER_PAGE);
    $pageOfDay = intdiv((int) array_search($day, $days, true), PER_PAGE) + 1;
    $shownPage = min($page ?? $pageOfDay, $pages);
    $items = '';
    foreach (array_slice($dates, ($shownPage - 1) * PER_PAGE, PER_PAGE) as $date) {
        $current = substr($date['startDate'], 0, 10) === $day ? ' aria-current="date"' : '';
        $items .= "<li$current>" . dateOf($date, $event) . '</li>';
    }
    $links = pageLinks($shownPage, $pages, fn (int $other): string => "?side=$other#datoer");
    $names = htmlOf(implode(', ', array_column($event['organizers'], 'name')));
    $organizers = $names === '' ? '' : "<h2>Arrangør</h2><p>$names</p>";
    $content = <<<HTML
        <h1>$title</h1>
        $picture
        <div lang="$language">$description</div>
        <h2 id="datoer">{$texts['dates']}</h2>
        <ul>$items</ul>
        $links
        $organizers
        <p><a href="/arrangementer">{$texts['allEvents']}</a></p>
        HTML;
    return frame($title, $head, $content);
}

/** `$addressAt`: the address of a page by its number. */
function pageLinks(int $page, int $pages, callable $addressAt): string
{
    if ($pages < 2) {
        return '';
    }
    $link = fn (int $other, string $text): string => '<a href="' . htmlOf($addressAt($other)) . "\">$text</a>";
    $before = $page > 1 ? $link($page - 1, TEXTS['previous']) . ' ' : '';
    $after = $page < $pages ? ' ' . $link($page + 1, 'Neste') : '';
    return "<nav aria-label=\"Sider\">{$before}Side $page av $pages$after</nav>";
}

/** Empty if only the organizer's server has it. */
function pictureOf(array $image): string
{
    $sources = sourcesOf($image);
    if ($sources === '') {
        return '';
    }
    ['width' => $width, 'height' => $height] = $image;
    $measures = $width && $height ? " width=\"$width\" height=\"$height\"" : '';
    $caption = empty($image['credits']) ? '' : '<figcaption>' . htmlOf($image['credits']) . '</figcaption>';
    $description = htmlOf($image['alt']);
    return "<figure><img $sources alt=\"$description\"$measures referrerpolicy=\"no-referrer\">$caption</figure>";
}

/** The copies on the calendar's server, from which browsers choose one, or else the original on the organizer's server. */
function sourcesOf(array $image): string
{
    $copies = $image['copies'];
    $address = $copies === null ? $image['urlLarge'] : $copies[0]['url'] ?? null;
    if ($address === null) {
        return '';
    }
    $source = 'src="' . htmlOf($address) . '"';
    if ($copies === null) {
        return $source;
    }
    $candidates = array_map(fn (array $copy): string => htmlOf($copy['url']) . " {$copy['width']}w", $copies);
    return $source . ' srcset="' . implode(', ', $candidates) . '" sizes="(max-width: 40rem) 100vw, 40rem"';
}

/** One date in Norwegian time, wherever this server is. */
function dateOf(array $date, array $event): string
{
    $start = htmlOf(str_replace(' ', 'T', $date['startDate']));
    $when = htmlOf(spanOf($date));
    $warning = warningOf($date);
    $states = array_filter([$warning, movedOf($date)]);
    $notes = array_map(fn (string $state) => '<strong>' . htmlOf($state) . '</strong>', $states);
    if (!empty($date['ticketsURL']) && $warning === '') {
        $notes[] = '<a href="' . htmlOf($date['ticketsURL']) . '">' . TEXTS['tickets'] . '</a>';
    }
    $marks = implode(' ', $notes);
    $venue = $date['venue'];
    $place = implode(', ', array_filter([$venue['name'] ?? '', $venue['address'] ?? '']));
    if ($place === '' && $event['mode'] === 'online') {
        $place = 'På nett';
    }
    $facts = htmlOf(implode(' · ', array_filter([$place, pricesOf($date, $event)])));
    return <<<HTML
        <time datetime="$start">$when</time>
        $marks
        <br><small>$facts</small>
        HTML;
}

/** The start, and the end if there is one: `… kl. 19.00–21.00` of an evening, or else `… – søndag 22. november 2026 kl. 16.00`. */
function spanOf(array $date): string
{
    ['startDate' => $start, 'endDate' => $end, 'allDay' => $allDay] = $date;
    $from = whenOf($start, $allDay ? '' : $date['startTime']);
    if ($end === $start) {
        return $from;
    }
    $endTime = substr($end, 11, 5);
    if (!$allDay && strtotime($end) - strtotime($start) <= HALF_A_DAY) {
        return $from . '–' . str_replace(':', '.', $endTime);
    }
    // Midnight is the end of the day before it.
    $isAtMidnight = $endTime === '00:00';
    $lastDay = $isAtMidnight ? (new DateTimeImmutable(substr($end, 0, 10)))->modify('-1 day')->format('Y-m-d') : $end;
    $until = whenOf($lastDay, $allDay ? '' : ($isAtMidnight ? '24:00' : $endTime));
    return $until === $from ? $from : "$from – $until";
}

/** `fredag 20. november 2026 kl. 19.00`, of `2026-11-20 19:00:00+01:00` and `19:00`; without a time if `$time` is empty. */
function whenOf(string $datetime, string $time): string
{
    // The calendar writes datetimes in Norwegian time, so this day is Norway's.
    $day = new DateTimeImmutable(substr($datetime, 0, 10));
    $weekday = TEXTS['weekdays'][(int) $day->format('w')];
    $month = MONTHS[(int) $day->format('n') - 1];
    $clock = $time === '' ? '' : ' kl. ' . str_replace(':', '.', $time);
    return "$weekday {$day->format('j')}. $month {$day->format('Y')}$clock";
}

/** Why a visitor cannot come. Such a date gets no link to tickets. */
function warningOf(array $date): string
{
    return match ($date['status']) {
        'CANCELLED' => 'Avlyst',
        'POSTPONED' => TEXTS['postponed'],
        default => $date['eventSoldOut'] ? TEXTS['soldOut'] : '',
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
        return TEXTS['moved'];
    }
    return TEXTS['movedFrom'] . ' ' . whenOf($previous, $date['allDay'] ? '' : substr($previous, 11, 5));
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
    $text = $status === 410 ? TEXTS['gone'] : TEXTS['missing'];
    $body = frame($text, '', "<h1>$text</h1><p><a href=\"/arrangementer\">" . TEXTS['allEvents'] . '</a></p>');
    return ['status' => $status, 'headers' => [], 'body' => $body];
}

function unavailable(Throwable $error): array
{
    error_log((string) $error);
    $text = TEXTS['unavailable'];
    $headers = ['Retry-After' => '60', 'Cache-Control' => 'no-store'];
    return ['status' => 503, 'headers' => $headers, 'body' => frame($text, '', "<h1>$text</h1>")];
}

/** The newspaper's own page, with its masthead and its stylesheet. */
function frame(string $title, string $head, string $content): string
{
    $language = LANGUAGE;
    $newspaper = htmlOf(NEWSPAPER);
    return <<<HTML
        <!doctype html>
        <html lang="{$language}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>$title – $newspaper</title>
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
