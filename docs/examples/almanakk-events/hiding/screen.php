<?php

/** The screen “Hide events”. Editors can use it too, so that the person on duty does not have to wait for an administrator. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The screen in WordPress's addresses. */
const HIDE_SCREEN = 'almanakk_hidden';
/** What the form's nonce is for. */
const HIDE_NONCE = 'almanakk_hidden';
/** The fields of the form: the lines with which it was opened, and those that are sent. */
const READ_FIELD = 'read';
const LINES_FIELD = 'names';
/** The button that saves nothing. */
const CHECK_FIELD = 'check';

/** Editors have this capability; authors do not. */
function hideCapability(): string
{
    return apply_filters('almanakk_hide_capability', 'edit_others_pages');
}

/** In WordPress's menu. */
function addHideScreen(): void
{
    $name = textsIn(get_user_locale())['hideEvents'];
    $screen = add_menu_page($name, $name, hideCapability(), HIDE_SCREEN, __NAMESPACE__ . '\showHideScreen', 'dashicons-hidden');
    // Before the screen is sent, and after WordPress has checked the capability.
    add_action("load-$screen", __NAMESPACE__ . '\readHideForm');
}

/** Saves what the form sends, if it is sent. The list is saved before the calendar is asked for the titles of events. */
function readHideForm(): void
{
    if (($_SERVER['REQUEST_METHOD'] ?? null) !== 'POST') {
        return;
    }
    check_admin_referer(HIDE_NONCE);
    [$read, $sent] = [linesSent(READ_FIELD), linesSent(LINES_FIELD)];
    if (isset($_POST[CHECK_FIELD])) {
        Request::$checked = ['read' => $read, 'sent' => $sent];
        return;
    }
    Request::$saved = ['read' => $read, 'sent' => $sent] + saveSiteList($read, $sent);
}

/** The lines in a field of the form. */
function linesSent(string $field): array
{
    $text = $_POST[$field] ?? null;
    return is_string($text) ? linesIn(wp_unslash($text)) : [];
}

/** Writes the screen: the notices, the form with the list, and what each line hides. */
function showHideScreen(): void
{
    $texts = textsIn(get_user_locale());
    $saved = Request::$saved;
    $sentence = fn (string $text): string => element('p', [], esc_html($text));
    echo '<div class="wrap" lang="' . esc_attr($texts['language']) . '">';
    echo element('h1', [], esc_html($texts['hideEvents']));
    echo $saved === null ? '' : noticeOfSave($saved, $texts), noticeOfGroupList($texts), noticeOfServing($texts);
    showHideForm($saved !== null && !$saved['isSaved'] ? $saved : Request::$checked, $texts);
    echo Request::$checked === null ? tableOfHidden($texts) : tableOfCheck(Request::$checked['sent'], $texts);
    ['by' => $by, 'at' => $at] = siteList();
    echo $at === null ? '' : $sentence(strtr($texts['lastChange'], ['{change}' => changeOf($by, $at, $texts)]));
    echo '</div>';
}

/** The form with the list, or with the text of `$unsaved`: after a failure, or after a check. */
function showHideForm(?array $unsaved, array $texts): void
{
    $lines = siteList()['lines'];
    // Another editor may save while this form is open: with these lines, the server knows what this editor has changed.
    $read = implode("\n", $unsaved['read'] ?? $lines);
    $written = implode("\n", $unsaved['sent'] ?? $lines);
    $id = 'almanakk-skjul';
    $label = element('label', ['for' => $id], esc_html($texts['skjul']));
    $field = element('textarea', ['class' => 'large-text code', 'rows' => 8, 'id' => $id, 'name' => LINES_FIELD], esc_html($written));
    echo '<form method="post">' . wp_nonce_field(HIDE_NONCE, '_wpnonce', true, false);
    echo element('input', ['type' => 'hidden', 'name' => READ_FIELD, 'value' => $read]);
    echo formTable(formRow($label, $field, $texts['skjulHelp']));
    submit_button();
    echo element('p', [], element('button', ['class' => 'button', 'name' => CHECK_FIELD, 'value' => '1'], esc_html($texts['check'])));
    echo '</form>';
}

/** What these lines would hide. Nothing is saved. */
function tableOfCheck(array $lines, array $texts): string
{
    $rows = array_map(fn (string $line): string => rowOfSite($line, '', $texts), $lines);
    return noticeOf('info', [$texts['checked']]) . ($rows === [] ? '' : tableOf($rows, $texts));
}

/** What each line hides, and who has added it; null without lines. */
function tableOfHidden(array $texts): ?string
{
    ['lines' => $lines, 'added' => $added] = siteList();
    $rows = [];
    foreach ($lines as $line) {
        $change = $added[$line] ?? null;
        $rows[] = rowOfSite($line, $change === null ? '' : changeOf($change['by'], $change['at'], $texts), $texts);
    }
    foreach (hiddenEverywhere() as $line) {
        if (namesIn($line) !== []) {
            $rows[] = rowOfLine($line, sentencesOf($line, $texts), $texts['forAllSites']);
        }
    }
    return $rows === [] ? null : tableOf($rows, $texts);
}

/** A table of such rows. */
function tableOf(array $rows, array $texts): string
{
    $heads = array_map(
        fn (string $head): string => element('th', ['scope' => 'col'], esc_html($texts[$head])),
        ['line', 'hides', 'addedBy'],
    );
    return element(
        'table',
        ['class' => 'widefat striped'],
        element('thead', [], element('tr', [], ...$heads)),
        element('tbody', [], ...$rows),
    );
}

/** A line of this site's list; it says if other sites, which read the list, do not get the line. */
function rowOfSite(string $line, string $change, array $texts): string
{
    $isNotServed = isServed() && $line[0] !== '#' && servedOf($line) === [];
    $sentences = [...sentencesOf($line, $texts), ...($isNotServed ? [$texts['notServed']] : [])];
    return rowOfLine($line, $sentences, $change);
}

/** The line, what it hides, and who has added it. */
function rowOfLine(string $line, array $sentences, string $change): string
{
    return element(
        'tr',
        [],
        element('th', ['scope' => 'row'], element('code', [], esc_html($line))),
        element('td', [], joined(array_map('esc_html', $sentences), '<br>')),
        element('td', [], esc_html($change)),
    );
}

/** Who changed something and when. A name may have been erased. */
function changeOf(string $by, int $at, array $texts): string
{
    return ($by === '' ? '' : "$by, ") . siteTime($at, $texts);
}

/** `torsdag 1. januar kl. 12.00`, in the time of the site. */
function siteTime(int $at, array $texts): string
{
    return momentOf(wp_date('Y-m-d H:i', $at), $texts);
}
