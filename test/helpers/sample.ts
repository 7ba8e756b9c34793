/** The sample calendar, built and opened, and values for arguments to it. */
import { build } from '../../jobs/build.ts';
import { createReport } from '../../jobs/report.ts';
import { packagePath } from '../../src/package.ts';
import type { Result } from '../../src/serve/graphql/answer.ts';
import { openSnapshotFile } from '../../src/snapshot/folder.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { readSample } from '../oracle/product.ts';
import { randomFrom } from '../oracle/random.ts';
import { changeMoments, valuesFor } from '../oracle/random-questions.ts';
import { readSource } from '../oracle/source.ts';
import { BUILD_CHOICES } from './build-choices.ts';
import { temporaryFolder } from './folder.ts';
import type { Values } from './random-operations.ts';

export const BUILT_AT = Date.UTC(2026, 5, 15, 8) / 1000;

export interface Sample {
  readonly snapshot: Snapshot;
  readonly values: Values;
}

let built: Promise<string> | undefined;

/** The sample's snapshot as of `BUILT_AT`: all files of tests in one process have one. */
export const sampleFile = (): Promise<string> => {
  built ??= buildSample();
  return built;
};

async function buildSample(): Promise<string> {
  const target = temporaryFolder();
  const source = packagePath('data/sample');
  const options = { source, target, now: BUILT_AT, horizonMonths: 18, report: createReport() };
  return `${target}/${(await build({ ...BUILD_CHOICES, ...options })).file}`;
}

export async function openSample(): Promise<Sample> {
  return { snapshot: await openSnapshotFile(await sampleFile()), values: sampleValues() };
}

/** Values that mean something in the sample, and some that mean nothing or are wrong. */
function sampleValues(): Values {
  const calendar = readSource(readSample(), BUILT_AT);
  const table = valuesFor(calendar, changeMoments(calendar, BUILT_AT));
  return (name, random) => {
    const make = table[name];
    if (make === undefined) throw new Error(`expected values for every argument, found none for ${name}`);
    return make(randomFrom(random(2 ** 32)));
  };
}

/** A result with its body as readable text. */
export function asSent({ body, hasErrors }: Result): { readonly body: string; readonly hasErrors: boolean } {
  return { body: bodyText(body), hasErrors };
}

export function bodyText(body: readonly Buffer[]): string {
  return Buffer.concat(body).toString();
}
