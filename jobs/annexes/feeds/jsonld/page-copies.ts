/** Copies of the pages that a listing links to, between builds: a file beside the last good records, with a line for each page. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { ifMissing } from '../../../../src/calendar/errors.ts';
import { FEED_REASONS } from '../feed-problem.ts';
import { type CopyPaths, moveIntoPlace, type Validator, validatorSchema } from '../feed-state.ts';

const text = z.string().nullable();
const storedSchema = z.object({
  /** Hash of its URL, which may be a secret. */
  page: z.string(),
  /** Instant of the last answer that could be used; null if there was none yet. */
  readAt: z.int().nullable(),
  validator: validatorSchema,
  /** The page, compressed and in base64. Null if it is gone, was not read yet, or was too large. */
  body: text,
  failing: z
    .object({
      /** ISO moment of the first failure. */
      since: z.string(),
      reason: z.enum(FEED_REASONS),
      why: z.string(),
      /** Instant from which it may be asked for again. */
      retryAt: z.int(),
    })
    .nullable(),
});

type StoredPage = Readonly<z.output<typeof storedSchema>>;

export type PageState = Omit<StoredPage, 'page' | 'body'>;

export interface PageCopies {
  /** Whether there was no file that could be read. */
  readonly isNew: boolean;
  readonly states: () => readonly PageState[];
  /** Undefined for a page that was never asked for. */
  readonly stateOf: (url: string) => PageState | undefined;
  /** The page at its last answer; null without a copy, or if that is damaged. */
  readonly bytesOf: (url: string) => Buffer | null;
  /** Changes what is known of a page, and keeps its copy. */
  readonly update: (url: string, change: Partial<Pick<PageState, 'readAt' | 'failing'>>) => void;
  /** Replaces the copy of a page. `bytes`: null for a page that is gone. */
  readonly replace: (url: string, page: NewPage) => void;
  /** Writes what is known of these pages; other pages are forgotten. */
  readonly save: (urls: readonly string[]) => Promise<void>;
}

interface NewPage extends Pick<PageState, 'readAt'> {
  readonly bytes: Buffer | null;
  readonly validator: Validator | null;
}

/** Characters of all compressed copies of a feed; 200 pages of a town's site have about 4 million. */
const MOST_COPY_CHARACTERS = 10_000_000;

/** A missing or damaged file counts as none. Rejects if the machine cannot read one that is there. */
export async function openPageCopies({ path, draft }: CopyPaths): Promise<PageCopies> {
  const stored = await readStored(path);
  const pages = new Map(stored);

  function storedPage(url: string): StoredPage | undefined {
    return pages.get(pageKey(url));
  }

  function update(url: string, change: Partial<StoredPage>): void {
    const page = pageKey(url);
    pages.set(page, { ...(pages.get(page) ?? NOT_READ), ...change, page });
  }

  function bytesOf(url: string): Buffer | null {
    const body = storedPage(url)?.body ?? null;
    try {
      return body === null ? null : gunzipSync(Buffer.from(body, 'base64'));
    } catch {
      return null;
    }
  }

  async function save(urls: readonly string[]): Promise<void> {
    let characters = 0;
    const lines = urls.flatMap((url) => {
      const page = storedPage(url);
      if (page === undefined) return [];
      const length = page.body?.length ?? 0;
      const isKept = characters + length <= MOST_COPY_CHARACTERS;
      if (isKept) characters += length;
      return `${JSON.stringify(isKept ? page : { ...page, body: null })}\n`;
    });
    await writeFile(draft, lines.join(''), { flush: true });
    await moveIntoPlace(draft, path);
  }

  return {
    isNew: stored === null,
    states: () => [...pages.values()],
    stateOf: storedPage,
    bytesOf,
    update,
    replace: (url, { readAt, validator, bytes }) => {
      const body = bytes === null ? null : gzipSync(bytes).toString('base64');
      update(url, { readAt, validator: validator ?? NO_VALIDATOR, body, failing: null });
    },
    save,
  };
}

const NO_VALIDATOR: Validator = { etag: null, lastModified: null };
const NOT_READ = { readAt: null, validator: NO_VALIDATOR, body: null, failing: null };

function pageKey(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 32);
}

async function readStored(path: string): Promise<ReadonlyMap<string, StoredPage> | null> {
  const text = await readFile(path, 'utf8').catch(ifMissing(null));
  if (text === null) return null;
  try {
    const lines = text.split('\n').filter((line) => line !== '');
    const pages = lines.map((line) => storedSchema.parse(JSON.parse(line)));
    return new Map(pages.map((page) => [page.page, page]));
  } catch {
    return null;
  }
}
