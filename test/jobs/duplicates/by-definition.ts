/** A second implementation of G9, by its definition: it compares every pair and remembers nothing. Titles are words without typing errors. */

export interface Entry {
  readonly source: string | null;
  readonly words: readonly string[];
  /** Place and end of each start. */
  readonly dates: Readonly<Record<string, { readonly place: string | null; readonly end: number }>>;
}

/** Whether one of two places is a part of the other. */
type IsPart = (one: string, other: string) => boolean;

/** The numbers of entries that are one event. */
type Group = readonly number[];
type Relation = (left: Group, right: Group) => boolean;

/** Groups of at least two, as the numbers of their entries. */
export function groupsByDefinition(
  entries: readonly Entry[],
  isPart: IsPart,
): readonly (readonly number[])[] {
  const hidden = new Set<number>();
  for (const [at, entry] of entries.entries())
    for (let before = 0; before < at; before++) {
      const first = entries[before];
      if (first === undefined || hidden.has(before) || first.source !== entry.source) continue;
      const twice = listedTwice(first, entry);
      if (twice === 'with other ends' || (twice === 'whole' && entry.source === null)) hidden.add(at);
    }
  const shown = [...entries.keys()].filter((at) => !hidden.has(at));
  const rankOf = (one: number, other: number) => rankBetween(entries[one], entries[other], isPart);
  const isOne = (one: number, other: number) =>
    rankOf(one, other) !== null || couldGoTogether(entries[one], entries[other]);

  const fits: Relation = (left, right) => left.every((one) => right.every((other) => isOne(one, other)));
  let groups: readonly Group[] = shown.map((at) => [at]);
  for (let rank = 0; rank < 6; rank++) {
    const linked: Relation = (left, right) =>
      left !== right && left.some((one) => right.some((other) => rankOf(one, other) === rank));
    groups = clustersOf(groups, linked).flatMap((cluster) => joinedIn(cluster, linked, fits));
  }
  return groups
    .filter(({ length }) => length > 1)
    .map((group) => [...group].sort((left, right) => left - right))
    .sort(([left = 0], [right = 0]) => left - right);
}

/** The groups of a cluster, joined where all of them fit together. */
function joinedIn(cluster: readonly Group[], linked: Relation, fits: Relation): readonly Group[] {
  const unclear = unclearIn(cluster, linked, fits);
  const clear = cluster.filter((group) => !unclear.has(group));
  const parts = clustersOf(clear, linked).flatMap((part) => {
    const isWhole = part.every((left) => part.every((right) => left === right || fits(left, right)));
    return isWhole ? [part.flat()] : part;
  });
  return [...unclear, ...parts];
}

/** Groups that stay apart: where two do not fit and a third is linked with both, the one with fewer links. */
function unclearIn(cluster: readonly Group[], linked: Relation, fits: Relation): ReadonlySet<Group> {
  const unclear = new Set<Group>();
  const degree = (group: Group) => cluster.filter((other) => linked(group, other)).length;
  for (const left of cluster) {
    for (const right of cluster) {
      if (left === right || fits(left, right)) continue;
      for (const third of cluster.filter((other) => linked(other, left) && linked(other, right))) {
        if (degree(third) > Math.max(degree(left), degree(right))) unclear.add(left).add(right);
        else unclear.add(third);
      }
    }
  }
  return unclear;
}

/** Groups that are linked with each other, over others. */
function clustersOf(groups: readonly Group[], linked: Relation): readonly (readonly Group[])[] {
  const clusters: Group[][] = [];
  for (const group of groups) {
    const near = clusters.filter((cluster) => cluster.some((other) => linked(group, other)));
    for (const cluster of near) clusters.splice(clusters.indexOf(cluster), 1);
    clusters.push([...near.flat(), group]);
  }
  return clusters;
}

function titles(one: Entry, other: Entry): 'equal' | 'contained' | null {
  const within = (words: readonly string[], more: readonly string[]) =>
    words.every((word) => more.includes(word));
  const [there, back] = [within(one.words, other.words), within(other.words, one.words)];
  if (there && back) return 'equal';
  return there || back ? 'contained' : null;
}

/** 0 is the likeliest; null for two that are not alike. */
function rankBetween(one: Entry | undefined, other: Entry | undefined, isPart: IsPart): number | null {
  if (one === undefined || other === undefined) return null;
  if (one.source === other.source)
    return one.source !== null && listedTwice(one, other) === 'whole' ? 0 : null;
  const alike = titles(one, other);
  if (alike === null) return null;
  const grades = Object.entries(one.dates).flatMap(([start, { place: here }]) => {
    const date = other.dates[start];
    if (date === undefined) return [];
    if (here === null || date.place === null) return [2];
    if (here === date.place) return [0];
    return isPart(here, date.place) ? [1] : [];
  });
  const half = fewerDates(one, other) / 2;
  if (grades.length === 0 || grades.length < half) return null;
  return (alike === 'equal' ? 0 : 3) + Math.min(...grades);
}

function fewerDates(one: Entry, other: Entry): number {
  return Math.min(Object.keys(one.dates).length, Object.keys(other.dates).length);
}

function listedTwice(one: Entry, other: Entry): 'whole' | 'with other ends' | null {
  if (titles(one, other) !== 'equal') return null;
  const half = fewerDates(one, other) / 2;
  const common = Object.keys(one.dates).filter((start) => {
    const date = other.dates[start];
    return date !== undefined && date.place === one.dates[start]?.place;
  });
  if (common.length === 0 || common.length < half) return null;
  const whole = common.filter((start) => one.dates[start]?.end === other.dates[start]?.end);
  return whole.length >= half ? 'whole' : 'with other ends';
}

/** Events that may share a group without being alike: they have no start in common, and alike titles. */
function couldGoTogether(one: Entry | undefined, other: Entry | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return (
    Object.keys(one.dates).every((start) => other.dates[start] === undefined) && titles(one, other) !== null
  );
}
