<?php

/** Deletes pages with a hidden event from caches for whole pages: those of other plugins, of a server that knows PURGE, and of Cloudflare. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** Functions of W3 Total Cache and WP Super Cache that delete one address. */
const PURGE_FUNCTIONS = ['w3tc_flush_url', 'wpsc_delete_url_cache'];
/** The action of LiteSpeed Cache that does the same. */
const LITESPEED = 'litespeed_purge_url';
/** Seconds. */
const PURGE_TIMEOUT = 5;
/** The answers to PURGE: deleted, or not in the cache. Older modules of nginx answer 412 for the latter. */
const PURGED = [200, 204, 404, 412];
/** Cloudflare takes at most so many addresses in one request, unless the site pays for more. */
const MOST_CLOUDFLARE = 30;
const MOST_LIST_PAGES = 100;
/** Addresses that the log names for each problem of a cache. */
const MOST_LOGGED = 10;

/** A cache that cannot be reached. It gets no further requests in this attempt: each could take as long. */
final class NoAnswer extends \RuntimeException
{
}

/** On `init`, when all plugins are there. Only a site with such a cache has a reason to ask the calendar each minute for removed events. */
function watchPageCaches(): void
{
    $hasFunction = array_filter(['rocket_clean_files', ...PURGE_FUNCTIONS], 'function_exists') !== [];
    $hasSetting = defined('ALMANAKK_PURGE_URL') || defined('ALMANAKK_CLOUDFLARE_ZONE');
    if ($hasFunction || $hasSetting || has_action(LITESPEED) !== false) {
        add_action('almanakk_hidden_changed', __NAMESPACE__ . '\emptyPageCaches', 10, 2);
    }
}

/** Of the action. Every cache is asked to delete every address, whatever fails; the event's own pages come first. */
function emptyPageCaches(array $hidden, array $shown): void
{
    $home = home_url('/');
    $lists = array_values(array_diff(pagesWithLists(), [$home]));
    $events = array_values(array_unique(array_merge(...array_map(addressesOfEvent(...), [...$hidden, ...$shown]))));
    emptyPlugins($events, $lists, $home);
    // In this order: each of them would fetch an old page again from those above it.
    if (defined('ALMANAKK_PURGE_URL')) {
        purgeEach('ALMANAKK_PURGE_URL', [...$events, $home, ...$lists], purgeOnServer(...));
    }
    if (defined('ALMANAKK_CLOUDFLARE_ZONE')) {
        purgeAll('Cloudflare', purgesOfCloudflare($events, [$home, ...$lists]));
    }
}

/** The pages with the shortcode or the block, and those that ALMANAKK_LIST_PAGES names, such as one with a list in its template. */
function pagesWithLists(): array
{
    $named = defined('ALMANAKK_LIST_PAGES') ? preg_split('/[\s,]+/', (string) \ALMANAKK_LIST_PAGES, -1, PREG_SPLIT_NO_EMPTY) : [];
    $addresses = array_map(fn (string $path): string => home_url($path), $named);
    foreach (['[almanakk', 'wp:almanakk/liste'] as $text) {
        foreach (get_posts(['post_type' => 'page', 's' => $text, 'numberposts' => MOST_LIST_PAGES]) as $page) {
            // WP Rocket would also delete everything below the page of events.
            $isOfEvents = $page->ID === eventsPage();
            array_push($addresses, ...($isOfEvents ? [] : [(string) get_permalink($page->ID)]));
        }
    }
    return array_values(array_unique($addresses));
}

/** An event's addresses on this site, by its slug or id: without a date, and with each date that the site has shown in the last day. */
function addressesOfEvent(string|int $name): array
{
    $known = get_option(KNOWN);
    $slug = (string) ($known['slugs'][$name] ?? $name);
    if (linkToPage() === null || preg_match(SLUG, $slug) !== 1) {
        return [];
    }
    $event = cachedData(nameOfEvent($slug, languageOf(get_locale())))['event'] ?? null;
    $days = array_map(fn (array $date): string => substr($date['startDate'], 0, 10), $event === null ? [] : datesOf($event));
    $dated = array_map(fn (string $day): string => strtr(linkToPage(), ['{slug}' => $slug, '{date}' => $day]), array_unique($days));
    return [strtr(linkToPage(false), ['{slug}' => $slug]), ...$dated];
}

