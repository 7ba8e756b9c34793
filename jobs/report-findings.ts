/** G2: collects findings: each one about missing content, examples of similar other ones, and counts of noise. */
import { ACTIONS, type Action, SEVERITY } from '../src/calendar/actions.ts';
import type { Finding } from './records.ts';

/** When a build first dropped what a finding is about, in ISO 8601; undefined if it is about nothing dropped. */
export type FirstDropped = (finding: Finding) => string | undefined;

export interface FindingsSummary {
  readonly actions: Readonly<Record<Action, number>>;
  /** The same for each file of the source and each feed (`feed ID`), up to a limit. */
  readonly actionsByFile: Readonly<Record<string, ActionCounts>>;
  /**
   * G2: what is missing, each of it, then up to three examples of what else is alike (`Finding.alike`); by action in their order.
   * `findingsLeftOut` more are only counted.
   */
  readonly findings: readonly Finding[];
  readonly findingsLeftOut: number;
  /** Further ones for those who look after one file or feed: of what is alike in it, up to three. */
  readonly furtherExamples: readonly Finding[];
  /** Kinds of noise, the most frequent first. */
  readonly noise: readonly { readonly what: string; readonly count: number }[];
}

type ActionCounts = Partial<Readonly<Record<Action, number>>>;

/** Limits on the report, however bad a source is: findings, and kinds of similar findings or of noise. */
const MOST_FINDINGS = 50_000;
const MOST_KINDS = 1_000;
const MOST_FILES = 10_000;
/** Similar findings that are shown. */
const MOST_EXAMPLES = 3;
/** Further examples of one file. */
const MOST_FURTHER = 30;

interface Findings {
  readonly add: (finding: Finding) => void;
  /** From now on, findings about something dropped get the time at which a build first dropped it. */
  readonly dateDropsBy: (dropped: FirstDropped) => void;
  readonly summary: () => FindingsSummary;
  /** Each finding, by action, as far as there is room. */
  readonly all: () => Pick<FindingsSummary, 'findings' | 'findingsLeftOut'>;
}

export function createFindings(): Findings {
  const counts = createCounts();
  const missing: Finding[] = [];
  const others: Finding[] = [];
  const examples = createExamples();
  const noise = new Map<string, number>();
  let firstDropped: FirstDropped = () => undefined;
  let added = 0;

  function storeMissing(finding: Finding): void {
    const since = firstDropped(finding);
    if (missing.length < MOST_FINDINGS) missing.push(since === undefined ? finding : { ...finding, since });
  }

  function storeOther(finding: Finding): void {
    if (others.length < MOST_FINDINGS) others.push(finding);
    if (finding.action === 'tidied') countNoise(finding);
    else examples.add(finding);
  }

  function countNoise(finding: Finding): void {
    for (const what of noiseIn(finding))
      if (noise.has(what) || noise.size < MOST_KINDS) noise.set(what, (noise.get(what) ?? 0) + 1);
  }

  return {
    add(finding) {
      added++;
      if (finding.isFurther !== true) counts.add(finding);
      if (isMissing(finding)) storeMissing(finding);
      else storeOther(finding);
    },
    dateDropsBy(dropped) {
      firstDropped = dropped;
    },
    summary() {
      const findings = inOrder([...missing, ...examples.ofAll()]);
      const kinds = [...noise].map(([what, count]) => ({ what, count }));
      return {
        ...counts.summary(),
        findings,
        findingsLeftOut: added - findings.length,
        furtherExamples: inOrder(examples.further()),
        noise: kinds.sort((left, right) => right.count - left.count),
      };
    },
    all() {
      const findings = inOrder([...missing, ...others].slice(0, MOST_FINDINGS));
      return { findings, findingsLeftOut: added - findings.length };
    },
  };
}

