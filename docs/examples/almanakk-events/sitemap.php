<?php

/** The events whose canonical pages are on this site, in WordPress's own sitemap: `/wp-sitemap-almanakk-1.xml`, up to a thousand in each file. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

final class Sitemap extends \WP_Sitemaps_Provider
{
    public function __construct()
    {
        // WordPress takes only small letters.
        $this->name = 'almanakk';
        $this->object_type = 'almanakk';
    }

    public function get_url_list($page_num, $object_subtype = '')
    {
        $entries = [];
        foreach (ownAddressesOn((int) $page_num - 1) as $address => $changed) {
            $entries[] = ['loc' => $address] + ($changed === null ? [] : ['lastmod' => str_replace(' ', 'T', $changed)]);
        }
        return $entries;
    }

    /** None as long as the calendar links elsewhere. */
    public function get_max_num_pages($object_subtype = '')
    {
        return ownAddressesOn(0) === [] ? 0 : addressesOn(0)['pages'] ?? 0;
    }
}

/** Of other newspapers' events, the canonical pages are elsewhere. */
function ownAddressesOn(int $page): array
{
    $base = defined('ALMANAKK_URL') ? eventsBase() : '';
    $links = $base === '' ? [] : addressesOn($page)['links'] ?? [];
    return array_filter($links, fn (string $link): bool => str_starts_with($link, $base), ARRAY_FILTER_USE_KEY);
}

function addSitemap(\WP_Sitemaps $sitemaps): void
{
    $sitemaps->registry->add_provider('almanakk', new Sitemap());
}
