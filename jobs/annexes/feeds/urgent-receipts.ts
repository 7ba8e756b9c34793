/** F19: reports to servers when each urgent sheet was last read, when it began to fail, and when a build applied its last change. */
import type { UrgentSheetState } from '../../../src/annexes/common/upkeep.ts';
import type { BuildRecord } from '../../../src/upkeep.ts';
import type { Program } from '../../annex.ts';

type ReceiptOptions = Pick<Program, 'clock' | 'reportState' | 'previous'>;

interface Receipts {
  /** Hash of what the last check read, also in the previous run of the program; null if it is not known. */
  readonly contentOf: (id: string) => string | null;
  readonly addRead: (id: string, content: string) => void;
  readonly addFailure: (id: string, reason: string) => void;
  /** New content that no build has read yet. */
  readonly addChange: (id: string) => void;
  /** Returns whether a change that was seen before this build began is still waiting. */
  readonly addBuild: (record: BuildRecord) => boolean;
  readonly isWaiting: (id: string) => boolean;
  /** `ids`: the ids of all urgent sheets; null if they are not known. */
  readonly endRound: (ids: readonly string[] | null) => void;
}

/**
 * Milliseconds between two reports if nothing changes: each report is a write to the disk. A server waits five minutes before it raises a
 * concern. This pause, a slow round of fifty sheets (two minutes) and a pause between two rounds take less than that.
 */
const HEARTBEAT_MS = 120_000;

interface Sheet extends UrgentSheetState {
  /** When the latest change that no build has applied was seen; `waitingSince` is the time of the first one. */
  readonly lastChangeAt: number | null;
}

export function createReceipts({ clock, reportState, previous }: ReceiptOptions): Receipts {
  const before = new Map(previous.urgentSheets?.map((sheet) => [sheet.id, sheet]));
  const sheets = new Map<string, Sheet>();
  let isChanged = false;
  let reportedAt = Number.NEGATIVE_INFINITY;

  const sheetOf = (id: string): Sheet => {
    const sheet = sheets.get(id);
    if (sheet !== undefined) return sheet;
    isChanged = true;
    const known = before.get(id) ?? { ...NEW, id };
    return { ...known, lastChangeAt: known.waitingSince };
  };
  const report = () => {
    const urgentSheets = [...sheets.values()].map(({ lastChangeAt: _, ...state }) => state);
    reportState({ urgentSheets });
    isChanged = false;
    reportedAt = clock();
  };

  return {
    contentOf: (id) => sheetOf(id).content,
    addRead: (id, content) => {
      const sheet = sheetOf(id);
      isChanged ||= sheet.failing !== null;
      sheets.set(id, { ...sheet, content, readAt: clock(), failing: null });
    },
    addFailure: (id, reason) => {
      const sheet = sheetOf(id);
      isChanged ||= sheet.failing?.reason !== reason;
      const since = sheet.failing?.since ?? clock();
      sheets.set(id, { ...sheet, failing: { since, reason } });
    },
    addChange: (id) => {
      const sheet = sheetOf(id);
      const now = clock();
      isChanged = true;
      sheets.set(id, { ...sheet, waitingSince: sheet.waitingSince ?? now, lastChangeAt: now });
    },
    addBuild: (record) => {
      let isMissed = false;
      for (const [id, sheet] of sheets) {
        if (sheet.waitingSince === null || sheet.waitingSince > record.startedAt) continue;
        const isApplied = record.outcome !== 'failed' && hasRead(id, record);
        isMissed ||= !isApplied;
        if (!isApplied) continue;
        isChanged = true;
        sheets.set(id, afterBuild(sheet, record));
      }
      if (isChanged) report();
      return isMissed;
    },
    isWaiting: (id) => sheetOf(id).waitingSince !== null,
    endRound: (ids) => {
      for (const id of ids === null ? [] : sheets.keys()) {
        if (ids?.includes(id)) continue;
        isChanged = true;
        sheets.delete(id);
      }
      // The clock may have been set back.
      const isDue = sheets.size > 0 && Math.abs(clock() - reportedAt) >= HEARTBEAT_MS;
      if (isChanged || isDue) report();
    },
  };
}

const NEW = { readAt: null, content: null, failing: null, waitingSince: null, applied: null };

/** The sheet after a build that has applied its change. */
function afterBuild(sheet: Sheet, { startedAt, ms, outcome, changes }: BuildRecord): Sheet {
  const { lastChangeAt } = sheet;
  const { added, changed, removed } = (outcome === 'published' && changes) || NO_CHANGES;
  const isLater = lastChangeAt !== null && lastChangeAt > startedAt;
  return {
    ...sheet,
    waitingSince: isLater ? lastChangeAt : null,
    lastChangeAt: isLater ? lastChangeAt : null,
    applied: { at: startedAt + ms, changes: { added, changed, removed } },
  };
}

const NO_CHANGES = { added: 0, changed: 0, removed: 0 };

/** Whether a build has read the sheet itself. A local build uses the last rows instead, and so does a build that cannot use the new ones. */
function hasRead(id: string, { startedAt, sheetsReadAt = {} }: BuildRecord): boolean {
  const readAt = Date.parse(sheetsReadAt[id] ?? '');
  // The times of a build are whole seconds.
  return readAt >= Math.floor(startedAt / 1_000) * 1_000;
}
