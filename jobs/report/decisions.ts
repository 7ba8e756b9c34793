/** G2: the sections of a report that leave something to the editor: likely duplicates, corrections and proposals, each as lines. */
import { decisionRows } from '../../src/calendar/decision-rows.ts';
import { abridged, groupBy, sumOf } from '../../src/calendar/groups.ts';
import { partsOfNearest } from '../../src/calendar/nearest.ts';
import { type Finding, shorten } from '../findings.ts';
import {
  atMost,
  counted,
  DATES,
  EVENTS,
  formatted,
  GROUPS,
  MOST_LINES,
  section,
  unlessNone,
} from './lines.ts';
import type { DuplicateGroup, Proposals, ReportDetails, ReportSummary } from './summary.ts';

/** Likely duplicates among upcoming events, grouped by the reason why they are not joined. */
export function duplicateLines({ duplicates }: Pick<ReportDetails, 'duplicates'>): readonly string[] {
  const likely = duplicates.filter(({ why }) => why !== null);
  const upcoming = likely.filter(({ isUpcoming }) => isUpcoming).toSorted(byStart);
  if (upcoming.length === 0) return [];
  const over = likely.length - upcoming.length;
  const others = over === 0 ? '' : `; ${formatted(over)} more ${over === 1 ? 'is' : 'are'} over`;
  const reasons = [...new Set(upcoming.map(({ why }) => why))];
  const lines = reasons.flatMap((why) => {
    const same = upcoming.filter((group) => group.why === why);
    const groups = atMost(MOST_LINES, same.map(groupLine));
    return [`${why}:`, ...groups.map((line) => `  ${line}`)];
  });
  return section(
    `Likely duplicates, ${counted(upcoming.length, GROUPS)} of upcoming events${others}:`,
    lines,
  );
}

function byStart(left: DuplicateGroup, right: DuplicateGroup): number {
  return (left.start ?? '') < (right.start ?? '') ? -1 : Number(left.start !== right.start);
}

/**
 * `"Julekonsert", 2026-12-12 19:00, Kulturhuset: "kor:1", "hus:2" Stor julekonsert (one title within the other, …)`. A reason that all share
 * comes last.
 */
function groupLine({ start, place, events }: DuplicateGroup): string {
  const title = events[0]?.title ?? '';
  const when = [JSON.stringify(shorten(title)), start ?? 'without a date'];
  if (place !== null) when.push(shorten(place));
  const reasons = new Set(events.slice(1).map(({ reason }) => reason));
  const ids = events.slice(0, MOST_IN_GROUP).map((event) => {
    const otherTitle = event.title === title ? '' : ` ${shorten(event.title)}`;
    const reason = event.reason === null || reasons.size === 1 ? '' : ` (${event.reason})`;
    return `${JSON.stringify(shorten(event.id))}${otherTitle}${reason}`;
  });
  const unnamed = events.length - ids.length;
  const more = unnamed > 0 ? ` and ${formatted(unnamed)} more` : '';
  const common = reasons.size === 1 ? ` (${[...reasons].join('')})` : '';
  return `${when.join(', ')}: ${ids.join(', ')}${more}${common}`;
}

/** Events of a group that are named. */
const MOST_IN_GROUP = 5;

/** Corrections that are listed. */
const MOST_CORRECTIONS = 50;

/** F13: the events and dates that each correction changed; a correction that matched nothing is a finding. */
export function correctionLines({ corrections }: ReportSummary): readonly string[] {
  const lines = corrections.flatMap(({ at, does, note, events, dates }) => {
    if (events === 0) return [];
    const ofDates = dates === null ? '' : `${counted(dates, DATES)} of `;
    const what = `${at} ${DOES[does]} ${ofDates}${counted(events, EVENTS)}`;
    return [`${what}${note === null ? '' : `: ${shorten(note)}`}`];
  });
  return section('Corrections:', atMost(MOST_CORRECTIONS, lines));
}

const DOES = { hide: 'hides', set: 'changes', approve: 'approves' } as const;

