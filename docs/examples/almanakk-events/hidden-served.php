<?php

/**
 * With ALMANAKK_SERVE_HIDDEN, the list “Hide events” of this site at `/?almanakk_hidden=1`, for ALMANAKK_HIDDEN_URL of all other sites of a group. At
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

/** The `type` and the `text` of what to send. Null if this request is for something else, or if the site does not serve its list. */
function hiddenToSend(): ?array
{
    return match (given(SERVED, '~^(1|copy)$~D')) {
        '1' => servedAddress() === '' ? null : ['type' => 'text/plain', 'text' => servedText(hiddenHere()['names'])],
        'copy' => ['type' => 'application/json', 'text' => wp_json_encode(stateOfCopy())],
        default => null,
    };
}

/** `failingSeconds`: for how long the list of the group could not be read; 0 if it was read within the last minute. */
function stateOfCopy(): array
{
    ['problem' => $problem, 'since' => $since] = sharedList();
    $list = servedAddress() === '' ? 'none' : 'own';
    return ['list' => defined('ALMANAKK_HIDDEN_URL') ? 'copy' : $list, 'failingSeconds' => $problem === '' ? 0 : max(1, time() - $since)];
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
