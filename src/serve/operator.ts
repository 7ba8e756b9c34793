/**
 * The operator's view: `/status` and `/metrics`. They stand beside the endpoint, or on a port of their own, and can be
 * closed to everybody who does not have a token.
 */
import { encode } from './http/coding.ts';
import { jsonReply } from './http/health.ts';
import type { Handle, Routes } from './http/koa.ts';
import { acceptsHtml, codingFor } from './http/media.ts';
import { COMMON_HEADERS, type HttpReply, type HttpRequest } from './http/message.ts';
import { guarded } from './operator/token.ts';
import { createPage, type PageName } from './pages/page.ts';
import { languageOf } from './pages/reader.ts';
import { renderStatus } from './pages/status.ts';
import { readStylesheet } from './pages.ts';
import { type StatusOptions, statusOf } from './status.ts';

export interface OperatorOptions extends StatusOptions {
  /** What to ask for; null: nothing. */
  readonly token: string | null;
  /** Pages that can be reached from here. */
  readonly menu: readonly PageName[];
}

export function createOperatorRoutes(options: OperatorOptions): Routes {
  const { token, collectMetrics } = options;
  const stylesheet = readStylesheet();
  const status: Handle = async (request) => {
    const value = await statusOf(options);
    if (!wantsHtml(request)) return { ...jsonReply(200, value) };
    const chosen = languageOf(request);
    const document = renderStatus(value, { ...chosen, menu: options.menu, stylesheet: stylesheet.address });
    const page = createPage({ document, language: chosen.language, vary: ['Accept'] });
    return page(request.headers, 'no-store');
  };
  const metrics: Handle = async ({ headers }) =>
    textReply(await collectMetrics(), headers['accept-encoding']);
  return {
    ...stylesheet.routes,
    '/status': { GET: guarded(status, token) },
    '/metrics': { GET: guarded(metrics, token) },
  };
}

/** `?format=` says it; else whatever a browser asks for by name. */
function wantsHtml({ headers, search }: Pick<HttpRequest, 'headers' | 'search'>): boolean {
  const format = new URLSearchParams(search).get('format');
  return format === 'html' || (format !== 'json' && acceptsHtml(headers.accept));
}

async function textReply(text: string, acceptEncoding: string | undefined): Promise<HttpReply> {
  const { body, headers } = await encode(Buffer.from(text), codingFor(acceptEncoding));
  return {
    status: 200,
    headers: [
      ...['Content-Type', 'text/plain; version=0.0.4; charset=utf-8', 'Content-Length', `${body.length}`],
      ...['Cache-Control', 'no-store', 'Vary', 'Accept-Encoding'],
      ...headers,
      ...COMMON_HEADERS,
    ],
    body,
  };
}
