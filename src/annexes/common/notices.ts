/** Notices of the calendar and of the interface together (K2); those of the interface are read from CHANGELOG.md. */
import { onOneLine } from '../../calendar/display-text.ts';
import { parseSourceDay } from '../../calendar/input-datetime.ts';
import type { Notice } from '../../calendar/notice.ts';
import { compareCodePoints } from '../../calendar/text.ts';

/** A notice under a key of its id and its day: if the day changes, recipients are notified again. */
export interface KeyedNotice extends Notice {
  /** For example `calendar:museum@2027-02-01`. */
  readonly key: string;
}

interface Notices {
  readonly ofInterface: readonly Notice[];
  readonly ofCalendar: readonly Notice[];
}

/** All notices, the earliest first; on one day by id. */
export function gatherNotices({ ofInterface, ofCalendar }: Notices): readonly KeyedNotice[] {
  const keyed = (source: string) => (notice: Notice) => ({
    ...notice,
    key: `${source}:${notice.id}@${notice.from}`,
  });
  const orderOf = ({ from, id }: Notice) => `${from} ${id}`;
  const all = [...ofInterface.map(keyed('interface')), ...ofCalendar.map(keyed('calendar'))];
  return all.sort((left, right) => compareCodePoints(orderOf(left), orderOf(right)));
}

interface PlannedChanges {
  readonly notices: readonly Notice[];
  /** The changelog without them. */
  readonly rest: string;
}

/**
 * Reads the planned changes of the interface from CHANGELOG.md, where each stands under `### Planned` as
 *
 *     - 2027-02-01 `quota`
 *       - nb: **Kvote.** Fra den dagen …
 *       - en: **Quota.** From that day on …
 *
 * Any other text remains in `rest`.
 */
export function readPlanned(changelog: string): PlannedChanges {
  const lines = changelog.split('\n');
  const section = plannedSection(lines);
  if (section === null) return { notices: [], rest: changelog };
  const { start, end } = section;
  const text = lines.slice(start + 1, end).join('\n');
  const items = text.split(/^(?=- )/m).map((item) => ({ item, notice: noticeOf(item) }));
  const others = items.flatMap(({ item, notice }) => (notice === null ? item : [])).join('');
  // The heading goes with its last entry.
  const kept = others.trim() === '' ? [] : [PLANNED, others];
  return {
    notices: items.flatMap(({ notice }) => notice ?? []),
    rest: [...lines.slice(0, start), ...kept, ...lines.slice(end)].join('\n'),
  };
}

/** Indexes of lines. */
interface Section {
  /** The line of the heading. */
  readonly start: number;
  /** The line of the next heading, or the number of lines. */
  readonly end: number;
}

function plannedSection(lines: readonly string[]): Section | null {
  const start = lines.indexOf(PLANNED);
  if (start === -1) return null;
  const next = lines.findIndex((line, index) => index > start && line.startsWith('#'));
  return { start, end: next === -1 ? lines.length : next };
}

const PLANNED = '### Planned';
const HEAD = /^- (\d{4}-\d{2}-\d{2}) `([\w.-]{1,60})`\s*$/;
const PART = /^(nb|en): \*\*([^*]+)\*\*(.*)$/s;

function noticeOf(item: string): Notice | null {
  const [head = '', ...parts] = item.split(/^ {2}- /m);
  const [, from = '', id = ''] = HEAD.exec(head) ?? [];
  const texts = new Map<string, readonly [title: string, text: string]>();
  for (const part of parts) {
    const found = PART.exec(part);
    // A part without a language or a title is no text of the notice.
    if (found === null) continue;
    const [, language = '', title = '', text = ''] = found;
    texts.set(language, [onOneLine(title).replace(/\.$/, ''), onOneLine(text)]);
  }
  const nb = texts.get('nb');
  const en = texts.get('en');
  if (parseSourceDay(from) === null || nb === undefined || en === undefined) return null;
  const [title_nb, text_nb] = nb;
  const [title_en, text_en] = en;
  return { id, from, title_nb, title_en, text_nb, text_en, categories: [] };
}
