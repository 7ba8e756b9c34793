<?php

/**
 * If ALMANAKK_SERVE_HIDDEN is a secret word, the list of this site at `/?almanakk_hidden=` and this word, for ALMANAKK_HIDDEN_URL of all other sites
 * of a group. It is not public: the address of an event can name the person who asked for its removal. At `/?almanakk_hidden=copy`, each site says
 * whether it can read that list.
 */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

const SERVED = 'almanakk_hidden';
/** What stands in an address for itself, and is too long to be guessed. */
const SECRET_WORD = '~^[A-Za-z0-9_-]{20,}$~D';

/** Sends the list instead of a page, if the address is that of the list. It works with every structure of permalinks. */
function sendHidden(): void
{
    $answer = hiddenToSend();
    if ($answer === null) {
        return;
    }
    keepOutOfCaches();
    // Before version 6.3, WordPress lets caches store what they ask for again.
    header('Cache-Control: no-store, private');
    status_header($answer['status']);
    header("Content-Type: {$answer['type']}; charset=UTF-8");
    header('X-Robots-Tag: noindex');
    echo $answer['text'];
    exit;
}

/**
 * What to send; null if this request is for something else.
 *
 * @return ?array{status: int, type: string, text: string}
 */
function hiddenToSend(): ?array
{
    $word = given(SERVED, '~^~');
    if ($word === null) {
        return null;
    }
    if ($word === 'copy') {
        return ['status' => 200, 'type' => 'application/json', 'text' => wp_json_encode(stateOfCopy())];
    }
    // The time of this comparison does not tell how much of the word is right.
    $isTold = isServed() && hash_equals(\ALMANAKK_SERVE_HIDDEN, $word);
    return [
        'status' => $isTold ? 200 : 404,
        'type' => 'text/plain',
        'text' => $isTold ? servedText(siteList()['lines']) : "Not found.\n",
    ];
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
        isServed() => 'own',
        default => 'none',
    };
    ['problem' => $problem, 'since' => $since] = groupList();
    return ['list' => $list, 'failingSeconds' => $problem === null ? 0 : max(1, time() - $since)];
}

/** Whether other sites can read the list of this site. */
function isServed(): bool
{
    return wantsToServe() && is_string(\ALMANAKK_SERVE_HIDDEN) && preg_match(SECRET_WORD, \ALMANAKK_SERVE_HIDDEN) === 1;
}

/** Whether they should, even if the constant is no secret word. */
function wantsToServe(): bool
{
    return defined('ALMANAKK_SERVE_HIDDEN') && \ALMANAKK_SERVE_HIDDEN;
}

/** The list as other sites read it. */
function servedText(array $lines): string
{
    $served = array_merge(...array_map(servedOf(...), $lines));
    return implode("\n", array_unique([LIST_MARK, ...$served])) . "\n";
}

/**
 * What other sites get of a line. What is served leaves the site, and a remark may name people. So these are the addresses in the line or, without
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
