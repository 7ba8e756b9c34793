<?php

/** What the address of the visitor's request says, and what caches may do with the answer. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** Pages of a list that an address can name. */
const MOST_PAGES = 100;

/** What this request has found and done so far. */
final class Request
{
    /**
     * The event that the page of events shows, with the `page`'s number; null on other pages.
     *
     * @phpstan-type Opened array{event: ?Event, jsonLd?: ?array, status: int, over: ?Titles}
     * @var ?Opened & array{page: int}
     */
    public static ?array $opened = null;
    /** What the screen “Hide events” has saved, as `saveSiteList` returns it, with the lines that were `read` and `sent`; null before that. */
    public static ?array $saved = null;
    /** The lines that its form has sent to be checked, as `sent`, and those that were `read`; null otherwise. */
    public static ?array $checked = null;
    /** Why caches for whole pages have not deleted some addresses, and which ones. */
    public static array $notPurged = [];
}

/** A value in the address; null if it is not there, or has another form. */
function given(string $name, string $form): ?string
{
    $value = $_GET[$name] ?? null;
    return is_string($value) && preg_match($form, $value) === 1 ? $value : null;
}

/** The number of the list's page, from 1, that the address of this page names. */
function pageGiven(): int
{
    return min(MOST_PAGES, (int) (given(PAGE_PARAMETER, '~^[1-9]\d{0,4}$~D') ?? 1));
}

/** Otherwise, a cache for whole pages would say for hours that the calendar does not respond, or name events in a sitemap that are hidden now. */
function keepOutOfCaches(): void
{
    if (!defined('DONOTCACHEPAGE')) {
        define('DONOTCACHEPAGE', true);
    }
    // Block themes render the page before they send anything.
    if (!headers_sent()) {
        nocache_headers();
    }
}
