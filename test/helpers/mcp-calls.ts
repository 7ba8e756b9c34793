/** Calls of `/mcp` and of its tools. */
import { assertAtMost } from './assertions.ts';
import type { Running } from './running.ts';

/** Seconds: a Thursday. */
export const NOW = Date.parse('2026-11-26T10:00:00Z') / 1_000;
const MOST_BYTES = 8 * 1_024;

type Headers = Readonly<Record<string, string>>;

export const post = ({ send }: Running, body: unknown, headers: Headers = {}) =>
  send('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

export const callOf = (name: string, args: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** The answer of a tool, of at most 8 KiB. */
export async function called(running: Running, name: string, args: object = {}) {
  const { text } = await post(running, callOf(name, args));
  const { result } = JSON.parse(text);
  assertAtMost(
    Buffer.byteLength(JSON.stringify(result)),
    MOST_BYTES,
    `bytes of ${name} ${JSON.stringify(args)}`,
  );
  return { isError: result.isError === true, words: result.content[0].text, found: result.structuredContent };
}
