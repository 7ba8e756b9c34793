<?php

/**
 * WordPress runs this file when the plugin is deleted, but not when it is replaced or deactivated: nothing of it stays in the database of any site,
 * such as the names of editors, or the title of an event that was removed. A persistent object cache lets transients expire instead.
 */

declare(strict_types=1);

namespace Almanakk;

if (!defined('WP_UNINSTALL_PLUGIN')) {
    exit;
}

// The plugin's constants are not there: it may be inactive.
$removeAll = static function (): void {
    $ofHidden = ['almanakk_hidden', 'almanakk_hidden_announced', 'almanakk_hidden_shared', 'almanakk_known_events', 'almanakk_removed_events'];
    foreach (['almanakk', 'almanakk_cache_number', ...$ofHidden] as $option) {
        delete_option($option);
    }
    // A transient is two options, of which one has the moment when it expires.
    $GLOBALS['wpdb']->query("delete from {$GLOBALS['wpdb']->options}
        where option_name like '\\_transient\\_almanakk\\_%' or option_name like '\\_transient\\_timeout\\_almanakk\\_%'");
    wp_clear_scheduled_hook('almanakk_read_hidden');
};
if (!is_multisite()) {
    $removeAll();
    return;
}
// All of them: by default, get_sites returns 100.
foreach (get_sites(['fields' => 'ids', 'number' => 0]) as $site) {
    switch_to_blog($site);
    $removeAll();
    restore_current_blog();
}