/** F17: the events that wait for an editor, and rows for the correction sheet, in which only the decision is missing. */
export function waitingLines({
  waiting: { counts, events },
}: Pick<ReportSummary, 'waiting'>): readonly string[] {
  const all = sumOf(Object.values(counts));
  const lines = abridged(events.map(waitingLine), {
    most: MOST_LINES,
    all,
    more: (count) => `… and ${formatted(count)} more`,
  });
  const rows = decisionRows(events.slice(0, MOST_LINES));
  return [
    ...section(`Waiting for approval, ${counted(all, EVENTS)}:`, lines),
    ...section('Rows for a correction sheet with Id, Approved and Note; write yes or no in Approved:', rows),
  ];
}

/** `feed form: "form:3" Quiz, 2026-02-05 19:00, Kroa, https://…, waiting since 2026-01-20`. */
function waitingLine({
  feed,
  id,
  title,
  start,
  place,
  link,
  since,
  wasApproved,
}: WaitingEvents[number]): string {
  const facts = [
    title,
    start ?? 'without a date',
    place,
    link,
    since && `waiting since ${since.slice(0, 10)}`,
    wasApproved && 'changed since its approval',
  ];
  return `feed ${feed}: ${JSON.stringify(id)} ${facts.filter((fact) => fact != null).join(', ')}`;
}

type WaitingEvents = ReportSummary['waiting']['events'];

/** Words, or series, that are listed. */
const MOST_WORDS = 10;

/** Places without a municipality, categories that words could give, and series that entries could be. */
export function proposalLines({ proposals, findings }: ReportSummary): readonly string[] {
  const lines = [...municipalityLines(proposals)];
  const { uncategorised = 0, titleWords = [], series = [] } = proposals ?? {};
  const words = mapWords(findings);
  if (uncategorised > 0)
    lines.push(`${counted(uncategorised, EVENTS)} ${uncategorised === 1 ? 'has' : 'have'} no category`);
  if (words.length > 0) lines.push(`"map" of a feed could give these words a category: ${words.join(', ')}`);
  if (titleWords.length > 0) {
    const reached = titleWords.map(({ word, events }) => `${word} (${formatted(events)})`);
    const how = 'corrections.json could give events a category by a word in the title';
    lines.push(`${how}: ${reached.join(', ')} (each count excludes events matched by earlier words)`);
  }
  const joined = series.map(({ feed, title, place, events }) => {
    const where = place === null ? '' : ` at ${shorten(place)}`;
    const what = `${counted(events, EVENTS)} called ${JSON.stringify(shorten(title))}${where}`;
    return `feed ${feed}: ${what} could be one, with "series": "title"`;
  });
  lines.push(...atMost(MOST_WORDS, joined));
  return section('Suggestions:', lines);
}

/** F8: what is missing is the whole register, or a postal code that it has. */
function municipalityLines(proposals: Proposals | null): readonly string[] {
  const { events = 0, hasRegister, places = [], feeds = [] } = proposals?.withoutMunicipality ?? {};
  const what = `${counted(events, EVENTS)} with a place ${events === 1 ? 'has' : 'have'} no municipality`;
  const listed = (items: typeof places) =>
    items.map((item) => `${shorten(item.name)} (${formatted(item.events)})`).join(', ');
  const reason = hasRegister
    ? `their places name neither a municipality nor a postal code that postal-codes.tsv lists: ${listed(places)}`
    : 'the source folder has no register of postal codes, postal-codes.tsv';
  const ofFeeds = `"municipality" in the "defaults" of a feed could give these events one: ${listed(feeds)}`;
  return [
    ...unlessNone(events, `${what}, and no town's page shows them: ${reason}`),
    ...unlessNone(feeds.length, ofFeeds),
  ];
}

/** Words of feeds that name no category, the most frequent first, each with its number, a feed that has it and the category that is nearest. */
function mapWords(findings: readonly Finding[]): readonly string[] {
  const groups = groupBy(
    findings.filter(({ action }) => action === 'kept as tag'),
    ({ found }) => found,
  );
  const counts = [...groups].map(([word, group]) => ({
    word,
    group,
    count: group[0]?.alike ?? group.length,
  }));
  const mostFrequentFirst = counts.toSorted((left, right) => right.count - left.count);
  const words = mostFrequentFirst.map(({ word, group, count }) => {
    const { nearest } = partsOfNearest(group[0]?.expected ?? '');
    const hint = nearest === '' ? '' : `; the nearest is ${nearest}`;
    return `${word} (${formatted(count)}, first in ${group[0]?.origin.file}${hint})`;
  });
  return abridged(words, { most: MOST_WORDS, more: (count) => `and ${formatted(count)} more` });
}
