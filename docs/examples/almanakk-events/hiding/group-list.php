<?php

/** The list of hidden events at ALMANAKK_HIDDEN_URL, which all sites of a group read. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The option with the last good copy, which never expires, and with the reason if the list cannot be read now. */
const GROUP_LIST = 'almanakk_hidden_shared';
/** The first line of the list. Without it, an empty file, or an error page that a server sends with status 200, would show all events again. */
const LIST_MARK = '# almanakk hidden events';
/** Seconds. At most once a minute, a page view waits for that list for a short time. */
const LIST_TIMEOUT = 2;
const MOST_LIST_BYTES = 65_536;
/** The transient that is set for a minute after the list was read. */
const LIST_READ = 'almanakk_hidden_asked';
const NO_LIST = ['lines' => [], 'at' => null, 'problem' => null, 'since' => null];

/**
 * The list, which is read again after a minute. `lines`: of the last good copy; `at`: when it was first read, in seconds since 1970; `problem`: why
 * the list cannot be read now, in English; `since`: when that began.
 *
 * @return array{lines: list<string>, at: ?int, problem: ?string, since: ?int}
 */
function groupList(): array
{
    if (!defined('ALMANAKK_HIDDEN_URL')) {
        return NO_LIST;
    }
    if (get_transient(LIST_READ) !== false) {
        return lastGroupList();
    }
    // While this page view waits for the list, others use the older one.
    set_transient(LIST_READ, 1, FRESH);
    $list = readGroupList((string) \ALMANAKK_HIDDEN_URL, lastGroupList());
    // WordPress writes to its database only if something has changed.
    update_option(GROUP_LIST, $list);
    announceHidden();
    return $list;
}

/** The list as it was last read. */
function lastGroupList(): array
{
    $saved = get_option(GROUP_LIST);
    // Earlier versions have saved 0 and empty texts in place of null.
    return array_intersect_key(is_array($saved) ? array_filter($saved) : [], NO_LIST) + NO_LIST;
}

/** The list as it is now or, with the reason in PHP's log, the last good copy. */
function readGroupList(string $address, array $last): array
{
    ['text' => $text, 'reason' => $reason] = fetchGroupList($address);
    if ($reason !== null) {
        // Without the address, which is a secret.
        error_log("almanakk: ALMANAKK_HIDDEN_URL: $reason");
        return ['problem' => $reason, 'since' => $last['since'] ?? time()] + $last;
    }
    $lines = linesIn($text);
    $isSame = $last['at'] !== null && $last['lines'] === $lines;
    return ['lines' => $lines, 'at' => $isSame ? $last['at'] : time()] + NO_LIST;
}

/**
 * The text of the list, or the reason why the answer is not such a list.
 *
 * @return array{text: ?string, reason: ?string}
 */
function fetchGroupList(string $address): array
{
    if (preg_match('~^(https://|http://(localhost|127\.0\.0\.1)[:/])~', $address) !== 1) {
        return ['text' => null, 'reason' => 'expected an address that begins with https://'];
    }
    $options = ['method' => 'GET', 'timeout' => LIST_TIMEOUT, 'limit_response_size' => MOST_LIST_BYTES + 1, 'headers' => [], 'body' => null];
    $reply = wp_remote_request($address, $options);
    if (is_wp_error($reply)) {
        return ['text' => null, 'reason' => $reply->get_error_message()];
    }
    $status = (int) wp_remote_retrieve_response_code($reply);
    $text = wp_remote_retrieve_body($reply);
    $first = linesIn($text)[0] ?? '';
    // In ASCII, because WordPress's database refuses half a character.
    $shown = preg_replace('/[^\x20-\x7e]/', '?', substr($first, 0, 60)) ?: 'none';
    $reason = match (true) {
        $status !== 200 => "expected HTTP 200, found $status",
        strlen($text) > MOST_LIST_BYTES => 'expected at most ' . MOST_LIST_BYTES . ' bytes, found more',
        $first !== LIST_MARK => 'expected the first line ' . LIST_MARK . ", found $shown",
        default => null,
    };
    return ['text' => $text, 'reason' => $reason];
}
