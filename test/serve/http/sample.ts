/** The stand around the real schema, and the sample calendar as of one Monday in June. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../../jobs/build.ts';
import { createReport } from '../../../jobs/report.ts';
import { packagePath } from '../../../src/package.ts';
import { createExecute } from '../../../src/serve/graphql/execute.ts';
import { schema, sdl } from '../../../src/serve/graphql/schema.ts';
import { parseManifest, readManifestText } from '../../../src/snapshot/folder.ts';
import { openSnapshot } from '../../../src/snapshot/open.ts';
import { type Stand, type StandOptions, startStand } from './stand.ts';

export const SAMPLE_START = Date.parse('2026-06-15T08:00:00Z');

export async function startSample(options: StandOptions = {}): Promise<Stand> {
  const folder = mkdtempSync(join(tmpdir(), 'almanakk-sample-'));
  await build({
    source: packagePath('data/sample'),
    target: folder,
    now: SAMPLE_START / 1_000,
    horizonMonths: 18,
    force: false,
    report: createReport(),
  });
  const { file } = parseManifest((await readManifestText(folder)) ?? '');
  const snapshot = await openSnapshot(join(folder, file));
  const stand = await startStand({
    schema,
    sdl,
    createExecute,
    snapshot,
    startAt: SAMPLE_START,
    ...options,
  });
  return {
    ...stand,
    close: async () => {
      await stand.close();
      await snapshot.close();
      rmSync(folder, { recursive: true });
    },
  };
}
