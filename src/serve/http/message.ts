/** A request and its reply as plain values: what handlers take and give, with no server around them. */
import type { IncomingHttpHeaders } from 'node:http';

export interface HttpRequest {
  readonly method: string;
  /** Up to the question mark, not decoded. */
  readonly path: string;
  /** Behind the question mark; empty when there is none. */
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty for what carries none. */
  readonly body: Buffer;
  /** A3: read once, when the request was there as a whole. Milliseconds since 1970. */
  readonly arrivedAt: number;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
}

/** What is told of an answered request besides its reply. No key and no query text is ever in it. */
export interface Told {
  readonly operationName: string | undefined;
  /** By the schema's name; `several` for more than one, undefined where no operation was understood. */
  readonly rootField: string | undefined;
  /** Whether an earlier request had already worked the answer out. */
  readonly reused: boolean;
  /** Whether the answer has errors. */
  readonly failed: boolean;
}

export const NOTHING_TOLD: Told = {
  operationName: undefined,
  rootField: undefined,
  reused: false,
  failed: false,
};

/** Name, value, name, value …: the form that node:http writes fastest. */
export type HeaderList = readonly string[];

export const NO_BODY = Buffer.alloc(0);

/** On every reply, errors included (D5). Answers are public and carry no credentials, so any page may read them. */
export const COMMON_HEADERS: HeaderList = [
  ...['Access-Control-Allow-Origin', '*'],
  ...['Access-Control-Expose-Headers', 'ETag'],
  ...['X-Content-Type-Options', 'nosniff'],
];

/** Headers with several lines are joined by node:http except for a few, of which the first counts here. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}
