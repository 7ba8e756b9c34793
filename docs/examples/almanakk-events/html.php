<?php

/** HTML as elements. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** They have no contents, and no end. */
const VOID_ELEMENTS = ['img', 'input', 'meta'];
/** Attributes with the address of a page or a file, of which WordPress refuses those that would run a script. */
const ADDRESS_ATTRIBUTES = ['href', 'src', 'action'];

/**
 * An element. Attributes are escaped here; one that is null or false is left out, and one that is true has no value. The contents are HTML, so a text needs
 * `esc_html` first; those that are null are left out.
 */
function element(string $name, array $attributes, ?string ...$contents): string
{
    $start = "<$name";
    foreach ($attributes as $attribute => $value) {
        $start .= attribute($attribute, $value);
    }
    $isVoid = in_array($name, VOID_ELEMENTS, true);
    return $isVoid ? "$start>" : "$start>" . implode('', $contents) . "</$name>";
}

/** With the blank before it; empty if it is left out. */
function attribute(string $name, string|int|bool|null $value): string
{
    if ($value === null || $value === false) {
        return '';
    }
    if ($value === true) {
        return " $name";
    }
    $escaped = in_array($name, ADDRESS_ATTRIBUTES, true) ? esc_url((string) $value) : esc_attr((string) $value);
    return " $name=\"$escaped\"";
}

/** Those of these texts that are not null, with another text between each two. Null if all of them are. */
function joined(array $texts, string $between): ?string
{
    $known = array_filter($texts, 'is_string');
    return $known === [] ? null : implode($between, $known);
}

/** Some versions of WordPress run shortcodes in the result of a shortcode. Here, organizers could have written them. */
function withoutShortcodes(string $html): string
{
    return str_replace('[', '&#091;', $html);
}
