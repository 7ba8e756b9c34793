<?php

/** The block “Arrangementer”: the list of a shortcode, with menus. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The values that the block can set, by their names in the shortcode. */
const BLOCK_ATTRIBUTES = [
    'kommune' => ['type' => 'string', 'default' => ''],
    'kategori' => ['type' => 'string', 'default' => ''],
    'periode' => ['type' => 'string', 'default' => ''],
    'antall' => ['type' => 'number', 'default' => 10],
    'overskrift' => ['type' => 'string', 'default' => ''],
    'lenke' => ['type' => 'string', 'default' => ''],
    'hjem' => ['type' => 'string', 'default' => ''],
    'bilder' => ['type' => 'boolean', 'default' => false],
    'sider' => ['type' => 'boolean', 'default' => false],
];

/** Tells WordPress of the block; its list is written at each page view. */
function registerBlock(): void
{
    register_block_type('almanakk/liste', [
        'api_version' => 3,
        'title' => textsIn(get_user_locale())['block'],
        'category' => 'widgets',
        'icon' => 'calendar-alt',
        'attributes' => BLOCK_ATTRIBUTES,
        'render_callback' => __NAMESPACE__ . '\showBlock',
    ]);
}

/** The list of a shortcode with the same values. */
function showBlock(array $attributes): string
{
    $isWritten = fn (mixed $value): bool => $value !== '' && $value !== false;
    $written = array_filter(array_intersect_key($attributes, BLOCK_ATTRIBUTES), $isWritten);
    $asTexts = array_map(fn (mixed $value): string => $value === true ? 'ja' : (string) $value, $written);
    // They are HTML already.
    return '<div ' . get_block_wrapper_attributes() . '>' . showList($asTexts) . '</div>';
}

/** The block's script, with the texts and menus in the editor's own language. */
function enqueueBlock(): void
{
    $texts = textsIn(get_user_locale());
    $given = ['texts' => textsOfBlock($texts), 'menus' => menusOf($texts)];
    $needed = ['wp-blocks', 'wp-block-editor', 'wp-components', 'wp-element', 'wp-server-side-render'];
    // Browsers read a changed script at once.
    $version = (string) filemtime(__DIR__ . '/block.js');
    wp_register_script('almanakk-block', plugins_url('block.js', __FILE__), $needed, $version, true);
    wp_add_inline_script('almanakk-block', 'const almanakkBlock = ' . wp_json_encode($given, JSON_HEX_TAG) . ';', 'before');
    wp_enqueue_script('almanakk-block');
}

/** The texts that are not lists. The help for municipalities says which ones a list without its own has. */
function textsOfBlock(array $texts): array
{
    $municipalities = implode(', ', defaults()['municipalities']) ?: $texts['everywhere'];
    $inherited = strtr($texts['inherited'], ['{found}' => $municipalities]);
    return ['inherited' => $inherited, 'kommuneHelp' => ''] + array_filter($texts, 'is_string');
}

/** The choices, by the names of the shortcode. If the calendar does not respond, there are no municipalities or categories. */
function menusOf(array $texts): array
{
    $data = choicesOfCalendar();
    $option = fn (string $value, string $label): array => ['value' => $value, 'label' => $label];
    $towns = array_column($data['events']['municipalities'] ?? [], 'name');
    $categories = array_filter($data['categories'] ?? [], fn (array $category): bool => $category['visible']);
    $nameOf = fn (array $category): string => $category["name_{$texts['language']}"] ?? $category['name_nb'];
    return [
        'kommune' => array_map(fn (string $town): array => $option($town, $town), $towns),
        'kategori' => array_values(array_map(fn (array $category): array => $option($category['id'], $nameOf($category)), $categories)),
        'periode' => array_map(fn (string $period): array => $option($period, $texts[$period]), PERIODS),
    ];
}
