/** The setting of feeds; each feed has its own in `sources.json`. */
import type { SettingsOf } from '../../../src/settings/kinds.ts';
import { PRIVATE_FEEDS } from '../../../src/settings/shared.ts';

export const SETTINGS = PRIVATE_FEEDS;

export type FeedsSettings = SettingsOf<typeof SETTINGS>;
