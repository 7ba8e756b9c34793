/**
 * How serving processes pass each other what is left of a caller's budget (src/serve/http/quota.ts): who needs some asks the first
 * process, which asks all the others and adds up what they give.
 */
import type { Worker } from 'node:cluster';
import { type BudgetAsk, NOTHING_LEFT, type QuotaPeers, type Remainder } from '../serve/http/quota.ts';

/** From a worker to the first process. */
export type FromWorker =
  | { readonly kind: 'budgetAsked'; readonly ask: number; readonly budget: BudgetAsk }
  /** Answers `budgetWanted`. */
  | { readonly kind: 'budgetGiven'; readonly ask: number; readonly remainder: Remainder };

/** From the first process to a worker. */
export type FromPrimary =
  | { readonly kind: 'budgetWanted'; readonly ask: number; readonly budget: BudgetAsk }
  /** Answers `budgetAsked`. */
  | { readonly kind: 'budgetShared'; readonly ask: number; readonly remainder: Remainder };

/** Milliseconds for one process to answer; one that is too busy gives nothing. */
const LONGEST_WAIT = 1_000;

interface BudgetBroker {
  readonly hear: (worker: Worker, message: FromWorker) => void;
}

interface BrokerOptions {
  readonly workers: () => readonly Worker[];
  readonly send: (worker: Worker, message: FromPrimary) => void;
}

/** The side of the first process. */
export function createBudgetBroker({ workers, send }: BrokerOptions): BudgetBroker {
  const waiting = new Map<number, (remainder: Remainder) => void>();
  /** By caller: one ask after the other, or what one worker was just given would be missing where another one asks. */
  const latest = new Map<string, Promise<void>>();
  let asks = 0;

  const want = (worker: Worker, budget: BudgetAsk) => {
    const ask = asks++;
    return new Promise<Remainder>((resolve) => {
      const end = (remainder: Remainder) => {
        clearTimeout(timer);
        waiting.delete(ask);
        resolve(remainder);
      };
      const timer = setTimeout(end, LONGEST_WAIT, NOTHING_LEFT);
      waiting.set(ask, end);
      send(worker, { kind: 'budgetWanted', ask, budget });
    });
  };

  const share = async (asker: Worker, ask: number, budget: BudgetAsk) => {
    const others = workers().filter(({ id }) => id !== asker.id);
    const remainders = await Promise.all(others.map((worker) => want(worker, budget)));
    const remainder = remainders.reduce(
      (sum, { given, left }) => ({ given: sum.given + given, left: sum.left + left }),
      NOTHING_LEFT,
    );
    send(asker, { kind: 'budgetShared', ask, remainder });
  };

  return {
    hear: (worker, message) => {
      const { ask } = message;
      if (message.kind === 'budgetGiven') {
        waiting.get(ask)?.(message.remainder);
        return;
      }
      const { budget } = message;
      const key = `${budget.policy} ${budget.caller}`;
      const ended = (latest.get(key) ?? Promise.resolve()).then(() => share(worker, ask, budget));
      latest.set(key, ended);
      void ended.then(() => {
        if (latest.get(key) === ended) latest.delete(key);
      });
    },
  };
}

/** Milliseconds for all of it, those who asked before included. */
const PATIENCE = 2_000;

export interface BudgetPeers extends QuotaPeers {
  readonly hear: (message: FromPrimary) => void;
  /** Says who gives what this process has. */
  readonly onWanted: (give: (budget: BudgetAsk) => Remainder) => void;
}

interface PeersOptions {
  /** Of the serving processes. */
  readonly count: number;
  readonly slot: number;
  readonly send: (message: FromWorker) => void;
}

/** The side of a worker. */
export function connectBudgets({ count, slot, send }: PeersOptions): BudgetPeers {
  const waiting = new Map<number, (remainder: Remainder | null) => void>();
  let asks = 0;
  let give: (budget: BudgetAsk) => Remainder = () => NOTHING_LEFT;
  return {
    count,
    slot,
    ask: (budget, done) => {
      const ask = asks++;
      const end = (remainder: Remainder | null) => {
        clearTimeout(timer);
        waiting.delete(ask);
        done(remainder);
      };
      const timer = setTimeout(end, PATIENCE, null);
      waiting.set(ask, end);
      send({ kind: 'budgetAsked', ask, budget });
    },
    hear: (message) => {
      if (message.kind === 'budgetShared') waiting.get(message.ask)?.(message.remainder);
      else send({ kind: 'budgetGiven', ask: message.ask, remainder: give(message.budget) });
    },
    onWanted: (given) => {
      give = given;
    },
  };
}
