/** `/status`, as JSON for scripts and as a page for people, of the whole calendar or of some feeds. */
import { INVALID_ARGUMENTS } from '../../calendar/arguments.ts';
import { withNearest } from '../../calendar/nearest.ts';
import type { ServeContext } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import type { HttpReply, HttpRequest } from '../../serve/http/message.ts';
import { acceptsHtml } from '../../serve/http/negotiation.ts';
import { jsonReply } from '../../serve/http/replies.ts';
import { createOwnerSearch } from '../guard/token.ts';
import { type Html, html } from '../page/html.ts';
import { languageQuery } from '../page/links.ts';
import { type Menu, menuOf } from '../page/menu.ts';
import { createPage } from '../page/page-reply.ts';
import { type ChosenLanguage, inEach, languageOf } from '../page/reader.ts';
import { statePage } from '../page/state-page.ts';
import { withoutNames } from './build-report.ts';
import { forEditors } from './concerns.ts';
import type { FeedChoice, UnknownFeed } from './reports.ts';
import type { OperatorSettings } from './settings.ts';
import { forFeedsAlone, type Status } from './status.ts';
import { hasRows, renderStatus } from './status-page.ts';

/** `feeds`: null for all. */
export type ReadStatus = (feeds: FeedChoice | null) => Promise<Status>;

export function statusHandle(context: ServeContext<OperatorSettings>, readStatus: ReadStatus): Handle {
  const editorOf = createOwnerSearch(context.settings.editorTokens);
  return async (request) => {
    const editor = editorOf(request);
    const limit = editor?.feeds ?? null;
    const ids = feedsIn(request) ?? limit;
    const whole = await readStatus(ids && { ids, limit });
    const isLimited = limit !== null;
    const { unknown = [] } = whole.selection ?? {};
    if (unknown.length > 0) return refuseFeeds({ unknown, isLimited }, request, context);
    const status = isLimited ? forFeedsAlone(whole) : whole;
    const isEditorOfAll = editor !== null && !isLimited;
    const concerns = isEditorOfAll ? status.concerns.map(forEditors) : status.concerns;
    // H9: without a token, anyone may open the page.
    const isOpen = context.settings.adminToken === null;
    const report = isOpen && status.report !== null ? withoutNames(status.report) : status.report;
    const shown = { ...status, concerns, report };
    if (!wantsHtml(request)) return jsonReply(200, shown);
    const reader = readerOf(request, context);
    // An editor's token does not open `/metrics`.
    const document = renderStatus(shown, { ...reader, hasMetrics: editor === null, isLimited });
    const { language } = reader;
    return pageReply(request, { document, language, isTagged: true, hasScript: hasRows(shown) });
  };
}

interface Refused {
  readonly unknown: readonly UnknownFeed[];
  /** Whether the reader may see some feeds only. */
  readonly isLimited: boolean;
}

async function refuseFeeds(
  { unknown, isLimited }: Refused,
  request: HttpRequest,
  context: ServeContext<OperatorSettings>,
): Promise<HttpReply> {
  if (!wantsHtml(request)) return jsonReply(400, refusalOf(unknown));
  const reader = readerOf(request, context);
  const document = renderUnknownFeeds({ unknown, isLimited }, reader);
  // With a tag, a client could get a 304 in place of the error.
  const reply = await pageReply(request, { document, language: reader.language, isTagged: false });
  return { ...reply, status: 400 };
}

interface Reader extends ChosenLanguage {
  readonly menu: Menu;
}

function readerOf(request: HttpRequest, { parts, keeper, settings }: ServeContext<OperatorSettings>): Reader {
  const menu = menuOf({ parts, keeper });
  const { language, inAddress } = languageOf(request, menu.language);
  // A port of its own has no other pages and files.
  const isAlone = settings.adminPort !== null;
  return { language, inAddress, menu: isAlone ? { ...menu, pages: ['status'], brand: null } : menu };
}

type Page = Pick<Parameters<typeof createPage>[0], 'document' | 'language' | 'isTagged' | 'hasScript'>;

/** Clients that do not accept HTML get JSON at the same address. */
function pageReply({ headers }: HttpRequest, page: Page): Promise<HttpReply> {
  return createPage({ ...page, vary: ['Accept'] })(headers, 'no-store');
}

/** H15: `?feeds=a,b`, for a part of the calendar; null for all of it. */
function feedsIn({ search }: Pick<HttpRequest, 'search'>): readonly string[] | null {
  const given = new URLSearchParams(search).getAll('feeds').flatMap((text) => text.split(','));
  const ids = new Set(given.map((id) => id.trim()).filter((id) => id !== ''));
  return ids.size === 0 ? null : [...ids];
}

/** `?format=` decides; else whether the client names HTML, as browsers do. */
function wantsHtml({ headers, search }: Pick<HttpRequest, 'headers' | 'search'>): boolean {
  const format = new URLSearchParams(search).get('format');
  return format === 'html' || (format !== 'json' && acceptsHtml(headers.accept));
}

function refusalOf(unknown: readonly UnknownFeed[]): object {
  const reasons = unknown.map(({ id, nearest }) => {
    const expected = withNearest('the id of a feed of this calendar', nearest);
    return `feeds: expected ${expected}, found ${JSON.stringify(id)}`;
  });
  const extensions = { code: 'BAD_USER_INPUT', invalidArgs: ['feeds'], reasons };
  return { errors: [{ message: INVALID_ARGUMENTS, extensions }] };
}

function renderUnknownFeeds({ unknown, isLimited }: Refused, reader: Reader): Html {
  const texts = TEXTS[reader.language];
  const items = unknown.map(({ id, nearest }) => {
    const hint = nearest !== null ? html`. ${texts.nearest} <code>${nearest}</code>` : null;
    return html`<li><code>${id}</code>${hint}</li>\n`;
  });
  const more = html`<ul>
${items}</ul>
<p><a href="status${languageQuery(reader)}">${isLimited ? texts.own : texts.whole}</a></p>
`;
  return statePage({
    ...reader,
    title: texts.title,
    text: texts.text,
    more,
  });
}

const TEXTS = inEach({
  title: ['Ukjent kilde', 'Unknown feed', 'Ukjend kjelde'],
  text: [
    'Kalenderen har ingen kilde med denne id-en:',
    'The calendar has no feed with this id:',
    'Kalenderen har inga kjelde med denne id-en:',
  ],
  nearest: ['Den som ligner mest, er', 'The most similar one is', 'Den som liknar mest, er'],
  whole: [
    'Vis status for hele kalenderen',
    'Show the status of the whole calendar',
    'Vis status for heile kalenderen',
  ],
  own: ['Vis status for kildene deres', 'Show the status of your feeds', 'Vis status for kjeldene dykkar'],
});
