/**
 * H9, nothing unpublished leaves: redacts what `/status` shows of records. An event that is not published yet, or that a build left out, is
 * not public: a finding about it shows only the place in the source, the field, and the expected form.
 */
import type { AnswerBasis } from '../../serve/graphql/execute.ts';
import type { BuildReport, Finding } from './reports.ts';

/** `report`: that of the snapshot's own build. */
export async function disclosedReport(report: BuildReport, basis: AnswerBasis): Promise<BuildReport> {
  const lost = new Set(report.findings.flatMap(({ action, id }) => (isLoss(action) ? (id ?? []) : [])));
  const ids = new Set(report.findings.flatMap(({ id }) => id ?? []));
  const events = new Set<string>();
  for (const id of ids) if (!lost.has(id) && (await isPublished(id, basis))) events.add(id);
  const { venues, organizers } = basis.snapshot.lists;
  // A source names its feeds, and a place begins with such a name.
  const directories: ReadonlyMap<string, ReadonlySet<string>> = new Map([
    ['venues', new Set(venues.map(({ id }) => id))],
    ['organizers', new Set(organizers.map(({ id }) => id))],
  ]);
  const isPublic = ({ place, id }: Finding) => {
    const [file = ''] = place.split('.', 1);
    return PUBLIC_FILES.has(file) || (id !== null && (directories.get(file) ?? events).has(id));
  };
  const findings = report.findings.map((finding) =>
    isPublic(finding) ? finding : { ...finding, id: null, found: null },
  );
  return { ...report, findings };
}

/** Files of the source whose texts are public (E, K2, planned changes). */
const PUBLIC_FILES: ReadonlySet<string> = new Set(['licence', 'notices']);

/** One of two records with one id is left out, and may be an entirely different event. */
const isLoss = (action: string) => action === 'dropped record' || action === 'dropped series';

async function isPublished(id: string, { snapshot, now }: AnswerBasis): Promise<boolean> {
  const ordinal = await snapshot.ordinalById(id);
  const from = ordinal === null ? undefined : snapshot.columns.publishing[ordinal];
  return from !== undefined && from <= now;
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
