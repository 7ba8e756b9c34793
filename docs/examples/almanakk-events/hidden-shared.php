<?php

/** The list of hidden events at ALMANAKK_HIDDEN_URL, which all sites of a group read. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The option with the last good copy, which never expires, and with the reason if the list cannot be read now. */
const SHARED = 'almanakk_hidden_shared';
/** The first line of the list. Without it, an empty file, or an error page that a server sends with status 200, would show all events again. */
const SHARED_MARK = '# almanakk hidden events';
/** At most once a minute, a page view waits for that list for a short time. */
const SHARED_TIMEOUT = 2;
const SHARED_MOST_BYTES = 65_536;
/** Set for a minute after the list was read. */
const SHARED_ASKED = 'almanakk_hidden_asked';

/**
 * `lines`: of the last good copy; `at`: when it was first read, in seconds since 1970, or 0; `problem`: why the list cannot be read, in English, or an
 * empty text; `since`: when that began.
 */
function sharedList(): array
{
    if (!defined('ALMANAKK_HIDDEN_URL')) {
        return NO_LIST;
    }
    if (get_transient(SHARED_ASKED) === false) {
        // While this page view waits for the list, others use the older one.
        set_transient(SHARED_ASKED, 1, FRESH);
        $list = readSharedList((string) \ALMANAKK_HIDDEN_URL, knownSharedList());
        // WordPress writes to its database only if something has changed.
        update_option(SHARED, $list);
        announceHidden();
        return $list;
    }
    return knownSharedList();
}

const NO_LIST = ['lines' => [], 'at' => 0, 'problem' => '', 'since' => 0];

function knownSharedList(): array
{
    $saved = get_option(SHARED);
    return array_intersect_key(is_array($saved) ? $saved : [], NO_LIST) + NO_LIST;
}

/** The list as it is now or, with the reason in PHP's log, the last good copy. */
function readSharedList(string $address, array $known): array
{
    ['text' => $text, 'problem' => $problem] = fetchSharedList($address);
    if ($problem !== '') {
        error_log("almanakk: ALMANAKK_HIDDEN_URL: $address: $problem");
        return ['problem' => $problem, 'since' => $known['since'] ?: time()] + $known;
    }
    $lines = linesIn($text);
    $isSame = $known['at'] !== 0 && $known['lines'] === $lines;
    return ['lines' => $lines, 'at' => $isSame ? $known['at'] : time()] + NO_LIST;
}

/** The `text` of the list, or the `problem` if the answer is not such a list. */
function fetchSharedList(string $address): array
{
    if (preg_match('~^(https://|http://(localhost|127\.0\.0\.1)[:/])~', $address) !== 1) {
        return ['text' => '', 'problem' => 'expected an address that begins with https://'];
    }
    $options = ['method' => 'GET', 'timeout' => SHARED_TIMEOUT, 'limit_response_size' => SHARED_MOST_BYTES + 1, 'headers' => [], 'body' => null];
    $reply = wp_remote_request($address, $options);
    if (is_wp_error($reply)) {
        return ['text' => '', 'problem' => $reply->get_error_message()];
    }
    $status = (int) wp_remote_retrieve_response_code($reply);
    $text = wp_remote_retrieve_body($reply);
    $first = linesIn($text)[0] ?? '';
    // In ASCII, because WordPress's database refuses half a character.
    $shown = preg_replace('/[^\x20-\x7e]/', '?', substr($first, 0, 60)) ?: 'none';
    $problem = match (true) {
        $status !== 200 => "expected HTTP 200, found $status",
        strlen($text) > SHARED_MOST_BYTES => 'expected at most ' . SHARED_MOST_BYTES . ' bytes, found more',
        $first !== SHARED_MARK => 'expected the first line ' . SHARED_MARK . ", found $shown",
        default => '',
    };
    return ['text' => $text, 'problem' => $problem];
}
