/** A proxy in front of a store, with faults that the test chooses. It counts requests and bytes. */
import { type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { pipeline, Transform } from 'node:stream';
import { startFeedServer } from './feed-server.ts';

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

/** The fault of a request; undefined passes it through unchanged. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => Through | 'answered' | undefined;

/** Changes to a request, or to its reply, that is let through. */
interface Through {
  readonly upload?: () => Transform;
  readonly download?: () => Transform;
  /** Headers of the reply, in place of the store's. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Passes on all requests to `target`, until the test sets a fault. */
export async function startFaultProxy(target: URL) {
  let fault: Fault | null = null;
  /** Bytes of bodies in both directions. */
  let bytes = 0;
  /** The requests so far, such as `PUT /bucket/name`. */
  const asked: string[] = [];
  const counting = () =>
    new Transform({
      transform(chunk: Buffer, _coding, done) {
        bytes += chunk.length;
        done(null, chunk);
      },
    });
  const forward = (request: IncomingMessage, response: ServerResponse, through: Through) => {
    const { method, url: path, headers } = request;
    const onward = requestHttp(new URL(path ?? '/', target), { method, headers });
    const cut = () => response.destroy();
    onward.on('response', (reply) => {
      response.writeHead(reply.statusCode ?? 0, { ...reply.headers, ...through.headers });
      // A client waits for the headers of an answer whose body is slow.
      response.flushHeaders();
      pipeline(reply, counting(), ...[through.download?.() ?? []].flat(), response, () => undefined);
    });
    onward.on('continue', () => response.writeContinue()).on('error', cut);
    pipeline(request, counting(), ...[through.upload?.() ?? []].flat(), onward, (cause) => cause && cut());
  };
  const { url, requests, close } = await startFeedServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const wanted = fault?.(request, response);
    if (wanted !== 'answered') forward(request, response, wanted ?? {});
  });
  const behave = (next: Fault | null) => {
    fault = next;
  };
  return { url: new URL(url), behave, asked, requests, bytes: () => bytes, close };
}

/** Cuts the connection after that many bytes. */
export function cutAfter(most: number): Transform {
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _coding, done) {
      length += chunk.length;
      if (length > most) this.destroy(new Error('cut'));
      else done(null, chunk);
    },
  });
}

/** Flips one bit of the first chunk. */
export function flipBit(): Transform {
  let isDone = false;
  return new Transform({
    transform(chunk: Buffer, _coding, done) {
      if (isDone) return done(null, chunk);
      isDone = true;
      const changed = Buffer.from(chunk);
      changed[chunk.length - 1] = (changed[chunk.length - 1] ?? 0) ^ 1;
      done(null, changed);
    },
  });
}

/** Reads the first bytes, and lets nothing through. */
export function standStill(): Transform {
  return new Transform({ transform: () => undefined });
}
