<?php

/** The title and the head of the page of events, and of pages with a list of several pages. WordPress and SEO plugins call these filters. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The parts of the title in the browser: the event, and the page of a list. */
function titleParts(array $parts): array
{
    $page = hasPages(get_queried_object()) ? pageGiven() : 1;
    // WordPress writes them in this order.
    $own = [
        'title' => openedTitle() ?? $parts['title'] ?? null,
        'page' => $page === 1 ? null : textsIn(get_locale())['page'] . " $page",
    ];
    return array_filter($own, 'is_string') + $parts;
}

/**
 * The page's heading becomes the event's title. Menus with this page keep its name: they are outside the loop, which block themes do not have. Other
 * plugins may pass any value as the number of the post.
 */
function headingOf(mixed $title, mixed $id = 0): mixed
{
    $isHeading = isOpened($id) && (in_the_loop() || wp_is_block_theme());
    $ofEvent = $isHeading ? openedTitle() : null;
    return $ofEvent === null ? $title : withoutShortcodes(esc_html($ofEvent));
}

/** One event has one canonical address, whichever site shows it; a page without an event has none. Each page of a list has its own. */
function canonicalOf(mixed $address, mixed $post): mixed
{
    if ($post instanceof \WP_Post && isOpened($post->ID)) {
        ['event' => $event, 'status' => $status] = Request::$opened;
        // WordPress and SEO plugins write no empty address.
        return $status === 200 ? $event['eventLink'] ?? $address : '';
    }
    $page = hasPages($post) ? pageGiven() : 1;
    return $page === 1 ? $address : add_query_arg(PAGE_PARAMETER, $page, $address);
}

/** For SEO plugins, which replace WordPress's own address. */
function canonicalHere(mixed $address): mixed
{
    return canonicalOf($address, get_queried_object());
}

/** For SEO plugins, which replace WordPress's own title. */
function wholeTitle(mixed $title): mixed
{
    $ofEvent = openedTitle();
    return $ofEvent === null ? $title : "$ofEvent – " . get_bloginfo('name');
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
    return Request::$opened !== null && openedEvent() === null ? ['noindex' => true] + $robots : $robots;
}

/** For search engines, and for previews in social media. */
function writeHead(): void
{
    $event = openedEvent();
    if ($event === null) {
        return;
    }
    echo joined([
        metaOf('og:title', openedTitle() ?? ''),
        metaOf('og:url', esc_url_raw($event['eventLink'])),
        descriptionMeta($event),
        metaOf('og:image', previewOf($event['images'][0] ?? null)),
    ], "\n"), "\n";
    $jsonLd = Request::$opened['jsonLd'];
    if ($jsonLd !== null) {
        // No text can close the element.
        echo element('script', ['type' => 'application/ld+json'], wp_json_encode($jsonLd, JSON_HEX_TAG | JSON_UNESCAPED_UNICODE)), "\n";
    }
}

/** A property of Open Graph; null without a value. */
function metaOf(string $property, ?string $content): ?string
{
    return $content === null ? null : element('meta', ['property' => $property, 'content' => $content]);
}

/** The summary, for search engines as well as for Open Graph. */
function descriptionMeta(array $event): ?string
{
    $summary = textIn($event, 'summary', languageOf(get_locale()));
    if ($summary === null) {
        return null;
    }
    return element('meta', ['name' => 'description', 'property' => 'og:description', 'content' => $summary['text']]);
}
