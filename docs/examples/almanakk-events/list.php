<?php

/** The list of the shortcode [almanakk]. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

const MOST = 100;
const MOST_PAGES = 100;

/** WordPress passes a text instead of an array for a shortcode without values. */
function show(array|string $written): string
{
    ['filter' => $filter, 'others' => $others, 'names' => $names, 'problems' => $problems] = readWithDefaults(is_array($written) ? $written : []);
    $texts = textsIn($others['lang'] ?? get_locale());
    $language = $texts['language'];
    $content = withoutShortcodes(content($filter, $others, $texts, $problems));
    $notices = noticesOf($problems, $names);
    $heading = trim($others['heading'] ?? '');
    if ($heading === '') {
        return '<div class="almanakk" lang="' . $language . '">' . $content . $notices . '</div>';
    }
    $id = wp_unique_id('almanakk-');
    $label = "<h2 class=\"almanakk-heading\" id=\"$id\">" . esc_html($heading) . '</h2>';
    return "<section class=\"almanakk\" lang=\"$language\" aria-labelledby=\"$id\">$label$content$notices</section>";
}

/** The list, or a sentence in its place. Adds to `$problems`. */
function content(array $filter, array $others, array $texts, array &$problems): string
{
    if (!defined('ALMANAKK_URL')) {
        $problems[] = ['noAddress', []];
        error_log('almanakk: expected ALMANAKK_URL in wp-config.php, found none');
        return '';
    }
    $count = max(1, min(MOST, $others['limit'] ?? 10));
    $page = ($others['paging'] ?? false) ? pageGiven() : 1;
    ['data' => $list, 'problem' => $problem] = listOf($filter, $count, $page);
    array_push($problems, ...($problem === null ? [] : [$problem]), ...($list['hints'] ?? []));
    if ($list === null) {
        keepOutOfCaches();
        return '<p class="almanakk-away">' . esc_html($texts['away']) . '</p>';
    }
    $pages = ($others['paging'] ?? false) ? pageLinks($page, $list['hasMore'], $texts) : '';
    $events = array_filter($list['events'], __NAMESPACE__ . '\isOn');
    if ($events === []) {
        return '<p class="almanakk-none">' . esc_html($texts['none']) . "</p>$pages";
    }
    $link = $others['link'] ?? linkToPage();
    if ($link !== '' && !isLink($link)) {
        $problems[] = ['wrongLink', ['{name}' => 'link', '{found}' => $link]];
        $link = '';
    }
    $shown = $texts + [
        'link' => $link,
        'hasPictures' => $others['pictures'] ?? false,
        'hasMunicipality' => !isset($filter['municipality']) && count($filter['municipalities'] ?? []) !== 1,
    ];
    $items = array_map(fn (array $event): string => itemOf($event, $shown), $events);
    $all = linkToAll($others['home'] ?? addressOfAll($filter, $texts['language']), $texts);
    return '<ul class="almanakk-events">' . implode('', $items) . "</ul>$pages$all";
}

/** Whether it is the address of event pages. */
function isLink(string $written): bool
{
    return preg_match('~^(https?:/)?/.*\{(slug|id)\}~', $written) === 1;
}

function linkToAll(string $address, array $texts): string
{
    return '<p class="almanakk-all"><a href="' . esc_url($address) . '">' . esc_html($texts['all']) . '</a></p>';
}

/** Otherwise, if the calendar does not respond for a moment, a cache for whole pages would say so for hours. */
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

/** The number of the list's page, from 1, that the address of this page names. */
function pageGiven(): int
{
    return min(MOST_PAGES, (int) given('side', '~^[1-9]\d{0,4}$~D', '1'));
}

/** A value in the address; `$otherwise` if it has another form. */
function given(string $name, string $form, string $otherwise = ''): string
{
    $value = $_GET[$name] ?? null;
    return is_string($value) && preg_match($form, $value) ? $value : $otherwise;
}

function pageLinks(int $page, bool $hasMore, array $texts): string
{
    $linkTo = fn (int $other, string $text): string =>
        '<a href="' . esc_url($other > 1 ? add_query_arg('side', $other) : remove_query_arg('side')) . '">' . esc_html($text) . '</a>';
    $links = [
        $page > 1 ? $linkTo($page - 1, $texts['previous']) : '',
        $hasMore && $page < MOST_PAGES ? $linkTo($page + 1, $texts['more']) : '',
    ];
    $shown = implode(' ', array_filter($links));
    return $shown === '' ? '' : '<nav class="almanakk-pages" aria-label="' . esc_attr($texts['pages']) . "\">$shown</nav>";
}

/** The calendar's own list with the same filter. */
function addressOfAll(array $filter, string $language): string
{
    $pairs = [];
    foreach ($filter as $name => $value) {
        // `near` is one value, and a list is several.
        $values = is_array(FIELDS[$name]) ? [implode(',', $value)] : (array) $value;
        foreach ($values as $one) {
            $text = is_bool($one) ? ($one ? 'true' : 'false') : (string) $one;
            $pairs[] = rawurlencode($name) . '=' . rawurlencode($text);
        }
    }
    $pairs[] = 'lang=' . $language;
    return rtrim(\ALMANAKK_URL, '/') . '/events.html?' . implode('&', $pairs);
}
