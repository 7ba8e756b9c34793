<?php

/** The values of a site that its lists inherit. On a network, each site has its own. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The name of the option, of its screen and of its form. */
const SETTINGS = 'almanakk';

/**
 * What a list inherits. `others`: `link` and `home`, if they are set. `spelledAs`: the name by which the site sets a value, for messages.
 *
 * @return array{municipalities: list<string>, others: array<string, string>, spelledAs: array<string, string>}
 */
function defaults(): array
{
    $saved = savedSettings();
    $constants = ['link' => 'ALMANAKK_LINK', 'home' => 'ALMANAKK_HOME'];
    $others = array_filter(['link' => $saved['lenke'], 'home' => $saved['hjem']]);
    $spelledAs = ['municipalities' => 'kommune'] + array_intersect_key(['link' => 'lenke', 'home' => 'hjem'], $others);
    foreach ($constants as $name => $constant) {
        if (!isset($others[$name]) && defined($constant)) {
            $others[$name] = constant($constant);
            $spelledAs[$name] = $constant;
        }
    }
    $ofAll = defined('ALMANAKK_KOMMUNE') ? valueOf(\ALMANAKK_KOMMUNE, 'list') : [];
    return ['municipalities' => $saved['kommune'] ?: $ofAll, 'others' => $others, 'spelledAs' => $spelledAs];
}

/** What the screen has saved, by the names of the shortcode. */
function savedSettings(): array
{
    $saved = get_option(SETTINGS);
    return (is_array($saved) ? $saved : []) + ['kommune' => [], 'lenke' => '', 'hjem' => ''];
}

/** WordPress saves what the screen sends, and calls `readSettings` first. */
function registerSettings(): void
{
    register_setting(SETTINGS, SETTINGS, ['type' => 'array', 'sanitize_callback' => __NAMESPACE__ . '\readSettings']);
}

/** What the form sends, as it is saved. A link that cannot be one is reported, and the one before it stays. */
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
