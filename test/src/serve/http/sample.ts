/** The stand around the real schema, and the sample calendar as of one Monday in June. */
import { openSnapshotFile } from '../../../../src/snapshot/folder.ts';
import { BUILT_AT, sampleFile } from '../../../helpers/sample.ts';
import { type Stand, type StandOptions, startStand } from './stand.ts';

export const SAMPLE_START = BUILT_AT * 1_000;

export async function startSample(options: StandOptions = {}): Promise<Stand> {
  const snapshot = await openSnapshotFile(await sampleFile());
  const stand = await startStand({ snapshot, startAt: SAMPLE_START, ...options });
  return {
    ...stand,
    close: async () => {
      await stand.close();
      await snapshot.close();
    },
  };
}
