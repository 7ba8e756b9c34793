/**
 * H9, nothing unpublished leaves: redacts what `/status` shows of records. An event that is not published yet, or that a build left out, is
 * not public: a finding about it shows only the place in the source, the field, and the expected form.
 */
import type { AnswerBasis } from '../../serve/graphql/execute.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import {
  type AsBuilt,
  asBuiltOf,
  type BuildChanges,
  type BuildReport,
  type Finding,
  KINDS,
  type NamedChange,
} from './reports.ts';

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

export function disclosed({ report, feeds, changes }: AsBuilt, basis: AnswerBasis): AsBuilt {
  const named = [
    ...(report?.findings ?? []).flatMap(({ id }) => id ?? []),
    ...changes.flatMap(({ lists }) => KINDS.flatMap((kind) => lists[kind].map(({ id }) => id))),
  ];
  const { snapshot, now } = basis;
  const isPublicAt = (ordinal: number) =>
    (snapshot.columns.publishing[ordinal] ?? Number.POSITIVE_INFINITY) <= now;
  const isPublic = new Map(
    named.flatMap((id) => {
      const ordinal = snapshot.ordinalByOwnId(id);
      return ordinal === null ? [] : [[id, isPublicAt(ordinal)] as const];
    }),
  );
  return {
    report: report && disclosedReport(report, isPublic, basis),
    feeds,
    changes: changes.map((build) => disclosedChanges(build, isPublic)),
  };
}

/** Of each existing event. */
type Publicity = ReadonlyMap<string, boolean>;

function disclosedReport(report: BuildReport, isPublic: Publicity, { snapshot }: AnswerBasis): BuildReport {
  // One of two records with one id is left out, and may be an entirely different event.
  const lost = new Set(report.findings.flatMap(({ action, id }) => (LOSSES.has(action) ? (id ?? []) : [])));
  const { venues, organizers } = snapshot.lists;
  // A source names its feeds, and a place begins with such a name.
  const directories: ReadonlyMap<string, ReadonlySet<string>> = new Map([
    ['venues', new Set(venues.map(({ id }) => id))],
    ['organizers', new Set(organizers.map(({ id }) => id))],
  ]);
  const isShown = ({ place, id }: Finding) => {
    const [file = ''] = place.split('.', 1);
    if (PUBLIC_FILES.has(file)) return true;
    if (id === null) return false;
    return directories.get(file)?.has(id) ?? (isPublic.get(id) === true && !lost.has(id));
  };
  const findings = report.findings.map((finding) =>
    isShown(finding) ? finding : { ...finding, id: null, found: null },
  );
  return { ...report, findings };
}

const LOSSES: ReadonlySet<string> = new Set(['dropped record', 'dropped series']);

/** Files of the source whose texts are public (E, K2, planned changes). */
const PUBLIC_FILES: ReadonlySet<string> = new Set(['licence', 'notices']);

/** Nothing of events that are not public; of removed ones only the id, which `changes` names, too. */
function disclosedChanges(build: BuildChanges, isPublic: Publicity): BuildChanges {
  const shown = (changes: readonly NamedChange[]) =>
    changes
      .filter(({ id }) => isPublic.get(id) !== false)
      .map((change) => (isPublic.has(change.id) ? change : { ...change, title: null, from: null }));
  const { added, changed, renamed, removed } = build.lists;
  const lists = { added: shown(added), changed: shown(changed), renamed: shown(renamed) };
  return { ...build, lists: { ...lists, removed: shown(removed) } };
}

/** The reason why a build stopped. A reason about a file of records begins with the file's name, and may go on with its contents. */
export function disclosedReason(reason: string): string {
  const file = reason.slice(0, Math.max(0, reason.indexOf(': ')));
  if (/\s/.test(file) || !/\.(?:nd)?json/.test(file)) return reason;
  const found = reason.search(/, (?:found|got) /);
  if (found === -1) return reason;
  const advice = reason.slice(found).search(/; (?:look|wait) /);
  return `${reason.slice(0, found)}${advice === -1 ? '' : reason.slice(found + advice)}`;
}
