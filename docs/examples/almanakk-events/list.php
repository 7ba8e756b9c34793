<?php

/** The list of the shortcode [almanakk]. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** Events that a list has at most. */
const MOST = 100;

/** The shortcode. WordPress passes a text instead of an array for a shortcode without values. */
function showList(array|string $written): string
{
    $read = readWithDefaults(is_array($written) ? $written : []);
    ['filter' => $filter, 'others' => $others, 'problems' => $problems] = $read;
    $texts = textsIn($others['lang'] ?? get_locale());
    ['html' => $html, 'problems' => $further] = contentOf($filter, $others, $texts);
    $content = withoutShortcodes($html);
    $notices = noticesOf([...$problems, ...$further], $read['spelledAs']);
    $attributes = ['class' => 'almanakk', 'lang' => $texts['language']];
    $heading = trim($others['heading'] ?? '');
    if ($heading === '') {
        return element('div', $attributes, $content, $notices);
    }
    $id = wp_unique_id('almanakk-');
    $title = element('h2', ['class' => 'almanakk-heading', 'id' => $id], esc_html($heading));
    return element('section', $attributes + ['aria-labelledby' => $id], $title, $content, $notices);
}

/**
 * The list, or a sentence in its place; empty without the calendar's address.
 *
 * @param Filter $filter
 * @param Others $others
 * @return array{html: string, problems: list<Problem>}
 */
function contentOf(array $filter, array $others, array $texts): array
{
    if (!defined('ALMANAKK_URL')) {
        error_log('almanakk: expected ALMANAKK_URL in wp-config.php, found none');
        return ['html' => '', 'problems' => [problem('noAddress')]];
    }
    $hasPages = $others['paging'] ?? false;
    $page = $hasPages ? pageGiven() : 1;
    $count = max(1, min(MOST, $others['limit'] ?? 10));
    ['data' => $list, 'problem' => $problem] = listOf($filter, $count, $page);
    $problems = [...($problem === null ? [] : [$problem]), ...($list['hints'] ?? [])];
    if ($list === null) {
        keepOutOfCaches();
        return ['html' => element('p', ['class' => 'almanakk-away'], esc_html($texts['away'])), 'problems' => $problems];
    }
    $pages = $hasPages ? pageLinks($page, $list['hasMore'], $texts) : null;
    $events = array_filter($list['events'], isOn(...));
    if ($events === []) {
        return ['html' => element('p', ['class' => 'almanakk-none'], esc_html($texts['none'])) . $pages, 'problems' => $problems];
    }
    // The list's own pages of events, or those of the site; otherwise, the calendar's.
    $link = textOrNull($others['link'] ?? linkToPage());
    $isLinkWrong = $link !== null && !isLink($link);
    if ($isLinkWrong) {
        $problems[] = problem('wrongLink', ['{name}' => 'link', '{found}' => $link]);
    }
    $options = [
        'link' => $isLinkWrong ? null : $link,
        'hasPictures' => $others['pictures'] ?? false,
        // In a list of one municipality, each event would repeat its name.
        'hasMunicipality' => !isset($filter['municipality']) && count($filter['municipalities'] ?? []) !== 1,
    ];
    $items = array_map(fn (array $event): string => itemOf($event, $texts, $options), $events);
    $all = linkToAll($others['home'] ?? addressOfAll($filter, $texts['language']), $texts);
    return ['html' => element('ul', ['class' => 'almanakk-events'], ...$items) . $pages . $all, 'problems' => $problems];
}

/** Whether it is a pattern for the addresses of event pages. */
function isLink(string $written): bool
{
    return preg_match('~^(https?:/)?/.*\{(slug|id)\}~', $written) === 1;
}

/**
 * One event of the list.
 *
 * @param Event $event
 * @param array{link: ?string, hasPictures: bool, hasMunicipality: bool} $options
 */
function itemOf(array $event, array $texts, array $options): string
{
    $title = textIn($event, 'title', $texts['language']) ?? ['text' => '', 'lang' => $texts['language']];
    $summary = textIn($event, 'summary', $texts['language']);
    $link = ['class' => 'almanakk-title', 'href' => linkOf($event, $options['link'], $texts['language']), 'lang' => langOf($title, $texts)];
    $parts = [
        $options['hasPictures'] ? pictureOf($event['images'][0] ?? null) : null,
        element('a', $link, esc_html($title['text'])),
        element('time', ['datetime' => machineTimeOf($event)], esc_html(whenOf($event, $texts))),
        partOf('place', placeOf($event, $texts, $options['hasMunicipality'])),
        partOf('price', priceOf($event, $texts)),
        ...array_map(stateElement(...), statesOf($event, $texts)),
        $summary === null
            ? null
            : element('p', ['class' => 'almanakk-summary', 'lang' => langOf($summary, $texts)], esc_html($summary['text'])),
    ];
    $class = isOff($event) ? 'almanakk-event almanakk-off' : 'almanakk-event';
    return element('li', ['class' => $class], joined($parts, ' '));
}

/** The place or the price of an event; null if it is unknown. */
function partOf(string $name, ?string $text): ?string
{
    return $text === null ? null : element('span', ['class' => "almanakk-$name"], esc_html($text));
}

/** Such as “Avlyst”. */
function stateElement(string $state): string
{
    return element('strong', ['class' => 'almanakk-state'], esc_html($state));
}

/**
 * The address of an event: on the newspaper's own page, by its pattern, or else the calendar's page for this date, in the language of the list. Pages
 * on other sites have no page per date.
 */
function linkOf(array $event, ?string $pattern, string $language): string
{
    if ($pattern !== null) {
        return strtr($pattern, [
            '{slug}' => rawurlencode($event['event_slug']),
            '{id}' => rawurlencode($event['id']),
            '{date}' => substr($event['startDate'], 0, 10),
        ]);
    }
    $page = $event['occurrenceLink'] ?? null;
    return $page === null ? $event['eventLink'] : $page . (str_contains($page, '?') ? '&' : '?') . "lang=$language";
}

/** Links to the pages of the list before and after this one; null if it has only one. */
function pageLinks(int $page, bool $hasMore, array $texts): ?string
{
    $hasNext = $hasMore && $page < MOST_PAGES;
    $links = joined([
        $page > 1 ? pageLink($page - 1, $texts['previous']) : null,
        $hasNext ? pageLink($page + 1, $texts['more']) : null,
    ], ' ');
    return $links === null ? null : element('nav', ['class' => 'almanakk-pages', 'aria-label' => $texts['pages']], $links);
}

/** The first page of the list is the page itself. */
function pageLink(int $page, string $text): string
{
    $address = $page > 1 ? add_query_arg(PAGE_PARAMETER, $page) : remove_query_arg(PAGE_PARAMETER);
    return element('a', ['href' => $address], esc_html($text));
}

/** The link below a list and an event, to the whole calendar. */
function linkToAll(string $address, array $texts): string
{
    return element('p', ['class' => 'almanakk-all'], element('a', ['href' => $address], esc_html($texts['all'])));
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
    $pairs[] = "lang=$language";
    return rtrim(\ALMANAKK_URL, '/') . '/events.html?' . implode('&', $pairs);
}
