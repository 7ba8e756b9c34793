/**
 * H9, nothing unpublished leaves: redacts what `/status` shows of records. An event that is not published yet, or that a build left out, is
 * not public: a finding about it shows only the place in the source, the field, and the expected form.
 */
import type { AnswerBasis } from '../../serve/graphql/execute.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import { type AsBuilt, asBuiltOf, type Finding, type NamedChange } from './reports.ts';

/** What the current snapshot's build stored, as far as it is public at `now`, in seconds since 1970. */
export async function publicAsBuilt(keeper: Pick<Keeper, 'pin' | 'state'>, now: number): Promise<AsBuilt> {
  if (keeper.state().current === null) return NOTHING;
  const { snapshot, release } = keeper.pin();
  try {
    return disclosed(await asBuiltOf(snapshot), { snapshot, now });
  } catch {
    // H14, damage while it is served: a file that cannot be read is left by its keeper.
    return NOTHING;
  } finally {
    release();
  }
}

const NOTHING: AsBuilt = { report: null, feeds: [], changes: [] };

export function disclosed({ report, feeds, changes }: AsBuilt, { snapshot, now }: AnswerBasis): AsBuilt {
  /** Null for what is no event of the calendar. */
  const isPublic = (id: string): boolean | null => {
    const ordinal = snapshot.ordinalByOwnId(id);
    return ordinal === null
      ? null
      : (snapshot.columns.publishing[ordinal] ?? Number.POSITIVE_INFINITY) <= now;
  };
  // One of two records with one id is left out, and may be an entirely different event.
  const lost = new Set(report?.findings.flatMap(({ action, id }) => (LOSSES.has(action) ? (id ?? []) : [])));
  const isShown = ({ place, id }: Finding): boolean => {
    const [file = ''] = place.split('.', 1);
    if (PUBLIC_FILES.has(file)) return true;
    if (id === null) return false;
    if (file === 'venues' || file === 'organizers')
      return snapshot.lists[file].some((entry) => entry.id === id);
    return isPublic(id) === true && !lost.has(id);
  };
  const redacted = (finding: Finding) => (isShown(finding) ? finding : { ...finding, id: null, found: null });
  /** Nothing of events that are not public; of removed ones only the id, which `changes` names, too. */
  const shown = (named: readonly NamedChange[]) =>
    named
      .filter(({ id }) => isPublic(id) !== false)
      .map((change) => (isPublic(change.id) ? change : { ...change, title: null, from: null }));
  return {
    report: report && { ...report, findings: report.findings.map(redacted) },
    feeds,
    changes: changes.map(({ lists: { added, changed, renamed, removed }, ...build }) => ({
      ...build,
      lists: {
        added: shown(added),
        changed: shown(changed),
        renamed: shown(renamed),
        removed: shown(removed),
      },
    })),
  };
}

const LOSSES: ReadonlySet<string> = new Set(['dropped record', 'dropped series']);

/** Files of the source whose texts are public (E, K2, planned changes). */
const PUBLIC_FILES: ReadonlySet<string> = new Set(['licence', 'notices']);

/** The reason why a build stopped. A reason about a file of records begins with the file's name, and may go on with its contents. */
export function disclosedReason(reason: string): string {
  const file = reason.slice(0, Math.max(0, reason.indexOf(': ')));
  if (/\s/.test(file) || !/\.(?:nd)?json/.test(file)) return reason;
  const found = reason.search(/, (?:found|got) /);
  if (found === -1) return reason;
  const advice = reason.slice(found).search(/; (?:look|wait) /);
  return `${reason.slice(0, found)}${advice === -1 ? '' : reason.slice(found + advice)}`;
}
