<?php

/** The pictures of events. If the calendar has copies of one, readers load a copy in the width that they need. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/**
 * A picture with its credits. Without copies, readers load the original from the organizer's server, which does not learn the page. `$isCover`: at
 * the top of a page. Null without a picture, and if only the organizer's server has it.
 */
function pictureOf(?array $image, bool $isCover = false): ?string
{
    $sources = sourcesOf($image, $isCover);
    if ($sources === null) {
        return null;
    }
    $isMeasured = isMeasured($image);
    $credits = trim($image['credits'] ?? '');
    $picture = element('img', $sources + [
        'alt' => $image['alt'] ?? '',
        'width' => $isMeasured ? (int) $image['width'] : null,
        'height' => $isMeasured ? (int) $image['height'] : null,
        // Many themes limit only the pictures of WordPress's own library.
        'style' => 'max-width:100%;height:auto',
        'loading' => $isCover ? null : 'lazy',
        'decoding' => 'async',
        'referrerpolicy' => 'no-referrer',
    ]);
    $caption = $credits === '' ? null : element('figcaption', [], esc_html($credits));
    return element('figure', ['class' => 'almanakk-picture'], $picture, $caption);
}

/** The attributes that name the files; null without a file to show. */
function sourcesOf(?array $image, bool $isCover): ?array
{
    if (!isset($image['copies'])) {
        $original = originalOf($image, $isCover);
        return $original === null ? null : ['src' => $original];
    }
    $copies = $image['copies'];
    if ($copies === []) {
        return null;
    }
    $candidates = array_map(fn (array $copy): string => esc_url_raw($copy['url']) . ' ' . (int) $copy['width'] . 'w', $copies);
    // With its measures, newer browsers see how wide it is in the theme: in a column of 150 pixels, the narrowest copy instead of the widest.
    $isAutomatic = isMeasured($image) && !$isCover;
    return [
        'src' => $copies[0]['url'],
        'srcset' => implode(', ', $candidates),
        'sizes' => ($isAutomatic ? 'auto, ' : '') . '(max-width: 40rem) 100vw, 40rem',
    ];
}

/** The organizer's own file in the size that fits best; null without one that a page may show. */
function originalOf(?array $image, bool $isCover): ?string
{
    $fitting = $isCover ? ['urlLarge', 'urlSmall'] : ['urlSmall', 'urlLarge'];
    $addresses = array_filter(array_map(fn (string $size): ?string => textOrNull($image[$size] ?? null), $fitting), 'is_string');
    return webAddress(reset($addresses) ?: null);
}

/** Whether the calendar knows its size. */
function isMeasured(array $image): bool
{
    return !empty($image['width']) && !empty($image['height']);
}

/** The picture in previews of the page: the widest copy, or else the original. Null without one. */
function previewOf(?array $image): ?string
{
    $copies = array_column($image['copies'] ?? [], 'url');
    $address = $copies === [] ? textOrNull($image['urlLarge'] ?? null) : end($copies);
    return webAddress($address);
}

/** Null for an address that would run a script. */
function webAddress(?string $address): ?string
{
    return $address === null ? null : textOrNull(esc_url_raw($address));
}
