<?php

/** The screen “Hide events”, which is for editors too: whoever is on duty must not have to wait for an administrator. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The name of the option and of its screen. */
const HIDDEN = 'almanakk_hidden';

/** Editors have this capability; authors do not. */
function hideCapability(): string
{
    return apply_filters('almanakk_hide_capability', 'edit_others_pages');
}

/** `names`: addresses, slugs and ids; `by`: who changed them last; `at`: when, in seconds since 1970, or 0. */
function hiddenHere(): array
{
    $saved = get_option(HIDDEN);
    return (is_array($saved) ? $saved : []) + ['names' => [], 'by' => '', 'at' => 0];
}

function registerHidden(): void
{
    register_setting(HIDDEN, HIDDEN, ['type' => 'array', 'sanitize_callback' => __NAMESPACE__ . '\readHidden']);
}

/** What the form sends, as it is saved. */
function readHidden(mixed $sent): array
{
    // WordPress calls this twice when it saves the list for the first time: the second time with what this returned.
    $text = is_array($sent) ? implode("\n", array_filter((array) ($sent['names'] ?? []), 'is_string')) : '';
    $names = array_values(array_filter(array_map('trim', preg_split('/\R/', $text))));
    $before = hiddenHere();
    if ($names === $before['names']) {
        return $before;
    }
    return ['names' => $names, 'by' => wp_get_current_user()->display_name, 'at' => time()];
}

function addHideScreen(): void
{
    $name = textsIn(get_user_locale())['hideEvents'];
    add_menu_page($name, $name, hideCapability(), HIDDEN, __NAMESPACE__ . '\showHideScreen', 'dashicons-hidden');
}

function showHideScreen(): void
{
    $texts = textsIn(get_user_locale());
    ['names' => $names, 'by' => $by, 'at' => $at] = hiddenHere();
    $language = esc_attr($texts['language']);
    echo "<div class=\"wrap\" lang=\"$language\"><h1>" . esc_html($texts['hideEvents']) . '</h1>';
    // WordPress shows the result of saving by itself only below “Settings”.
    settings_errors();
    echo '<form action="options.php" method="post">';
    settings_fields(HIDDEN);
    $field = '<textarea class="large-text code" rows="8" id="almanakk-skjul" name="' . HIDDEN . '[names]">' . esc_html(implode("\n", $names)) . '</textarea>';
    echo '<table class="form-table" role="presentation">';
    echo rowOf('<label for="almanakk-skjul">' . esc_html($texts['skjul']) . '</label>', $field, $texts['skjulHelp']);
    echo '</table>';
    $others = hiddenEverywhere();
    if ($others !== []) {
        echo '<p>' . esc_html(strtr($texts['hiddenEverywhere'], ['{names}' => implode(', ', $others)])) . '</p>';
    }
    if ($at !== 0) {
        $change = ['{who}' => $by, '{when}' => wp_date('Y-m-d H:i', $at)];
        echo '<p>' . esc_html(strtr($texts['lastChange'], $change)) . '</p>';
    }
    submit_button();
    echo '</form></div>';
}
