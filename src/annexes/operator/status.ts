/** The value that `/status` shows, as JSON or as a page: the server's health, its concerns, and the load and traffic of all its processes. */
import type { Concern } from './concerns/concern.ts';
import { forEditorsOfFeeds } from './concerns.ts';
import type { Health, HookFailure } from './health.ts';
import type { MetricSample, MetricValues } from './relay.ts';

/** Mails alone name all losses and hooks; a concern names the damage. */
export interface Status extends Omit<Health, 'losses' | 'hooks' | 'damage'> {
  /** H10: the hook that has been failing for the longest time; null while none fails. */
  readonly hook: HookFailure | null;
  /** Problems that the operator should look into. */
  readonly concerns: readonly ShownConcern[];
  /** D14: of all processes of this server, since its start. */
  readonly load: Load;
  readonly traffic: {
    /** The busiest first. */
    readonly callers: readonly Caller[];
  };
}

/** The details name the first parts. */
export type ShownConcern = Omit<Concern, 'parts'>;

interface Load {
  readonly admitted: number;
  readonly refused: number;
  /** At present. */
  readonly working: number;
  readonly waiting: number;
}

/** Requests of one application, or of all callers of one kind. */
export interface Caller {
  /** `application`, `anonymous` or `operator`. */
  readonly kind: string;
  /** Name of the application; empty for other callers. */
  readonly name: string;
  readonly requests: number;
  /** Answered, but with errors. */
  readonly errors: number;
  /** The client's fault. */
  readonly refused: number;
  /** The server's fault. */
  readonly failed: number;
}

/** `metrics`: of all processes. */
export function statusOf(
  { losses: _, damage: __, hooks, concerns, ...state }: Health & { readonly concerns: readonly Concern[] },
  metrics: MetricValues,
): Status {
  const samplesOf = (name: string) => metrics.find((metric) => metric.name === name)?.values ?? [];
  const numberOf = (name: string) => samplesOf(name)[0]?.value ?? 0;
  return {
    ...state,
    hook: hooks[0] ?? null,
    concerns: concerns.map(shown),
    load: {
      admitted: numberOf(NAMES.admitted),
      refused: numberOf(NAMES.refused),
      working: numberOf(NAMES.working),
      waiting: numberOf(NAMES.waiting),
    },
    traffic: { callers: state.selection === null ? callersIn(samplesOf(NAMES.durations)) : [] },
  };
}

/** H15: for an editor of the selected feeds alone. The messages of builds, deliveries and copies can name other feeds, and hosts. */
export function forFeedsAlone(status: Status): Status {
  return {
    ...status,
    refusal: null,
    replica: null,
    builds: status.builds.map((build) => ({ ...build, reason: null })),
    concerns: status.concerns.map(forEditorsOfFeeds),
  };
}

const shown = ({ parts: _, ...concern }: Concern): ShownConcern => concern;

/** Metrics that `/status` reads. */
export const NAMES = {
  durations: 'almanakk_request_duration_seconds',
  admitted: 'almanakk_work_admitted_total',
  refused: 'almanakk_work_refused_total',
  working: 'almanakk_work_running',
  waiting: 'almanakk_work_waiting',
} as const;

function callersIn(samples: readonly MetricSample[]): readonly Caller[] {
  const none = { requests: 0, errors: 0, refused: 0, failed: 0 };
  const callers = new Map<string, { -readonly [Name in keyof Caller]: Caller[Name] }>();
  for (const { labels, value, ...sample } of samples) {
    // Samples of a histogram have names of their own, which prom-client's types leave out.
    const isCount = 'metricName' in sample && sample.metricName === `${NAMES.durations}_count`;
    if (!isCount) continue;
    const kind = String(labels.caller ?? '');
    const name = String(labels.application ?? '');
    const outcome = COUNTED_OUTCOMES.find((one) => one === labels.outcome);
    const caller = callers.get(`${kind} ${name}`) ?? { kind, name, ...none };
    callers.set(`${kind} ${name}`, caller);
    caller.requests += value;
    if (outcome !== undefined) caller[outcome] += value;
  }
  return [...callers.values()].toSorted((left, right) => right.requests - left.requests);
}

const COUNTED_OUTCOMES = ['errors', 'refused', 'failed'] as const;
