<?php

/** The notices at the top of the screen “Hide events”. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** Whether the list is saved, whether caches have been told, and what another editor changed meanwhile. */
function noticeOfSave(array $saved, array $texts): string
{
    if (!$saved['isSaved']) {
        $reason = match (true) {
            $saved['isBusy'] => 'busy',
            $saved['isTooLong'] => 'tooLong',
            default => 'notSaved',
        };
        return noticeOf('error', [strtr($texts[$reason], ['{most}' => (string) MOST_LIST_BYTES])]);
    }
    $ofOthers = noticeOfOthers($saved, $texts);
    if (!$saved['isAnnounced']) {
        return noticeOf('warning', ["{$texts['saved']} {$texts['notEmptied']}"]) . $ofOthers;
    }
    return $ofOthers ?? noticeOf('success', [$texts['saved']]);
}

/** Both changes, if another editor changed the list meanwhile; null otherwise. */
function noticeOfOthers(array $saved, array $texts): ?string
{
    ['own' => $own, 'meanwhile' => $others] = $saved;
    if ($others['added'] === [] && $others['removed'] === []) {
        return null;
    }
    $changes = [
        'othersAdded' => $others['added'],
        'othersRemoved' => $others['removed'],
        'youAdded' => $own['added'],
        'youRemoved' => $own['removed'],
    ];
    $sentences = [strtr($texts['changedMeanwhile'], ['{change}' => changeOf($saved['by'] ?? '', $saved['at'] ?? 0, $texts)])];
    foreach (array_filter($changes) as $name => $lines) {
        $sentences[] = strtr($texts[$name], ['{lines}' => implode(' | ', $lines)]);
    }
    return noticeOf('warning', $sentences);
}

/** Whether the list of the group can be read; null for a site that reads none. */
function noticeOfGroupList(array $texts): ?string
{
    if (!defined('ALMANAKK_HIDDEN_URL')) {
        return null;
    }
    ['at' => $at, 'problem' => $problem, 'since' => $since] = groupList();
    $values = [
        // The rest of the address is a secret.
        '{host}' => parse_url((string) \ALMANAKK_HIDDEN_URL, PHP_URL_HOST) ?: 'ALMANAKK_HIDDEN_URL',
        '{problem}' => (string) $problem,
        '{at}' => siteTime($at ?? 0, $texts),
        '{since}' => siteTime($since ?? 0, $texts),
    ];
    if ($problem === null) {
        return element('p', [], esc_html(strtr($texts['sharedRead'], $values)));
    }
    return noticeOf('error', [strtr($texts[$at === null ? 'sharedNever' : 'sharedOld'], $values)]);
}

/** Whether other sites can read the list of this site, without the secret word; null for a site that should not serve it. */
function noticeOfServing(array $texts): ?string
{
    if (!wantsToServe()) {
        return null;
    }
    if (!isServed()) {
        return noticeOf('error', [$texts['secretMissing']]);
    }
    $address = home_url('/?' . SERVED . '=…');
    return element('p', [], esc_html(strtr($texts['served'], ['{address}' => $address])));
}

/** A box in WordPress's style: `$kind` is `info`, `success`, `warning` or `error`. */
function noticeOf(string $kind, array $sentences): string
{
    $paragraphs = array_map(fn (string $sentence): string => element('p', [], esc_html($sentence)), $sentences);
    return element('div', ['class' => "notice notice-$kind"], ...$paragraphs);
}