/** The caches of WP Rocket, LiteSpeed Cache, W3 Total Cache and WP Super Cache, where they are installed. */
function emptyPlugins(array $events, array $lists, string $home): void
{
    if (function_exists('rocket_clean_files')) {
        $addresses = [...$events, ...$lists];
        // For the front page, rocket_clean_files would delete everything below it: the whole site.
        purgeAll('WP Rocket', [[$addresses, fn () => rocket_clean_files($addresses)], [[$home], fn () => rocket_clean_home()]]);
    }
    $all = [...$events, $home, ...$lists];
    purgeEach('LiteSpeed Cache', $all, fn (string $address) => do_action(LITESPEED, $address));
    foreach (array_filter(PURGE_FUNCTIONS, 'function_exists') as $purge) {
        purgeEach($purge, $all, $purge(...));
    }
}

/** Calls the function with each address. */
function purgeEach(string $cache, array $addresses, \Closure $purge): void
{
    purgeAll($cache, array_map(fn (string $address): array => [[$address], fn () => $purge($address)], $addresses));
}

/**
 * Runs all purges of a cache: the addresses of each, and its function. Problems are kept for `announceHidden`, with the addresses.
 *
 * @param list<array{list<string>, \Closure}> $purges
 */
function purgeAll(string $cache, array $purges): void
{
    $failed = [];
    $error = null;
    foreach ($purges as [$addresses, $purge]) {
        $error = $error instanceof NoAnswer ? $error : errorOf($purge);
        if ($error !== null) {
            $problem = $error->getMessage();
            $failed[$problem] = [...($failed[$problem] ?? []), ...$addresses];
        }
    }
    foreach ($failed as $problem => $addresses) {
        $more = count($addresses) > MOST_LOGGED ? ' and ' . (count($addresses) - MOST_LOGGED) . ' more' : '';
        Request::$notPurged[] = "$cache: $problem, for " . implode(' ', array_slice($addresses, 0, MOST_LOGGED)) . $more;
    }
}

function errorOf(\Closure $purge): ?\Throwable
{
    try {
        $purge();
        return null;
    } catch (\Throwable $error) {
        return $error;
    }
}

/** Such as on nginx or Varnish on this machine. The Host header names the site. */
function purgeOnServer(string $address): void
{
    ['host' => $host, 'path' => $path, 'query' => $query] = parse_url($address) + ['path' => '/', 'query' => null];
    $target = rtrim((string) \ALMANAKK_PURGE_URL, '/') . $path . ($query === null ? '' : "?$query");
    requestPurge($target, ['method' => 'PURGE', 'headers' => ['Host' => $host], 'body' => null], PURGED);
}

/** `files` are whole addresses. `prefixes` cover an event's addresses with all its dates, also those that the site has not shown. */
function purgesOfCloudflare(array $events, array $pages): array
{
    $isWithParameters = fn (string $address): bool => str_contains($address, '?');
    $prefixes = preg_replace('~^https?://~', '', array_filter($events, fn (string $address): bool => !$isWithParameters($address)));
    $addresses = ['prefixes' => array_values($prefixes), 'files' => [...array_filter($events, $isWithParameters), ...$pages]];
    $purges = [];
    foreach ($addresses as $kind => $all) {
        foreach (array_chunk($all, MOST_CLOUDFLARE) as $some) {
            $purges[] = [$some, fn () => purgeOnCloudflare([$kind => $some])];
        }
    }
    return $purges;
}

function purgeOnCloudflare(array $what): void
{
    $target = 'https://api.cloudflare.com/client/v4/zones/' . \ALMANAKK_CLOUDFLARE_ZONE . '/purge_cache';
    $token = defined('ALMANAKK_CLOUDFLARE_TOKEN') ? \ALMANAKK_CLOUDFLARE_TOKEN : '';
    $headers = ['Authorization' => "Bearer $token", 'Content-Type' => 'application/json'];
    requestPurge($target, ['method' => 'POST', 'headers' => $headers, 'body' => wp_json_encode($what)], [200]);
}

/** Throws an error if the answer has none of the statuses. */
function requestPurge(string $address, array $options, array $statuses): void
{
    $reply = wp_remote_request($address, $options + ['timeout' => PURGE_TIMEOUT]);
    $expected = 'expected HTTP ' . implode(' or ', $statuses);
    if (is_wp_error($reply)) {
        throw new NoAnswer("$expected, found {$reply->get_error_message()}");
    }
    $status = wp_remote_retrieve_response_code($reply);
    if (!in_array($status, $statuses, true)) {
        throw new \RuntimeException("$expected, found HTTP $status");
    }
}
