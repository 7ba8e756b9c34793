<?php

/** What the machine of the trial lacks. */

// Translations, which not every release of Debian has. The plugin's own texts follow the locale.
add_filter('locale', fn (): string => 'nb_NO');

// A way out. Without an answer, WordPress would write warnings about WordPress.org into its log.
add_filter('pre_http_request', function ($answer, $options, $address) {
    $isOutside = preg_match('~^https?://([a-z.-]+\.)?wordpress\.org/~', $address) === 1;
    $empty = ['headers' => [], 'body' => '', 'response' => ['code' => 200, 'message' => 'OK'], 'cookies' => [], 'filename' => null];
    return $isOutside ? $empty : $answer;
}, 10, 3);

// Cloudflare, with a token that has expired.
add_filter('pre_http_request', function ($answer, $options, $address) {
    $isCloudflare = str_starts_with($address, 'https://api.cloudflare.com/');
    $refusal = ['headers' => [], 'body' => '', 'response' => ['code' => 403, 'message' => 'Forbidden'], 'cookies' => [], 'filename' => null];
    return $isCloudflare ? $refusal : $answer;
}, 10, 3);
