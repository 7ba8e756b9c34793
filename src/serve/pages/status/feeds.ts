/** The feeds that the calendar takes in, and how each of them is. */
import type { Status } from '../../status.ts';
import { html } from '../html.ts';
import type { InEach, Language } from '../language.ts';
import { type Section, table } from '../section.ts';
import { briefMomentOf } from './parts.ts';

export function feedsSection({ feeds }: Status, language: Language): Section | null {
  if (feeds.length === 0) return null;
  const texts = TEXTS[language];
  const rows = feeds.map(({ id, kind, state, since, readAt, why }) => [
    html`<code>${id}</code>`,
    kind,
    html`<span class="${state === 'ok' ? 'good' : 'bad'}">${texts.states[state] ?? state}</span>`,
    readAt === null ? '–' : briefMomentOf(readAt, language),
    [since !== null && html`${texts.since} ${briefMomentOf(since, language)}. `, why],
  ]);
  const columns = [texts.feed, texts.kind, texts.state, texts.readAt, texts.why].map((name) => ({ name }));
  return { id: 'feeds', title: texts.feeds, content: table({ caption: texts.feedsCaption, columns, rows }) };
}

type Name = 'feeds' | 'feedsCaption' | 'feed' | 'kind' | 'state' | 'readAt' | 'why' | 'since';

interface Texts extends Readonly<Record<Name, string>> {
  readonly states: Readonly<Record<string, string>>;
}

const TEXTS: InEach<Texts> = {
  nb: {
    feeds: 'Kilder utenfra',
    feedsCaption: 'Kilder som kalenderen henter inn',
    feed: 'Kilde',
    kind: 'Slag',
    state: 'Tilstand',
    readAt: 'Sist hentet',
    why: 'Grunn',
    since: 'Siden',
    states: { ok: 'i orden', stale: 'svikter, siste gode brukes', failed: 'svikter' },
  },
  en: {
    feeds: 'Feeds',
    feedsCaption: 'Feeds that the calendar takes in',
    feed: 'Feed',
    kind: 'Kind',
    state: 'State',
    readAt: 'Last read',
    why: 'Why',
    since: 'Since',
    states: { ok: 'well', stale: 'failing, its last good records are used', failed: 'failing' },
  },
};
