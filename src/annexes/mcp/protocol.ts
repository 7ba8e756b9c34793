/**
 * JSON-RPC 2.0 as the Model Context Protocol uses it over Streamable HTTP, without sessions and streams: one message by POST, one answer.
 */
import { isUtf8 } from 'node:buffer';
import { shortened } from '../../calendar/display-text.ts';
import { isObject, type JsonObject, parsedJson } from '../../calendar/json.ts';

/** A message that wants an answer. */
export interface Request {
  readonly id: Id;
  readonly method: string;
  readonly params: JsonObject;
}

export type Id = string | number | null;

/** The error of a response. */
interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: object | undefined;
}

/** A message that is refused. */
export interface Fault {
  readonly id: Id;
  readonly fault: RpcError;
  /** HTTP status. */
  readonly status: number;
}

export const isFault = (read: object): read is Fault => 'fault' in read;

export const CODES = {
  parse: -32_700,
  invalid: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** For the server's own use: it has no time, or the caller has no quota left. */
  busy: -32_000,
  unsupportedVersion: -32_022,
} as const;

/** Revisions of the protocol, the latest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** The revision that both know, else the latest. */
export const versionFor = (wanted: unknown): string => VERSIONS.find((one) => one === wanted) ?? VERSIONS[0];

/** Null: a notification, which gets no answer. `version`: of the header `MCP-Protocol-Version`. */
export function readMessage(body: Buffer, version: string | undefined): Request | Fault | null {
  const message = isUtf8(body) ? parsedJson(body.toString()) : undefined;
  if (message === undefined) return refused('parse', 'The body is not JSON.');
  if (Array.isArray(message)) return refused('invalid', 'Expected one message, found a batch.');
  if (!isObject(message) || message.jsonrpc !== '2.0')
    return refused('invalid', 'Expected a message of JSON-RPC 2.0: an object with "jsonrpc": "2.0".');
  const { id, method, params = {} } = message;
  const isAnswer = method === undefined && ('result' in message || 'error' in message);
  if (isAnswer || (id === undefined && typeof method === 'string')) return null;
  if (!isId(id)) return refused('invalid', ID_EXPECTED);
  if (typeof method !== 'string') return refused('invalid', 'Expected "method" to be a text.', { id });
  if (!isObject(params)) return refused('invalidParams', 'Expected "params" to be an object.', { id });
  if (version !== undefined && !VERSIONS.some((one) => one === version)) {
    const data = { supported: VERSIONS, requested: shortened(version, LONGEST_ID) };
    const expected = `Expected a protocol version of ${VERSIONS.join(', ')}.`;
    return refused('unsupportedVersion', expected, { id, data });
  }
  return { id, method, params };
}

/** Characters. */
const LONGEST_ID = 100;
const ID_EXPECTED = `Expected "id" to be a whole number or a text of at most ${LONGEST_ID} characters.`;

const isId = (id: unknown): id is string | number =>
  Number.isSafeInteger(id) || (typeof id === 'string' && id.length <= LONGEST_ID);

interface FaultOptions {
  readonly id?: Id;
  readonly data?: object;
  readonly status?: number;
}

export function refused(name: keyof typeof CODES, message: string, options: FaultOptions = {}): Fault {
  const { id = null, data, status = 400 } = options;
  // JSON leaves out what is undefined.
  return { id, status, fault: { code: CODES[name], message, data } };
}

export const faultText = ({ id, fault }: Pick<Fault, 'id' | 'fault'>): Buffer =>
  Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, error: fault }));

/** The envelope of a result: the text before it. */
export const openingOf = ({ id }: Request): Buffer =>
  Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`);
export const CLOSING = Buffer.from('}');
