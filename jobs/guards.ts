/** G3, G4, G14: refuses a build that would empty a calendar in use or take many events out of it, or that lacks the right snapshot before it. */
import { CalendarError } from '../src/calendar/errors.ts';
import { sumOf } from '../src/calendar/groups.ts';
import type { Calendar } from './calendar.ts';
import { findingLine } from './findings.ts';
import type { Previous } from './previous.ts';
import { previousReferences, type ReferenceKind, referencesIn } from './references.ts';
import { isAboutMissing } from './report/findings.ts';
import { feedsWithApproval } from './report/previous.ts';
import type { ListName, ReportSummary } from './report/summary.ts';
import type { HeldBack } from './source/source.ts';

interface BuiltCalendar {
  readonly calendar: Calendar;
  /** Null for the first build of its folder. */
  readonly previous: Previous | null;
  /** Ids that the licence retires; their events have been migrated. */
  readonly retired: readonly string[];
  /** F13, F17: ids of events that the editor hides or has not approved. */
  readonly leftOut: ReadonlySet<string>;
  readonly heldBack: HeldBack;
  /** Instant, whole seconds. */
  readonly now: number;
  readonly summary: ReportSummary;
}

/** G3: refuses a calendar without events. No option overrides this: such a source is always a mistake. Throws BUILD_REFUSED. */
export function refuseEmpty(summary: ReportSummary): void {
  const { read, kept } = summary.lists.events;
  if (kept > summary.hidden) return;
  const found = `found none among ${read}: look at the source${firstFindingIn(summary)}${waitingIn(summary)}`;
  throw new CalendarError('BUILD_REFUSED', `expected at least one valid event, ${found}`);
}

/** F17: events that an editor has to approve first. */
function waitingIn({ waiting }: ReportSummary): string {
  const [first] = waiting.events;
  return first === undefined ? '' : `. Events wait for approval, such as ${JSON.stringify(first.id)}`;
}

/** The first finding about something missing, which an editor should fix first. Empty if nothing was dropped. */
function firstFindingIn({ findings }: ReportSummary): string {
  const [first] = findings.filter(isAboutMissing);
  return first === undefined ? '' : `. First finding: ${findingLine(first)}`;
}

/** G14: refuses a build without a previous snapshot, with which the other guards compare. `folder`: where one was expected. Throws BUILD_REFUSED. */
export function refuseWithoutPrevious(previous: Previous | null, folder: string): void {
  if (previous !== null) return;
  const expected = `expected a snapshot in ${folder} to compare with (--require-previous), found none`;
  const advice = 'fetch one with --previous, or omit the option once';
  throw new CalendarError('BUILD_REFUSED', `${expected}: ${advice}`);
}

/** G14: refuses a previous snapshot of another calendar. `from`: where it was taken from; undefined for the target's own. Throws BUILD_REFUSED. */
export function refuseOtherLicence(
  previous: Previous | null,
  licence: string,
  from: string | undefined,
): void {
  if (from === undefined || previous === null || previous.meta.licence === licence) return;
  const expected = `--previous: expected a snapshot of the calendar ${licence} in ${from}`;
  throw new CalendarError('BUILD_REFUSED', `${expected}, found one of ${previous.meta.licence}`);
}

/**
 * G3, G4: refuses a build if too many records are rejected, or if too many upcoming events of the previous snapshot are gone or have lost a
 * reference. Throws BUILD_REFUSED.
 */
export async function refuseGreatLosses({ previous, summary, ...built }: BuiltCalendar): Promise<void> {
  refuseRejected(summary);
  if (previous === null) return;
  refuseGone(previous, { ...built, summary });
  // Snapshots of older formats are not compared.
  if (previous.isComparable) await refuseLost(previous, { ...built, summary });
}

/** Entries that an importer drops cost their feed only, which has its own limits. */
function refuseRejected(summary: ReportSummary): void {
  const { lists, droppedByImporters, hidden } = summary;
  const refuseMany = (what: string, names: readonly ListName[]) => {
    const count = sumOf(names.map((name) => lists[name].dropped - droppedByImporters[name]));
    const total = sumOf(names.map((name) => lists[name].read - droppedByImporters[name])) - hidden;
    if (total >= FEWEST_COMPARED)
      refuseBeyond('a quarter', `${what} to be rejected`, { count, total, summary });
  };
  refuseMany('events', ['events']);
  refuseMany('records', ['events', 'venues', 'organizers']);
}

