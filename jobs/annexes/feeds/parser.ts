/** Parses documents from outside in a child process, where an endless loop or a flood of data does no harm. */

import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { callChild, programPath } from '../../../src/package.ts';
import { createFile } from '../../publish.ts';
import type { FeedCounts } from '../../report.ts';
import { type DocumentKind, type Feed, rulesOf } from './config.ts';
import { FEED_REASONS, FeedProblem } from './health.ts';
import type { ImportRequest } from './refresh.ts';
import type { Emit, NewFinding, Validator } from './slice.ts';

/** The settings of a feed that its reader needs. */
export type ParsedFeed = ReturnType<typeof rulesOf>;

type About = Pick<ImportRequest, 'now' | 'horizonDay' | 'place' | 'config'>;

/** The input of the child, before the documents' bytes. */
export interface ParseTask extends About {
  readonly kind: DocumentKind;
  readonly feed: ParsedFeed;
  readonly documents: readonly DocumentHead[];
  readonly notes: readonly NewFinding[];
  /** Milliseconds after which the child ends itself, in case its parent has died. */
  readonly milliseconds: number;
}

export interface FeedDocument {
  /** `https://host`, for addresses that a page gives without it; null for a file. */
  readonly origin: string | null;
  /** Null for a page that no longer exists. */
  readonly bytes: Buffer | null;
  /** Whether a page links to others, or is linked from one; undefined for pages that the feed names. */
  readonly role?: 'listing' | 'linked' | undefined;
  readonly path?: string | undefined;
}

export interface ReadDocument extends Pick<FeedDocument, 'bytes' | 'role'> {
  readonly url: string | null;
  readonly validator: Validator | null;
}

interface FeedSummary {
  readonly counts: FeedCounts;
  /** False if the feed ends in the middle. */
  readonly isComplete: boolean;
}

/** The code that runs in the child. Throws FeedProblem if the feed is not of its kind, or too large. */
export type FeedReader = (documents: readonly FeedDocument[], task: ParseTask, emit: Emit) => FeedSummary;

interface DocumentHead extends Omit<FeedDocument, 'bytes'> {
  readonly length: number | null;
}

/** The child's exit code after it has written the feed's problem, as JSON, in the last line of its standard error. */
export const REFUSED = 2;
const refusalSchema = z.object({ reason: z.enum(FEED_REASONS), message: z.string() });

interface Parse extends About {
  readonly kind: DocumentKind;
  readonly feed: Feed;
  readonly documents: readonly Omit<ReadDocument, 'validator'>[];
  readonly notes?: readonly NewFinding[];
  readonly output: string;
  readonly limits?: typeof LIMITS;
}

/** `megabytes`: of JavaScript's heap. */
const LIMITS = { milliseconds: 60_000, megabytes: 1024 };
/** With short events a slice is a few times larger than its feed. */
const OUTPUT_PER_INPUT = 20;
const OUTPUT_FREELY = 16 * 1024 * 1024;

const CHILD = programPath('jobs/annexes/feeds/child');

export type ParseDocuments = (parse: Parse) => Promise<void>;

/** Throws FeedProblem if the bytes are not of that kind, or exceed the limits. */
export async function parseDocuments(parse: Parse): Promise<void> {
  const { documents, output, limits = LIMITS } = parse;
  const length = documents.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
  const most = OUTPUT_FREELY + OUTPUT_PER_INPUT * length;
  const ended = await callChild(
    [CHILD],
    {
      // An empty environment: the parser needs no keys.
      env: {},
      input: [
        `${JSON.stringify(taskOf(parse, limits.milliseconds))}\n`,
        ...documents.flatMap(({ bytes }) => bytes ?? []),
      ],
      take: async (slice) => pipeline(slice, upTo(most), await createFile(output, { flush: true })),
    },
    limits,
  );
  const { code, how, limit, said } = ended;
  if (code === 0) return;
  if (code === REFUSED) throw refusalOf(said);
  const after = limit === null ? '' : ` after at most ${limits.milliseconds / 1000} s`;
  const why = said.split('\n').find((line) => /Error|heap/.test(line)) ?? '';
  const message = `expected the feed to be parsed within its limits, found it ${how}${after} ${why.trim()}`;
  throw new FeedProblem('parser killed', message.trim());
}

export function taskOf(
  { kind, feed, now, horizonDay, place, config, ...parse }: Parse,
  milliseconds: number,
): ParseTask {
  const { notes = [] } = parse;
  const documents = parse.documents.map(({ url, bytes, role }) => ({
    origin: url === null ? null : new URL(url).origin,
    role,
    path: url === null || role === undefined ? undefined : new URL(url).pathname,
    length: bytes?.length ?? null,
  }));
  return { kind, feed: rulesOf(feed), documents, notes, milliseconds, now, horizonDay, place, config };
}

function refusalOf(said: string): FeedProblem {
  const { reason, message } = refusalSchema.parse(JSON.parse(said.trimEnd().split('\n').at(-1) ?? ''));
  return new FeedProblem(reason, message);
}

function upTo(most: number): Transform {
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      length += chunk.length;
      if (length <= most) done(null, chunk);
      else done(new FeedProblem('size limit', `expected records of at most ${most} bytes, found more`));
    },
  });
}
