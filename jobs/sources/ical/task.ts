import type { ImportRequest } from '../../feeds/refresh.ts';
import type { IcalFeed } from './calendar.ts';

/** What the child is told, before the feed's bytes. */
export interface IcalTask extends Pick<ImportRequest, 'now' | 'horizonDay' | 'place' | 'config'> {
  readonly feed: IcalFeed;
  /** After which the child ends itself, should nobody be left to do it. */
  readonly milliseconds: number;
}

/** How the child says what it found. */
export const EXIT = { noCalendar: 2, tooManyDates: 3 } as const;
