<?php

/** The page of events, with [almanakk_arrangement]. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

const DAY_PATTERN = '~^\d{4}-\d\d-\d\d$~D';

/** Finds the event before WordPress sends the status and the head of the page. */
function openEvent(): void
{
    $page = get_queried_object();
    if (!is_page() || !has_shortcode($page->post_content, 'almanakk_arrangement') || !defined('ALMANAKK_URL')) {
        return;
    }
    $found = opened(['page' => $page->ID] + found());
    // They lead to the page without an event.
    remove_action('wp_head', 'wp_shortlink_wp_head');
    remove_action('template_redirect', 'wp_shortlink_header', 11);
    remove_action('wp_head', 'wp_oembed_add_discovery_links');
    $slug = $found['event']['event_slug'] ?? null;
    if ($slug !== null && !isAtItsAddress($slug, $page->ID)) {
        $address = strtr(linkToPage(), ['{slug}' => $slug, '?dato={date}' => '', '&dato={date}' => '']);
        wp_safe_redirect(add_query_arg(urlencode_deep(wp_unslash(array_diff_key($_GET, ['arrangement' => 1, SLUG_VARIABLE => 1]))), $address), 301);
        exit;
    }
    if ($found['status'] !== 200) {
        status_header($found['status']);
        keepOutOfCaches();
    }
}

/** The event that this request shows on the page of events; null on other pages. */
function opened(?array $found = null): ?array
{
    static $kept = null;
    return $kept = $found ?? $kept;
}

/** Whether it is the number of the page that shows an event in this request. */
function isOpened(mixed $id): bool
{
    return opened() !== null && is_numeric($id) && (int) $id === opened()['page'];
}

/** The event that the address of this page names, its JSON-LD, and the status of the page. */
function found(): array
{
    $slug = slugGiven();
    if ($slug === '') {
        // Editors look at the page without an event. A slug of another form names no event.
        return ['slug' => '', 'event' => null, 'status' => isset($_GET['arrangement']) ? 404 : 200];
    }
    ['data' => $data, 'problem' => $problem, 'over' => $over] = eventOf($slug);
    $without = ['missing' => 404, 'gone' => 410][$problem[0] ?? ''] ?? 503;
    return ['slug' => $slug, 'status' => $data === null ? $without : 200, 'over' => $over] + ($data ?? ['event' => null]);
}

/** The content of the page of events. */
function showEvent(): string
{
    $texts = textsIn(get_locale());
    if (!defined('ALMANAKK_URL')) {
        return noticesOf([['noAddress', []]]);
    }
    ['event' => $event, 'status' => $status] = $found = opened() ?? found();
    ['municipalities' => $municipalities, 'others' => $own] = defaults();
    $filter = $municipalities === [] ? [] : ['municipalities' => $municipalities];
    $all = linkToAll($own['home'] ?? addressOfAll($filter, $texts['language']), $texts);
    if ($event === null) {
        $over = $found['over'] ?? null;
        $gone = $over === null ? $texts['gone'] : "{$texts['ended']}.";
        $sentence = [200 => $texts['choose'], 404 => $texts['missing'], 410 => $gone, 503 => $texts['away']][$status];
        $title = $over === null ? null : textIn($over, 'title', $texts['language']);
        $heading = $title === null ? '' : '<h2' . langOf($title, $texts) . '>' . withoutShortcodes(esc_html($title['text'])) . '</h2>';
        return "<div class=\"almanakk\" lang=\"{$texts['language']}\">$heading<p>" . esc_html($sentence) . "</p>$all</div>";
    }
    return "<div class=\"almanakk\" lang=\"{$texts['language']}\">" . withoutShortcodes(eventPage($event, $texts)) . "$all</div>";
}

/** The date that the address names, or else the next one, and then the others. */
function eventPage(array $event, array $shown): string
{
    $dates = [['repetitions' => []] + $event];
    foreach ($event['repetitions'] as $repetition) {
        $dates[] = $repetition + $dates[0];
    }
    $day = given('dato', DAY_PATTERN);
    $days = array_map(fn (array $date): string => substr($date['startDate'], 0, 10), $dates);
    $index = array_search($day, $days, true);
    $date = $dates[(int) $index];
    $description = textIn($event, 'desc', $shown['language']);
    $organizers = implode(', ', array_column($event['organizers'] ?? [], 'name'));
    $others = array_diff_key($dates, [(int) $index => true]);
    $items = array_map(fn (array $other): string => '<li>' . dateOf($other, $shown) . '</li>', $others);
    $hasPicture = !defined('ALMANAKK_EVENT_PICTURES') || \ALMANAKK_EVENT_PICTURES;
    $parts = [
        $day !== '' && $index === false ? '<p class="almanakk-note">' . esc_html($shown['otherDate']) . '</p>' : '',
        '<p class="almanakk-date">' . dateOf($date, $shown) . '</p>',
        $hasPicture ? pictureOf($event['images'][0] ?? null, true) : '',
        // The calendar sends it as safe HTML. WordPress's own list of elements is a second lock.
        $description === null
            ? ''
            : '<div class="almanakk-description"' . langOf($description, $shown) . '>' . wp_kses_post($description['text']) . '</div>',
        $organizers === '' ? '' : '<p class="almanakk-organizer">' . esc_html("{$shown['organizer']} $organizers") . '</p>',
        $items === [] ? '' : '<h2>' . esc_html($shown['dates']) . '</h2><ul class="almanakk-dates">' . implode('', $items) . '</ul>',
    ];
    return implode('', $parts);
}

