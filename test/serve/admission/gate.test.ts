/** D14: the gate that all work passes. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLoadMetrics } from '../../../src/annexes/operator/metrics.ts';
import { readLoad } from '../../../src/annexes/operator/usage.ts';
import { isCalendarError } from '../../../src/calendar/errors.ts';
import { createBudget, SHARES } from '../../../src/serve/admission/budget.ts';
import { createGate, type GateOptions, SMALL_BYTES, type Ticket } from '../../../src/serve/admission/gate.ts';
import { createQueue } from '../../../src/serve/admission/queue.ts';
import { until } from '../../helpers/until.ts';

const gates = suite('gate');

interface Setting {
  /** Milliseconds; each reading may take some. */
  now: number;
  outgoing: number;
  readonly cuts: number[];
}

function gateWith(options: Partial<GateOptions> = {}) {
  const setting: Setting = { now: 0, outgoing: 0, cuts: [] };
  const gate = createGate({
    most: () => 10_000_000,
    outgoing: {
      bytes: () => setting.outgoing,
      cut: (most) => {
        setting.cuts.push(most);
        setting.outgoing = most;
      },
    },
    clock: () => setting.now,
    ...options,
  });
  const begun: string[] = [];
  const refused: string[] = [];
  const tickets = new Map<string, Ticket>();
  const enter = (name: string, address = name) => {
    const leave = gate.enter({
      address,
      begin: (ticket) => {
        begun.push(name);
        tickets.set(name, ticket);
      },
      onRefused: () => refused.push(name),
    });
    if (leave === null) refused.push(name);
    return leave;
  };
  const ticket = (name: string): Ticket => {
    const found = tickets.get(name);
    if (found === undefined) throw new Error(`expected ${name} to have begun`);
    return found;
  };
  return { gate, setting, begun, refused, enter, ticket };
}

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `w${from + at}`);

gates('D14: should begin eight at once, and the others in order as places come free', async () => {
  const { begun, enter, ticket, gate } = gateWith();
  for (const name of names(0, 20)) enter(name);
  assert.equal(begun, names(0, 8));
  assert.equal([gate.state().working, gate.state().waiting], [8, 12]);
  for (const name of names(0, 12)) {
    ticket(name).leave();
    await nextTurn();
    await nextTurn();
  }
  assert.equal(begun, names(0, 20));
});

gates('D14: should give each address its turn, however many one of them sends', async () => {
  const { begun, enter, ticket } = gateWith();
  for (const name of names(0, 8)) enter(name);
  for (let nth = 0; nth < 50; nth++) enter(`many${nth}`, 'many');
  enter('few0', 'few');
  enter('few1', 'few');
  for (const name of names(0, 5)) ticket(name).leave();
  await until('the next ones have begun', () => begun.length === 13);
  assert.equal(begun.slice(8), ['many0', 'few0', 'many1', 'few1', 'many2']);
});

gates('D14: should refuse at once what finds the queue full, but for an address with little in it', () => {
  const { begun, refused, enter } = gateWith({ queue: { most: 10 } });
  for (const name of names(0, 8)) enter(name);
  for (let nth = 0; nth < 12; nth++) enter(`many${nth}`, 'many');
  assert.equal(refused, ['many10', 'many11']);
  assert.is.not(enter('polite'), null);
  assert.equal(refused, ['many10', 'many11', 'many9'], 'the last of the many makes room');
  assert.is(begun.length, 8);
});

gates('D14: should refuse what has waited too long, and at once what would', async () => {
  const { setting, refused, enter, ticket, begun } = gateWith({ queue: { longestWait: 40 } });
  for (const name of names(0, 12)) enter(name);
  await until('those in the queue are refused', () => refused.length === 4);
  assert.equal(refused, names(8, 12));
  for (const name of names(12, 16)) enter(name);
  // Each turn takes 100 of the gate's own milliseconds.
  for (const name of names(0, 2)) {
    setting.now += 100;
    ticket(name).leave();
    await until('the next one has begun', () => begun.includes(`w${Number(name.slice(1)) + 12}`));
  }
  assert.is(enter('w16'), null);
});

gates('D14: should forget work that nobody waits for any more', async () => {
  const { begun, enter, ticket, gate } = gateWith();
  for (const name of names(0, 9)) enter(name);
  const leave = enter('gone');
  leave?.();
  assert.is(gate.state().waiting, 1);
  for (const name of names(0, 3)) ticket(name).leave();
  await until('the next one has begun', () => begun.length === 9);
  await nextTurn();
  assert.not(begun.includes('gone'));
  ticket('w3').abandon();
  assert.throws(() => ticket('w3').pause(), isCalendarError);
});

gates('D14: should let others have the thread when work has had its turn', async () => {
  const { setting, begun, enter, ticket } = gateWith();
  enter('first');
  assert.is(ticket('first').pause(), undefined);
  setting.now += 50;
  enter('second');
  assert.equal(begun, ['first'], 'the event loop goes round before');
  const pause = ticket('first').pause();
  assert.ok(pause instanceof Promise);
  await nextTurn();
  assert.equal(begun, ['first', 'second']);
  await pause;
  assert.is(ticket('first').pause(), undefined);
});

