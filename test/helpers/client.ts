/** The HTTP client of the tests, for servers in this process and in others. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';

export interface Sent {
  readonly method?: string;
  readonly headers?: Headers;
  readonly body?: string | Uint8Array;
}

/** The Accept header of a browser that opens a page. */
export const BROWSER_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
export const JSON_BODY = { 'content-type': 'application/json' };
/** The header without which a query by GET is refused. */
export const PREFLIGHT = { 'gateway-require-preflight': 'true' };

type Headers = Readonly<Record<string, string>>;

export interface Got {
  readonly status: number;
  /** Names in lower case; without `date`, `connection` and `keep-alive`, which node:http adds. */
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
}

export type Client = ReturnType<typeof clientOf>;

/** `url` is without a slash at the end. */
export function clientOf(url: string) {
  const port = Number(new URL(url).port);
  const send = (path: string, sent?: Sent) => exchange(port, path, sent);
  /** Sends a query as a POST, with `more` in the body, such as `variables`. */
  const post = (query: string, more: object = {}, headers: Headers = {}) =>
    send('/graphQL', {
      method: 'POST',
      headers: { ...JSON_BODY, ...headers },
      body: JSON.stringify({ query, ...more }),
    });
  return {
    url,
    port,
    send,
    post,
    get: (query: string, headers: Headers = {}) =>
      send(`/graphQL?query=${encodeURIComponent(query)}`, {
        headers: { ...PREFLIGHT, ...headers },
      }),
    /** The data of an answer to a POST; fails for one that has errors. */
    ask: async <Data>(query: string, variables?: object): Promise<Data> => {
      const { text } = await post(query, variables && { variables });
      const { data, errors } = JSON.parse(text);
      if (errors !== undefined) throw new Error(`expected an answer, found ${text}`);
      return data;
    },
    raw: (text: string) => rawExchange(port, text),
  };
}

async function exchange(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: Sent = {},
): Promise<Got> {
  const outgoing = request({ host: '127.0.0.1', port, path, method, headers: { ...headers } });
  outgoing.end(body);
  const [incoming] = await once(outgoing, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { date: _, connection: __, 'keep-alive': ___, ...rest } = incoming.headers;
  return { status: incoming.statusCode, headers: rest, bytes, text: bytes.toString() };
}

/** Writes raw bytes, and returns everything that the server sends until it closes the connection. */
async function rawExchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let got = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    got += chunk;
  });
  await once(socket, 'close');
  return got;
}
