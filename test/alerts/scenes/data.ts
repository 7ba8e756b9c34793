/** Events, feeds and files that are lost or bad, backups, and a disk that fills. */
import {
  BACKED_UP,
  BACKUP_CREATED,
  concern,
  FREE,
  feed,
  OF,
  POD,
  QUIET,
  REPLACED,
  type Scenes,
  SIZE,
  UPCOMING,
} from '../series.ts';

export const DATA: Scenes = {
  'half of the events gone in a night': {
    series: { ...QUIET, [UPCOMING]: '195x600 90x600' },
    at: 700,
    fires: ['EventsVanish'],
  },
  'a small calendar after its weekend': { series: { ...QUIET, [UPCOMING]: '9x600 4x600' }, at: 700 },
  'a feed that fails for three hours': { series: { ...QUIET, [feed('kor')]: '60x1500' }, at: 180 },
  'a feed that fails for seven': {
    series: { ...QUIET, [feed('kor')]: '60x1500' },
    at: 420,
    fires: ['FeedsFail'],
  },
  'a feed that has failed for seven hours, and works again': {
    series: { ...QUIET, [feed('kor')]: '60x420 0x1000' },
    at: 440,
  },
  'a file that was refused': {
    series: { ...QUIET, [concern('snapshot damaged')]: '1x1500' },
    at: 10,
    fires: ['SnapshotRefused'],
  },
  'a server that still runs a version of Node that was replaced': {
    series: { ...QUIET, [REPLACED]: '0x20 1x100' },
    at: 90,
    fires: ['NodeReplaced'],
  },
  'a version of Node that was replaced, and a restart soon after': {
    series: { ...QUIET, [REPLACED]: '0x20 1x40 0x100' },
    at: 90,
  },
  'a snapshot from the future': {
    series: { ...QUIET, [concern('clock wrong')]: '0x20 1x100' },
    at: 36,
    fires: ['ClockWrong'],
  },
  'records that were dropped': {
    series: { ...QUIET, [concern('records dropped')]: '1x1500' },
    at: 90,
    fires: ['RecordsDropped'],
  },
  'an urgent sheet that has not been read for a quarter of an hour': {
    series: { ...QUIET, [concern('urgent sheet unread')]: '0x10 1x100' },
    at: 36,
    fires: ['UrgentSheetUnread'],
  },
  'an urgent sheet that is read again after five minutes': {
    series: { ...QUIET, [concern('urgent sheet unread')]: '0x10 1x4 0x100' },
    at: 26,
  },
  'a feed that no longer changes': {
    series: { ...QUIET, [concern('feed unchanged')]: '1x1500' },
    at: 90,
    fires: ['FeedsUnchanged'],
  },
  'an origin out of reach': {
    series: { ...QUIET, [concern('origin out of reach')]: '1x1500' },
    at: 90,
    fires: ['DeliveryFails'],
  },
  'a backup that succeeds each night': {
    series: { [POD]: '1x2000', [BACKED_UP]: '0x1440 86400x500', [BACKUP_CREATED]: '0x2000' },
    at: 1_680,
  },
  'a backup that fails on its second night': {
    series: { [POD]: '1x2000', [BACKED_UP]: '0x2000', [BACKUP_CREATED]: '0x2000' },
    at: 1_680,
    fires: ['BackupFails'],
  },
  'a backup that has never succeeded': {
    series: { [POD]: '1x2000', [BACKUP_CREATED]: '0x2000' },
    at: 1_680,
    fires: ['BackupFails'],
  },
  'a disk without room for the next build of a large calendar': {
    series: { ...QUIET, [FREE]: '1.5e9x200', [SIZE]: '6e8x200' },
    at: 60,
    fires: ['DiskNearlyFull'],
  },
  'a server that finds no recent backup': {
    series: { ...QUIET, [`almanakk_concern{name="backup old",${OF}}`]: '0x20 1x100' },
    at: 40,
    fires: ['BackupFails'],
  },
  'a disk that fills': {
    series: { ...QUIET, [FREE]: '9e9-1e8x89 1e8x100' },
    at: 120,
    fires: ['DiskNearlyFull'],
  },
};
