/** A server on a free port around a small schema of its own, with everything from outside in the test's hands. */
import { once } from 'node:events';
import { promisify } from 'node:util';
import { buildSchema, execute as executeWithGraphqlJs, type GraphQLSchema, parse } from 'graphql';
import type { Settings } from '../../../../jobs/settings.ts';
import { CalendarError } from '../../../../src/calendar/errors.ts';
import { type AdmissionOptions, createAdmission } from '../../../../src/serve/admission/admission.ts';
import { type Budget, createBudget } from '../../../../src/serve/admission/budget.ts';
import { createParts, type ServeAnnex, type ServePart } from '../../../../src/serve/annex.ts';
import { createApp } from '../../../../src/serve/app.ts';
import type { AnswerBasis, Execute, Result } from '../../../../src/serve/graphql/answer.ts';
import { createExecute } from '../../../../src/serve/graphql/execute.ts';
import { createMask, type Mask } from '../../../../src/serve/graphql/mask.ts';
import { presentErrors } from '../../../../src/serve/graphql/refusal.ts';
import { schema, sdl } from '../../../../src/serve/graphql/schema.ts';
import type { AccessLogEntry } from '../../../../src/serve/http/access-log.ts';
import type { CutReason, OnCut } from '../../../../src/serve/http/connections.ts';
import { createOutflow } from '../../../../src/serve/http/outflow.ts';
import { createHttpServer, type ServerLimits } from '../../../../src/serve/http/server.ts';
import type { KeeperState, SwapListener } from '../../../../src/snapshot/keeper.ts';
import type { Snapshot } from '../../../../src/snapshot/open.ts';
import { contextOf } from '../../../helpers/annex.ts';
import { clientOf } from '../../../helpers/client.ts';
import { listening } from '../../../helpers/port.ts';

export type { Got, Sent } from '../../../helpers/client.ts';

export const GOOD_KEY = 'good-key';
export const START = 1_800_000_000;
export const NOTICE = 'Get a key at https://portal.example';

export interface StandOptions {
  readonly execute?: Execute;
  /** One that was built: it is asked by the real schema. */
  readonly snapshot?: Snapshot;
  /** Milliseconds since 1970. */
  readonly startAt?: number;
  readonly moments?: readonly number[];
  readonly hasSnapshot?: boolean;
  readonly portalUrl?: string | null;
  readonly publicUrl?: URL;
  /** Parts that annexes add; none unless given. */
  readonly parts?: readonly ServePart[];
  /** The same, of annexes that are made as a server makes them. */
  readonly annexes?: readonly ServeAnnex<Settings>[];
  readonly cacheBytes?: number;
  readonly maxAge?: number;
  readonly outflowBytes?: number;
  readonly bodyBytes?: number;
  readonly admission?: AdmissionOptions;
  readonly limits?: Partial<ServerLimits>;
  /** Milliseconds, for the connections of the server. */
  readonly connectionClock?: () => number;
}

export type Stand = Awaited<ReturnType<typeof startStand>>;

