<?php

/**
 * WordPress's tools for personal data. Of people, the plugin keeps the names and ids of editors at the lines that they have hidden. It keeps
 * nothing of visitors.
 */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** For “Settings, Privacy”: a text that the site can use in its own policy. */
function suggestPrivacyPolicy(): void
{
    $text = strtr(textsIn(get_locale())['privacyPolicy'], ['{host}' => defined('ALMANAKK_URL') ? parse_url(\ALMANAKK_URL, PHP_URL_HOST) : '…']);
    wp_add_privacy_policy_content('almanakk', element('p', [], esc_html($text)));
}

/** Adds the export to “Tools, Export Personal Data”. */
function withExporter(array $exporters): array
{
    return $exporters + ['almanakk' => ['exporter_friendly_name' => 'almanakk', 'callback' => __NAMESPACE__ . '\exportLinesOf']];
}

/** Adds the erasure to “Tools, Erase Personal Data”. */
function withEraser(array $erasers): array
{
    return $erasers + ['almanakk' => ['eraser_friendly_name' => 'almanakk', 'callback' => __NAMESPACE__ . '\eraseNameOf']];
}

/** The lines that the user with this email address has added. */
function exportLinesOf(string $email): array
{
    $texts = textsIn(get_user_locale());
    $items = [];
    $user = get_user_by('email', $email);
    foreach ($user === false ? [] : changesBy($user)['lines'] as $line => ['by' => $by, 'at' => $at]) {
        $values = [$texts['line'] => (string) $line, $texts['addedBy'] => changeOf($by, $at, $texts)];
        $data = array_map(fn (string $name): array => ['name' => $name, 'value' => $values[$name]], array_keys($values));
        $items[] = ['group_id' => 'almanakk', 'group_label' => $texts['hideEvents'], 'item_id' => 'almanakk-' . md5((string) $line), 'data' => $data];
    }
    return ['data' => $items, 'done' => true];
}

/** Leaves the lines, without the name and the id. */
function eraseNameOf(string $email): array
{
    $nothing = ['items_removed' => false, 'items_retained' => false, 'messages' => [], 'done' => true];
    $texts = textsIn(get_user_locale());
    $user = get_user_by('email', $email);
    if ($user === false) {
        return $nothing;
    }
    $hasName = isEditor($user);
    if (!eraseEditor($user)) {
        return ['items_retained' => true, 'messages' => [$texts['busyErasing']]] + $nothing;
    }
    $isUnclear = changesBy($user)['areSomeUnclear'];
    return ['items_removed' => $hasName, 'items_retained' => $isUnclear, 'messages' => $isUnclear ? [$texts['sameName']] : []] + $nothing;
}
