/** The failures of a request, for readers of reports. */
import { messageOf, systemCodeOf } from '../../src/calendar/errors.ts';

type FetchReason =
  | 'unreachable'
  | 'address refused'
  | 'time limit'
  | 'size limit'
  | 'redirect limit'
  | 'unknown content coding'
  | 'truncated';

/** The message never contains the URL, which may be a secret. */
export class FetchProblem extends Error {
  readonly reason: FetchReason;
  /** The URL of the hop that failed. */
  readonly url: URL;

  constructor(reason: FetchReason, url: URL, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'FetchProblem';
    this.reason = reason;
    this.url = url;
  }
}

/** The problem that an error of a connection, or of a decoder, is. */
export function problemOf(cause: unknown, url: URL): FetchProblem {
  // For a name with several addresses, each of which failed.
  if (cause instanceof AggregateError && cause.errors.length > 0) return problemOf(cause.errors[0], url);
  const message = messageOf(cause);
  const code = systemCodeOf(cause);
  // A reply that ended before its announced length.
  const isCutOff = CUT_OFF.has(code) || (code === 'ECONNRESET' && message === 'aborted');
  const words = message.includes(code) ? message : `${message} (${code})`;
  return new FetchProblem(isCutOff ? 'truncated' : 'unreachable', url, words, cause);
}

const CUT_OFF = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'Z_BUF_ERROR']);