/** Serves until the test closes it. Unless an option says otherwise: one made-up snapshot, the small schema, and no annexes. */
export async function startStand(options: StandOptions = {}) {
  let nowMs = options.startAt ?? START * 1_000;
  let executions = 0;
  let stopping = false;
  const clock = () => nowMs;
  const first = options.snapshot ?? fakeSnapshot('first', options.moments, options);
  const { keeper, pins, swap } = createKeeperByHand(options.hasSnapshot === false ? null : first);
  const { mask, logged } = createLoggedMask();
  const traffic: AccessLogEntry[] = [];
  const cut: CutReason[] = [];
  const onCut: OnCut = (reason) => cut.push(reason);
  const outflow = createOutflow({ most: () => options.outflowBytes ?? 256_000_000, onCut });
  const admission = createAdmission(options.admission);
  const context = contextOf({ keeper, mask, clock });
  const ofAnnexes = await createParts(options.annexes ?? [], context);
  const { execute, ...schemas } = endpointOf(options, mask);
  const app = createApp({
    ...schemas,
    ...limitsOf(options),
    parts: [KNOWS_GOOD_KEY, ...(options.parts ?? []), ...ofAnnexes],
    execute: (operation, basis) => {
      executions++;
      return execute(operation, basis);
    },
    keeper,
    mask,
    clock,
    isStopping: () => stopping,
    onAccess: (one) => traffic.push(one),
    outflow,
    admission,
  });
  const server = createHttpServer(app.listener, {
    onCut,
    ...(options.limits && { limits: options.limits }),
    ...(options.connectionClock && { clock: options.connectionClock }),
  });
  const port = await listening(server);
  context.serverAddress.listenUnder('127.0.0.1', port);

  return {
    ...clientOf(`http://127.0.0.1:${port}`),
    app,
    serverAddress: context.serverAddress,
    admission,
    /** Bytes of answers that wait for readers. */
    outgoing: outflow.bytes,
    traffic,
    logged,
    /** Why each connection was closed that made room for others. */
    cut,
    /** How often an operation was executed. */
    executions: () => executions,
    /** Milliseconds since 1970. */
    setClock: (ms: number) => {
      nowMs = ms;
    },
    swap,
    snapshot: () => keeper.state().current,
    stop: () => {
      stopping = true;
    },
    /** Requests that hold a snapshot now. */
    pins,
    connections: () => promisify(server.getConnections.bind(server))(),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const KNOWS_GOOD_KEY: ServePart = { applicationOf: (key) => (key === GOOD_KEY ? 'App' : undefined) };

/** The real endpoint for a snapshot that was built, else one with the small schema. */
function endpointOf({ snapshot, execute }: StandOptions, mask: Mask) {
  if (snapshot !== undefined) return { schema, sdl, execute: execute ?? createExecute(mask) };
  return { schema: SMALL_SCHEMA, sdl: SMALL_SDL, execute: execute ?? executeOn(SMALL_SCHEMA, mask) };
}

function limitsOf(options: Limits) {
  const { maxAge = 60, bodyBytes = 16_000_000, cacheBytes = 10_000_000 } = options;
  return {
    settings: { maxAge, notice: 'Get a key at {portal}', publicUrl: options.publicUrl ?? null },
    budget: budgetWith(bodyBytes),
    cacheBytes,
  };
}

type Limits = Pick<StandOptions, 'maxAge' | 'publicUrl' | 'bodyBytes' | 'cacheBytes'>;

/** A keeper whose snapshot is the one that the test swaps in. */
function createKeeperByHand(first: Snapshot | null) {
  let current = first;
  let pins = 0;
  const listeners = new Set<SwapListener>();
  const keeper = {
    pin: () => {
      if (current === null) throw new CalendarError('SERVICE_UNAVAILABLE', 'none at /secret/place');
      pins++;
      return { snapshot: current, release: () => pins-- };
    },
    state: (): KeeperState => ({ current, adoptedAt: null, lastRefusal: REFUSAL, damage: null }),
    onSwap: (listener: SwapListener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isDamaged: async () => false,
  };
  const swap = (snapshot: Snapshot | null) => {
    current = snapshot;
    if (snapshot !== null) for (const listener of listeners) listener(snapshot);
  };
  return { keeper, pins: () => pins, swap };
}

/** A mask with ids that tests can foresee, and what it has logged. */
function createLoggedMask() {
  const logged: { id: unknown; err: unknown }[] = [];
  const mask = createMask(
    { error: ({ id, err }) => logged.push({ id, err }) },
    { newId: () => `failure-${logged.length + 1}` },
  );
  return { mask, logged };
}

/** The usual budget with another share for the bodies of requests. */
function budgetWith(bodyBytes: number): Budget {
  const usual = createBudget(512 * 1_024 * 1_024);
  return { ...usual, share: (name) => (name === 'bodies' ? bodyBytes : usual.share(name)) };
}

const REFUSAL = { reason: 'truncated: /var/lib/calendar/snapshots/calendar-1.sqlite', at: START * 1_000 };

export function fakeSnapshot(
  id: string,
  moments: readonly number[] = [],
  { portalUrl = 'https://portal.example' }: Pick<StandOptions, 'portalUrl'> = {},
): Snapshot {
  const counts = { events: 2, occurrences: 3, venues: 1, organizers: 1, categories: 13 };
  const builtAt = START - 90;
  const fake = {
    id,
    meta: { builtAt: new Date(builtAt * 1_000).toISOString(), counts, feeds: [] },
    builtAt,
    columns: { moments: Float64Array.of(builtAt, ...moments), publishing: new Float64Array() },
    lists: { licence: { portalUrl } },
  };
  return fake as unknown as Snapshot;
}

const SMALL_SDL = `
type Query {
  events(page: Int = 0, pageSize: Int = 10, fromDate: String): EventConnection!
  venues: [Venue!]
  now: Int!
  snapshot: String!
  text(length: Int!): String!
  broken: Venue
  slow: Venue!
}
type EventConnection { totalCount: Int! data: [Venue!]! }
type Venue { id: String! name: String! }
`;

const SMALL_SCHEMA = withAnswers(buildSchema(SMALL_SDL));

function withAnswers(schema: GraphQLSchema): GraphQLSchema {
  const fields = schema.getQueryType()?.getFields() ?? {};
  const answers: Record<string, (args: Record<string, unknown>, basis: AnswerBasis) => unknown> = {
    events: ({ page, pageSize, fromDate }) => {
      if (typeof fromDate === 'string') {
        throw new CalendarError('BAD_USER_INPUT', 'Query Arguments invalid', { invalidArgs: ['fromDate'] });
      }
      if (Number(page) < 0) throw new CalendarError('BAD_USER_INPUT', '"page" must not be negative');
      if (Number(pageSize) <= 0) throw new CalendarError('BAD_USER_INPUT', '"pageSize" must be positive');
      return { totalCount: 1, data: [{ id: 'v1', name: 'Rådhuset' }] };
    },
    venues: () => [{ id: 'v1', name: 'Rådhuset' }],
    now: (_args, { now }) => now,
    snapshot: (_args, basis) => basis.snapshot.id,
    text: ({ length }) => 'æ'.repeat(Number(length)),
    broken: () => {
      throw new Error('no such table: event at /secret/place');
    },
    slow: () => {
      throw new CalendarError(
        'TIMEOUT',
        '/secret/place/calendar-1.sqlite: expected an answer: select id from event',
      );
    },
  };
  for (const [name, answer] of Object.entries(answers)) {
    const field = fields[name];
    if (field !== undefined) field.resolve = (_source, args, basis: AnswerBasis) => answer(args, basis);
  }
  return schema;
}

function executeOn(schema: GraphQLSchema, mask: Mask): Execute {
  return async ({ sent }, basis) => {
    const { data = null, errors = [] } = await executeWithGraphqlJs({
      schema,
      document: parse(sent.query),
      operationName: sent.definition.name?.value ?? null,
      variableValues: sent.variables,
      contextValue: basis,
    });
    if (errors.length === 0) return resultOf(JSON.stringify({ data }));
    const body = JSON.stringify({ data, errors: presentErrors(errors, mask) });
    return { ...resultOf(body), hasData: data !== null, hasErrors: true };
  };
}

/** A result without errors, of this JSON. */
export function resultOf(body: string | Buffer): Result {
  return { body: [Buffer.from(body)], hasData: true, hasErrors: false, dependsOnDay: false };
}
