/** G7: a source that has not changed since the previous snapshot needs no build. */
import { createHash } from 'node:crypto';
import { CalendarError } from '../src/calendar/errors.ts';
import { isObject } from '../src/calendar/json.ts';
import { formatDay, isoSecond } from '../src/calendar/time.ts';
import { FINGERPRINT } from '../src/snapshot/fingerprint.ts';
import { FORMAT } from '../src/snapshot/format.ts';
import type { BuildResult, BuildSteps } from './annex.ts';
import { NO_CHANGES } from './changes/comparison.ts';
import type { Previous } from './previous.ts';
import { compress } from './publish/compress.ts';
import { signAgain, verifyAndPublish } from './publish/publish.ts';
import type { Source } from './source/source.ts';

/** The snapshot that a build would make now. */
interface WantedSnapshot {
  readonly sourceHash: string;
  /** A11: day number. */
  readonly horizonDay: number;
  /** Instant, whole seconds. */
  readonly now: number;
  /** J5: whether it also makes the public edition. */
  readonly isPublic: boolean;
}

/** Whether a build would make the same snapshot, and no other work is due. */
export function isUnchanged(
  { meta, isCurrent, isSuperseded, hasPublicEdition, hasAppeared }: Previous,
  { sourceHash, horizonDay, now, isPublic }: WantedSnapshot,
): boolean {
  const isSameForm = meta.format === FORMAT && meta.shape === FINGERPRINT;
  const isSameContent = meta.sourceHash === sourceHash && meta.horizonDay === formatDay(horizonDay);
  // G5: a snapshot that only lost its manifest would be rebuilt to the same bytes, but only at the same moment.
  const isUsable = isCurrent || meta.builtAt === isoSecond(now);
  // G14: a public edition has to gain the events that have been published since.
  const isSamePublic = !isPublic || (hasPublicEdition && !hasAppeared);
  // H14, J3: replicas that trust keys keep a later snapshot until a build is later still.
  return isSameForm && isSameContent && isUsable && !isSuperseded && isSamePublic;
}

interface PassOnOptions extends Pick<BuildSteps, 'sign'> {
  readonly target: string;
  readonly keepDays?: number;
  readonly warn: (warning: string) => void;
}

/** The previous snapshot as a result: published again if it had lost its manifest, signed again if it needs a signature. */
export async function passOn(
  { id, file, path, meta, isCurrent, report }: Previous,
  { target, sign, keepDays, warn }: PassOnOptions,
): Promise<Omit<BuildResult, 'warnings'>> {
  const { builtAt, counts, licence } = meta;
  if (!isCurrent) await verifyAndPublish({ folder: target, file: path, compress, sign, keepDays, warn });
  else if (sign !== undefined) await signAgain(target, sign, licence);
  return {
    outcome: isCurrent ? 'unchanged' : 'published',
    id,
    file,
    builtAt,
    counts,
    changes: NO_CHANGES,
    isFirst: false,
    previousReport: report,
  };
}

/** What links depend on, besides the source. */
interface LinkOptions {
  /** I11: address of the server's own pages, for a licence without a site. */
  readonly ownUrl?: string;
}

/** The hash of the source's bytes and, where links begin with the server's own address, of that address. */
export async function sourceHashOf(
  source: Pick<Source, 'licence' | 'hash'>,
  { ownUrl }: LinkOptions,
): Promise<string> {
  const { value } = await source.licence();
  const hash = await source.hash();
  if (ownUrl === undefined || !isObject(value) || value.siteUrl !== undefined) return hash;
  return createHash('sha256').update(`${hash} ${ownUrl}`).digest('hex');
}

/**
 * Throws INVALID_SOURCE if the source has changed since its hash was computed: the records were read later, and a later build would wrongly
 * find the source unchanged.
 */
export async function refuseChangedSource(
  source: Pick<Source, 'licence' | 'hash'>,
  sourceHash: string,
  options: LinkOptions,
): Promise<void> {
  if ((await sourceHashOf(source, options)) === sourceHash) return;
  const message = 'expected the source not to change during the build, found that it did';
  throw new CalendarError('INVALID_SOURCE', message);
}
