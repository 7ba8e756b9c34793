/** The heading of the list, as a person would say what is chosen: `Konsert og musikk fredag 4. desember`, `Nær deg`. */
import type { Conditions } from '../../../snapshot/filters.ts';
import { conditionsOf } from '../../events/name.ts';
import type { Feed } from '../../events/read.ts';
import { capitalized, inEach } from '../../page/reader.ts';

export function siteHeading(feed: Feed): string {
  const { heading } = feed.values;
  if (typeof heading === 'string') return heading;
  const { subject, near, town, when, isPeriod, rest } = partsIn(feed);
  const texts = TEXTS[feed.language];
  const place = near !== undefined && town !== undefined ? `${near} ${town}` : (near ?? town);
  const isBare = subject === undefined && place === undefined && when === undefined;
  if (isBare && rest.length > 0) return capitalized(rest.join(' · '));
  const isOnlyDay = subject === undefined && place === undefined && !isPeriod;
  if (isOnlyDay && when !== undefined) return [capitalized(when), ...rest].join(' · ');
  const isOnlyNear = subject === undefined && near !== undefined && when === undefined;
  if (isOnlyNear && place !== undefined) return [capitalized(place), ...rest].join(' · ');
  const parts = [subject ?? texts.all, place, when].filter((part) => part !== undefined);
  return [parts.join(' '), ...rest].join(' · ');
}

/** The words of the conditions; undefined for what is not chosen. */
interface HeadingParts {
  /** The categories. */
  readonly subject: string | undefined;
  readonly near: string | undefined;
  readonly town: string | undefined;
  readonly when: string | undefined;
  readonly isPeriod: boolean;
  /** Those that have no place in the sentence. */
  readonly rest: readonly string[];
}

function partsIn(feed: Feed): HeadingParts {
  const texts = TEXTS[feed.language];
  const words = new Map(conditionsOf(feed).map((condition) => [condition.names[0] ?? '', condition.words]));
  const take = (name: string): string | undefined => {
    const found = words.get(name);
    words.delete(name);
    return found;
  };
  // Rows are dates wherever the window has an end: the reader did not choose that.
  take('groupRepetitionsByDay');
  const subject = take('categories');
  const isNear = take('near') !== undefined;
  const town = take('municipality');
  const { period }: Partial<Conditions> = feed.query.plan.conditions;
  const day =
    period === undefined ? (take('fromStartDate') ?? take('fromDate') ?? take('untilDate')) : undefined;
  take('period');
  return {
    subject,
    near: isNear ? texts.near : undefined,
    town: town === undefined ? undefined : texts.inTown(town),
    when: period === undefined ? day : texts[period],
    isPeriod: period !== undefined,
    rest: [...words.values()],
  };
}

const TEXTS = inEach({
  all: ['Hva skjer', 'What’s on'],
  near: ['nær deg', 'near you'],
  inTown: [(town: string) => `i ${town}`, (town: string) => `in ${town}`],
  TODAY: ['i dag', 'today'],
  TOMORROW: ['i morgen', 'tomorrow'],
  WEEKEND: ['i helgen', 'this weekend'],
  WEEK: ['denne uken', 'this week'],
});
