/** The sample calendar, built and opened, and values for arguments to it. */
import { join } from 'node:path';
import type { Result } from '../../src/serve/graphql/answer.ts';
import { openSnapshotFile } from '../../src/snapshot/folder.ts';
import { parseManifest } from '../../src/snapshot/manifest.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { readSample } from '../oracle/product.ts';
import { randomFrom } from '../oracle/random.ts';
import { changeMoments, valuesFor } from '../oracle/random-questions.ts';
import { readSource } from '../oracle/source.ts';
import { builtSample } from './build.ts';
import { manifestTextIn } from './folder.ts';
import type { Values } from './random-operations.ts';

export const BUILT_AT = Date.UTC(2026, 5, 15, 8) / 1000;

export interface Sample {
  readonly snapshot: Snapshot;
  readonly values: Values;
}

/** The sample's snapshot as of `BUILT_AT`. */
export async function sampleFile(): Promise<string> {
  const folder = await builtSample(BUILT_AT);
  return join(folder, parseManifest(manifestTextIn(folder)).file);
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
