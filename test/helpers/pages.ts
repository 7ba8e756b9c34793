/** A running server with pages, the operator's view and metrics, whose data the test chooses. Parts that were taken away are missing. */
import type { Settings } from '../../jobs/settings.ts';
import type {
  FailingHook,
  OriginState,
  StoreState,
  UrgentSheetState,
} from '../../src/annexes/common/upkeep.ts';
import { create as createPages } from '../../src/annexes/pages/pages.ts';
import { packagePath } from '../../src/package.ts';
import { createAdmission } from '../../src/serve/admission/admission.ts';
import type { ServeAnnex } from '../../src/serve/annex.ts';
import type { BuildRecord, BuildTotal, Schedule } from '../../src/upkeep.ts';
import { ANNEXES, type GivenSettings } from './annex.ts';
import { temporaryFolder } from './folder.ts';
import { PATIENT, type Running, type RunningOptions, startBuilt, startServer } from './running.ts';

export interface PagesSetup {
  /** Milliseconds since 1970; the source is built for the first moment that it gives. */
  readonly clock?: () => number;
  /** Folder; the sample when none is given, and no snapshot at all for null. */
  readonly source?: string | null;
  readonly builds?: readonly BuildRecord[];
  readonly totals?: readonly BuildTotal[];
  readonly origin?: OriginState;
  readonly store?: StoreState;
  readonly hooks?: readonly FailingHook[];
  readonly schedule?: Schedule;
  readonly urgentSheets?: readonly UrgentSheetState[];
  readonly applicationOf?: (key: string) => string | undefined;
  readonly changelog?: string;
  readonly settings?: GivenSettings;
  readonly admission?: RunningOptions['admission'];
  /** Annexes that are created in another way. */
  readonly parts?: Readonly<Record<string, CreatePart>>;
}

export async function startPages(setup: PagesSetup = {}): Promise<Running> {
  const { clock = Date.now, source = packagePath('data/sample'), changelog = CHANGELOG } = setup;
  const { builds = [], totals = [], origin = null, store = null, schedule = null } = setup;
  const { settings = {}, hooks = [], urgentSheets = [], admission = createAdmission(PATIENT) } = setup;
  const { applicationOf = () => undefined, parts = {} } = setup;
  const options: Partial<RunningOptions> = {
    clock,
    admission,
    context: {
      settings: { serveSnapshots: true, ...settings },
      upkeep: async () => ({ builds, totals, origin, store, schedule, hooks, urgentSheets }),
    },
    annexes: annexesWith({
      pages: (context) => createPages(context, changelog),
      keys: () => ({ applicationOf }),
      ...parts,
    }),
  };
  if (source === null) return startServer({ ...options, clock, snapshots: temporaryFolder() });
  return startBuilt(source, Math.floor(clock() / 1_000), options);
}

type CreatePart = Awaited<ReturnType<ServeAnnex<Settings>['load']>>['create'];

/** All annexes; those with a name here make that part in place of their own. */
function annexesWith(parts: Readonly<Record<string, CreatePart>>): readonly ServeAnnex<Settings>[] {
  return ANNEXES.map((annex) => {
    const create = parts[annex.name];
    return create === undefined ? annex : { ...annex, load: async () => ({ create }) };
  });
}

const CHANGELOG =
  '# Changelog\n\n## 1.0.0\n\n- Lists **events**, see `events`.\n  - and their [venues](https://example.org/v)\n';
