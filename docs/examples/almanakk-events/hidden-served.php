<?php

/** With ALMANAKK_SERVE_HIDDEN, the list “Hide events” of this site at `/?almanakk_hidden=1`, for ALMANAKK_HIDDEN_URL of all other sites of a group. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

const SERVED = 'almanakk_hidden';

/** Sends the list instead of a page, if the address is that of the list. It works with every structure of permalinks. */
function sendHidden(): void
{
    $text = hiddenToSend();
    if ($text === null) {
        return;
    }
    keepOutOfCaches();
    status_header(200);
    header('Content-Type: text/plain; charset=UTF-8');
    header('X-Robots-Tag: noindex');
    echo $text;
    exit;
}

/** Null if this request is for something else, or if the site does not serve its list. */
function hiddenToSend(): ?string
{
    return servedAddress() !== '' && given(SERVED, '~^1$~D') !== '' ? servedText() : null;
}

/** Empty if the site does not serve its list. */
function servedAddress(): string
{
    return defined('ALMANAKK_SERVE_HIDDEN') && \ALMANAKK_SERVE_HIDDEN ? home_url('/?' . SERVED . '=1') : '';
}

/** Anyone can read it. So it has only addresses, slugs and ids: a remark may name people. */
function servedText(): string
{
    $lines = [SHARED_MARK];
    foreach (hiddenHere()['names'] as $line) {
        preg_match_all(ADDRESS, $line, $found);
        $names = $found[0] ?: [preg_split('/\s+/', $line)[0]];
        $lines = [...$lines, ...($line[0] === '#' ? [] : $names)];
    }
    return implode("\n", array_unique($lines)) . "\n";
}
