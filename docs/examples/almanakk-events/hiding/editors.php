<?php

/**
 * Which user has made which changes to the list of hidden events, and how the name is erased. Each change has the name that the user had then, and the
 * user's id. A change that was saved before the plugin kept ids has only the name. It is that of a user who has this name now, if nobody else has it.
 */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The changes of a user: `lines`, as in `added`, whether the `last` change of the list is one, and whether others may have made some (`areSomeUnclear`). */
function changesBy(object $user): array
{
    ['added' => $added, 'by' => $by, 'user' => $id] = siteList();
    $last = ['by' => $by, 'user' => $id];
    $isOlder = fn (array $change): bool => ($change['user'] ?? null) === null;
    $hasName = fn (array $change): bool => $isOlder($change) && $change['by'] !== '' && $change['by'] === $user->display_name;
    $areSomeUnclear = array_filter([...array_values($added), $last], $hasName) !== [] && othersNamed($user) > 0;
    $isOwn = fn (array $change): bool => ($change['user'] ?? null) === $user->ID || (!$areSomeUnclear && $hasName($change));
    return [
        'lines' => array_filter($added, $isOwn),
        'last' => $isOwn($last),
        'areSomeUnclear' => $areSomeUnclear,
    ];
}

/** How many other users have the same name; on a network, on all of its sites. */
function othersNamed(object $user): int
{
    // MySQL ignores case and accents here.
    $found = get_users([
        'blog_id' => 0,
        'search' => $user->display_name,
        'search_columns' => ['display_name'],
        'fields' => ['ID', 'display_name'],
    ]);
    $isOther = fn (object $other): bool => (int) $other->ID !== $user->ID && $other->display_name === $user->display_name;
    return count(array_filter($found, $isOther));
}

/** Saves the list without the name and the id of a user. False if others are saving for too long. What editors save meanwhile stays. */
function eraseEditor(object $user): bool
{
    if (!isEditor($user)) {
        return true;
    }
    if (!lockSiteList()) {
        return false;
    }
    try {
        ['lines' => $own, 'last' => $isLast] = changesBy($user);
        ['lines' => $lines, 'added' => $added, 'by' => $by, 'user' => $id, 'at' => $at] = siteList();
        $rest = array_replace($added, array_map(withoutName(...), $own));
        $last = $isLast ? withoutName(['at' => $at]) : ['by' => $by, 'user' => $id, 'at' => $at];
        update_option(SITE_LIST, ['names' => $lines, 'added' => $rest] + $last);
    } finally {
        \WP_Upgrader::release_lock(SITE_LIST_LOCK);
    }
    return true;
}

function isEditor(object $user): bool
{
    ['lines' => $own, 'last' => $isLast] = changesBy($user);
    return $own !== [] || $isLast;
}

function withoutName(array $change): array
{
    return ['by' => '', 'user' => null, 'at' => $change['at']];
}

/** Without the name if the user was deleted while the plugin was not there, or while others were saving. */
function withoutDeletedUser(array $change): array
{
    $id = $change['user'] ?? null;
    return $id !== null && get_userdata($id) === false ? withoutName($change) : $change;
}

/** After WordPress has deleted a user. */
function eraseDeleted(int $id, mixed $reassign, object $user): void
{
    if (!eraseEditor($user)) {
        error_log("almanakk: the name of user $id stays in the list of hidden events until its next change: expected the lock, others are saving");
    }
}

/** Before a user is removed from one site of a network, which is the current one. */
function eraseRemoved(int $id): void
{
    $user = get_userdata($id);
    if ($user !== false) {
        eraseDeleted($id, null, $user);
    }
}

/** Before a user is deleted from a network: an administrator of the network can have hidden events on sites without being one of their users. */
function eraseFromNetwork(int $id, object $user): void
{
    // All of them: by default, get_sites returns 100.
    foreach (get_sites(['fields' => 'ids', 'number' => 0]) as $site) {
        switch_to_blog($site);
        eraseDeleted($id, null, $user);
        restore_current_blog();
    }
}
