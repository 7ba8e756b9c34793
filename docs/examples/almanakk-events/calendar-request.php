<?php

/** Requests to the calendar. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** Seconds to wait for an answer. */
const TIMEOUT = 5;
/**
 * Seconds before the next request if the calendar does not respond: a page may have many lists. It is a random number between these, so that the
 * sites of a group, which all find out in the same minute, do not ask together once the calendar is back.
 */
const SHORTEST_PAUSE = 20;
const LONGEST_PAUSE = 40;
/** The transient that is set meanwhile. */
const PAUSED = 'almanakk_pause';
const MOST_BYTES = 4_000_000;

/**
 * The answer to a query, and hints about values that the calendar does not know. Otherwise the `problem`, with the reason in PHP's log: if there are
 * errors, a null in the data does not mean that there is no such event.
 *
 * @param array<string, mixed> $variables
 * @return array{data: ?array, hints: list<array{argument: string, value: string, message: string}>, problem: ?Problem}
 */
function query(string $query, array $variables): array
{
    ['status' => $status, 'body' => $body] = ask('/graphQL', wp_json_encode(['query' => $query, 'variables' => (object) $variables]));
    $answer = json_decode($body ?? '', true);
    if (is_array($answer['data'] ?? null) && !isset($answer['errors'])) {
        return ['data' => $answer['data'], 'hints' => $answer['extensions']['hints'] ?? [], 'problem' => null];
    }
    $failed = ['data' => null, 'hints' => [], 'problem' => problem('noAnswer')];
    if ($body === null) {
        return $failed;
    }
    $error = $answer['errors'][0] ?? [];
    $reasons = implode('; ', $error['extensions']['reasons'] ?? [$error['message'] ?? 'no JSON with data']);
    error_log('almanakk: ' . \ALMANAKK_URL . "/graphQL: expected data, found HTTP $status: $reasons");
    $isRefused = ($error['extensions']['code'] ?? null) === 'BAD_USER_INPUT' || $status === 400;
    return $isRefused ? ['problem' => problem('refused', ['{found}' => $reasons])] + $failed : $failed;
}

/**
 * The calendar's answer; without one, its status is 0 and its body null. A body to send makes the request a POST.
 *
 * @return array{status: int, body: ?string}
 */
function ask(string $path, ?string $sent = null, string $method = 'GET'): array
{
    $address = rtrim(\ALMANAKK_URL, '/') . $path;
    $reply = wp_remote_request($address, [
        'method' => $sent === null ? $method : 'POST',
        'timeout' => TIMEOUT,
        'limit_response_size' => MOST_BYTES,
        'headers' => ['Content-Type' => 'application/json'] + (defined('ALMANAKK_KEY') ? ['X-Api-Key' => \ALMANAKK_KEY] : []),
        'body' => $sent,
    ]);
    $isAnswered = !is_wp_error($reply);
    $status = $isAnswered ? (int) wp_remote_retrieve_response_code($reply) : 0;
    // A list that the calendar refuses says nothing about other lists.
    if (!$isAnswered || $status >= 500) {
        set_transient(PAUSED, 1, wp_rand(SHORTEST_PAUSE, LONGEST_PAUSE));
    }
    if (!$isAnswered) {
        error_log("almanakk: $address: " . $reply->get_error_message());
    }
    return ['status' => $status, 'body' => $isAnswered ? wp_remote_retrieve_body($reply) : null];
}
