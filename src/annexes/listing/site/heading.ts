/** The heading of the list, as a person would say what is chosen: `Konsert og musikk fredag 4. desember`, `Nær deg`. */
import type { Conditions } from '../../../snapshot/filters.ts';
import { conditionsOf } from '../../events/name.ts';
import type { Feed } from '../../events/read.ts';
import { capitalized } from '../../events/words.ts';
import { inEach } from '../../page/reader.ts';

export function siteHeading(feed: Feed): string {
  const { heading } = feed.values;
  if (typeof heading === 'string') return heading;
  const texts = TEXTS[feed.language];
  const said = new Map(conditionsOf(feed).map(({ names, words }) => [names[0] ?? '', words]));
  const take = (name: string): string | undefined => {
    const words = said.get(name);
    said.delete(name);
    return words;
  };
  // Rows are dates wherever the window has an end: that is no choice of the reader's.
  take('groupRepetitionsByDay');
  const subject = take('categories');
  const near = take('near') === undefined ? undefined : texts.near;
  const town = take('municipality');
  const place = near ?? (town === undefined ? undefined : texts.inTown(town));
  const { period }: Partial<Conditions> = feed.query.plan.conditions;
  if (period !== undefined) said.delete('period');
  const when =
    period === undefined ? (take('fromStartDate') ?? take('fromDate') ?? take('untilDate')) : texts[period];
  const rest = [...said.values()];
  const parts = [place, when].filter((part) => part !== undefined);
  if (subject === undefined && parts.length === 0 && rest.length > 0) return capitalized(rest.join(' · '));
  if (subject === undefined && place === undefined && period === undefined && when !== undefined)
    return [capitalized(when), ...rest].join(' · ');
  if (subject === undefined && place === texts.near && when === undefined)
    return [capitalized(near ?? ''), ...rest].join(' · ');
  return [[subject ?? texts.all, ...parts].join(' '), ...rest].join(' · ');
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
