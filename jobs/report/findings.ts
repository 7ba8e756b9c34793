/**
 * G2: collects the findings of a build, of which a bad source can have millions. The report names each one about missing content. Of others
 * that are alike, it has some examples. Noise, such as removed markup, is only counted.
 */
import { ACTIONS, type Action, SEVERITY } from '../../src/calendar/actions.ts';
import { type Finding, WORDS_OF_VISIBILITY } from '../findings.ts';

/** When a build first dropped what a finding is about, in ISO 8601; undefined if it is about nothing dropped. */
export type FirstDropped = (finding: Finding) => string | undefined;

export interface FindingsSummary {
  readonly actions: Readonly<Record<Action, number>>;
  /** The same for each file of the source and each feed (`feed ID`), up to a limit. */
  readonly actionsByFile: Readonly<Record<string, ActionCounts>>;
  /**
   * G2: each finding about missing content, and up to three examples of others that are alike (`Finding.alike` is their number). In the
   * order of `ACTIONS`.
   */
  readonly findings: readonly Finding[];
  /** Further ones, which are only counted. */
  readonly findingsLeftOut: number;
  /** For those who look after one file or feed: up to three more of each kind in it. */
  readonly furtherExamples: readonly Finding[];
  /** Kinds of noise, the most frequent first. */
  readonly noise: readonly { readonly what: string; readonly count: number }[];
}

type ActionCounts = Partial<Readonly<Record<Action, number>>>;

