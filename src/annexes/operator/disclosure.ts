/**
 * H9: what `/status` may say of records. An event that is not published yet, or that a build has left out, is nothing that
 * visitors may know: of a finding about it there is only the place in the source, the field, and what was expected there.
 */
import type { Snapshot } from '../../snapshot/open.ts';
import type { BuildReport, Finding } from './builds.ts';

interface Moment {
  readonly snapshot: Snapshot;
  /** Seconds since 1970. */
  readonly now: number;
}

/** The report of that snapshot's own build, or of one that found nothing new. */
export async function disclosedReport(report: BuildReport, moment: Moment): Promise<BuildReport> {
  const lost = new Set(report.findings.flatMap(({ action, id }) => (isLoss(action) ? (id ?? []) : [])));
  const ids = new Set(report.findings.flatMap(({ id }) => id ?? []));
  const events = new Set<string>();
  for (const id of ids) if (!lost.has(id) && (await isPublished(id, moment))) events.add(id);
  const { venues, organizers } = moment.snapshot.lists;
  const directories: Readonly<Record<string, ReadonlySet<string>>> = {
    venues: new Set(venues.map(({ id }) => id)),
    organizers: new Set(organizers.map(({ id }) => id)),
  };
  const isPublic = ({ place, id }: Finding) => {
    const [file = ''] = place.split('.', 1);
    return PUBLIC_FILES.has(file) || (id !== null && (directories[file] ?? events).has(id));
  };
  const findings = report.findings.map((finding) => (isPublic(finding) ? finding : withoutValues(finding)));
  return { ...report, findings };
}

/** The report of any other build. Its records are in no snapshot. */
export function concealedReport(report: BuildReport): BuildReport {
  return { ...report, findings: report.findings.map(withoutValues) };
}

/** Of the source's files, those whose texts are for everybody (E, K2). */
const PUBLIC_FILES: ReadonlySet<string> = new Set(['licence', 'notices']);

/** Of two records with one id, one is left out, and may be another event altogether. */
const isLoss = (action: string) => action === 'dropped record' || action === 'dropped series';

async function isPublished(id: string, { snapshot, now }: Moment): Promise<boolean> {
  const ordinal = await snapshot.ordinalById(id);
  const from = ordinal === null ? undefined : snapshot.columns.publishing[ordinal];
  return from !== undefined && from <= now;
}

function withoutValues(finding: Finding): Finding {
  return { ...finding, id: null, found: null };
}

/** Why a build stopped. What it found in a file of records begins with the file, and may go on with what stands in it. */
export function disclosedReason(reason: string): string {
  return reason.replace(/^([^\s:]+\.(?:nd)?json\S*: .*?), (?:found|got) .*?(; (?:look|wait) .*)?$/s, '$1$2');
}
