<?php

/**
 * Plugin Name: almanakk events
 * Description: Lists events of an almanakk calendar and shows their pages on your own site, so that search engines see them.
 * Version: 2.0.0
 * Requires at least: 6.0
 * Requires PHP: 8.1
 * License: MIT
 * Update URI: false
 *
 * Install: copy this folder to wp-content/plugins, write the address of the calendar into wp-config.php, and activate the plugin. In
 * wp-content/mu-plugins, it also needs a file beside the folder with `<?php require __DIR__ . '/almanakk-events/almanakk-events.php';`. Update:
 * replace the folder. The list of plugins shows its version; WordPress never replaces it.
 *
 *     define('ALMANAKK_URL', 'https://kalender.example');
 *     // Optional: an application key of the calendar, and the seconds for which lists stay if the calendar does not respond (a day by default).
 *     define('ALMANAKK_KEY', '…');
 *     define('ALMANAKK_KEPT', 3600);
 *     // Optional, for all sites of a network; each site can set its own values on the screen Settings, almanakk.
 *     define('ALMANAKK_KOMMUNE', 'Lillevik, Storvik');
 *     define('ALMANAKK_LINK', 'https://avisen.example/arrangement/{slug}?dato={date}');
 *     define('ALMANAKK_HOME', 'https://avisen.example/kalender');
 *     // Optional: events that all sites hide at once, by their slugs, ids or addresses, with blanks between them.
 *     define('ALMANAKK_HIDDEN', 'stor-korkveld https://avisen.example/arrangement/revyen');
 *     // Optional: a list for all sites of a group, which must not be on the calendar's machine: that of a site with ALMANAKK_SERVE_HIDDEN, or a text
 *     // file. Its first line is `# almanakk hidden events`, and each further line names an event to hide.
 *     define('ALMANAKK_HIDDEN_URL', 'https://konsern.example/?almanakk_hidden=…');
 *     // Optional, on one site: serve its list “Hide events” to all sites of a group. `…` is a secret word of at least 20 characters, which is the end of
 *     // the address above. Without it, anyone could read what you have removed.
 *     define('ALMANAKK_SERVE_HIDDEN', '…');
 *     // Optional: caches for whole pages that delete the pages of hidden events. Those of WP Rocket, LiteSpeed Cache, W3 Total Cache and WP Super Cache
 *     // need no setting. First a server that understands PURGE, such as nginx or Varnish, then Cloudflare, and pages with lists in their templates.
 *     define('ALMANAKK_PURGE_URL', 'http://127.0.0.1:8081');
 *     define('ALMANAKK_CLOUDFLARE_ZONE', '…');
 *     define('ALMANAKK_CLOUDFLARE_TOKEN', '…');
 *     define('ALMANAKK_LIST_PAGES', '/helg/ /konserter/');
 *     // Optional: pages of events without pictures.
 *     define('ALMANAKK_EVENT_PICTURES', false);
 *
 * Use: write [almanakk kommune="Lillevik" kategori="MUSIC" periode="WEEKEND" antall="5" bilder] in a page, or in the block "Shortcode". Every
 * value can be left out. The names are those of the embed's attributes, in any case, and those that the settings screen lists in Bokmål and Nynorsk.
 * Separate several values with commas, but those of `ids` with blanks. Only editors who are logged in see what is wrong with a shortcode, in their
 * own language.
 *
 * The block “Arrangementer” shows the same list, with menus for the most common values instead of words to remember.
 *
 * Event pages: write [almanakk_arrangement] in a published page, such as “Arrangement”. Events then have addresses below it, such as
 * `/arrangement/SLUG?dato=2026-11-20`, and lists lead there unless ALMANAKK_LINK is set. With `"eventPages": "https://…/arrangement/{slug}"` in the
 * calendar's licence.json, these pages are the canonical ones, and WordPress's sitemap names them.
 *
 * A shortcode cannot set the calendar's address: otherwise, anyone who can write one could make this server fetch any URL. The language is that
 * of the site: Bokmål, Nynorsk or English. The markup has classes; its only style keeps pictures within their column.
 */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

// One subject each. Where there is no text, value or element, functions return null. Shapes of arrays have names, such as Event (`queries.php`) and
// Texts (`texts.php`): search for `@phpstan-type`.
const FILES = [
    'html', 'texts', 'browser-request',
    'calendar-request', 'cache', 'queries', 'calendar',
    'settings', 'settings-screen', 'privacy', 'shortcode', 'problems',
    'event', 'pictures', 'list', 'block',
    'addresses', 'page', 'event-page', 'head', 'seo', 'sitemap',
    'hiding/lines', 'hiding/site-list', 'hiding/editors', 'hiding/group-list', 'hiding/removed', 'hiding/hidden', 'hiding/announcing', 'hiding/cron',
    'hiding/page-caches', 'hiding/serving', 'hiding/matches', 'hiding/screen', 'hiding/screen-notices',
];
foreach (FILES as $file) {
    require_once __DIR__ . "/$file.php";
}