/** Limits on the report, however bad a source is. */
const MOST_FINDINGS = 50_000;
/** Kinds of findings that are alike, and kinds of noise. */
const MOST_KINDS = 1_000;
const MOST_FILES = 10_000;
/** Examples of one kind: of all files, and further ones of each file. */
const MOST_EXAMPLES = 3;
/** Further examples of one file, of all kinds. */
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
  const noise = createNoise();
  let firstDropped: FirstDropped = () => undefined;
  let added = 0;

  function addMissing(finding: Finding): void {
    const since = firstDropped(finding);
    if (missing.length < MOST_FINDINGS) missing.push(since === undefined ? finding : { ...finding, since });
  }

  function addOther(finding: Finding): void {
    if (others.length < MOST_FINDINGS) others.push(finding);
    if (finding.action === 'tidied') noise.add(finding);
    else examples.add(finding);
  }

  return {
    add(finding) {
      added++;
      // A record that is refused for several reasons is counted once.
      if (finding.isFurther !== true) counts.add(finding);
      if (isAboutMissing(finding)) addMissing(finding);
      else addOther(finding);
    },
    dateDropsBy(dropped) {
      firstDropped = dropped;
    },
    summary() {
      const findings = inOrder([...missing, ...examples.ofAll()]);
      return {
        ...counts.summary(),
        findings,
        findingsLeftOut: added - findings.length,
        furtherExamples: inOrder(examples.further()),
        noise: noise.kinds(),
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
  const byFile = createBounded(MOST_FILES, (): Partial<Record<Action, number>> => ({}));
  return {
    add({ action, origin: { file } }: Finding): void {
      actions[action]++;
      const ofFile = byFile.at(file);
      if (ofFile !== undefined) ofFile[action] = (ofFile[action] ?? 0) + 1;
    },
    summary: (): Pick<FindingsSummary, 'actions' | 'actionsByFile'> => ({
      actions: { ...actions },
      actionsByFile: Object.fromEntries(byFile.entries().map(([file, counted]) => [file, { ...counted }])),
    }),
  };
}

/** Findings that are alike: the first ones, and the number of all. */
interface Kind {
  readonly examples: Finding[];
  count: number;
}

interface FileExamples {
  readonly examples: Finding[];
  /** The number of these examples by kind (`alikeKey`). */
  readonly counts: Map<string, number>;
}

/** Examples of findings that are alike: three of all files, and three more of each file for those who look after it. */
function createExamples() {
  const kinds = createBounded(MOST_KINDS, (): Kind => ({ examples: [], count: 0 }));
  const byFile = createBounded(MOST_FILES, (): FileExamples => ({ examples: [], counts: new Map() }));

  /** Whether there was room among those of all files. */
  function addToAll(key: string, finding: Finding): boolean {
    const kind = kinds.at(key);
    if (kind === undefined) return false;
    kind.count++;
    if (kind.examples.length === MOST_EXAMPLES) return false;
    kind.examples.push(finding);
    return true;
  }

  function addToFile(key: string, finding: Finding): void {
    const ofFile = byFile.at(finding.origin.file);
    if (ofFile === undefined) return;
    const { examples, counts } = ofFile;
    const count = counts.get(key) ?? 0;
    if (count === MOST_EXAMPLES || examples.length === MOST_FURTHER) return;
    examples.push(finding);
    counts.set(key, count + 1);
  }

  return {
    add(finding: Finding): void {
      const key = alikeKey(finding);
      if (!addToAll(key, finding)) addToFile(key, finding);
    },
    ofAll: (): readonly Finding[] => kinds.entries().flatMap(([, kind]) => examplesOf(kind)),
    further: (): readonly Finding[] => byFile.entries().flatMap(([, { examples }]) => examples),
  };
}

/** The first example tells how many findings are alike, if some are left out. */
function examplesOf({ examples: [first, ...more], count }: Kind): readonly Finding[] {
  if (first === undefined) return [];
  return [count > MOST_EXAMPLES ? { ...first, alike: count } : first, ...more];
}

function createNoise() {
  const kinds = createBounded(MOST_KINDS, () => ({ count: 0 }));
  return {
    add(finding: Finding): void {
      for (const what of noiseIn(finding)) {
        const kind = kinds.at(what);
        if (kind !== undefined) kind.count++;
      }
    },
    kinds: (): FindingsSummary['noise'] => {
      const counted = kinds.entries().map(([what, { count }]) => ({ what, count }));
      return counted.sort((left, right) => right.count - left.count);
    },
  };
}

/** Values by key, each created when its key first comes up. Once there are `most`, new keys get none. */
function createBounded<Value>(most: number, create: () => Value) {
  const values = new Map<string, Value>();
  return {
    at(key: string): Value | undefined {
      const existing = values.get(key);
      if (existing !== undefined || values.size === most) return existing;
      const created = create();
      values.set(key, created);
      return created;
    },
    entries: (): (readonly [key: string, value: Value])[] => [...values],
  };
}

/** By action, in the order of `ACTIONS`: those about missing content first. */
function inOrder(findings: readonly Finding[]): readonly Finding[] {
  const byAction = new Map<Action, Finding[]>(ACTIONS.map((action) => [action, []]));
  for (const finding of findings) byAction.get(finding.action)?.push(finding);
  return [...byAction.values()].flat();
}

/** Whether it is about a part of the source that is not in the calendar: then the report names it, however many there are. */
export function isAboutMissing({ action }: Pick<Finding, 'action'>): boolean {
  return SEVERITY[action] === 'dropped' || SEVERITY[action] === 'missing';
}

/**
 * Two findings are alike if they are about the same word that is not a category, the same removed part of an unsafe value, the same word that
 * may hide a row, or the same expectation of the same field. The feed does not matter, except in findings about a whole feed.
 */
export function alikeKey({ action, origin: { file }, field, expected, found }: Finding): string {
  if (action === 'identical copies') return JSON.stringify([action, file]);
  if (action === 'kept as tag' || action === 'made safe') return JSON.stringify([action, found]);
  // `dates[3].start` is the same field as `dates[4].start`.
  const fieldOfAll = field?.replace(/\[\d+\]/g, '[]');
  const isAboutWord = VISIBILITY.has(expected);
  return JSON.stringify([action, fieldOfAll, expected, isAboutWord ? found : null]);
}

const VISIBILITY: ReadonlySet<string> = new Set(Object.values(WORDS_OF_VISIBILITY));

/** Kinds of noise: removed markup by the names of its elements and attributes, any other value by its field. */
function noiseIn({ field, found }: Finding): readonly string[] {
  const parts = found.replace(QUOTES, '').split(', ');
  const isMarkup = parts.every((part) => MARKUP.test(part));
  return isMarkup ? parts.map((part) => part.replace(/=.*/s, '')) : [field ?? found];
}

/** Around a value; the second one may be cut off. */
const QUOTES = /^"|["…]{1,2}$/g;

/** The name of an element or attribute: `<font>`, `font`, `style=…`. */
const MARKUP = /^<?[a-z][a-z:-]*(?:>|=.*)?$/s;
