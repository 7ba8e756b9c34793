/** The versions of CHANGELOG.md, with what has changed for those who call the interface. */
import { type Html, html } from '../page/html.ts';
import { linkOf } from './docs.ts';
import { renderMarkdown } from './markdown.ts';

export interface Version {
  /** Null for changes after the latest version. */
  readonly name: string | null;
  /** `YYYY-MM-DD`; null for a version that has not been released. */
  readonly day: string | null;
  /** The changes that callers notice; may be empty. */
  readonly text: Html;
}

/**
 * The parts of CHANGELOG.md, the latest first; the text before the first heading is for readers of the file. Of this one, the
 * name, the day, and the first entry with its heading are kept:
 *
 *     ## [1.1.0] - 2026-05-04
 *     ### New
 *     - **Interface**: events have pictures.
 *     - **Operation**: the server starts faster.
 *     ### Fixed
 *     - **Feeds**: tables may have empty rows.
 */
export function versionsIn(changelog: string): readonly Version[] {
  const [, ...parts] = changelog.split(/^## /m);
  return parts.map((part) => {
    const [heading = '', name = '', day = null] = HEADING.exec(part) ?? [];
    const text = part.slice(heading.length).replace(FINGERPRINTS, '');
    const entries = text.split(/^(?=[-#])/m).filter((entry) => !NOT_FOR_CALLERS.test(entry));
    const markdown = { colour: (code: string) => html`${code}`, linkOf: linkOnPage };
    return {
      name: name === 'Unreleased' ? null : name,
      day,
      text: renderMarkdown(entries.filter(isShown).join(''), markdown).content,
    };
  });
}

/** After the two signs: the name, in brackets or not, and the day or the word Unreleased. */
const HEADING = /^\[?([^\]\n]*?)\]?(?: - (?:(\d{4}-\d{2}-\d{2})|Unreleased))?\n/;

/** False for a heading with nothing under it before the next one of its level, or of a higher level. */
function isShown(entry: string, at: number, entries: readonly string[]): boolean {
  const level = levelOf(entry);
  /** Whether it is an entry, or a heading with text before the first entry. */
  const hasBody = (other: string) => levelOf(other) === 0 || /\n\s*\S/.test(other);
  const below = entries.slice(at + 1);
  const next = below.findIndex((other) => levelOf(other) > 0 && levelOf(other) <= level);
  const under = next === -1 ? below : below.slice(0, next);
  return hasBody(entry) || under.some(hasBody);
}

const levelOf = (entry: string) => /^#*/.exec(entry)?.[0].length ?? 0;

/** The page stands beside the folder of the documentation. */
function linkOnPage(href: string): string | null {
  if (!href.startsWith('docs/')) return linkOf(href);
  const link = linkOf(href.slice('docs/'.length));
  return link === null ? null : `docs/${link}`;
}

/** For programs: the text beside it explains it to people. */
const FINGERPRINTS = /^### Fingerprints\n[^#]*/m;

/** Fingerprints, and entries about running a calendar and about sources that it reads. */
const NOT_FOR_CALLERS =
  /^- (?:Schema|Snapshot format|\**(?:Operation|Operating|Feeds|Sources|Security)\**): /;
