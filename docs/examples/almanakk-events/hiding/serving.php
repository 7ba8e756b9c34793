<?php

/**
 * With ALMANAKK_SERVE_HIDDEN, the list of this site at `/?almanakk_hidden=1`, for ALMANAKK_HIDDEN_URL of all other sites of a group. At
 * `/?almanakk_hidden=copy`, each site says whether it can read that list.
 */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

const SERVED = 'almanakk_hidden';

/** Sends the list instead of a page, if the address is that of the list. It works with every structure of permalinks. */
function sendHidden(): void
{
    $answer = hiddenToSend();
    if ($answer === null) {
        return;
    }
    keepOutOfCaches();
    status_header(200);
    header("Content-Type: {$answer['type']}; charset=UTF-8");
    header('X-Robots-Tag: noindex');
    echo $answer['text'];
    exit;
}

/**
 * What to send. Null if this request is for something else, or if the site does not serve its list.
 *
 * @return ?array{type: string, text: string}
 */
function hiddenToSend(): ?array
{
    return match (given(SERVED, '~^(1|copy)$~D')) {
        '1' => servedAddress() === null ? null : ['type' => 'text/plain', 'text' => servedText(siteList()['lines'])],
        'copy' => ['type' => 'application/json', 'text' => wp_json_encode(stateOfCopy())],
        default => null,
    };
}

/**
 * Which list the site has: a `copy` of that of the group, its `own`, which it serves, or `none`. `failingSeconds`: for how long the list of the group
 * could not be read; 0 if it was read within the last minute.
 *
 * @return array{list: string, failingSeconds: int}
 */
function stateOfCopy(): array
{
    $list = match (true) {
        defined('ALMANAKK_HIDDEN_URL') => 'copy',
        servedAddress() !== null => 'own',
        default => 'none',
    };
    ['problem' => $problem, 'since' => $since] = groupList();
    return ['list' => $list, 'failingSeconds' => $problem === null ? 0 : max(1, time() - $since)];
}

/** Where other sites read the list of this site; null if it does not serve its list. */
function servedAddress(): ?string
{
    return defined('ALMANAKK_SERVE_HIDDEN') && \ALMANAKK_SERVE_HIDDEN ? home_url('/?' . SERVED . '=1') : null;
}

/** The list as other sites read it. */
function servedText(array $lines): string
{
    $served = array_merge(...array_map(servedOf(...), $lines));
    return implode("\n", array_unique([LIST_MARK, ...$served])) . "\n";
}

/**
 * What other sites get of a line. Anyone can read what is served, and a remark may name people. So these are the addresses in the line or, without
 * one, the only word: the first of several words may be an id or the beginning of a sentence.
 */
function servedOf(string $line): array
{
    if ($line[0] === '#') {
        return [];
    }
    preg_match_all(ADDRESS, $line, $found);
    $isWord = preg_match('/^[^\s#]\S*$/D', $line) === 1;
    return $found[0] ?: ($isWord ? [$line] : []);
}