gates('D14: small answers should pass large ones, which wait for memory', async () => {
  const { gate, begun, enter, ticket } = gateWith();
  for (const name of names(0, 8)) enter(name);
  assert.is(ticket('w0').take(SMALL_BYTES), undefined);
  for (const name of names(1, 3)) assert.is(ticket(name).take(4_000_000), undefined);
  const third = ticket('w3').take(4_000_000);
  assert.ok(third instanceof Promise);
  for (const name of names(8, 11)) enter(name);
  await until('small ones have taken their places', () => begun.length === 11);
  assert.equal([gate.state().bytes, gate.state().waiting], [8_000_000, 1]);
  ticket('w1').leave();
  await third;
  assert.is(gate.state().bytes, 8_000_000);
});

gates('D14: should make two large answers at a time, and let 32 wait', async () => {
  const { gate, enter, ticket } = gateWith();
  const taking: (Promise<unknown> | undefined)[] = [];
  for (const name of names(0, 35)) {
    enter(name);
    taking.push(
      ticket(name)
        .take(SMALL_BYTES + 1)
        ?.catch((thrown: unknown) => thrown),
    );
    await nextTurn();
  }
  assert.equal(taking.slice(0, 2), [undefined, undefined]);
  assert.is(gate.state().waiting, 32);
  const refused = await taking[34];
  assert.ok(isCalendarError(refused) && refused.code === 'OVERLOADED');
  ticket('w0').leave();
  await taking[2];
  assert.is(gate.state().waiting, 31);
});

gates(
  'D14: the oldest of two large answers should grow, so that they never wait for each other',
  async () => {
    const { enter, ticket, gate } = gateWith();
    for (const name of names(0, 3)) enter(name);
    for (const name of names(0, 2)) assert.is(ticket(name).take(5_000_000), undefined);
    const younger = ticket('w1').take(1_000_000);
    assert.ok(younger instanceof Promise);
    assert.is(ticket('w0').take(1_000_000), undefined);
    const next = ticket('w2').take(9_000_000);
    ticket('w0').leave();
    await younger;
    assert.is(gate.state().bytes, 6_000_000);
    ticket('w1').leave();
    await next;
    assert.is(gate.state().bytes, 9_000_000);
  },
);

gates('D10: should cut the slowest readers when large answers have waited for them', async () => {
  const { setting, enter, ticket } = gateWith();
  setting.outgoing = 8_000_000;
  enter('w0');
  const wait = ticket('w0').take(5_000_000);
  assert.equal(setting.cuts, []);
  setting.now += 2_000;
  await wait;
  assert.equal(setting.cuts, [5_000_000]);
});

gates('D14: should make alone what is larger than all there is to have', async () => {
  const { setting, enter, ticket, gate } = gateWith();
  enter('w0');
  await ticket('w0').take(20_000_000);
  assert.is(gate.state().bytes, 20_000_000);
  assert.equal(setting.cuts, []);
});

gates(
  'D14: metrics should say what was admitted, waits and was refused, and how memory is shared out',
  async () => {
    const { gate, enter, ticket } = gateWith({ queue: { most: 2 } });
    const registry = new Registry();
    createLoadMetrics(registry, gate.state);
    for (const name of names(0, 12)) enter(name);
    ticket('w0').leave();
    const load = readLoad(await registry.getMetricsAsJSON());
    const { memoryBytes, shares, ...counts } = load;
    assert.equal(counts, { admitted: 8, refused: 2, working: 7, waiting: 2 });
    assert.is(memoryBytes, 512 * 1_024 * 1_024);
    assert.equal(Object.keys(shares), Object.keys(SHARES));
    // Read again, counters are not counted twice.
    assert.is(readLoad(await registry.getMetricsAsJSON()).admitted, 8);
  },
);

gates.run();

const queues = suite('queue');

queues('D14: should take out what leaves, from anywhere in it', () => {
  const queue = createQueue({ clock: () => 0 });
  const join = (address: string) =>
    queue.join({ address, bytes: 0, begin: () => undefined, onRefused: () => undefined });
  const leaves = ['a', 'a', 'b', 'a'].map(join);
  leaves[0]?.();
  leaves[2]?.();
  leaves[2]?.();
  assert.equal(
    [queue.next()?.address, queue.next()?.address, queue.next(), queue.size()],
    ['a', 'a', undefined, 0],
  );
});

queues.run();

const budgets = suite('budget');
const MB = 1_024 * 1_024;

budgets('D14: shares should be parts of what the program and two snapshots leave', () => {
  const budget = createBudget(512 * MB);
  assert.is(budget.measured({ program: 100 * MB, snapshot: 50 * MB }), null);
  assert.is(budget.rest(), 312 * MB);
  for (const [name, share] of Object.entries(SHARES)) {
    assert.is(budget.share(name as keyof typeof SHARES), Math.floor(share * 312 * MB));
  }
  assert.ok(Object.values<number>(SHARES).reduce((sum, share) => sum + share) <= 0.5);
});

budgets('D14: should say how much a calendar needs that leaves too little', () => {
  const budget = createBudget(256 * MB);
  assert.is(
    budget.measured({ program: 100 * MB, snapshot: 70 * MB }),
    'ALMANAKK_MEMORY_MB: expected at least 275 for this calendar, found 256: the program takes 100 MB, and each of two snapshots during a swap 70 MB',
  );
  assert.is(budget.rest(), 32 * MB, 'an eighth is shared out at any rate');
});

budgets.run();
