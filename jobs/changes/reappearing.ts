/** H14: compares an older snapshot with the one that is served, event by event: what people would see again if the older one were restored. */
import { compareCodePoints } from '../../src/calendar/text.ts';
import { formatDay } from '../../src/calendar/time.ts';
import { idOfPath } from '../../src/snapshot/files.ts';
import { readMeta } from '../../src/snapshot/meta.ts';
import { openReader } from '../../src/snapshot/sqlite.ts';
import { COUNTERS, differenceOf } from './compare.ts';
import { openContent, type PreviousContent } from './history.ts';
import type { PublicEvent } from './public-events.ts';

interface ComparisonOfSnapshots {
  /** Paths of verified snapshots. */
  readonly older: string;
  readonly served: string;
  /** Instant: events that are over are not shown again. */
  readonly now: number;
  /** Called with each line as it is found, so that no list grows with the calendar. */
  readonly print: (line: string) => void;
}

interface Reappearing {
  /** Events that only the older snapshot has. */
  readonly again: number;
  /** Events of which it has other values. */
  readonly different: number;
}

export async function compareSnapshots({
  older,
  served,
  ...options
}: ComparisonOfSnapshots): Promise<Reappearing> {
  const olderContent = await openSnapshot(older);
  try {
    const servedContent = await openSnapshot(served);
    try {
      return await comparePairs(olderContent, servedContent, options);
    } finally {
      await servedContent.close();
    }
  } finally {
    await olderContent.close();
  }
}

async function openSnapshot(path: string): Promise<PreviousContent> {
  const reader = await openReader(path, { connections: 1, timeout: 0 });
  const meta = await readMeta(reader).finally(reader.close);
  return openContent({ path, id: idOfPath(path), meta, recentChanges: '[]', isComparable: true });
}

/** Both are ordered by id, and read once. */
async function comparePairs(
  older: PreviousContent,
  served: PreviousContent,
  { now, print }: Pick<ComparisonOfSnapshots, 'now' | 'print'>,
): Promise<Reappearing> {
  const lastDay = Math.min(older.horizonDay, served.horizonDay);
  const servedEvents = served.events()[Symbol.asyncIterator]();
  let next = await servedEvents.next();
  let again = 0;
  let different = 0;
  for await (const { event, change } of older.events()) {
    while (next.done !== true && compareCodePoints(next.value.event.id, event.id) < 0)
      next = await servedEvents.next();
    if (change.over <= now) continue;
    if (next.done === true || next.value.event.id !== event.id) {
      print(describeAgain(event, now));
      again++;
      continue;
    }
    const { fields } = differenceOf(next.value.event, event, { now, lastDay });
    const shown = fields.filter((name) => !COUNTERS.has(name));
    if (shown.length === 0) continue;
    print(`differs: ${event.id}  ${event.title}  ${shown.join(', ')}`);
    different++;
  }
  return { again, different };
}

function describeAgain({ id, title, dates }: PublicEvent, now: number): string {
  const days = dates.filter(({ over }) => over > now).map(({ day }) => day);
  return `appears again: ${id}  ${title}  ${formatDay(Math.min(...days))}`;
}