// Lists of events, and the block.
add_shortcode('almanakk', __NAMESPACE__ . '\showList');
add_action('init', __NAMESPACE__ . '\registerBlock');
add_action('enqueue_block_editor_assets', __NAMESPACE__ . '\enqueueBlock');

// The settings of a site.
add_action('admin_init', __NAMESPACE__ . '\registerSettings');
add_action('admin_menu', __NAMESPACE__ . '\addSettingsScreen');
add_action('admin_post_almanakk_empty', __NAMESPACE__ . '\emptyCache');

// WordPress's tools for personal data.
add_action('admin_init', __NAMESPACE__ . '\suggestPrivacyPolicy');
add_filter('wp_privacy_personal_data_exporters', __NAMESPACE__ . '\withExporter');
add_filter('wp_privacy_personal_data_erasers', __NAMESPACE__ . '\withEraser');
add_action('deleted_user', __NAMESPACE__ . '\eraseDeleted', 10, 3);
add_action('remove_user_from_blog', __NAMESPACE__ . '\eraseRemoved');
add_action('wpmu_delete_user', __NAMESPACE__ . '\eraseFromNetwork', 10, 2);

// The page of events: its addresses, its event, and its head.
add_shortcode('almanakk_arrangement', __NAMESPACE__ . '\showEvent');
add_filter('option_rewrite_rules', __NAMESPACE__ . '\withEventRule');
add_filter('query_vars', fn (array $names): array => [...$names, SLUG_VARIABLE]);
add_filter('request', __NAMESPACE__ . '\readRequest');
add_filter('redirect_canonical', __NAMESPACE__ . '\withoutRedirect');
add_action('template_redirect', __NAMESPACE__ . '\openEvent');
add_action('save_post_page', __NAMESPACE__ . '\forgetEventsPage');
add_action('after_delete_post', __NAMESPACE__ . '\forgetEventsPage');
add_filter('document_title_parts', __NAMESPACE__ . '\titleParts');
// After WordPress's own filters, which would add typographic quotes and the like to HTML that is already escaped.
add_filter('the_title', __NAMESPACE__ . '\headingOf', 20, 2);
add_filter('get_canonical_url', __NAMESPACE__ . '\canonicalOf', 10, 2);
add_filter('wp_robots', __NAMESPACE__ . '\robotsOf');
add_action('wp_head', __NAMESPACE__ . '\writeHead');

// The sitemap.
add_action('wp_sitemaps_init', __NAMESPACE__ . '\addSitemap');
add_action('parse_request', __NAMESPACE__ . '\sendSitemap');
add_filter('robots_txt', __NAMESPACE__ . '\withSitemaps', 10, 2);

// Yoast SEO and Rank Math, which replace the title, the canonical address and the sitemap of WordPress.
foreach (['wpseo_sitemap_index', 'rank_math/sitemap/index'] as $filter) {
    add_filter($filter, __NAMESPACE__ . '\withSitemapEntries');
}
foreach (['wpseo_canonical', 'wpseo_opengraph_url', 'rank_math/frontend/canonical', 'rank_math/opengraph/url'] as $filter) {
    add_filter($filter, __NAMESPACE__ . '\canonicalHere');
}
foreach (['wpseo_title', 'rank_math/frontend/title'] as $filter) {
    add_filter($filter, __NAMESPACE__ . '\wholeTitle');
}
add_filter('wpseo_frontend_presenters', __NAMESPACE__ . '\withoutPresenters');
add_filter('rank_math/frontend/description', __NAMESPACE__ . '\withoutDescription');
// After Rank Math's own parts of it.
add_filter('rank_math/json_ld', __NAMESPACE__ . '\withoutSchema', 999);
add_action('rank_math/head', __NAMESPACE__ . '\withoutPreviews', 1);

// Hidden events.
add_action('admin_menu', __NAMESPACE__ . '\addHideScreen');
add_action('parse_request', __NAMESPACE__ . '\sendHidden');
add_filter('cron_schedules', __NAMESPACE__ . '\withMinutes');
// In this order: a known cache is a reason to read each minute.
add_action('init', __NAMESPACE__ . '\watchPageCaches');
add_action('init', __NAMESPACE__ . '\scheduleReading');
// In this order: the second function tells caches.
add_action(READ_EVENT, __NAMESPACE__ . '\readRemoved');
add_action(READ_EVENT, __NAMESPACE__ . '\readHiddenNow');
register_deactivation_hook(__FILE__, __NAMESPACE__ . '\endReadingEverywhere');
