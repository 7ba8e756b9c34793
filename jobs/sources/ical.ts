/** An iCalendar feed, from the web or from a file. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '../../src/calendar/errors.ts';
import { FeedProblem } from '../feed-health.ts';
import type { Feed } from '../feeds/config.ts';
import { type FeedWorld, fetchFeed, keyHeader, refusedStatus, validatorOf } from '../feeds/fetch.ts';
import type { Importer, ImportRequest } from '../feeds/refresh.ts';
import type { Validators } from '../feeds/slice.ts';
import { parseIcal } from './ical/parser.ts';

export const importIcal: Importer = async (request) => {
  const { feed, known, draft: output } = request;
  const read = await readBytes(request);
  if (read === null) return null;
  const { bytes, validators } = read;
  if (bytes.length === 0) throw new FeedProblem('empty', 'expected a calendar, found nothing');
  if (isMarkup(bytes)) throw new FeedProblem('not a calendar', 'expected BEGIN:VCALENDAR, found HTML or XML');
  const source = createHash('sha256').update(bytes).digest('hex');
  // Many servers do not know of conditional requests.
  if (source === known?.source) return null;
  await parseIcal({ ...request, feed, bytes, output });
  return { source, bytes: bytes.length, validators };
};

interface Bytes {
  readonly bytes: Buffer;
  readonly validators: Validators;
}

/** Null when the server says that nothing has changed. */
async function readBytes({ feed, world, known }: ImportRequest): Promise<Bytes | null> {
  if (feed.url === null) return { bytes: await readBounded(feed, world), validators: {} };
  const validator = known?.validators[VALIDATOR];
  const headers = {
    accept: 'text/calendar, */*;q=0.5',
    ...keyHeader(feed, world),
    ...(validator?.etag ? { 'if-none-match': validator.etag } : {}),
    ...(validator?.lastModified ? { 'if-modified-since': validator.lastModified } : {}),
  };
  const answer = await fetchFeed(world, { url: feed.url, headers, limits: feed.limits });
  if (answer.status === 304 && known !== null) return null;
  if (answer.status < 200 || answer.status > 299) throw refusedStatus(new URL(feed.url).host, answer);
  return { bytes: answer.body, validators: { [VALIDATOR]: validatorOf(answer.headers) } };
}

/** The one request there is. */
const VALIDATOR = 'feed';

async function readBounded({ file, limits }: Feed, { source }: FeedWorld): Promise<Buffer> {
  const path = resolve(source, file ?? '');
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new FeedProblem('file', `${file}: expected a file, found something else`);
    if (found.size > limits.bytes) {
      throw new FeedProblem(
        'size limit',
        `${file}: expected at most ${limits.bytes} bytes, found ${found.size}`,
      );
    }
    return await readFile(path);
  } catch (cause) {
    if (cause instanceof FeedProblem) throw cause;
    throw new FeedProblem('file', `${file}: ${messageOf(cause)}`, { cause });
  }
}

function isMarkup(bytes: Buffer): boolean {
  return /^\s*</.test(bytes.toString('latin1', 0, 200).replace(/^\xef\xbb\xbf/, ''));
}
