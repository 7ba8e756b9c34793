/** The versions of CHANGELOG.md, with what has changed for those who call the interface. */
import { type Html, html } from '../page/html.ts';
import { renderMarkdown } from './markdown.ts';

export interface Version {
  /** Null for changes after the latest version. */
  readonly name: string | null;
  /** `YYYY-MM-DD`; null for a heading without one. */
  readonly day: string | null;
  /** The changes that callers notice; may be empty. */
  readonly text: Html;
}

/** The parts of CHANGELOG.md, the latest first; the text before the first heading is for readers of the file. */
export function versionsIn(changelog: string): readonly Version[] {
  const [, ...parts] = changelog.split(/^## /m);
  return parts.map((part) => {
    const [heading = '', name = '', day = null] =
      /^\[?([^\]\n]*?)\]?(?: - (\d{4}-\d{2}-\d{2}))?\n/.exec(part) ?? [];
    const text = part.slice(heading.length).replace(FINGERPRINTS, '');
    const entries = text.split(/^(?=[-#])/m).filter((entry) => !NOT_FOR_CALLERS.test(entry));
    const markdown = { colour: (code: string) => html`${code}`, linkOf: () => null };
    return {
      name: name === 'Unreleased' ? null : name,
      day,
      text: renderMarkdown(entries.join(''), markdown).content,
    };
  });
}

/** For programs: the text beside it explains it to people. */
const FINGERPRINTS = /^### Fingerprints\n[^#]*/m;

/** Fingerprints, and entries about running a calendar and about sources that it reads. */
const NOT_FOR_CALLERS =
  /^- (?:Schema|Snapshot format|\**(?:Operation|Operating|Feeds|Sources|Security)\**): /;