/** Counts findings by their actions, in all and for each file. */
function createCounts() {
  const actions = Object.fromEntries(ACTIONS.map((action) => [action, 0])) as Record<Action, number>;
  const byFile = new Map<string, Partial<Record<Action, number>>>();
  return {
    add({ action, origin: { file } }: Finding): void {
      actions[action]++;
      const ofFile = byFile.get(file) ?? {};
      ofFile[action] = (ofFile[action] ?? 0) + 1;
      if (byFile.size < MOST_FILES) byFile.set(file, ofFile);
    },
    summary: (): Pick<FindingsSummary, 'actions' | 'actionsByFile'> => ({
      actions: { ...actions },
      actionsByFile: Object.fromEntries([...byFile].map(([file, counted]) => [file, { ...counted }])),
    }),
  };
}

/** Examples of findings that are alike: three of all files, and three more of each file. */
function createExamples() {
  const alike = new Map<string, { readonly examples: Finding[]; count: number }>();
  const byFile = new Map<string, { readonly examples: Finding[]; readonly counts: Map<string, number> }>();

  /** Whether there is room among those of all files. */
  function addToAll(key: string, finding: Finding): boolean {
    const group = alike.get(key);
    if (group === undefined) {
      if (alike.size === MOST_KINDS) return false;
      alike.set(key, { examples: [finding], count: 1 });
      return true;
    }
    group.count++;
    if (group.examples.length === MOST_EXAMPLES) return false;
    group.examples.push(finding);
    return true;
  }

  function addToFile(key: string, finding: Finding): void {
    const { file } = finding.origin;
    const { examples, counts } = byFile.get(file) ?? { examples: [], counts: new Map<string, number>() };
    const count = counts.get(key) ?? 0;
    if (count === MOST_EXAMPLES || examples.length === MOST_FURTHER) return;
    examples.push(finding);
    counts.set(key, count + 1);
    if (byFile.size < MOST_FILES) byFile.set(file, { examples, counts });
  }

  return {
    add(finding: Finding): void {
      const key = alikeKey(finding);
      if (!addToAll(key, finding)) addToFile(key, finding);
    },
    ofAll: (): readonly Finding[] =>
      [...alike.values()].flatMap(({ examples: [first, ...more], count }) => {
        if (first === undefined) return [];
        return [count > MOST_EXAMPLES ? { ...first, alike: count } : first, ...more];
      }),
    further: (): readonly Finding[] => [...byFile.values()].flatMap(({ examples }) => examples),
  };
}

function inOrder(findings: readonly Finding[]): readonly Finding[] {
  const byAction = new Map<Action, Finding[]>(ACTIONS.map((action) => [action, []]));
  for (const finding of findings) byAction.get(finding.action)?.push(finding);
  return [...byAction.values()].flat();
}

/** Whether it is about a part of the source that is not in the calendar: then the report names it, however many there are. */
export function isMissing({ action }: Pick<Finding, 'action'>): boolean {
  return SEVERITY[action] === 'dropped' || SEVERITY[action] === 'missing';
}

/**
 * Two findings are alike if they are about the same word that is not a category, the same removed part of an unsafe value, or the same
 * expectation of the same field. The feed does not matter, except in findings about a whole feed.
 */
export function alikeKey({ action, origin: { file }, field, expected, found }: Finding): string {
  if (action === 'identical copies') return JSON.stringify([action, file]);
  const isByFound = action === 'kept as tag' || action === 'made safe';
  const where = field?.replace(/\[\d+\]/g, '[]');
  return JSON.stringify([action, isByFound ? found : [where, expected]]);
}

/** Parts of markup by their names, other values by their field. */
function noiseIn({ field, found }: Finding): readonly string[] {
  const parts = found.replace(/^"|["…]{1,2}$/g, '').split(', ');
  const isMarkup = parts.every((part) => /^<?[a-z][a-z:-]*(?:>|=.*)?$/s.test(part));
  return isMarkup ? parts.map((part) => part.replace(/=.*/s, '')) : [field ?? found];
}
