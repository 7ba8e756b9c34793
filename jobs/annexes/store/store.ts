/** J1, publishing to an object store: updates a builder's object store: once after a build, or for as long as it runs. */
import type { StoreState } from '../../../src/annexes/common/upkeep.ts';
import { messageOf } from '../../../src/calendar/errors.ts';
import type { CoreSettings } from '../../../src/settings/core.ts';
import type { AfterBuild, BuildPart, Program, Service } from '../../annex.ts';
import { openStore } from '../../kit/s3.ts';
import { type Replication, replicateNow, watchStore } from './replicate.ts';
import type { StoreSettings } from './settings.ts';

export function create(settings: CoreSettings & StoreSettings): BuildPart {
  const { publish: location, s3, snapshots: folder, buildTimeoutSeconds } = settings;
  if (location === null || s3 === null) return {};
  const totalMs = buildTimeoutSeconds * 1_000;
  const open = (signal: AbortSignal, clock: () => number) =>
    openStore({ location, s3, signal, clock, totalMs });

  const startService = ({ tell, ...program }: Program): Service => {
    const stopping = new AbortController();
    const store = open(stopping.signal, program.clock);
    const onState = (state: StoreState) => tell({ store: state });
    const watch = watchStore({ ...program, folder, store, stopping, onState });
    return { onBuild: watch.wake, stop: watch.stop };
  };
  const afterBuild = (target: string) =>
    afterBuildOf(replicateNow(target, open(new AbortController().signal, Date.now)));
  return { startService, afterBuild };
}

export async function afterBuildOf(replicating: Promise<Replication>): Promise<AfterBuild> {
  try {
    const { bytes, replaced } = await replicating;
    return { value: { bytes, replaced }, line: lineOf(bytes, replaced), isFailed: false };
  } catch (cause) {
    const reason = messageOf(cause);
    return { value: { reason }, line: `Published here, and not to the store. ${reason}`, isFailed: true };
  }
}

function lineOf(bytes: number, replaced: Replication['replaced']): string {
  if (bytes === 0) return 'the store has it already';
  const rival = replaced === null ? '' : `, in place of ${replaced.id}, which another builder has put there`;
  return `published to the store, ${bytes} bytes${rival}`;
}
