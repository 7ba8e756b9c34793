/** H16: warns of a switch that leaves links in answers without their page. */
import { ownSiteAt } from '../../calendar/date-address.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Snapshot } from '../../snapshot/open.ts';

interface Settings {
  readonly without: readonly string[];
}

export function create({ settings, keeper, log }: ServeContext<Settings>): ServePart {
  const { without, notice, publicUrl, port } = settings;
  const ownSite = ownSiteAt(publicUrl?.href ?? `http://localhost:${port}/`);
  const warned = new Set<string>();
  const warn = (warning: string) => {
    if (!warned.has(warning)) log.warn(SETTING, warning);
    warned.add(warning);
  };
  const check = ({ lists: { licence } }: Pick<Snapshot, 'lists'>) => {
    const namesPortal = notice.includes('{portal}') && licence.portalUrl === null;
    if (without.includes('developers') && namesPortal) warn(NO_PORTAL);
    if (without.includes('site') && licence.siteUrl === ownSite) warn(NO_SITE);
  };
  const onListen = () => {
    const { current } = keeper.state();
    if (current !== null) check(current);
    keeper.onSwap(check);
  };
  return { onListen };
}

const SETTING = { setting: 'ALMANAKK_WITHOUT' };

const NO_PORTAL =
  'without developers, expected a portalUrl in licence.json or a text without {portal} in ALMANAKK_NOTICE, found neither: ' +
  'answers name a page that does not exist';

const NO_SITE =
  'without site, expected the address of another site as siteUrl in licence.json, found that of this server: ' +
  'links to events lead to pages that do not exist';
