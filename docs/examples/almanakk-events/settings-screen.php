<?php

/** The screen “Settings, almanakk” for administrators: the values of the site, the state of the calendar, and the words of the shortcode. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** Below “Settings” in WordPress's menu. */
function addSettingsScreen(): void
{
    add_options_page('almanakk', 'almanakk', 'manage_options', SETTINGS, __NAMESPACE__ . '\showSettings');
}

/** Writes the screen. */
function showSettings(): void
{
    $texts = textsIn(get_user_locale());
    echo '<div class="wrap" lang="' . esc_attr($texts['language']) . '">';
    echo element('h1', [], 'almanakk'), stateOfCalendar($texts);
    echo '<form action="options.php" method="post">';
    settings_fields(SETTINGS);
    echo formTable(...rowsOfSettings($texts));
    submit_button();
    echo '</form>';
    echo formOfCache($texts), wordsOfShortcode($texts);
    echo '</div>';
}

/** The rows of the form. */
function rowsOfSettings(array $texts): array
{
    $saved = savedSettings();
    return [
        formRow(esc_html($texts['kommune']), boxesFor($saved['kommune'], $texts), $texts['kommuneHelp']),
        textRow('lenke', $saved['lenke'], $texts),
        textRow('hjem', $saved['hjem'], $texts),
        formRow(esc_html($texts['eventPages']), stateOfPages($texts)),
    ];
}

/** A field for a line of text. */
function textRow(string $name, string $value, array $texts): string
{
    $id = "almanakk-$name";
    $field = ['class' => 'large-text', 'id' => $id, 'name' => SETTINGS . "[$name]", 'value' => $value];
    return formRow(element('label', ['for' => $id], esc_html($texts[$name])), element('input', $field), $texts["{$name}Help"]);
}

/** The municipalities of the calendar, and any chosen ones that the calendar does not have now. */
function boxesFor(array $chosen, array $texts): string
{
    $known = array_column(menusOf($texts)['kommune'], 'value');
    $boxes = array_map(
        fn (string $town): string => boxFor($town, in_array($town, $chosen, true)),
        array_unique(array_merge($known, $chosen)),
    );
    $legend = element('legend', ['class' => 'screen-reader-text'], esc_html($texts['kommune']));
    return element('fieldset', [], $legend, ...$boxes);
}

/** One municipality. */
function boxFor(string $town, bool $isChosen): string
{
    $box = ['type' => 'checkbox', 'name' => SETTINGS . '[kommune][]', 'value' => $town, 'checked' => $isChosen];
    return element('label', ['style' => 'display:inline-block;margin:0 1.5em .5em 0'], element('input', $box), ' ', esc_html($town));
}

/** Where events have their pages on this site, and whether the calendar names these as the canonical ones. */
function stateOfPages(array $texts): string
{
    $base = eventsBase();
    if ($base === null) {
        return esc_html($texts[eventsPage() === null ? 'noPage' : 'noPath']);
    }
    $isCanonical = defined('ALMANAKK_URL') && ownAddressesOn(0) !== [];
    $sentence = strtr($texts[$isCanonical ? 'isCanonical' : 'notCanonical'], ['{sitemap}' => sitemapAddresses()[0] ?? '']);
    $setting = element('p', [], element('code', [], esc_html("\"eventPages\": \"{$base}{slug}\"")));
    return element('p', [], esc_html($sentence)) . ($isCanonical ? '' : $setting);
}

/** Whether the calendar responds. */
function stateOfCalendar(array $texts): string
{
    $sentence = match (true) {
        !defined('ALMANAKK_URL') => $texts['noAddress'],
        addressesOn(0) === null => $texts['noAnswer'],
        default => strtr($texts['calendarIs'], ['{found}' => \ALMANAKK_URL]),
    };
    return element('p', [], esc_html($sentence));
}

/** A button that empties the cache of this site, and the notice after it. */
function formOfCache(array $texts): string
{
    $isEmptied = given('almanakk-emptied', '~^1$~D') !== null;
    $done = element('div', ['class' => 'notice notice-success inline'], element('p', [], esc_html($texts['emptied'])));
    return element(
        'form',
        ['action' => admin_url('admin-post.php'), 'method' => 'post'],
        element('input', ['type' => 'hidden', 'name' => 'action', 'value' => 'almanakk_empty']),
        wp_nonce_field('almanakk_empty', '_wpnonce', true, false),
        $isEmptied ? $done : null,
        element('p', [], element('button', ['class' => 'button'], esc_html($texts['empty']))),
        element('p', ['class' => 'description'], esc_html($texts['emptyHelp'])),
    );
}

/** For that button: everything is fetched anew. */
function emptyCache(): void
{
    if (!current_user_can('manage_options')) {
        wp_die('', '', ['response' => 403]);
    }
    check_admin_referer('almanakk_empty');
    update_option(CACHE_NUMBER, (int) get_option(CACHE_NUMBER) + 1);
    delete_transient(PAUSED);
    wp_safe_redirect(admin_url('options-general.php?page=' . SETTINGS . '&almanakk-emptied=1'));
    exit;
}

/** The words of the shortcode, with an example. */
function wordsOfShortcode(array $texts): string
{
    $rows = [];
    foreach ($texts['words'] as $word => $meaning) {
        $name = element('th', ['scope' => 'row'], element('code', [], esc_html($word)));
        $rows[] = element('tr', [], $name, element('td', [], esc_html($meaning)));
    }
    return element('h2', [], esc_html($texts['shortcode']))
        . element('p', [], element('code', [], esc_html($texts['example'])))
        . element('table', ['class' => 'widefat striped'], element('tbody', [], ...$rows));
}

/** The rows of a form, as on WordPress's own screens. */
function formTable(string ...$rows): string
{
    return element('table', ['class' => 'form-table', 'role' => 'presentation'], ...$rows);
}

/** `$label` and `$field` are HTML, and `$help` is a text. */
function formRow(string $label, string $field, ?string $help = null): string
{
    $below = $help === null ? null : element('p', ['class' => 'description'], esc_html($help));
    return element('tr', [], element('th', ['scope' => 'row'], $label), element('td', [], $field, $below));
}
