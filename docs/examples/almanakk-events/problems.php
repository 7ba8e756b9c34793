<?php

/** What is wrong with a shortcode or with the calendar, and how editors who look at a page read of it. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/**
 * A problem. `code`: the name of its sentence in `TEXTS`; `values`: those in that sentence, by their placeholders.
 *
 * @phpstan-type Problem array{code: string, values: array<string, ?string>}
 * @return Problem
 */
function problem(string $code, array $values = []): array
{
    return ['code' => $code, 'values' => $values];
}

/**
 * The sentences about problems, which editors read in the language of their own profile; null for anyone else, and without problems. `$spelledAs`:
 * how the shortcode spells the names of its values.
 *
 * @param list<Problem> $problems
 * @param array<string, string> $spelledAs
 */
function noticesOf(array $problems, array $spelledAs = []): ?string
{
    if (!current_user_can('edit_posts')) {
        return null;
    }
    $texts = textsIn(get_user_locale());
    $attributes = ['class' => 'almanakk-problem', 'lang' => $texts['language']];
    $notices = array_map(
        fn (array $problem): string => element('p', $attributes, withoutShortcodes(esc_html(problemSentence($problem, $spelledAs, $texts)))),
        $problems,
    );
    return joined($notices, '');
}

/** The sentence about one problem and, for an unknown word, the word that is meant. */
function problemSentence(array $problem, array $spelledAs, array $texts): string
{
    ['code' => $code, 'values' => $values] = $problem;
    $name = $values['{name}'] ?? null;
    $written = $name === null ? [] : ['{name}' => $spelledAs[$name] ?? $name];
    $nearest = $values['{nearest}'] ?? null;
    $suggestion = $nearest === null ? null : strtr($texts['nearest'], ['{name}' => $nearest]);
    return joined([$texts['forEditors'], strtr($texts[$code], $written + $values), $suggestion], ' ');
}
