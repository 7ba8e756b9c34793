<?php

/** Yoast SEO and Rank Math: on the page of an event, they leave out what `writeHead` writes, so that the page does not have it twice. */

declare(strict_types=1);

namespace Almanakk;

if (!defined('ABSPATH')) {
    exit;
}

/** The parts of Yoast SEO that describe the page of events instead of the event. */
const PRESENTERS = '~\\\\(Meta_Description|Meta_Author|Schema|(Open_Graph\\\\(Title|Description|Url|Image|Article_\w+))'
    . '|(Twitter\\\\(Title|Description|Image|Creator))|Slack\\\\Enhanced_Data)_Presenter$~D';

/** `$presenters`: Yoast SEO has an object for each part of the head. */
function withoutPresenters(mixed $presenters): mixed
{
    if (openedEvent() === null || !is_array($presenters)) {
        return $presenters;
    }
    return array_filter($presenters, fn (mixed $one): bool => !is_object($one) || preg_match(PRESENTERS, $one::class) !== 1);
}

/** Rank Math writes no empty description. */
function withoutDescription(mixed $description): mixed
{
    return openedEvent() === null ? $description : '';
}

/** The page has the event's JSON-LD instead. */
function withoutSchema(mixed $graph): mixed
{
    return openedEvent() === null ? $graph : [];
}

/** Before Rank Math writes its previews for social media. */
function withoutPreviews(): void
{
    foreach (openedEvent() === null ? [] : ['facebook', 'twitter', 'slack'] as $network) {
        remove_all_actions("rank_math/opengraph/$network");
    }
}
