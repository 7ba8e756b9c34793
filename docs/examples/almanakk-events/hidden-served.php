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
    return servedAddress() !== '' && given(SERVED, '~^1$~D') !== '' ? servedText(hiddenHere()['names']) : null;
}

/** Empty if the site does not serve its list. */
function servedAddress(): string
{
    return defined('ALMANAKK_SERVE_HIDDEN') && \ALMANAKK_SERVE_HIDDEN ? home_url('/?' . SERVED . '=1') : '';
}

function servedText(array $lines): string
{
    $names = array_map(__NAMESPACE__ . '\servedOf', $lines);
    return implode("\n", array_unique([SHARED_MARK, ...array_merge(...$names)])) . "\n";
}

/**
 * Anyone can read what is served, and a remark may name people. So these are the addresses in a line or, without one, the only word: the first of
 * several words may be an id or the beginning of a sentence.
 */
function servedOf(string $line): array
{
    preg_match_all(ADDRESS, $line, $found);
    $isWord = preg_match('/^[^\s#]\S*$/D', $line) === 1;
    return $line[0] === '#' ? [] : ($found[0] ?: ($isWord ? [$line] : []));
}
