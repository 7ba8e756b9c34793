/**
 * `npm run bench -- --nation`: a million occurrences in 200,000 events, built, published, adopted and asked, beside a calendar of the
 * same make with a tenth of them. What grows by more than ten times is what a country would run into.
 */
import { rmSync } from 'node:fs';
import { type Built, buildCalendar, twinOf } from '../calendars.ts';
import { thousands, figure as threeDigits } from '../goals.ts';
import type { Load } from '../load/driver.ts';
import { rawRequest } from '../load/http.ts';
import { describeMachine, writeMachine } from '../machine.ts';
import { byLiterals, byVariables, momentary, repeated } from '../questions.ts';
import { readSlugs } from '../records.ts';
import { markdownTable } from '../report/table.ts';
import { type Effort, type Measured, measureRows } from '../rounds.ts';
import { measureMemory } from './memory.ts';
import { differentRow } from './requests.ts';
import { ALMANAKK_PATH, startAlmanakk } from './stand.ts';
import { measureStarts } from './starts.ts';
import { measureSwaps } from './swaps.ts';

export interface NationOptions {
  readonly work: string;
  readonly dist: string;
  /** Events of the larger one. */
  readonly events: number;
  readonly effort: Effort;
  readonly swapSeconds: number;
  /** Different requests after which memory is looked at. */
  readonly different: number;
  readonly say: (what: string) => void;
}

/** The larger one has so many times as much. */
const TIMES = 10;
/** A figure grows faster than the calendar from that many times on: what is less may be the machine. */
const FASTER = 1.1 * TIMES;

type Figures = Readonly<Record<string, number>>;

/** Gives the table. */
export async function measureNation(options: NationOptions, load: Load): Promise<string> {
  const { work, dist, events, say } = options;
  const now = Date.now();
  const columns: { readonly built: Built; readonly figures: Figures }[] = [];
  for (const size of [Math.round(events / TIMES), events]) {
    say(`building a calendar of ${thousands(size)} events with five dates each`);
    const name = `nation-${size}`;
    const built = await buildCalendar({ work, name, events: size, now, dates: 'nation' }, dist);
    columns.push({ built, figures: await figuresOf(built, { ...options, now }, load) });
    rmSync(built.folder, { recursive: true, force: true });
  }
  return renderNation(columns);
}

async function figuresOf(
  built: Built,
  { work, dist, effort, swapSeconds, different, now, say }: NationOptions & { readonly now: number },
  load: Load,
): Promise<Figures> {
  say('starting');
  const [start] = await measureStarts([{ dist, built }]);
  say('asking');
  const server = await startAlmanakk('almanakk', dist, built.folder);
  const directories = await readSlugs(`http://127.0.0.1:${server.port}${ALMANAKK_PATH}`, now);
  const row = differentRow(directories);
  const body = JSON.stringify(repeated(directories));
  const same = rawRequest({ method: 'POST', path: ALMANAKK_PATH, body });
  const rows = [
    { id: 'repeated', label: 'repeated', server, requests: () => [same], floor: '' },
    row('variables', server, 'by variables', { ask: byVariables }),
    row('literals', server, 'by literals', { ask: byLiterals, make: momentary }),
  ];
  const measured = await measureRows(rows, load, effort).finally(server.stop);
  const of = (id: string, read: (row: Measured) => number) =>
    read(measured.find((one) => one.id === id) ?? MISSING);
  const [held] = await measureMemory({ dist, built, directories, marks: [different] }, load);
  say('adopting');
  const twin = await twinOf(built);
  const swaps = await measureSwaps(
    { work, dist, between: [built, twin], seconds: swapSeconds, directories },
    load,
  );
  rmSync(twin.folder, { recursive: true, force: true });
  return {
    'build, s': built.seconds,
    'build, CPU s': built.cpuSeconds,
    ...Object.fromEntries(STEPS.map((step) => [`build: ${step}, s`, (built.steps[step] ?? 0) / 1_000])),
    'build, µs an occurrence': (built.seconds * 1e6) / built.occurrences,
    'highest memory of the build, MB': built.peakBytes / 1e6,
    'file, MB': built.bytes / 1e6,
    'start to ready, ms': start?.readyMs ?? Number.NaN,
    'memory then, MB': (start?.bytes ?? Number.NaN) / 1e6,
    [`memory after ${thousands(different)} different requests, MB`]: (held?.bytes ?? Number.NaN) / 1e6,
    'a repeated request, CPU µs': of('repeated', ({ cpu }) => cpu),
    'a different one by variables, CPU µs': of('variables', ({ cpu }) => cpu),
    'the same, p99 ms with 16 connections': of('variables', ({ p99 }) => p99),
    'a different one by literals, CPU µs': of('literals', ({ cpu }) => cpu),
    'from publishing to answering, ms': swaps.adoptMs,
    'p99 at 200 requests a second, ms': swaps.steady.p99,
    'p99 while adopting, ms': swaps.swapping.p99,
  };
}

/** Those that take more than a second. */
const STEPS = ['hash', 'events', 'columns', 'write', 'publish'];

const MISSING = { cpu: Number.NaN, p99: Number.NaN } as Measured;

function renderNation(columns: readonly { readonly built: Built; readonly figures: Figures }[]): string {
  const [tenth, nation] = columns.map(({ figures }) => figures);
  const rows = Object.entries(nation ?? {}).map(([what, value]) => {
    const before = tenth?.[what] ?? Number.NaN;
    return { what, before, value, times: value / before };
  });
  const faster = rows.filter(({ times }) => times > FASTER).map(({ what }) => `${what.replace(/, .*/, '')}`);
  const heads = columns.map(
    ({ built }) => `${thousands(built.events)} events, ${thousands(built.occurrences)} occurrences`,
  );
  return `# A nation

\`npm run bench -- --nation\`, ${new Date().toISOString()}: ${writeMachine(describeMachine())}. Two calendars of the same make;
the larger one has ${TIMES} times as much of everything but venues, organizers and categories.

${markdownTable(
  ['', ...heads, 'times'],
  rows.map(({ what, before, value, times }) => [
    ...[what, threeDigits(before), threeDigits(value)],
    times > FASTER ? `**${threeDigits(times)}**` : threeDigits(times),
  ]),
)}

Faster than the calendar grows: ${faster.length === 0 ? 'nothing' : [...new Set(faster)].join(', ')}.
`;
}