type Guarded = Omit<BuiltCalendar, 'previous'>;

/** G3: with fewer records, a percentage says little: one bad record of two would stop the first build of a newcomer. */
const FEWEST_COMPARED = 20;

function refuseGone(
  previous: Previous,
  { calendar: { events, slugs }, leftOut, heldBack, summary }: Guarded,
): void {
  const { file, upcoming } = previous;
  const neededApproval = feedsWithApproval(previous);
  // F17: an approval that is lost, such as with the editor's sheet, is no decision.
  const hasLostApproval = (id: string) => {
    const held = heldBack.events.get(id);
    return held !== undefined && !held.isRefused && neededApproval.has(held.feed);
  };
  const shown = [...upcoming.values()].filter((id) => !leftOut.has(id) || hasLostApproval(id));
  if (shown.length < FEWEST_COMPARED) return;
  // G9: an event that was merged with another is present.
  const present = new Set([...events, ...slugs.event.merged].map(({ id }) => id));
  const count = shown.filter((id) => !present.has(id)).length;
  refuseBeyond('half', `upcoming events of ${file} to be gone`, { count, total: shown.length, summary });
}

/**
 * G4: upcoming events that lose a category, a venue or an organizer. An event that gains another of the same kind was edited, and loses
 * nothing; a removed event counts elsewhere. G4 sets no least number of events, unlike G3.
 */
async function refuseLost(
  previous: Previous,
  { calendar, retired, heldBack, now, summary }: Guarded,
): Promise<void> {
  const { file, upcoming } = previous;
  const ordinals = new Map(calendar.events.map(({ id }, ordinal) => [id, ordinal]));
  const referencesOf = referencesIn(calendar);
  const isHeldBack = (kind: ReferenceKind, id: string) => kind !== 'category' && heldBack[`${kind}s`].has(id);
  const losers = new Set<string>();
  const lostCounts = new Map<string, number>();
  for (const { event, kind, had } of await previousReferences(previous, now)) {
    const ordinal = ordinals.get(event);
    if (ordinal === undefined) continue;
    const { all, named } = referencesOf(ordinal, kind);
    const isKept = (id: string) => all.includes(id) || retired.includes(id) || isHeldBack(kind, id);
    const lost = had.filter((id) => !isKept(id));
    const hasGained = named.some((id) => !had.includes(id));
    if (lost.length === 0 || hasGained) continue;
    losers.add(event);
    for (const id of lost) {
      const reference = `${kind} ${JSON.stringify(id)}`;
      lostCounts.set(reference, (lostCounts.get(reference) ?? 0) + 1);
    }
  }
  const what = `upcoming events of ${file} to lose a category, venue or organizer`;
  const details = `, most often ${mostFrequent(lostCounts)}`;
  refuseBeyond('a quarter', what, { count: losers.size, total: upcoming.size, details, summary });
}

function mostFrequent(counts: ReadonlyMap<string, number>): string {
  const [first] = [...counts].sort(([, left], [, right]) => right - left);
  return first === undefined ? 'none' : `${first[0]} (${first[1]})`;
}

const SHARES = { half: 1 / 2, 'a quarter': 1 / 4 };

interface Loss {
  readonly count: number;
  readonly total: number;
  /** Follows the numbers in the message. */
  readonly details?: string;
  readonly summary: ReportSummary;
}

/** Throws BUILD_REFUSED if more than a share is lost. `what`: the loss, as in `expected at most half of the … to be gone`. */
function refuseBeyond(
  share: keyof typeof SHARES,
  what: string,
  { count, total, details = '', summary }: Loss,
): void {
  if (count <= total * SHARES[share]) return;
  const expected = `expected at most ${share} of the ${what}, found ${count} of ${total}${details}`;
  const advice = 'look at the source; if this is intended, build again with --force';
  throw new CalendarError('BUILD_REFUSED', `${expected}: ${advice}${firstFindingIn(summary)}`);
}
