/** What the first process and its serving processes tell each other, and the side of a serving process in it. */
import { AggregatorRegistry, type Registry } from 'prom-client';
import { isObject } from '../calendar/json.ts';
import { type BudgetAsk, NOTHING_LEFT, type QuotaPeers, type Remainder } from '../serve/http/quota.ts';
import { NO_UPKEEP, type Upkeep } from '../serve/operator/builds.ts';
import type { Metrics, MetricValues } from '../serve/operator/metrics.ts';
import { beatMs, isDebugged, STALL_MS } from './watchdog.ts';

export type ToWorker =
  | BudgetToWorker
  | { readonly kind: 'stop' }
  | { readonly kind: 'upkeep'; readonly upkeep: Upkeep }
  /** Asks for the worker's own metrics. */
  | { readonly kind: 'report'; readonly ask: number }
  /** Answers `collect`; null when it could not be done. */
  | { readonly kind: 'collected'; readonly ask: number; readonly values: MetricValues | null };

export type ToPrimary =
  | BudgetToPrimary
  /** Its event loop goes round. */
  | { readonly kind: 'beat'; readonly isDebugged: boolean }
  /** Has a snapshot to answer from. */
  | { readonly kind: 'ready'; readonly url: string }
  /** Cannot start, and could not if it were tried again. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Asks for the metrics of all. */
  | { readonly kind: 'collect'; readonly ask: number }
  /** Answers `report`. */
  | { readonly kind: 'reported'; readonly ask: number; readonly values: MetricValues };

/*
 * Serving processes pass each other what is left of a caller's budget (src/serve/http/quota.ts): who needs some asks the first
 * process, which asks all the others and adds up what they give.
 */

export type BudgetToPrimary =
  | { readonly kind: 'budgetAsked'; readonly ask: number; readonly budget: BudgetAsk }
  /** Answers `budgetWanted`. */
  | { readonly kind: 'budgetGiven'; readonly ask: number; readonly remainder: Remainder };

export type BudgetToWorker =
  | { readonly kind: 'budgetWanted'; readonly ask: number; readonly budget: BudgetAsk }
  /** Answers `budgetAsked`. */
  | { readonly kind: 'budgetShared'; readonly ask: number; readonly remainder: Remainder };

/** Both ends run the same program; what else comes over the channel is node:cluster's or a library's. */
function isToWorker(message: unknown): message is ToWorker {
  return isObject(message) && 'kind' in message;
}

export function isToPrimary(message: unknown): message is ToPrimary {
  return isObject(message) && 'kind' in message;
}

interface Asks<Answer> {
  /** `done` is called with the answer as it comes, or with what stands for it when it does not come in time. */
  readonly ask: (send: (ask: number) => void, done: (answer: Answer) => void) => void;
  readonly answer: (ask: number, answer: Answer) => void;
}

interface AsksOptions<Answer> {
  /** Milliseconds for each answer. */
  readonly patienceMs: number;
  readonly otherwise: Answer;
}

/** What is asked over a channel, by the numbers that answers name. */
export function createAsks<Answer>({ patienceMs, otherwise }: AsksOptions<Answer>): Asks<Answer> {
  const waiting = new Map<number, (answer: Answer) => void>();
  let asks = 0;
  return {
    ask: (send, done) => {
      const ask = asks++;
      const end = (answer: Answer) => {
        clearTimeout(timer);
        waiting.delete(ask);
        done(answer);
      };
      const timer = setTimeout(end, patienceMs, otherwise);
      waiting.set(ask, end);
      send(ask);
    },
    answer: (ask, answer) => waiting.get(ask)?.(answer),
  };
}

interface Supervisor {
  readonly upkeep: () => Upkeep;
  readonly metrics: Metrics;
  /** The other serving processes, for the quota. */
  readonly budgets: BudgetPeers;
  /** Resolves when it is on its way. */
  readonly send: (message: ToPrimary) => Promise<void>;
}

interface SupervisorOptions {
  /** Serving processes, and the place of this one among them. */
  readonly count: number;
  readonly slot: number;
  /** Of this process. */
  readonly registry: Pick<Registry, 'getMetricsAsJSON'>;
  readonly onStop: () => void;
  /** The folder may have something new. */
  readonly onUpkeep: () => void;
  /** As the first process has it. */
  readonly stallMs?: number;
}

/** Milliseconds. */
const LONGEST_WAIT = 5_000;

/** For a process that node:cluster has started. */
export function connectSupervisor(options: SupervisorOptions): Supervisor {
  const { registry, count, slot, onStop, onUpkeep, stallMs = STALL_MS } = options;
  let upkeep = NO_UPKEEP;
  const asks = createAsks<MetricValues | null>({ patienceMs: LONGEST_WAIT, otherwise: null });
  const send = (message: ToPrimary) =>
    new Promise<void>((resolve) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
      else resolve();
    });
  const budgets = connectBudgets({ count, slot, send: (message) => void send(message) });
  const beat = () => void send({ kind: 'beat', isDebugged: isDebugged() });
  beat();
  setInterval(beat, beatMs(stallMs)).unref();
  const report = async (ask: number) => {
    await send({ kind: 'reported', ask, values: await registry.getMetricsAsJSON() });
  };
  const receive = (message: ToWorker) => {
    if (message.kind === 'stop') onStop();
    else if (message.kind === 'report') void report(message.ask);
    else if (message.kind === 'collected') asks.answer(message.ask, message.values);
    else if (message.kind === 'budgetWanted' || message.kind === 'budgetShared') budgets.receive(message);
    else {
      upkeep = message.upkeep;
      onUpkeep();
    }
  };
  process.on('message', (message: unknown) => {
    if (isToWorker(message)) receive(message);
  });

  const collect = async () => {
    const values = await new Promise<MetricValues | null>((resolve) =>
      asks.ask((ask) => void send({ kind: 'collect', ask }), resolve),
    );
    if (values === null) throw new Error(`expected the metrics of all processes within ${LONGEST_WAIT} ms`);
    return values;
  };
  const metrics: Metrics = {
    values: collect,
    text: async () => AggregatorRegistry.aggregate([await collect()]).metrics(),
  };
  return { upkeep: () => upkeep, metrics, budgets, send };
}

/** Milliseconds for all of it, those who asked before included. */
const BUDGET_WAIT = 2_000;

export interface BudgetPeers extends QuotaPeers {
  readonly receive: (message: BudgetToWorker) => void;
  /** Says who gives what this process has. */
  readonly onWanted: (give: (budget: BudgetAsk) => Remainder) => void;
}

interface PeersOptions {
  /** Of the serving processes. */
  readonly count: number;
  readonly slot: number;
  readonly send: (message: BudgetToPrimary) => void;
}

export function connectBudgets({ count, slot, send }: PeersOptions): BudgetPeers {
  const asks = createAsks<Remainder | null>({ patienceMs: BUDGET_WAIT, otherwise: null });
  let give: (budget: BudgetAsk) => Remainder = () => NOTHING_LEFT;
  return {
    count,
    slot,
    ask: (budget, done) => asks.ask((ask) => send({ kind: 'budgetAsked', ask, budget }), done),
    receive: (message) => {
      if (message.kind === 'budgetShared') asks.answer(message.ask, message.remainder);
      else send({ kind: 'budgetGiven', ask: message.ask, remainder: give(message.budget) });
    },
    onWanted: (given) => {
      give = given;
    },
  };
}
