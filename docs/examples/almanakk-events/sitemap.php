<?php

/**
 * The events whose canonical pages are on this site, up to a thousand in each file: in WordPress's own sitemap as `/wp-sitemap-almanakk-1.xml`, and
 * at `/?almanakk_sitemap=1`, which no SEO plugin replaces.
 */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The events in WordPress's own sitemap. */
final class Sitemap extends \WP_Sitemaps_Provider
{
    public function __construct()
    {
        // WordPress accepts only lower-case letters.
        $this->name = 'almanakk';
        $this->object_type = 'almanakk';
    }

    public function get_url_list($page_num, $object_subtype = '')
    {
        keepOutOfCaches();
        $entries = [];
        foreach (ownAddressesOn((int) $page_num - 1) as $address => $changed) {
            $entries[] = array_filter(['loc' => $address, 'lastmod' => lastmodOf($changed)], 'is_string');
        }
        return $entries;
    }

    /** None as long as the calendar links elsewhere. */
    public function get_max_num_pages($object_subtype = '')
    {
        return sitemapPages();
    }
}

/** How many files the sitemap has; 0 as long as the calendar links elsewhere. */
function sitemapPages(): int
{
    return ownAddressesOn(0) === [] ? 0 : addressesOn(0)['pages'] ?? 0;
}

/**
 * The addresses of events whose canonical pages are on this site, on one page of the calendar's list, from 0, with the moments of their last changes.
 *
 * @return array<string, ?string>
 */
function ownAddressesOn(int $page): array
{
    $base = defined('ALMANAKK_URL') ? eventsBase() : null;
    $found = $base === null ? null : addressesOn($page);
    if ($found === null) {
        return [];
    }
    ['links' => $links, 'ids' => $ids] = $found;
    $isShown = fn (string $link): bool => str_starts_with($link, $base) && !isHidden(nameIn($link), $ids[$link]);
    return array_filter($links, $isShown, ARRAY_FILTER_USE_KEY);
}

/** The addresses of the plugin's own sitemap, also with plain permalinks. */
function sitemapAddresses(): array
{
    $numbers = sitemapPages() === 0 ? [] : range(1, sitemapPages());
    return array_map(fn (int $number): string => home_url("/?almanakk_sitemap=$number"), $numbers);
}

/** Sends a sitemap instead of a page, if the address is that of a sitemap. */
function sendSitemap(): void
{
    $number = (int) given('almanakk_sitemap', '~^[1-9]\d{0,2}$~D');
    if ($number === 0) {
        return;
    }
    keepOutOfCaches();
    $isThere = defined('ALMANAKK_URL') && $number <= sitemapPages();
    $without = defined('ALMANAKK_URL') && addressesOn(0) === null ? 503 : 404;
    status_header($isThere ? 200 : $without);
    header('Content-Type: application/xml; charset=UTF-8');
    header('X-Robots-Tag: noindex, follow');
    echo sitemapOf($isThere ? $number : 0);
    exit;
}

/** As sitemaps.org describes it; empty for page 0. */
function sitemapOf(int $number): string
{
    $entries = '';
    foreach ($number === 0 ? [] : ownAddressesOn($number - 1) as $address => $changed) {
        $lastmod = lastmodOf($changed);
        $moment = $lastmod === null ? null : element('lastmod', [], esc_html($lastmod));
        $entries .= element('url', [], element('loc', [], esc_html($address)), $moment) . "\n";
    }
    $namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9';
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" . element('urlset', ['xmlns' => $namespace], "\n$entries") . "\n";
}

/** A moment of the calendar as sitemaps write it; null if it is unknown. */
function lastmodOf(?string $changed): ?string
{
    return $changed === null ? null : str_replace(' ', 'T', $changed);
}

/** `robots.txt` names the sitemap, unless the site is hidden from search engines. */
function withSitemaps(mixed $robots, mixed $isPublic): string
{
    $addresses = $isPublic ? sitemapAddresses() : [];
    return $robots . implode('', array_map(fn (string $address): string => "\nSitemap: $address\n", $addresses));
}

/** The sitemap index of Yoast SEO or Rank Math also names it. */
function withSitemapEntries(mixed $index): string
{
    $entryOf = fn (string $address): string => element('sitemap', [], element('loc', [], esc_html($address))) . "\n";
    return $index . implode('', array_map($entryOf, sitemapAddresses()));
}

/** WordPress's sitemap index then names it. */
function addSitemap(\WP_Sitemaps $sitemaps): void
{
    $sitemaps->registry->add_provider('almanakk', new Sitemap());
}
