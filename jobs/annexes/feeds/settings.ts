/** The setting of feeds; each feed has its own in `sources.json`. */

import { PRIVATE_FEEDS } from '../../../src/annexes/common/settings.ts';
import type { SettingsOf } from '../../../src/settings/kinds.ts';

export const SETTINGS = PRIVATE_FEEDS;

export type FeedsSettings = SettingsOf<typeof SETTINGS>;
