<?php

/** The screen “Hide events”. Editors can use it too, so that the person on duty does not have to wait for an administrator. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** Editors have this capability; authors do not. */
function hideCapability(): string
{
    return apply_filters('almanakk_hide_capability', 'edit_others_pages');
}

function addHideScreen(): void
{
    $name = textsIn(get_user_locale())['hideEvents'];
    $screen = add_menu_page($name, $name, hideCapability(), HIDDEN, __NAMESPACE__ . '\showHideScreen', 'dashicons-hidden');
    // Before the screen is sent, and after WordPress has checked the capability.
    add_action("load-$screen", __NAMESPACE__ . '\readHideForm');
}

/** Saves what the form sends, if it is sent. The list is saved before the calendar is asked for the titles of events. */
function readHideForm(): void
{
    if (($_SERVER['REQUEST_METHOD'] ?? '') !== 'POST') {
        return;
    }
    check_admin_referer(HIDDEN);
    [$read, $sent] = [linesSent('read'), linesSent('names')];
    savedNow(['read' => $read, 'sent' => $sent] + saveHidden($read, $sent));
}

function linesSent(string $field): array
{
    $text = $_POST[$field] ?? null;
    return is_string($text) ? linesIn(wp_unslash($text)) : [];
}

/** What this request has saved; null if it has saved nothing. */
function savedNow(?array $saved = null): ?array
{
    static $kept = null;
    return $kept = $saved ?? $kept;
}

function showHideScreen(): void
{
    $texts = textsIn(get_user_locale());
    ['names' => $names, 'by' => $by, 'at' => $at] = hiddenHere();
    $saved = savedNow();
    // After a failure, the form keeps its text.
    $isLost = $saved !== null && !$saved['isSaved'];
    [$read, $written] = $isLost ? [$saved['read'], $saved['sent']] : [$names, $names];
    echo '<div class="wrap" lang="' . esc_attr($texts['language']) . '"><h1>' . esc_html($texts['hideEvents']) . '</h1>';
    echo ($saved === null ? '' : noticeOfSave($saved, $texts)) . noticeOfShared($texts);
    if (servedAddress() !== '') {
        echo '<p>' . esc_html(strtr($texts['served'], ['{address}' => servedAddress()])) . '</p>';
    }
    echo '<form method="post">' . wp_nonce_field(HIDDEN, '_wpnonce', true, false);
    // Another editor may save while this form is open: with these lines, the server knows what this editor has changed.
    echo '<input type="hidden" name="read" value="' . esc_attr(implode("\n", $read)) . '">';
    $field = '<textarea class="large-text code" rows="8" id="almanakk-skjul" name="names">' . esc_html(implode("\n", $written)) . '</textarea>';
    echo '<table class="form-table" role="presentation">';
    echo rowOf('<label for="almanakk-skjul">' . esc_html($texts['skjul']) . '</label>', $field, $texts['skjulHelp']);
    echo '</table>';
    submit_button();
    echo '</form>' . tableOfHidden($texts);
    if ($at !== 0) {
        echo '<p>' . esc_html(strtr($texts['lastChange'], ['{change}' => changeOf($by, $at)])) . '</p>';
    }
    echo '</div>';
}

/** What each line hides, and who has added it. */
function tableOfHidden(array $texts): string
{
    ['names' => $names, 'added' => $added] = hiddenHere();
    $rows = [];
    foreach ($names as $line) {
        $rows[] = rowOfHidden($line, isset($added[$line]) ? changeOf($added[$line]['by'], $added[$line]['at']) : '', $texts);
    }
    foreach (hiddenEverywhere() as $line) {
        $rows[] = namesIn($line) === [] ? '' : rowOfHidden($line, $texts['forAllSites'], $texts);
    }
    if (implode('', $rows) === '') {
        return '';
    }
    $heads = array_map(fn (string $head): string => '<th scope="col">' . esc_html($texts[$head]) . '</th>', ['line', 'hides', 'addedBy']);
    return '<table class="widefat striped"><thead><tr>' . implode('', $heads) . '</tr></thead><tbody>' . implode('', $rows) . '</tbody></table>';
}

function rowOfHidden(string $line, string $change, array $texts): string
{
    $isKept = $change !== $texts['forAllSites'] && servedAddress() !== '' && $line[0] !== '#' && servedOf($line) === [];
    $sentences = implode('<br>', array_map('esc_html', [...sentencesOf($line, $texts), ...($isKept ? [$texts['notServed']] : [])]));
    return '<tr><th scope="row"><code>' . esc_html($line) . "</code></th><td>$sentences</td><td>" . esc_html($change) . '</td></tr>';
}

/** Who changed something and when, in the time of the site. */
function changeOf(string $by, int $at): string
{
    return "$by, " . clockTime($at);
}

function clockTime(int $at): string
{
    return wp_date('Y-m-d H:i', $at);
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
        return noticeOf('error', [strtr($texts[$reason], ['{most}' => (string) SHARED_MOST_BYTES])]);
    }
    if (!$saved['isAnnounced']) {
        return noticeOf('warning', [$texts['saved'] . ' ' . $texts['notEmptied']]) . noticeOfOthers($saved, $texts);
    }
    return noticeOfOthers($saved, $texts) ?: noticeOf('success', [$texts['saved']]);
}

/** Both changes, if another editor changed the list meanwhile. */
function noticeOfOthers(array $saved, array $texts): string
{
    ['own' => $own, 'meanwhile' => $others] = $saved;
    if ($others['added'] === [] && $others['removed'] === []) {
        return '';
    }
    $parts = ['othersAdded' => $others['added'], 'othersRemoved' => $others['removed'], 'youAdded' => $own['added'], 'youRemoved' => $own['removed']];
    $sentences = [strtr($texts['changedMeanwhile'], ['{change}' => changeOf($saved['by'], $saved['at'])])];
    foreach (array_filter($parts) as $name => $lines) {
        $sentences[] = strtr($texts[$name], ['{lines}' => implode(' | ', $lines)]);
    }
    return noticeOf('warning', $sentences);
}

/** Whether the list of the group can be read. */
function noticeOfShared(array $texts): string
{
    if (!defined('ALMANAKK_HIDDEN_URL')) {
        return '';
    }
    ['at' => $at, 'problem' => $problem, 'since' => $since] = sharedList();
    $values = ['{address}' => \ALMANAKK_HIDDEN_URL, '{problem}' => $problem, '{at}' => clockTime($at), '{since}' => clockTime($since)];
    if ($problem === '') {
        return '<p>' . esc_html(strtr($texts['sharedRead'], $values)) . '</p>';
    }
    return noticeOf('error', [strtr($texts[$at === 0 ? 'sharedNever' : 'sharedOld'], $values)]);
}

function noticeOf(string $kind, array $sentences): string
{
    $paragraphs = array_map(fn (string $sentence): string => '<p>' . esc_html($sentence) . '</p>', $sentences);
    return "<div class=\"notice notice-$kind\">" . implode('', $paragraphs) . '</div>';
}
