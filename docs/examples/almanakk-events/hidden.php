<?php

/** Events that this site hides at once, whether the calendar responds or not. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The option with the lines of the list at ALMANAKK_HIDDEN_URL: the last good copy, without an end. */
const SHARED_LINES = 'almanakk_hidden_shared';
/** A page view waits for that list at most once a minute, and not for long. */
const SHARED_TIMEOUT = 2;
const SHARED_MOST_BYTES = 65_536;

/** The slugs and ids of the screen “Hide events” and of the lists for all sites. */
function hiddenNames(): array
{
    $lines = array_filter([...hiddenEverywhere(), ...hiddenHere()['names']]);
    $written = array_merge(...array_map(__NAMESPACE__ . '\writtenIn', $lines));
    // Some ids have slashes, and some have blanks.
    return [...$lines, ...$written, ...array_filter(array_map(__NAMESPACE__ . '\nameIn', $written))];
}

/** The first word of a line, and every further address: the rest is a remark. */
function writtenIn(string $line): array
{
    $words = preg_split('/\s+/', trim($line));
    return array_filter($words, fn (string $word, int $index): bool => $index === 0 || str_contains($word, '://'), ARRAY_FILTER_USE_BOTH);
}

/** Of ALMANAKK_HIDDEN, which is for all sites of a network, and of ALMANAKK_HIDDEN_URL, which is for all front ends of a group. */
function hiddenEverywhere(): array
{
    $ofNetwork = defined('ALMANAKK_HIDDEN') ? preg_split('/[\s,]+/', (string) \ALMANAKK_HIDDEN) : [];
    return array_values(array_filter([...$ofNetwork, ...sharedLines()]));
}

function sharedLines(): array
{
    if (!defined('ALMANAKK_HIDDEN_URL')) {
        return [];
    }
    if (get_transient('almanakk_hidden_asked') === false) {
        // While this page view waits for the list, others use the older one.
        set_transient('almanakk_hidden_asked', 1, FRESH);
        $lines = fetchSharedLines((string) \ALMANAKK_HIDDEN_URL);
        if ($lines !== null) {
            update_option(SHARED_LINES, $lines);
        }
    }
    return get_option(SHARED_LINES) ?: [];
}

/** Null if it is no such list; PHP's log has the reason. */
function fetchSharedLines(string $address): ?array
{
    $isSafe = preg_match('~^(https://|http://(localhost|127\.0\.0\.1)[:/])~', $address) === 1;
    $options = ['method' => 'GET', 'timeout' => SHARED_TIMEOUT, 'limit_response_size' => SHARED_MOST_BYTES + 1, 'headers' => [], 'body' => null];
    $reply = $isSafe ? wp_remote_request($address, $options) : null;
    $isAnswered = $reply !== null && !is_wp_error($reply);
    $status = $isAnswered ? (int) wp_remote_retrieve_response_code($reply) : 0;
    $text = $isAnswered ? str_replace("\u{FEFF}", '', wp_remote_retrieve_body($reply)) : '';
    $problem = match (true) {
        !$isSafe => 'expected an address that begins with https://',
        !$isAnswered => $reply->get_error_message(),
        $status !== 200 => "expected HTTP 200, found $status",
        strlen($text) > SHARED_MOST_BYTES => 'expected at most ' . SHARED_MOST_BYTES . ' bytes, found more',
        // Some servers send a page with status 200 for a file that is missing.
        str_starts_with(ltrim($text), '<') => 'expected plain text, found HTML',
        default => null,
    };
    if ($problem !== null) {
        error_log("almanakk: ALMANAKK_HIDDEN_URL: $address: $problem");
        return null;
    }
    return array_values(array_filter(array_map('trim', preg_split('/\R/', $text))));
}

/** The slug or the id in the address of an event's page, on any site. */
function nameIn(string $written): string
{
    $parts = explode('?', explode('#', trim($written))[0]);
    parse_str($parts[1] ?? '', $query);
    if (is_string($query['arrangement'] ?? null)) {
        return $query['arrangement'];
    }
    $path = explode('/', rtrim($parts[0], '/'));
    return rawurldecode(preg_replace('/\.html$/D', '', end($path)));
}

/** `$names`: the slug and the id of an event, as far as they are known. */
function isHidden(?string ...$names): bool
{
    return array_intersect(array_filter($names), hiddenNames()) !== [];
}
