/** J1: publishes a builder's snapshots to a store: once after a build, or for as long as it runs (`store-watch.ts`). */
import type { StoreState } from '../../../src/annexes/common/upkeep.ts';
import { invalidSetting, messageOf } from '../../../src/calendar/errors.ts';
import type { CoreSettings } from '../../../src/settings/core.ts';
import type { AfterBuild, BuildPart, Program, Service } from '../../annex.ts';
import { openFolderStore } from '../../kit/folder-store.ts';
import { type RetryOptions, retry } from '../../kit/polling.ts';
import { openStore } from '../../kit/s3.ts';
import type { InStore } from '../../kit/s3-settings.ts';
import { ForeignThere } from './foreign.ts';
import { type Replication, reasonWords, replicateAll, type Targets } from './replicate.ts';
import { watchStore } from './store-watch.ts';

interface StoreSettings extends CoreSettings, InStore {
  /** Ends in a slash; null for a builder that publishes no snapshots. */
  readonly publish: URL | null;
  /** J5: likewise, for the public edition alone. */
  readonly publishPublic: URL | null;
}

/** Throws INVALID_SETTING for targets that contradict other settings. */
export function create(settings: StoreSettings): BuildPart {
  checkPublicTarget(settings);
  return {
    startService: (program) => startStore(settings, program),
    afterBuild: (folder, _, clock) => publishAfterBuild(settings, folder, clock),
  };
}

function startStore(settings: StoreSettings, { reportState, ...program }: Program): Service {
  const stopping = new AbortController();
  const targets = targetsOf(settings, stopping.signal, program.clock);
  const onState = (state: StoreState) => reportState({ store: state });
  const watch = watchStore({ ...program, ...targets, folder: settings.snapshots, stopping, onState });
  return { onBuild: watch.wake, stop: watch.stop };
}

async function publishAfterBuild(
  settings: StoreSettings,
  folder: string,
  clock: () => number,
): Promise<AfterBuild> {
  try {
    const targets = targetsOf(settings, new AbortController().signal, clock);
    const { bytes, replaced } = await replicateNow(folder, targets);
    const rival = replaced === null ? '' : `, instead of ${replaced.id} from another builder`;
    const sent = `published to the store, ${bytes} bytes${rival}`;
    const line = bytes === 0 ? 'the store already has it' : sent;
    return { value: { bytes, replaced }, line, isFailed: false };
  } catch (cause) {
    const reason = messageOf(cause);
    return { value: { reason }, line: `Published here, but not to the store. ${reason}`, isFailed: true };
  }
}

/** J5: refuses a public target without a public edition, and one within the private target. Throws INVALID_SETTING. */
function checkPublicTarget({ publish, publishPublic, publicFile }: StoreSettings): void {
  if (publishPublic === null) return;
  const name = 'ALMANAKK_PUBLISH_PUBLIC';
  if (!publicFile) throw invalidSetting(name, 'ALMANAKK_PUBLIC_FILE=true beside this setting', 'false');
  if (publish !== null && publishPublic.href.startsWith(publish.href))
    throw invalidSetting(name, 'a place outside ALMANAKK_PUBLISH', publishPublic.href);
}

function targetsOf(settings: StoreSettings, signal: AbortSignal, clock: () => number): Targets {
  const { publish, publishPublic, s3, buildTimeoutSeconds } = settings;
  const totalMs = buildTimeoutSeconds * 1_000;
  const open = (location: URL | null, audience: 'owner' | 'everybody') => {
    if (location === null) return null;
    if (location.protocol === 'file:') return openFolderStore(location, audience);
    return s3 && openStore({ location, s3, signal, clock, totalMs });
  };
  return { store: open(publish, 'owner'), publicStore: open(publishPublic, 'everybody') };
}

/** For `rebuild`, which waits: a few attempts. Throws StoreProblem. */
export function replicateNow(
  folder: string,
  targets: Targets,
  { pause }: Pick<RetryOptions, 'pause'> = {},
): Promise<Replication> {
  const pauseMs = (attempts: number, cause: unknown) =>
    attempts === MOST_ATTEMPTS || isLasting(cause) ? null : FIRST_PAUSE_MS * 2 ** (attempts - 1);
  const options = { attempt: () => replicateAll(folder, targets), pauseMs };
  return retry(pause === undefined ? options : { ...options, pause });
}

const MOST_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 1_000;

/** Whether a failure will not change within seconds: another builder's snapshot, or a refusal of this machine. */
function isLasting(cause: unknown): boolean {
  const isRefusal = /^status 4(?!08|29)/.test(reasonWords(cause));
  return cause instanceof ForeignThere || isRefusal;
}
