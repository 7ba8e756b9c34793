<?php

/** The values of a site that its lists inherit, and the screen for them. On a network, each site has its own. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The name of the option and of its screen. */
const SETTINGS = 'almanakk';

/** `municipalities`; `others`: `link` and `home`, if they are set; `names`: of the values that are set here, for messages. */
function defaults(): array
{
    $saved = savedSettings();
    $constants = ['link' => 'ALMANAKK_LINK', 'home' => 'ALMANAKK_HOME'];
    $others = array_filter(['link' => $saved['lenke'], 'home' => $saved['hjem']]);
    $names = ['municipalities' => 'kommune'] + array_intersect_key(['link' => 'lenke', 'home' => 'hjem'], $others);
    foreach ($constants as $name => $constant) {
        if (!isset($others[$name]) && defined($constant)) {
            $others[$name] = constant($constant);
            $names[$name] = $constant;
        }
    }
    $ofAll = defined('ALMANAKK_KOMMUNE') ? valueOf(\ALMANAKK_KOMMUNE, 'list') : [];
    return ['municipalities' => $saved['kommune'] ?: $ofAll, 'others' => $others, 'names' => $names];
}

/** By the names of the shortcode. */
function savedSettings(): array
{
    $saved = get_option(SETTINGS);
    return (is_array($saved) ? $saved : []) + ['kommune' => [], 'lenke' => '', 'hjem' => ''];
}

function registerSettings(): void
{
    register_setting(SETTINGS, SETTINGS, ['type' => 'array', 'sanitize_callback' => __NAMESPACE__ . '\readSettings']);
}

/** What the form sends, as it is saved. */
function readSettings(mixed $sent): array
{
    $sent = is_array($sent) ? $sent : [];
    $textOf = fn (string $name): string => is_string($sent[$name] ?? null) ? trim($sent[$name]) : '';
    $link = $textOf('lenke');
    if ($link !== '' && !isLink($link)) {
        $texts = textsIn(get_user_locale());
        add_settings_error(SETTINGS, 'lenke', strtr($texts['wrongLink'], ['{name}' => $texts['lenke'], '{found}' => $link]));
        $link = savedSettings()['lenke'];
    }
    $towns = array_filter((array) ($sent['kommune'] ?? []), 'is_string');
    return [
        'kommune' => array_values(array_map('sanitize_text_field', $towns)),
        'lenke' => $link,
        'hjem' => esc_url_raw($textOf('hjem')),
    ];
}

function addSettingsScreen(): void
{
    add_options_page('almanakk', 'almanakk', 'manage_options', SETTINGS, __NAMESPACE__ . '\showSettings');
}

function showSettings(): void
{
    $texts = textsIn(get_user_locale());
    $saved = savedSettings();
    $language = esc_attr($texts['language']);
    echo "<div class=\"wrap\" lang=\"$language\"><h1>almanakk</h1>" . stateOfCalendar($texts) . '<form action="options.php" method="post">';
    settings_fields(SETTINGS);
    echo '<table class="form-table" role="presentation">';
    echo rowOf($texts['kommune'], boxesFor($saved['kommune'], $texts), $texts['kommuneHelp']);
    foreach (['lenke', 'hjem'] as $name) {
        $field = '<input class="large-text" id="almanakk-' . $name . '" name="' . SETTINGS . "[$name]\" value=\"" . esc_attr($saved[$name]) . '">';
        echo rowOf('<label for="almanakk-' . $name . '">' . esc_html($texts[$name]) . '</label>', $field, $texts["{$name}Help"]);
    }
    echo rowOf($texts['eventPages'], stateOfPages($texts), '');
    echo '</table>';
    submit_button();
    echo '</form>' . formOfCache($texts) . '<h2>' . esc_html($texts['shortcode']) . '</h2><p><code>' . esc_html($texts['example']) . '</code></p>';
    echo '<table class="widefat striped"><tbody>';
    foreach ($texts['words'] as $word => $meaning) {
        echo '<tr><th scope="row"><code>' . esc_html($word) . '</code></th><td>' . esc_html($meaning) . '</td></tr>';
    }
    echo '</tbody></table></div>';
}

/** A button that empties the cache of this site, and the notice after it. */
function formOfCache(array $texts): string
{
    $isEmptied = given('almanakk-emptied', '~^1$~D') !== '';
    $notice = $isEmptied ? '<div class="notice notice-success inline"><p>' . esc_html($texts['emptied']) . '</p></div>' : '';
    return '<form action="' . esc_url(admin_url('admin-post.php')) . '" method="post"><input type="hidden" name="action" value="almanakk_empty">'
        . wp_nonce_field('almanakk_empty', '_wpnonce', true, false) . $notice . '<p><button class="button">' . esc_html($texts['empty'])
        . '</button></p><p class="description">' . esc_html($texts['emptyHelp']) . '</p></form>';
}

/** For the button. */
function emptyCache(): void
{
    if (!current_user_can('manage_options')) {
        wp_die('', '', ['response' => 403]);
    }
    check_admin_referer('almanakk_empty');
    update_option(CACHE_NUMBER, (int) get_option(CACHE_NUMBER) + 1);
    delete_transient('almanakk_pause');
    wp_safe_redirect(admin_url('options-general.php?page=' . SETTINGS . '&almanakk-emptied=1'));
    exit;
}

/** `$label` and `$field` are HTML. */
function rowOf(string $label, string $field, string $help): string
{
    $below = $help === '' ? '' : '<p class="description">' . esc_html($help) . '</p>';
    return "<tr><th scope=\"row\">$label</th><td>$field$below</td></tr>";
}

/** The municipalities of the calendar, and any chosen ones that the calendar does not have now. */
function boxesFor(array $chosen, array $texts): string
{
    $known = array_column(menusOf($texts)['kommune'], 'value');
    $boxes = '';
    foreach (array_unique(array_merge($known, $chosen)) as $town) {
        $mark = in_array($town, $chosen, true) ? ' checked' : '';
        $value = esc_attr($town);
        $boxes .= '<label style="display:inline-block;margin:0 1.5em .5em 0"><input type="checkbox" name="' . SETTINGS
            . "[kommune][]\" value=\"$value\"$mark> " . esc_html($town) . '</label>';
    }
    return '<fieldset><legend class="screen-reader-text">' . esc_html($texts['kommune']) . "</legend>$boxes</fieldset>";
}

/** Whether the calendar responds. */
function stateOfCalendar(array $texts): string
{
    if (!defined('ALMANAKK_URL')) {
        return '<p>' . esc_html($texts['noAddress']) . '</p>';
    }
    $isThere = addressesOn(0) !== null;
    return '<p>' . esc_html(strtr($texts[$isThere ? 'calendarIs' : 'noAnswer'], ['{found}' => \ALMANAKK_URL])) . '</p>';
}

/** Where events have their pages on this site, and whether the calendar names these as the canonical ones. */
function stateOfPages(array $texts): string
{
    $base = eventsBase();
    if ($base === '') {
        return esc_html($texts[eventsPage() === 0 ? 'noPage' : 'noPath']);
    }
    $isCanonical = defined('ALMANAKK_URL') && ownAddressesOn(0) !== [];
    $sentence = strtr($texts[$isCanonical ? 'isCanonical' : 'notCanonical'], ['{sitemap}' => sitemapAddresses()[0] ?? '']);
    $code = '"eventPages": "' . $base . '{slug}"';
    return '<p>' . esc_html($sentence) . '</p>' . ($isCanonical ? '' : '<p><code>' . esc_html($code) . '</code></p>');
}
