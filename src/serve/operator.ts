/**
 * The operator's view: `/status` and `/metrics`. They stand beside the endpoint, or on a port of their own, and can be
 * closed to everybody who does not have a token.
 */

import type { Handle, Routes } from './http/koa.ts';
import type { HttpRequest } from './http/message.ts';
import { acceptsHtml } from './http/negotiate.ts';
import { jsonReply } from './http/replies.ts';
import { createResource } from './http/representation.ts';

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
  const metrics: Handle = async ({ headers }) => {
    const body = Buffer.from(await collectMetrics());
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    return createResource({ body, type, isTagged: false })(headers, 'no-store');
  };
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
