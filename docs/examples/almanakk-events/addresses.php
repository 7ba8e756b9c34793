<?php

/** The addresses of events on this site, below the page with [almanakk_arrangement]. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The part of an address that WordPress has matched. Anyone can also set it as a parameter, to any value. */
const SLUG_VARIABLE = 'almanakk_slug';
/** Parameters of addresses on this site: the slug of an event, the date of an event, and the page of a list. Others link to them, so they stay. */
const EVENT_PARAMETER = 'arrangement';
const DATE_PARAMETER = 'dato';
const PAGE_PARAMETER = 'side';
/** What else is no slug. */
const SLUG = '~^[A-Za-z0-9_-]{1,200}$~D';

/** The transient with the number of the page with [almanakk_arrangement]. */
const EVENTS_PAGE = 'almanakk_page';

/** The number of the page with [almanakk_arrangement]; null without one. */
function eventsPage(): ?int
{
    $id = get_transient(EVENTS_PAGE);
    if ($id === false) {
        $pages = get_posts(['post_type' => 'page', 's' => '[almanakk_arrangement', 'orderby' => 'ID', 'order' => 'ASC', 'numberposts' => 1]);
        $id = $pages === [] ? 0 : $pages[0]->ID;
        set_transient(EVENTS_PAGE, $id, HOUR);
    }
    return (int) $id ?: null;
}

/** A page was saved or deleted. */
function forgetEventsPage(): void
{
    delete_transient(EVENTS_PAGE);
}

/**
 * The path of that page, such as `arrangement`, if its events can have addresses below it. Null otherwise: with plain permalinks, on the front page,
 * or if the addresses belong to a post type.
 */
function eventsPath(): ?string
{
    $id = eventsPage();
    if ($id === null || get_option('permalink_structure') === '' || (int) get_option('page_on_front') === $id) {
        return null;
    }
    $path = textOrNull(get_page_uri($id));
    foreach (get_post_types(['public' => true], 'objects') as $type) {
        if (is_array($type->rewrite) && ($type->rewrite['slug'] ?? null) === $path) {
            return null;
        }
    }
    return $path;
}

/** The beginning of the addresses of events, such as `https://avisen.example/arrangement/`; null if they cannot be the canonical ones. */
function eventsBase(): ?string
{
    return eventsPath() === null ? null : trailingslashit((string) get_permalink(eventsPage()));
}

/** The addresses of events on the page for them, as a pattern for links, with or without their dates; null without such a page. */
function linkToPage(bool $hasDate = true): ?string
{
    $base = eventsBase();
    if ($base !== null) {
        return $base . '{slug}' . ($hasDate ? '?' . DATE_PARAMETER . '={date}' : '');
    }
    $page = eventsPage();
    $address = $page === null ? null : textOrNull(get_permalink($page));
    $parameters = [EVENT_PARAMETER => '{slug}'] + ($hasDate ? [DATE_PARAMETER => '{date}'] : []);
    return $address === null ? null : add_query_arg($parameters, $address);
}

/** Puts the rule before WordPress's own each time they are read. Nothing has to be refreshed if the page moves, and no old rule remains. */
function withEventRule(mixed $rules): mixed
{
    $path = is_array($rules) ? eventsPath() : null;
    if ($path === null) {
        return $rules;
    }
    // WordPress has addresses of its own below each page.
    $rule = '^' . preg_quote($path) . '/(?!(?:feed|rdf|rss2?|atom|embed|trackback)/?$)([A-Za-z0-9_-]{1,200})/?$';
    return [$rule => 'index.php?page_id=' . eventsPage() . '&' . SLUG_VARIABLE . '=$matches[1]'] + $rules;
}

/** The slug in the address of this page; null without one. */
function slugGiven(): ?string
{
    return textOrNull(get_query_var(SLUG_VARIABLE)) ?? given(EVENT_PARAMETER, SLUG);
}

/** Pages below the page of events keep their addresses. If a post type is named `arrangement`, WordPress would look for its posts instead. */
function readRequest(array $request): array
{
    $slug = $request[SLUG_VARIABLE] ?? null;
    if (!is_string($slug) || preg_match(SLUG, $slug) !== 1) {
        unset($request[SLUG_VARIABLE]);
    }
    $child = isset($request[SLUG_VARIABLE]) ? get_page_by_path(eventsPath() . "/$slug") : null;
    if ($child !== null && $child->post_status === 'publish') {
        return ['page_id' => $child->ID];
    }
    $isPage = isset($request['pagename']) || isset($request['page_id']);
    $isOfPostType = isset($request[EVENT_PARAMETER]);
    return $isPage && $isOfPostType ? array_diff_key($request, [EVENT_PARAMETER => 1, 'post_type' => 1, 'name' => 1]) : $request;
}

/** WordPress would redirect an event to the page without it. */
function withoutRedirect(mixed $address): mixed
{
    return get_query_var(SLUG_VARIABLE) === '' ? $address : false;
}

/** Whether this request has the address of the event. False for an event that was renamed, for the older form of its address, and for a slash at the end, which the calendar's links lack. */
function isAtItsAddress(string $slug, int $page): bool
{
    if ($slug !== slugGiven()) {
        return false;
    }
    // A site may have several pages with the shortcode; lists lead to the first.
    $hasPath = eventsPath() !== null && $page === eventsPage();
    $path = explode('?', $_SERVER['REQUEST_URI'] ?? '')[0];
    return !$hasPath || (get_query_var(SLUG_VARIABLE) === $slug && !str_ends_with($path, '/'));
}