/** One date on an event page: the time, its state if it is unusual, the place, the price, and where to buy tickets. */
function dateOf(array $date, array $shown): string
{
    $states = [...statesOf($date, $shown), ...(isOn($date) ? [] : [$shown['ended']])];
    $address = $date['venue']['address'] ?? '';
    // An address has its town.
    $place = implode(', ', array_filter([placeOf($date, ['hasMunicipality' => $address === ''] + $shown), $address]));
    $price = priceOf($date, $shown);
    $takesPlace = isOn($date) && !in_array($date['status'], ['CANCELLED', 'POSTPONED'], true);
    $hasTickets = $takesPlace && !$date['eventSoldOut'] && ($date['ticketsURL'] ?? '') !== '';
    $start = $date['allDay'] ? substr($date['startDate'], 0, 10) : str_replace(' ', 'T', $date['startDate']);
    $parts = [
        '<time datetime="' . esc_attr($start) . '">' . esc_html(whenOf($date, $shown)) . '</time>',
        ...array_map(fn (string $state): string => '<strong class="almanakk-state">' . esc_html($state) . '</strong>', $states),
        $place === '' ? '' : '<span class="almanakk-place">' . esc_html($place) . '</span>',
        $price === '' ? '' : '<span class="almanakk-price">' . esc_html($price) . '</span>',
        $hasTickets ? '<a class="almanakk-tickets" href="' . esc_url($date['ticketsURL']) . '">' . esc_html($shown['tickets']) . '</a>' : '',
    ];
    return implode('<br>', array_filter($parts));
}

/** The title of the opened event; empty without one. */
function openedTitle(): string
{
    $event = opened()['event'] ?? null;
    return $event === null ? '' : textIn($event, 'title', languageOf(get_locale()))['text'] ?? '';
}

function titleParts(array $parts): array
{
    $title = openedTitle();
    $page = hasPages(get_queried_object()) ? pageGiven() : 1;
    $own = ['title' => $title ?: ($parts['title'] ?? ''), 'page' => $page === 1 ? '' : textsIn(get_locale())['page'] . " $page"];
    return array_filter($own) + $parts;
}

/**
 * The page's heading becomes the event's title. Menus with this page keep its name: they are outside the loop, which block themes do not have. Other
 * plugins may pass any value as the number of the post.
 */
function headingOf(mixed $title, mixed $id = 0): mixed
{
    $isHeading = isOpened($id) && (in_the_loop() || wp_is_block_theme());
    return $isHeading && openedTitle() !== '' ? withoutShortcodes(esc_html(openedTitle())) : $title;
}

/** One event has one canonical address, whichever site shows it. Each page of a list has its own. */
function canonicalOf(mixed $address, mixed $post): mixed
{
    if ($post instanceof \WP_Post && isOpened($post->ID)) {
        ['event' => $event, 'status' => $status] = opened();
        return $status === 200 ? $event['eventLink'] ?? $address : '';
    }
    $page = hasPages($post) ? pageGiven() : 1;
    return $page === 1 ? $address : add_query_arg('side', $page, $address);
}

/** For SEO plugins, which replace WordPress's own address. */
function canonicalHere(mixed $address): mixed
{
    return canonicalOf($address, get_queried_object());
}

/** For SEO plugins, which replace WordPress's own title. */
function wholeTitle(mixed $title): mixed
{
    return openedTitle() === '' ? $title : openedTitle() . ' – ' . get_bloginfo('name');
}

/** Whether a page has a list with `sider`, as a shortcode or as a block. */
function hasPages(mixed $post): bool
{
    $pattern = '~\[almanakk\s[^\]]*\b(sider|paging)\b|<!-- wp:almanakk/liste \{[^>]*"sider":true~i';
    return $post instanceof \WP_Post && preg_match($pattern, $post->post_content) === 1;
}

/** Without an event, search engines should not list the page. */
function robotsOf(array $robots): array
{
    return opened() !== null && opened()['event'] === null ? ['noindex' => true] + $robots : $robots;
}

/** The widest copy of a picture, or else the original. */
function previewOf(?array $image): string
{
    $copies = array_column($image['copies'] ?? [], 'url');
    return $copies === [] ? ($image['urlLarge'] ?? '') : end($copies);
}

/** For search engines, and for previews in social media. */
function writeHead(): void
{
    $event = opened()['event'] ?? null;
    if ($event === null) {
        return;
    }
    $summary = textIn($event, 'summary', languageOf(get_locale()))['text'] ?? '';
    $image = esc_url(previewOf($event['images'][0] ?? null));
    $metas = [
        '<meta property="og:title" content="' . esc_attr(openedTitle()) . '">',
        '<meta property="og:url" content="' . esc_url($event['eventLink']) . '">',
        $summary === '' ? '' : '<meta name="description" property="og:description" content="' . esc_attr($summary) . '">',
        $image === '' ? '' : "<meta property=\"og:image\" content=\"$image\">",
    ];
    echo implode("\n", array_filter($metas)), "\n";
    if (opened()['jsonLd'] !== null) {
        // No text can close the element.
        echo '<script type="application/ld+json">', wp_json_encode(opened()['jsonLd'], JSON_HEX_TAG | JSON_UNESCAPED_UNICODE), "</script>\n";
    }
}
