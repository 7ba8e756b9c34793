/** G9: finds events that stay apart because each may be the same as several others. */
import type { Comparable } from './comparable.ts';
import { createLinks, type Links } from './links.ts';
import type { Link } from './resolve.ts';

interface Joined {
  /** The groups that were joined. */
  readonly linked: Links;
  readonly byNumber: ReadonlyMap<number, Comparable>;
}

/** Groups that are linked but were not joined; one event represents each of them. */
export function unclearGroups(links: readonly Link[], joined: Joined): readonly (readonly number[])[] {
  const { linked } = joined;
  const unclear = createLinks();
  for (const { left, right } of links) {
    const leftLeader = linked.leaderOf(left);
    const rightLeader = linked.leaderOf(right);
    if (leftLeader === rightLeader) continue;
    if (isListedBesideGroup(right, left, joined) || isListedBesideGroup(left, right, joined)) continue;
    unclear.link(leftLeader, rightLeader);
  }
  return unclear.groups();
}

/** Whether the source of `other` has an event with the same start in the group of `number`: then that source itself lists two events. */
function isListedBesideGroup(other: number, number: number, { linked, byNumber }: Joined): boolean {
  const event = byNumber.get(other);
  if (event === undefined) return false;
  const starts = [...event.places.keys()];
  const others = linked.groupOf(number).filter((member) => member !== number);
  return others.some((member) => {
    const memberEvent = byNumber.get(member);
    const isOfSameSource = memberEvent !== undefined && memberEvent.feed === event.feed;
    return isOfSameSource && starts.some((moment) => memberEvent.places.has(moment));
  });
}
