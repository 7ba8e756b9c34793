<?php

/** The calendar's answers in WordPress's transients. They outlive an outage of the calendar. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** Seconds for which an answer is cached. */
const FRESH = 60;
/** Seconds for which it is shown if the calendar does not respond, unless ALMANAKK_KEPT says otherwise. */
const KEPT = 86_400;
/** Seconds for which the addresses for search engines are cached. */
const HOUR = 3600;
/** The transient with the names of events that the calendar does not have: only the latest, because anyone can invent any number of addresses. */
const ABSENT = 'almanakk_absent';
const MOST_ABSENT = 100;
/** The option that counts how often the cache was emptied. */
const CACHE_NUMBER = 'almanakk_cache_number';
/**
 * A cached answer. `asked` and `answered`: when the calendar was last asked, and when it last answered, in seconds since 1970. `data`: as `packed`
 * returns it.
 *
 * @phpstan-type Answer array{asked: int, answered: int, data: ?string, problem: ?Problem}
 */
const NEVER_ASKED = ['asked' => 0, 'answered' => 0, 'data' => null, 'problem' => ['code' => 'noAnswer', 'values' => []]];

/**
 * What `$fetch` returns, from the cache or else from the calendar. If the calendar does not respond, older data is used for a day, and the calendar
 * is asked again after a while. While one page view waits for the calendar, others use the older data. `last`: the data of something that the
 * calendar no longer has.
 *
 * @param callable(): array{data: ?array, problem: ?Problem} $fetch
 * @return array{data: ?array, problem: ?Problem, last: ?array}
 */
function cached(string $name, callable $fetch, int $fresh = FRESH): array
{
    $key = keyOf($name);
    $now = time();
    // WordPress would keep a transient of 0 seconds forever.
    $kept = max($fresh, defined('ALMANAKK_KEPT') ? (int) \ALMANAKK_KEPT : KEPT);
    $known = lastAnswer($key);
    $absence = $known['data'] === null ? absenceOf($key, $now) : null;
    if ($absence !== null) {
        return ['data' => null, 'problem' => problem($absence), 'last' => null];
    }
    if ($now - $known['asked'] >= $fresh && get_transient(PAUSED) === false) {
        $answer = freshAnswer($key, $fetch, ['asked' => $now] + $known, $kept);
        if (isAbsence($answer['problem'])) {
            // An event that was taken down is no longer shown.
            delete_transient($key);
            keepAbsence($key, $answer['problem']['code'], $now);
            return ['data' => null, 'problem' => $answer['problem'], 'last' => unpacked($known['data'])];
        }
        $known = rememberAnswer($key, $answer, ['asked' => $now] + $known, $kept);
    }
    $isShown = $now - $known['answered'] < $kept;
    return ['data' => $isShown ? unpacked($known['data']) : null, 'problem' => $known['problem'], 'last' => null];
}

/**
 * The answer that is in the cache, or NEVER_ASKED.
 *
 * @return Answer
 */
function lastAnswer(string $key): array
{
    $known = get_transient($key);
    return is_array($known) ? $known : NEVER_ASKED;
}

/**
 * What `$fetch` returns now. `$known`: the answer that other page views use meanwhile. At the first page view, there is no older data that others
 * could use, so they ask as well.
 */
function freshAnswer(string $key, callable $fetch, array $known, int $kept): array
{
    if ($known['data'] !== null) {
        set_transient($key, $known, $kept);
    }
    return $fetch();
}

/** Caches a new answer, and returns it as it is cached. Without data, it keeps the data of the answer before it. */
function rememberAnswer(string $key, array $answer, array $known, int $kept): array
{
    $data = $answer['data'] === null ? [] : ['answered' => $known['asked'], 'data' => packed($answer['data'])];
    $remembered = ['problem' => $answer['problem']] + $data + $known;
    set_transient($key, $remembered, $kept);
    return $remembered;
}

/** The data of an answer that is in the cache, however old it is; null without one. */
function cachedData(string $name): ?array
{
    return unpacked(lastAnswer(keyOf($name))['data']);
}

/** Whether the calendar never had such an event (`missing`), or no longer has it (`gone`). */
function isAbsence(?array $problem): bool
{
    return in_array($problem['code'] ?? null, ['missing', 'gone'], true);
}

/** `missing` or `gone`, if the calendar has said so in the last minute; null otherwise. */
function absenceOf(string $key, int $now): ?string
{
    ['code' => $code, 'at' => $at] = absences()[$key] ?? ['code' => null, 'at' => 0];
    return $now - $at < FRESH ? $code : null;
}

/** The `code` of each absence, and the moment `at` which the calendar said so, by its key. */
function absences(): array
{
    $absences = get_transient(ABSENT);
    return is_array($absences) ? $absences : [];
}

/** One row in WordPress's database for all of them, of at most a hundred names. */
function keepAbsence(string $key, string $code, int $now): void
{
    $others = array_filter(absences(), fn (array $absence): bool => $now - $absence['at'] < FRESH);
    unset($others[$key]);
    $latest = array_slice($others, 1 - MOST_ABSENT, null, true);
    set_transient(ABSENT, $latest + [$key => ['code' => $code, 'at' => $now]], FRESH);
}

/** The name of a transient. A new number of the cache empties the cache, wherever WordPress keeps it. */
function keyOf(string $name): string
{
    return 'almanakk_answer_' . md5(\ALMANAKK_URL . (get_option(CACHE_NUMBER) ?: '') . $name);
}

/** For a text column of WordPress's database. Search engines read the page of each event: one event of the sample takes 1.9 kB instead of 18. */
function packed(array $data): string
{
    $json = wp_json_encode($data);
    return function_exists('gzdeflate') ? base64_encode(gzdeflate($json)) : $json;
}

/** The data of `packed`; null for null. */
function unpacked(?string $packed): ?array
{
    if ($packed === null) {
        return null;
    }
    // JSON of an array begins with a character that Base64 does not have.
    $isJson = in_array($packed[0], ['{', '['], true);
    return json_decode($isJson ? $packed : (string) gzinflate((string) base64_decode($packed, true)), true);
}
