/** The reply that carries a page: in the browser's preferred coding, with a policy for its content. */
import { type HeaderList, headerList } from '../../serve/http/message.ts';
import { createResource, type Resource } from '../../serve/http/representation.ts';
import type { Html } from './html.ts';
import type { Language } from './reader.ts';

interface PageOptions {
  readonly document: Html;
  readonly language: Language;
  /** Request headers besides those of language and coding that select this page. */
  readonly vary?: readonly string[];
  /** False for pages that are new each time. */
  readonly isTagged?: boolean;
  readonly hasScript?: boolean;
}

/** Each of its representations is made once. */
export function createPage(options: PageOptions): Resource {
  const { document, language, vary = [], hasScript = false, ...tagged } = options;
  return createResource({
    ...tagged,
    body: Buffer.from(document.html),
    type: 'text/html; charset=utf-8',
    vary: [...vary, 'Accept-Language'],
    headers: hasScript ? SCRIPT_PAGE_HEADERS : PAGE_HEADERS,
    bodyHeaders: ['Content-Language', language],
  });
}

/**
 * Allows stylesheets of this server and what the directives add: no inline code, no frame, no form. `images`: other sources of
 * pictures.
 */
export function pageHeaders(directives: readonly string[], images = ''): HeaderList {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    `img-src 'self' data:${images}`,
    "base-uri 'none'",
    ...directives,
  ];
  return headerList({
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
  });
}

export const OWN_FORMS = ["form-action 'self'", "frame-ancestors 'none'"];
const PAGE_HEADERS = pageHeaders(OWN_FORMS);

/** For pages with a script of this server. */
const SCRIPT_PAGE_HEADERS = pageHeaders([...OWN_FORMS, "script-src 'self'"]);
