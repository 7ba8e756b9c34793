/** H16: warns of a switch that leaves links in answers without their page. */
import type { ServeContext, ServePart } from '../../serve/annex.ts';

interface Settings {
  readonly without: readonly string[];
}

export function create({ settings, log }: ServeContext<Settings>): ServePart {
  const { without, notice } = settings;
  const onListen = () => {
    if (without.includes('developers') && notice.includes('{portal}')) log.warn(SETTING, NO_PORTAL);
    if (without.includes('site')) log.warn(SETTING, NO_SITE);
  };
  return { onListen };
}

const SETTING = { setting: 'ALMANAKK_WITHOUT' };

const NO_PORTAL =
  'without developers, expected a portalUrl in licence.json or a text without {portal} in ALMANAKK_NOTICE; ' +
  'otherwise, answers name a page that does not exist';

const NO_SITE =
  'without site, expected a siteUrl in licence.json; otherwise, links to events lead to pages that do not exist';
