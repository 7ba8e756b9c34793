<?php

/** The page of events, with [almanakk_arrangement]: which event it shows, and with what status. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The shortcode `almanakk_arrangement` finds its event before WordPress sends the status and the head of the page. */
function openEvent(): void
{
    $page = get_queried_object();
    if (!is_page() || !has_shortcode($page->post_content, 'almanakk_arrangement') || !defined('ALMANAKK_URL')) {
        return;
    }
    $found = Request::$opened = ['page' => $page->ID] + eventGiven();
    // They lead to the page without an event.
    remove_action('wp_head', 'wp_shortlink_wp_head');
    remove_action('template_redirect', 'wp_shortlink_header', 11);
    remove_action('wp_head', 'wp_oembed_add_discovery_links');
    $slug = $found['event']['event_slug'] ?? null;
    if ($slug !== null && !isAtItsAddress($slug, $page->ID)) {
        wp_safe_redirect(addressWithParameters($slug), 301);
        exit;
    }
    if ($found['status'] !== 200) {
        status_header($found['status']);
        keepOutOfCaches();
    }
}

/** The address of an event, with the parameters of this request that do not name an event. */
function addressWithParameters(string $slug): string
{
    $address = strtr((string) linkToPage(false), ['{slug}' => $slug]);
    $others = array_diff_key($_GET, [EVENT_PARAMETER => 1, SLUG_VARIABLE => 1]);
    return add_query_arg(urlencode_deep(wp_unslash($others)), $address);
}

/** Whether it is the number of the page that shows an event in this request. */
function isOpened(mixed $id): bool
{
    return Request::$opened !== null && is_numeric($id) && (int) $id === Request::$opened['page'];
}

/**
 * The event that is shown; null on other pages, and if there is none.
 *
 * @return ?Event
 */
function openedEvent(): ?array
{
    return Request::$opened['event'] ?? null;
}

/** The title of the shown event; null without one. */
function openedTitle(): ?string
{
    $event = openedEvent();
    return $event === null ? null : textIn($event, 'title', languageOf(get_locale()))['text'] ?? null;
}

/**
 * The event that the address of this page names, its JSON-LD, and the status of the page. `over`: the titles of an event that is over.
 *
 * @return Opened
 */
function eventGiven(): array
{
    $slug = slugGiven();
    if ($slug === null) {
        // Editors look at the page without an event. A slug of another form names no event.
        return ['event' => null, 'status' => isset($_GET[EVENT_PARAMETER]) ? 404 : 200, 'over' => null];
    }
    ['data' => $data, 'problem' => $problem, 'over' => $over] = eventOf($slug);
    if ($data === null) {
        $status = ['missing' => 404, 'gone' => 410][$problem['code'] ?? ''] ?? 503;
        return ['event' => null, 'status' => $status, 'over' => $over];
    }
    return ['event' => $data['event'], 'jsonLd' => $data['jsonLd'], 'status' => 200, 'over' => null];
}
